package sqs

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/protocols"
)

func TestAnswersHaveTheProvidersHeaders(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	for _, tt := range []struct {
		name, contentType, length string
		got                       reply
	}{
		{"JSON", "application/x-amz-json-1.0", "2", s.json("ReceiveMessage", `{"QueueUrl":"q"}`)},
		{"JSON without content", "application/x-amz-json-1.0", "0", s.json("PurgeQueue", `{"QueueUrl":"q"}`)},
		{"JSON error", "application/x-amz-json-1.0", "96", s.json("PurgeQueue", `{"QueueUrl":"nope"}`)}, // Recorded: 96 bytes
		{"XML without content", "text/xml", "", s.query("Action=PurgeQueue&QueueUrl=q")},
		{"XML error", "text/xml", "", s.query("Action=PurgeQueue&QueueUrl=nope")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := tt.got.header
			if got := h.Get("Content-Type"); got != tt.contentType {
				t.Errorf("Content-Type = %q, want %q", got, tt.contentType)
			}
			if got := h.Get("Content-Length"); tt.length != "" && got != tt.length {
				t.Errorf("Content-Length = %q, want %q: %s", got, tt.length, tt.got.body)
			}
			if got := h.Get("Connection"); got != "keep-alive" {
				t.Errorf("Connection = %q, want keep-alive", got)
			}
		})
	}
}

func TestHeaderNamesOnTheWire(t *testing.T) {
	s := newServer(t)
	web := httptest.NewServer(s.handler)
	t.Cleanup(web.Close)
	conn, err := net.Dial("tcp", web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const request = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: AmazonSQS.Bogus\r\nContent-Length: 2\r\n\r\n{}"
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 4096)
	n, err := conn.Read(head)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"HTTP/1.1 400 Bad Request\r\n", "\r\nx-amzn-RequestId: ", "\r\nx-amzn-query-error: InvalidAction;Sender\r\n", "\r\nContent-Type: application/x-amz-json-1.0\r\n", "\r\nDate: "} {
		if !strings.Contains(string(head[:n]), want) {
			t.Errorf("got %q, want it to contain %q", head[:n], want)
		}
	}
}

// The lengths of these answers are Recorded, with a request id of 36 characters.
func TestAnswersHaveTheRecordedLengths(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	s.ok(s.json("SendMessage", `{"QueueUrl":"q","MessageBody":"x"}`))
	m := s.receive("q", "")[0]
	for _, tt := range []struct {
		name, want string
		got        reply
	}{
		{"DeleteMessage", "215", s.query(form("Action", "DeleteMessage", "QueueUrl", "q", "ReceiptHandle", m.ReceiptHandle))},
		{"GetQueueAttributes of none", "252", s.query("Action=GetQueueAttributes&QueueUrl=q")},
	} {
		if got := tt.got.header.Get("Content-Length"); got != tt.want {
			t.Errorf("%s: Content-Length = %s, want %s: %s", tt.name, got, tt.want, tt.got.body)
		}
	}
	policy := s.json("SetQueueAttributes", `{"QueueUrl":"q","Attributes":{"Policy":"{"}}`)
	if got := len(policy.body); got != 104 {
		t.Errorf("length of a refused policy = %d, want 104: %s", got, policy.body)
	}
}

func TestDetection(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	send := `{"MessageBody":"x"}`
	for _, tt := range []struct {
		name, method, target, contentType, operation, accept, body string
		want                                                       string // the beginning of the answer
	}{
		{"JSON on the root", "POST", "/", jsonType, "AmazonSQS.ListQueues", "", "{}", `{"QueueUrls":[`},
		{"JSON with parameters in its type", "POST", "/", jsonType + "; charset=utf-8", "AmazonSQS.ListQueues", "", "{}", `{"QueueUrls":[`},
		{"JSON on a queue's path", "POST", "/000000000000/q", jsonType, "AmazonSQS.SendMessage", "", send, `{"MD5OfMessageBody":`},
		{"JSON by its target alone", "POST", "/000000000000/q", "", "AmazonSQS.SendMessage", "", send, `{"MD5OfMessageBody":`},
		{"JSON by its target, of another type", "POST", "/", "application/json", "AmazonSQS.ListQueues", "", "", `{"QueueUrls":[`},
		{"a form with a target is Query", "POST", "/000000000000/q", formType, "AmazonSQSv20121105.SendMessage", "", "Action=SendMessage&MessageBody=x", `<?xml version="1.0"?><SendMessageResponse`},
		{"a form with the target of JSON is Query", "POST", "/", formType, "AmazonSQS.ListQueues", "", "Action=ListQueues", `<?xml version="1.0"?><ListQueuesResponse`},
		{"GET", "GET", "/?Action=ListQueues", "", "", "", "", `<?xml version="1.0"?><ListQueuesResponse`},
		{"GET on a queue's path", "GET", "/000000000000/q?Action=GetQueueAttributes", "", "", "", "", `<?xml version="1.0"?><GetQueueAttributesResponse`},
		{"GET on a queue's path with a slash", "GET", "/000000000000/q/?Action=GetQueueAttributes", "", "", "", "", `<?xml version="1.0"?><GetQueueAttributesResponse`},
		{"POST without a content type", "POST", "/", "", "", "", "Action=ListQueues", `<?xml version="1.0"?><ListQueuesResponse`},
		{"Action in the query of a POST", "POST", "/?Action=SendMessage", formType, "", "", "QueueUrl=q&MessageBody=x", `<?xml version="1.0"?><SendMessageResponse`},
		{"GET for JSON", "GET", "/?Action=ListQueues", "", "", "application/json", "", `{"ListQueuesResponse":{"ListQueuesResult":{`},
		{"an older version", "GET", "/?Action=ListQueues&Version=2009-02-01", "", "", "", "", `<?xml version="1.0"?><ListQueuesResponse xmlns="http://queue.amazonaws.com/doc/2009-02-01/">`},
		{"GET of nothing", "GET", "/000000000000/q", "", "", "", "", `<UnknownOperationException/>`},
		{"GET of nothing for JSON", "GET", "/", "", "", "application/json", "", `<UnknownOperationException/>`},
		{"OPTIONS", "OPTIONS", "/", "", "", "", "", `<UnknownOperationException/>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, tt.target, strings.NewReader(tt.body))
			for name, value := range map[string]string{"Content-Type": tt.contentType, "X-Amz-Target": tt.operation, "Accept": tt.accept} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			got := s.do(r)
			want := http.StatusOK
			if strings.HasPrefix(tt.want, "<Unknown") {
				want = http.StatusNotFound
			}
			if !strings.HasPrefix(got.body, tt.want) || got.status != want {
				t.Errorf("got %d %s, want %d and the beginning %s", got.status, got.body, want, tt.want)
			}
		})
	}
}

func TestUnknownOperations(t *testing.T) {
	s := newServer(t)
	s.jsonFault(s.json("Bogus", "{}"), 400, "InvalidAction", "/UnknownOperationException", "")
	s.jsonFault(s.json("", "{}"), 400, "InvalidAction", "/UnknownOperationException", "")
	s.queryFault(s.query("Action=FooBar&Version=2012-11-05"), 400, "InvalidAction", "The action FooBar is not valid for this endpoint.")
	s.queryFault(s.query("Action="), 400, "InvalidAction", "The action  is not valid for this endpoint.")
	s.queryFault(s.query("Version=2012-11-05"), 400, "MissingAction", "The request must contain the parameter Action.")
	s.queryFault(s.query("Action=ListQueues&Version=2000-01-01"), 400, "NoSuchVersion", "The requested version ( 2000-01-01 ) of service AmazonSQS does not exist")
	s.queryFault(s.query("Action=%zz"), 404, "MalformedQueryString", "The query string contains a syntax error.")
	for _, action := range []string{"CreateQueue", "ListQueues"} {
		got := s.do(httptest.NewRequest("GET", "/000000000000/q?QueueName=x&Action="+action, nil))
		s.queryFault(got, 400, "InvalidAction", "The action "+action+" is not valid for this endpoint.")
	}
}

func TestMalformedJSON(t *testing.T) {
	s := newServer(t)
	for _, tt := range []struct{ body, text string }{
		{"{", ""},
		{"[]", "Start of list found where not expected"},
		{`"x"`, ""},
		{`{"DelaySeconds":"1"}`, "STRING_VALUE can not be converted to an Integer"},
	} {
		s.jsonFault(s.json("SendMessage", tt.body), 400, "MalformedInput", "/SerializationException", tt.text)
	}
}

func TestOversizedRequestIsRefused(t *testing.T) {
	s := newServer(t)
	huge := strings.Repeat("x", maxRequest+1)
	if got := s.json("SendMessage", huge); got.status != http.StatusRequestEntityTooLarge || !strings.Contains(got.body, "RequestEntityTooLarge") {
		t.Errorf("got %d %s, want 413", got.status, got.body)
	}
	if got := s.query(huge); got.status != http.StatusRequestEntityTooLarge || !strings.Contains(got.body, "<Code>RequestEntityTooLarge</Code>") {
		t.Errorf("got %d %s, want 413", got.status, got.body)
	}
	if got := s.query(strings.Repeat("a&", 10_001)); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d %s, want 413", got.status, got.body)
	}
}

func TestQueryAnswersInJSON(t *testing.T) {
	s := newServer(t)
	s.queue("q", "")
	get := func(query string) reply {
		r := httptest.NewRequest("GET", "/000000000000/q?"+query, nil)
		r.Header.Set("Accept", "application/json")
		return s.do(r)
	}
	for _, tt := range []struct{ query, want string }{
		{"Action=ReceiveMessage", `{"ReceiveMessageResponse":{"ReceiveMessageResult":{"messages":null},"ResponseMetadata":{"RequestId":"RID"}}}`},
		{"Action=SendMessage&MessageBody=x", `{"SendMessageResponse":{"ResponseMetadata":{"RequestId":"RID"},"SendMessageResult":{"MD5OfMessageAttributes":null,` +
			`"MD5OfMessageBody":"9dd4e461268c8034f5c8564e155c67a6","MD5OfMessageSystemAttributes":null,"MessageId":"MID","SequenceNumber":null}}}`},
		{"Action=GetQueueAttributes&AttributeName=DelaySeconds", `{"GetQueueAttributesResponse":{"GetQueueAttributesResult":{"Attributes":[{"Name":"DelaySeconds","Value":"0"}]},"ResponseMetadata":{"RequestId":"RID"}}}`},
		{"Action=PurgeQueue", `{"PurgeQueueResponse":{"ResponseMetadata":{"RequestId":"RID"}}}`},
		{"Action=FooBar", `{"Error":{"Code":"InvalidAction","Message":"The action FooBar is not valid for this endpoint.","Type":"Sender"},"RequestId":"RID"}`},
	} {
		got := get(tt.query)
		if masked(got.body) != tt.want || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s:\n got %s\nwant %s", tt.query, masked(got.body), tt.want)
		}
	}
}

func TestPanicsAreInternalFailures(t *testing.T) {
	site := &protocols.Site{SQS: protocols.Home{Account: "000000000000", Region: "us-east-1"}}
	broken := &service{site: site} // has no broker
	faults := 0
	h := protocols.NewHandler([]protocols.Dialect{&jsonDialect{broken}, &queryDialect{broken}}, func(*protocols.Call, error) { faults++ })
	s := &server{t: t, handler: h}
	got := s.json("ListQueues", "{}")
	if got.status != 500 || got.body != `{"__type":"com.amazon.coral.service#InternalFailure","message":"We encountered an internal error. Please try again."}` ||
		got.header["x-amzn-query-error"][0] != "InternalFailure;Receiver" {
		t.Errorf("got %d %v %s", got.status, got.header, got.body)
	}
	got = s.query("Action=ListQueues")
	if got.status != 500 || !strings.Contains(got.body, "<Type>Receiver</Type><Code>InternalFailure</Code>") {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if faults != 2 {
		t.Errorf("reported %d faults, want 2", faults)
	}
}
