package mns

import (
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

// doJSON sends a request to the dialect of version 2026-04-09.
func (l *lab) doJSON(method, target, body string, headers ...string) *answer {
	l.t.Helper()
	return l.do(method, target, body, append([]string{"x-mns-version", jsonVersion, "Content-Type", "application/json"}, headers...)...)
}

// wantJSON checks the body of an answer.
func (a *answer) wantJSON(status int, body string) {
	a.t.Helper()
	if a.want(status); a.body != body {
		a.t.Errorf("%s = %s\nwant %s", a.call, a.body, body)
	}
}

// wantJSONError checks an error but for its request id.
func (a *answer) wantJSONError(status int, code, message string) {
	a.t.Helper()
	id := a.header["x-mns-request-id"][0]
	a.wantJSON(status, `{"Code":"`+code+`","Message":"`+strings.ReplaceAll(message, `"`, `\"`)+`","RequestId":"`+id+`","HostId":"http://`+labHost+`"}`)
}

// field returns the text of a member at a path, by the reader that requests are read with.
func (a *answer) field(path string) string {
	a.t.Helper()
	b, err := jsonCodec{}.read([]byte(a.body))
	if err != nil {
		a.t.Fatalf("%s: the answer is no JSON: %q", a.call, a.body)
	}
	return textOf(&b.(*jsonBody).element, path)
}

func TestJSONMessageTravels(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	const properties = `{"s":{"DataType":"STRING","StringValue":"a\"b"},"x":{"DataType":"BINARY","BinaryValue":"AQL/"},"b":{"DataType":"BOOLEAN","StringValue":"true"}}`
	sent := l.doJSON("POST", "/queues/q/messages", `{"MessageBody":"a\nb","Priority":1,"Unknown":[1,{}],"UserProperties":`+properties+`,
		"SystemProperties":{"traceparent":{"DataType":"STRING","StringValue":"00-1-2-01"}}}`)
	id := sent.field("MessageId")
	sent.wantJSON(201, `{"MessageId":"`+id+`","MessageBodyMD5":"`+digest("a\nb")+`"}`)
	for name, want := range map[string]string{
		"x-mns-version": jsonVersion, "x-mns-response-format": "json", "Content-Type": "application/json",
	} {
		if got := sent.header[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}

	peek := `{"MessageId":"` + id + `","MessageBodyMD5":"` + digest("a\nb") + `","MessageBody":"a\nb"`
	times := `"EnqueueTime":1790299683992,"FirstDequeueTime":1790299683992,`
	tail := `"Priority":1,"UserProperties":` + properties + `,"SystemProperties":{"traceparent":{"DataType":"STRING","StringValue":"00-1-2-01"}}}`
	l.doJSON("GET", "/queues/q/messages?peekonly=true", "").wantJSON(200, peek+`,`+times+`"DequeueCount":0,`+tail)
	l.doJSON("GET", "/queues/q/messages?peekonly=true&numOfMessages=2", "").wantJSON(200, `{"Messages":[`+peek+`,`+times+`"DequeueCount":0,`+tail+`]}`)

	got := l.doJSON("GET", "/queues/q/messages?numOfMessages=2&waitseconds=0", "")
	handle := got.field("Messages/Message/ReceiptHandle")
	got.wantJSON(200, `{"Messages":[`+peek+`,"ReceiptHandle":"`+handle+`",`+times+`"NextVisibleTime":1790299713992,"DequeueCount":1,`+tail+`]}`)

	changed := l.doJSON("PUT", "/queues/q/messages?receiptHandle="+handle+"&visibilityTimeout=5", "")
	renewed := changed.field("ReceiptHandle")
	changed.wantJSON(200, `{"ReceiptHandle":"`+renewed+`","NextVisibleTime":1790299688992}`)
	l.doJSON("DELETE", "/queues/q/messages", `{"ReceiptHandles":["`+renewed+`","x"]}`).
		wantJSON(404, `{"Errors":[{"ErrorCode":"ReceiptHandleError","ErrorMessage":"The receipt handle you provide is not valid.","ReceiptHandle":"x"}]}`)
	l.doJSON("GET", "/queues/q/messages?numOfMessages=1&waitseconds=0", "").wantJSONError(404, "MessageNotExist", "Message not exist.")
}

func TestJSONBatch(t *testing.T) {
	l := newLab(t)
	l.create("q", "<DelaySeconds>5</DelaySeconds>")
	sent := l.doJSON("POST", "/queues/q/messages", `{"Messages":[{"MessageBody":"a","DelaySeconds":0},{"MessageBody":"b"},{"MessageBody":"c","DelaySeconds":null}]}`).want(201)
	b, err := jsonCodec{}.read([]byte(sent.body))
	if err != nil {
		t.Fatal(err)
	}
	var delayed []bool
	for _, m := range b.(*jsonBody).last("Messages").kids {
		delayed = append(delayed, m.last("ReceiptHandle") != nil)
	}
	if diff := cmp.Diff([]bool{false, true, true}, delayed); diff != "" {
		t.Errorf("messages with a delay (-want +got):\n%s", diff)
	}
	a := l.doJSON("GET", "/queues/q/messages?waitseconds=0", "").want(200)
	l.doJSON("DELETE", "/queues/q/messages?receiptHandle="+a.field("ReceiptHandle"), "").wantJSON(204, "")
	l.clock.Advance(5 * time.Second)
	l.doJSON("GET", "/queues/q/messages?numOfMessages=16", "").want(200)
}

func TestJSONErrors(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	deep := strings.Repeat(`{"a":`, maxDepth) + "1" + strings.Repeat("}", maxDepth)
	for _, body := range []string{
		"", "[]", `"x"`, "<Message/>", "{", `{"MessageBody":"x"}x`, `{"MessageBody":"x"}{}`, `{"a":1,"a":2}`, `{"MessageBody":"\ud800"}`, "{\"MessageBody\":\"\xff\"}",
		deep, `{"Messages":[` + strings.Repeat("1,", maxTags) + `1]}`,
	} {
		l.doJSON("POST", "/queues/q/messages", body).wantJSONError(400, "MalformedJSON", "The JSON you provided was not well-formed.")
	}
	for body, text := range map[string]string{
		`{}`:                                     schemaError("MessageBody"),
		`{"MessageBody":null}`:                   schemaError("MessageBody"),
		`{"Messages":{}}`:                        schemaError("MessageBody"),
		`{"MessageBody":""}`:                     "The value of MessageBody should between 1 and 65536 bytes.",
		`{"Messages":[]}`:                        "The value of Messages should between 1 and 16.",
		`{"Messages":[{}]}`:                      schemaError("MessageBody"),
		`{"ReceiptHandles":[1]}`:                 schemaError("MessageBody"),
		`{"MessageBody":"x","DelaySeconds":1.5}`: schemaError("DelaySeconds"),
		`{"MessageBody":"x","Priority":0}`:       "The value of Priority should between 1 and 16.",
		`{"MessageBody":"x","UserProperties":{"k":{"StringValue":"v"}}}`:                           schemaError("Type"),
		`{"MessageBody":"x","UserProperties":{"k":{"DataType":"BINARY","StringValue":"AA=="}}}`:    schemaError("Value"),
		`{"Messages":[{"MessageBody":"x","UserProperties":{"":{"DataType":"STRING"}}}]}`:           schemaError("Name"),
		`{"MessageBody":"x","UserProperties":{"k":{"DataType":"BINARY","BinaryValue":"no base"}}}`: schemaError("Value"),
	} {
		l.doJSON("POST", "/queues/q/messages", body).wantJSONError(400, "InvalidArgument", text)
	}
	l.doJSON("GET", "/queues/none/messages", "").wantJSONError(404, "QueueNotExist", noQueue)
	l.doJSON("DELETE", "/queues/q/messages", "{}").wantJSONError(400, "InvalidArgument", "The value of ReceiptHandles should between 1 and 16.")
	l.doJSON("GET", "/queues/q/messages?x=1", "").wantJSONError(400, "InvalidQueryString", `Http request URL contains invalid querystring item "x".`)
	l.empty("q")
}

func TestJSONIsOnlyForMessages(t *testing.T) {
	l := newLab(t)
	for _, c := range [][2]string{
		{"GET", "/queues"}, {"PUT", "/queues/q"}, {"GET", "/queues/q"}, {"GET", "/?accountmeta=true"}, {"PUT", "/topics/t"}, {"GET", "/"},
	} {
		l.doJSON(c[0], c[1], "").wantJSONError(400, "InvalidRequestURL", "Http request URL format invalid.")
	}
}

func TestJSONClaimsItsVersion(t *testing.T) {
	d := JSON(&protocols.Site{Broker: func(core.Rules) core.Broker { return nil }})
	for _, c := range []struct {
		version, extra string
		want           bool
	}{
		{jsonVersion, "", true}, {"2015-06-06", "", false}, {"", "", false}, {jsonVersion, "AmazonSQS.SendMessage", false},
	} {
		r := httptest.NewRequest("POST", "/queues/q/messages", nil)
		r.Header.Set("X-Mns-Version", c.version)
		if c.extra != "" {
			r.Header.Set("X-Amz-Target", c.extra)
		}
		if got := d.Claims(r); got != c.want {
			t.Errorf("Claims(version %q, target %q) = %v, want %v", c.version, c.extra, got, c.want)
		}
	}
}

func TestJSONEndpointNamesTheRegion(t *testing.T) {
	home := protocols.Home{Account: homeAccount, Region: "cn-hangzhou"}
	for host, want := range map[string]core.Namespace{
		"cn-shanghai.mns.aliyuncs.com":              {Account: homeAccount, Region: "cn-shanghai"},
		"cn-shanghai-vpc.mns.aliyuncs.com":          {Account: homeAccount, Region: "cn-shanghai"},
		"ap-southeast-1.mns.localhost:9324":         {Account: homeAccount, Region: "ap-southeast-1"},
		"42.mns.cn-shanghai.aliyuncs.com":           {Account: "42", Region: "cn-shanghai"},
		"localhost:9324":                            home.Namespace(),
		"mns":                                       home.Namespace(),
		"sluice.mns.svc":                            home.Namespace(),
		"ip-10-0-0-1.eu-west-1.compute.internal:80": home.Namespace(),
	} {
		if got, named := regionalNamespaceOf(host, home); got != want || named != (want.Account == "42") {
			t.Errorf("regionalNamespaceOf(%q) = %v, %v, want %v", host, got, named, want)
		}
	}
}

func TestJSONSignatureIsVerified(t *testing.T) {
	l := signedLab(t)
	l.do("PUT", "/queues/demo-queue", "", signed("emulator-ak", emulatorSecret, "PUT", "/queues/demo-queue")...).want(201)
	send := func(version, signature string) *answer {
		return l.do("POST", "/queues/demo-queue/messages", `{"MessageBody":"hello"}`, "Content-Type", "application/json", "Content-MD5", "MWSC0bXa1HNf7FjjpzsM9Q==",
			"x-mns-version", version, "Date", emulatorDate, "Host", "cn-hangzhou.mns.localhost",
			"Authorization", "MNS4-HMAC-SHA256 Credential=emulator-ak/20261106/cn-hangzhou/mns/aliyun_v4_request,Signature="+signature)
	}
	const good = "4990de13ba8977159d6850a85efd5d71f81ea8bb4851eb9f09429491b22b4faf"
	send(jsonVersion, good).want(201)
	if a := send(jsonVersion, good[1:]).want(403); a.field("Code") != "SignatureDoesNotMatch" {
		t.Errorf("another signature: %s", a.body)
	}
	a := l.doJSON("POST", "/queues/demo-queue/messages", "{}", "Date", emulatorDate, "Authorization", "Bearer x")
	a.wantJSONError(400, "InvalidAuthorizationHeader", "The Authorization header format is invalid.")
}

func FuzzReadJSON(f *testing.F) {
	for _, doc := range []string{
		`{"MessageBody":"x","DelaySeconds":1,"Priority":8,"MessageGroupId":"g"}`,
		`{"Messages":[{"MessageBody":"x","UserProperties":{"k":{"DataType":"BINARY","BinaryValue":"AA=="}}}]}`,
		`{"ReceiptHandles":["a","b"]}`, `{"Messages":{"Message":[]}}`, `{"UserProperties":[[{}]]}`, `{"UserProperties":"x"}`, `[`, `{"a":null}`,
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		b, err := jsonCodec{}.read([]byte(doc))
		if err != nil {
			return
		}
		if !jsontext.Value(doc).IsValid() {
			t.Errorf("read(%q) = %+v, but it is no JSON", doc, b)
		}
		for _, bind := range []func() error{
			func() error {
				return b.bind(planOf[sendMessageInput](), reflect.ValueOf(&sendMessageInput{}).Elem())
			},
			func() error {
				return b.bind(planOf[batchSendMessageInput](), reflect.ValueOf(&batchSendMessageInput{}).Elem())
			},
			func() error {
				return b.bind(planOf[batchDeleteMessageInput](), reflect.ValueOf(&batchDeleteMessageInput{}).Elem())
			},
		} {
			_ = bind() // must not panic
		}
	})
}
