package sqs

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols/internal/wire"
)

// The codecs on messages of 1 KiB, without HTTP and the engine. Time is for people; allocations repeat exactly.

func BenchmarkDecodeSendMessage(b *testing.B) {
	body := strings.Repeat("0123456789 <&> \n", 64)
	document := []byte(`{"MessageBody":` + string(wire.AppendJSONText(nil, body)) + `,"QueueUrl":"http://localhost:9324/000000000000/q"}`)
	form := []byte("Action=SendMessage&MessageBody=" + url.QueryEscape(body) + "&QueueUrl=http%3A%2F%2Flocalhost%3A9324%2F000000000000%2Fq&Version=2012-11-05")
	o := operations["SendMessage"]
	b.Run("json", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(document)))
		for b.Loop() {
			if _, err := o.fromJSON(document); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("query", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(form)))
		scratch := make([]byte, len(form))
		for b.Loop() {
			copy(scratch, form) // it is unescaped in place
			f, err := wire.ParseForm(scratch)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := o.fromForm(f); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	s := &service{}
	body := strings.Repeat("0123456789 <&> \n", 64)
	received := &receiveMessageOutput{Messages: make([]receivedMessage, 10)}
	message := core.Received{Receipt: "AAAAAAAAAAAAAAAAAAAAAAAAAAA", Message: core.Message{
		Body: body, Sender: "AIDAEXAMPLEEXAMPLE012", SentAt: time.Unix(epoch, 0), FirstReceivedAt: time.Unix(epoch, 0), Receives: 1,
	}}
	user := newFilter(nil)
	for i := range received.Messages {
		s.show(&received.Messages[i], &message, newSystemFilter([]string{"All"}, nil), &user)
	}
	sent := &sentMessage{MessageID: uuid([16]byte{}), BodyDigest: core.DigestOf(body).String()}
	buffer := make([]byte, 0, 64<<10)
	for name, run := range map[string]func(){
		"send/json":      func() { operations["SendMessage"].json(buffer, sent) },
		"send/xml":       func() { operations["SendMessage"].xml(buffer, sent) },
		"receive10/json": func() { operations["ReceiveMessage"].json(buffer, received) },
		"receive10/xml":  func() { operations["ReceiveMessage"].xml(buffer, received) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
	b.Run("receive10/shapes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i := range received.Messages {
				s.show(&received.Messages[i], &message, newSystemFilter([]string{"All"}, nil), &user)
			}
		}
	})
}

// BenchmarkRequest is a whole request through the handler, without a connection.
func BenchmarkRequest(b *testing.B) {
	s := newServer(b)
	s.queue("q", "")
	body := strings.Repeat("0123456789abcdef", 64)
	for name, run := range map[string]func() reply{
		"json":  func() reply { return s.json("SendMessage", `{"QueueUrl":"q","MessageBody":"`+body+`"}`) },
		"query": func() reply { return s.query("Action=SendMessage&QueueUrl=q&MessageBody=" + body) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.ok(run())
			}
		})
	}
}
