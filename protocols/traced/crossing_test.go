package traced_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// other is a second context, to tell carriers apart.
const other = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-2222222222222222-00"

const otherXRay = "Root=1-aaaaaaaa-aaaaaaaaaaaaaaaaaaaaaaaa;Parent=2222222222222222;Sampled=0"

// untraced is a bench with nothing around its parts: contexts cross without telemetry.
func untraced(t testing.TB) *bench {
	b := &bench{t: t}
	b.open(nil, nil)
	return b
}

func optional(text, pattern string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// seen returns what a receiver of SQS and one of MNS are shown of the trace of the message in "jobs".
func (b *bench) seen() (header, systemParent string) {
	got := b.receive("jobs")
	b.sqs("ChangeMessageVisibility", `{"QueueUrl":"http://localhost/000000000000/jobs","VisibilityTimeout":0,"ReceiptHandle":"`+
		find(b.t.(*testing.T), got, `"ReceiptHandle":"([^"]*)"`)+`"}`)
	m := b.mns(http.MethodGet, "/queues/jobs/messages", "")
	if !strings.Contains(m, "<MessageId>") {
		b.t.Fatalf("MNS has no message: %s", m)
	}
	return optional(got, `"AWSTraceHeader":"([^"]*)"`),
		optional(m, `<SystemPropertyValue>\s*<Name>traceparent</Name>\s*<Value>([^<]*)`)
}

func TestContextsOfSQSReachMNS(t *testing.T) {
	attribute := `"traceparent":{"DataType":"String","StringValue":"` + parent + `"}`
	system := `"AWSTraceHeader":{"DataType":"String","StringValue":"` + otherXRay + `"}`
	for _, tt := range []struct {
		name, attributes, system string
		headers                  []string
		wantHeader, wantParent   string
	}{
		{name: "none"},
		{name: "message attribute", attributes: attribute, wantParent: parent},
		{name: "message attribute of boto3's instrumentation", attributes: strings.Replace(attribute, "traceparent", "otel.traceparent", 1), wantParent: parent},
		{name: "message attribute before all else", attributes: attribute, system: system, headers: []string{"Traceparent", other}, wantHeader: otherXRay, wantParent: parent},
		{name: "malformed message attribute", attributes: strings.Replace(attribute, "00-", "0-", 1), system: system, wantHeader: otherXRay, wantParent: other},
		{name: "binary message attribute", attributes: `"traceparent":{"DataType":"Binary","BinaryValue":"AAAA"}`},
		{name: "system attribute", system: system, headers: []string{"Traceparent", parent}, wantHeader: otherXRay, wantParent: other},
		{name: "header of W3C", headers: []string{"Traceparent", parent, "X-Amzn-Trace-Id", otherXRay}, wantHeader: otherXRay, wantParent: parent},
		{name: "header of X-Ray", headers: []string{"X-Amzn-Trace-Id", xray}, wantHeader: xray, wantParent: parent},
		{name: "header of X-Ray without a parent", headers: []string{"X-Amzn-Trace-Id", xray[:35]}, wantHeader: xray[:35]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := untraced(t)
			b.queues()
			b.sqs("SendMessage", `{"QueueUrl":"http://localhost/000000000000/jobs","MessageBody":"m",
				"MessageAttributes":{`+tt.attributes+`},"MessageSystemAttributes":{`+tt.system+`}}`, tt.headers...)
			header, systemParent := b.seen()
			if header != tt.wantHeader || systemParent != tt.wantParent {
				t.Errorf("seen as AWSTraceHeader %q and traceparent %q, want %q and %q", header, systemParent, tt.wantHeader, tt.wantParent)
			}
		})
	}
}

func TestContextsOfMNSReachSQS(t *testing.T) {
	property := func(kind, value string) string {
		return "<" + kind + "><Name>traceparent</Name><Value>" + value + "</Value><Type>STRING</Type></" + kind + ">"
	}
	system, user := property("SystemPropertyValue", parent), property("PropertyValue", other)
	for _, tt := range []struct {
		name, system, user     string
		headers                []string
		wantHeader, wantParent string
	}{
		{name: "none"},
		{name: "system property", system: system, user: user, headers: []string{"Traceparent", other}, wantHeader: xray, wantParent: parent},
		{name: "user property", user: user, headers: []string{"Traceparent", parent}, wantHeader: otherXRay, wantParent: other},
		{name: "header of W3C", headers: []string{"Traceparent", parent, "X-Amzn-Trace-Id", otherXRay}, wantHeader: xray, wantParent: parent},
		{name: "header of X-Ray", headers: []string{"X-Amzn-Trace-Id", xray}, wantHeader: xray, wantParent: parent},
		{name: "malformed system property", system: property("SystemPropertyValue", "x"), wantParent: "x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := untraced(t)
			b.queues()
			b.mns(http.MethodPost, "/queues/jobs/messages", `<Message xmlns="http://mns.aliyuncs.com/doc/v1/"><MessageBody>m</MessageBody>
				<UserProperties>`+tt.user+`</UserProperties><SystemProperties>`+tt.system+`</SystemProperties></Message>`, tt.headers...)
			header, systemParent := b.seen()
			if header != tt.wantHeader || systemParent != tt.wantParent {
				t.Errorf("seen as AWSTraceHeader %q and traceparent %q, want %q and %q", header, systemParent, tt.wantHeader, tt.wantParent)
			}
		})
	}
}

// TestTracingChangesNoDigest compares all that a sender and a receiver are answered, but for what is random.
func TestTracingChangesNoDigest(t *testing.T) {
	attributes := `"MessageAttributes":{"traceparent":{"DataType":"String","StringValue":"` + parent + `"},"a":{"DataType":"Number","StringValue":"1"}}`
	volatile := regexp.MustCompile(`"(MessageId|ReceiptHandle)":"[^"]*"`)
	answers := func(b *bench) string {
		b.queues()
		sent := b.sqs("SendMessage", `{"QueueUrl":"http://localhost/000000000000/jobs","MessageBody":"m",`+attributes+`}`, "Traceparent", other, "X-Amzn-Trace-Id", xray)
		return volatile.ReplaceAllString(sent+b.receive("jobs"), "")
	}
	off, on := answers(untraced(t)), answers(newBench(t))
	if off != on || !strings.Contains(off, "MD5OfMessageAttributes") {
		t.Errorf("answers with tracing = %s, want those without: %s", on, off)
	}
}
