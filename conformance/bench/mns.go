package bench

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
)

// mnsBatch is the largest batch of MNS (Documented).
const mnsBatch = 16

// mns is MNS in XML.
type mns struct{ host string }

func (mns) batch() int                { return mnsBatch }
func (mns) partly(answer []byte) bool { return bytes.Contains(answer, []byte("<ErrorCode>")) }

// nothing is MessageNotExist.
func (mns) nothing(status int) bool { return status == http.StatusNotFound }

func (m mns) head(method, target string) []byte {
	return head(method, target, m.host,
		"Content-Type: text/xml;charset=utf-8",
		"x-mns-version: 2015-06-06",
		"Date: Thu, 01 Jan 2026 00:00:00 GMT",
		"Authorization: MNS test:AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
}

const mnsNamespace = ` xmlns="http://mns.aliyuncs.com/doc/v1/">`

func (m mns) create(name string, _ bool) []byte {
	return whole(m.head("PUT", "/queues/"+name),
		"<Queue"+mnsNamespace+"<VisibilityTimeout>"+visibility+"</VisibilityTimeout></Queue>")
}

func (m mns) wire(name string, _ bool, _ []byte, body string) (*wire, error) {
	messages := "/queues/" + name + "/messages"
	message := func(namespace string) string {
		return "<Message" + namespace + "<MessageBody>" + body + "</MessageBody></Message>"
	}
	all := "<Messages" + mnsNamespace + strings.Repeat(message(">"), mnsBatch) + "</Messages>"
	receive := func(query string) []byte { return whole(m.head("GET", messages+query), "") }
	return &wire{
		send:         whole(m.head("POST", messages), message(mnsNamespace)),
		sendBatch:    whole(m.head("POST", messages), all),
		receive:      receive(""),
		receiveBatch: receive("?numOfMessages=" + strconv.Itoa(mnsBatch)),
		poll:         receive("?waitseconds=" + pollTime),
		drop:         whole(m.head("DELETE", "/queues/"+name), ""),
		deleteOne:    m.deleteOne(messages),
		deleteBatch: bodied(m.head("DELETE", messages), "<ReceiptHandles"+mnsNamespace, "</ReceiptHandles>",
			func(b []byte, _ int, receipt []byte) []byte {
				b = append(b, "<ReceiptHandle>"...)
				b = append(b, receipt...)
				return append(b, "</ReceiptHandle>"...)
			}),
	}, nil
}

// deleteOne has its receipt in the path. None of the provider's has a character that XML escapes.
func (m mns) deleteOne(messages string) deletion {
	before := "DELETE " + messages + "?ReceiptHandle="
	_, rest, _ := strings.Cut(string(whole(m.head("DELETE", ""), "")), " HTTP/1.1")
	rest = " HTTP/1.1" + rest
	return func(b []byte, receipts [][]byte) []byte {
		b = append(b, before...)
		b = appendEscaped(b, receipts[0])
		return append(b, rest...)
	}
}

func (mns) receipts(answer []byte, to [][]byte) [][]byte {
	return between(answer, "<ReceiptHandle>", "</ReceiptHandle>", to)
}
