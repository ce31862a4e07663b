package bench

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parsed reads a request as a server does.
func parsed(t *testing.T, request []byte) (*http.Request, string) {
	t.Helper()
	in := bufio.NewReader(bytes.NewReader(request))
	r, err := http.ReadRequest(in)
	if err != nil {
		t.Fatalf("not a request: %v\n%s", err, request)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("body: %v\n%s", err, request)
	}
	if rest, _ := io.ReadAll(in); len(rest) > 0 {
		t.Fatalf("%d bytes are left after the request: %q", len(rest), rest)
	}
	return r, string(body)
}

func TestEveryRequestIsWhole(t *testing.T) {
	receipts := [][]byte{[]byte("a+/="), []byte("b-7")}
	answers := map[Protocol]string{
		SQSJSON:  `{"QueueUrl":"http://h:1/000000000000/q"}`,
		SQSQuery: `<QueueUrl>http://h:1/000000000000/q</QueueUrl>`,
	}
	for _, p := range Protocols {
		t.Run(string(p), func(t *testing.T) {
			l := languageOf(p, "h:1")
			q, err := l.wire("q", false, []byte(answers[p]), "body")
			if err != nil {
				t.Fatal(err)
			}
			for _, request := range [][]byte{
				l.create("q", false), q.send, q.sendBatch, q.receive, q.receiveBatch, q.poll, q.drop,
				q.deleteOne(nil, receipts[:1]), q.deleteBatch(nil, receipts),
			} {
				if r, _ := parsed(t, request); r.Host != "h:1" || r.UserAgent() != userAgent {
					t.Errorf("host %q, user agent %q of\n%s", r.Host, r.UserAgent(), request)
				}
			}
			if _, body := parsed(t, q.sendBatch); strings.Count(body, "body") != l.batch() {
				t.Errorf("batch has %d messages, want %d", strings.Count(body, "body"), l.batch())
			}
		})
	}
}

func TestReceiptsComeBackAsTheyWere(t *testing.T) {
	receipts := [][]byte{[]byte("a+/="), []byte("b c&")}
	js, err := sqsJSON{"h"}.wire("", false, []byte(`{"QueueUrl":"u"}`), "")
	if err != nil {
		t.Fatal(err)
	}
	query, err := sqsQuery{"h"}.wire("", false, []byte("<QueueUrl>http://h/0/q</QueueUrl>"), "")
	if err != nil {
		t.Fatal(err)
	}
	xml, err := mns{"h"}.wire("q", false, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	bodyOf := func(request []byte) string { _, body := parsed(t, request); return body }
	for _, tt := range []struct{ name, got, want string }{
		{"json", bodyOf(js.deleteOne(nil, receipts)[:]), `{"QueueUrl":"u","ReceiptHandle":"a+/=b c&"}`},
		{"json batch", bodyOf(js.deleteBatch(nil, receipts)), `{"QueueUrl":"u","Entries":[{"Id":"0","ReceiptHandle":"a+/="},{"Id":"1","ReceiptHandle":"b c&"}]}`},
		{"query", bodyOf(query.deleteOne(nil, receipts[:1])), "Action=DeleteMessage&Version=2012-11-05&QueueUrl=http%3A%2F%2Fh%2F0%2Fq&ReceiptHandle=a%2B%2F%3D"},
		{"query batch", bodyOf(query.deleteBatch(nil, receipts[1:])), "Action=DeleteMessageBatch&Version=2012-11-05&QueueUrl=http%3A%2F%2Fh%2F0%2Fq" +
			"&DeleteMessageBatchRequestEntry.1.Id=0&DeleteMessageBatchRequestEntry.1.ReceiptHandle=b%20c%26"},
		{"mns batch", bodyOf(xml.deleteBatch(nil, receipts[:1])), `<ReceiptHandles xmlns="http://mns.aliyuncs.com/doc/v1/"><ReceiptHandle>a+/=</ReceiptHandle></ReceiptHandles>`},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, tt.got, tt.want)
		}
	}
	r, _ := parsed(t, xml.deleteOne(nil, receipts))
	if r.Method != "DELETE" || r.URL.Path != "/queues/q/messages" || r.URL.Query().Get("ReceiptHandle") != "a+/=" {
		t.Errorf("mns: %s %s", r.Method, r.URL)
	}
}

func TestDeletionAppends(t *testing.T) {
	d := bodied(head("POST", "/", "h"), "<", ">", appendRaw)
	got := d([]byte("before"), [][]byte{[]byte("r")})
	if !bytes.HasPrefix(got, []byte("beforePOST ")) {
		t.Fatalf("deletion = %q", got)
	}
	if _, body := parsed(t, got[len("before"):]); body != "<r>" {
		t.Errorf("body = %q, want <r>", body)
	}
}

func TestReceiptsAreFound(t *testing.T) {
	want := [][]byte{[]byte("a"), []byte("b")}
	for _, tt := range []struct {
		p      Protocol
		answer string
	}{
		{SQSJSON, `{"Messages":[{"Body":"x","ReceiptHandle":"a"},{"ReceiptHandle":"b"}]}`},
		{SQSJSON, "{\"Messages\": [ {\"ReceiptHandle\" :\n\"a\" }, {\"ReceiptHandle\": null},{\"ReceiptHandle\": \"b\"}]}"},
		{SQSQuery, `<Message><ReceiptHandle>a</ReceiptHandle></Message><Message><ReceiptHandle>b</ReceiptHandle></Message>`},
		{MNS, "<Message>\n  <ReceiptHandle>a</ReceiptHandle>\n</Message><ReceiptHandle>b</ReceiptHandle>"},
	} {
		l := languageOf(tt.p, "h")
		if diff := cmp.Diff(want, l.receipts([]byte(tt.answer), nil)); diff != "" {
			t.Errorf("%s receipts (-want +got):\n%s", tt.p, diff)
		}
		if none := l.receipts([]byte("{}<ReceiptHandle>cut"), nil); len(none) != 0 {
			t.Errorf("%s receipts of an answer without = %q", tt.p, none)
		}
	}
}

func TestFailedEntriesAreFound(t *testing.T) {
	for _, tt := range []struct {
		p      Protocol
		answer string
		want   bool
	}{
		{SQSJSON, `{"Failed":[{"Id":"1"}],"Successful":[]}`, true},
		{SQSJSON, "{\"Successful\": [], \"Failed\": [\n {\"Id\": \"1\"}]}", true},
		{SQSJSON, `{"Failed": [], "Successful":[{"Id":"1"}]}`, false},
		{SQSJSON, `{"Successful":[{"Id":"1"}]}`, false},
		{SQSQuery, "<BatchResultErrorEntry><Id>1</Id></BatchResultErrorEntry>", true},
		{SQSQuery, "<SendMessageBatchResultEntry/>", false},
		{MNS, "<Messages><Message><ErrorCode>c</ErrorCode></Message></Messages>", true},
		{MNS, "<Messages><Message/></Messages>", false},
	} {
		if got := languageOf(tt.p, "h").partly([]byte(tt.answer)); got != tt.want {
			t.Errorf("%s partly(%s) = %t, want %t", tt.p, tt.answer, got, tt.want)
		}
	}
}

func TestEscapingIsThatOfForms(t *testing.T) {
	var all strings.Builder
	for c := range 256 {
		all.WriteByte(byte(c))
	}
	got, err := url.QueryUnescape(escaped(all.String()))
	if err != nil || got != all.String() {
		t.Errorf("escaped() does not come back: %q, %v", got, err)
	}
}

func TestFIFOSendHasItsOwnGroupAndDeduplicationID(t *testing.T) {
	q, err := sqsJSON{"h"}.wire("", true, []byte(`"QueueUrl":"u"`), "x")
	if err != nil {
		t.Fatal(err)
	}
	f := newFIFOSend(q.send)
	for _, n := range []int{0, 7, 1234567890} {
		f.with(n, n/2)
	}
	_, body := parsed(t, f.with(42, 1234567))
	want := `{"QueueUrl":"u","MessageBody":"x","MessageGroupId":"group-0000000042","MessageDeduplicationId":"dedup-0001234567"}`
	if body != want {
		t.Errorf("body = %s\nwant %s", body, want)
	}
	if _, untouched := parsed(t, q.send); !strings.Contains(untouched, groupMark) {
		t.Errorf("the request of the others was changed: %s", untouched)
	}
}

func TestBodiesNeedNoEscape(t *testing.T) {
	body := letters(MaxBody)
	if len(body) != MaxBody || escaped(body) != body {
		t.Errorf("letters(%d) has %d bytes, escaped %d", MaxBody, len(body), len(escaped(body)))
	}
	if body != letters(MaxBody) {
		t.Error("letters() differ between two calls")
	}
}
