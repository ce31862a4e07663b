package traced_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
	coretraced "github.com/sluicemq/sluice/core/traced"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/mns"
	"github.com/sluicemq/sluice/protocols/sqs"
	"github.com/sluicemq/sluice/protocols/traced"
)

var epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const (
	parent = "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01"
	xray   = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
)

// bench is all dialects over an engine in memory, with telemetry around it if there is any.
type bench struct {
	t       testing.TB
	clock   *clock.Manual
	engine  *core.Engine
	handler http.Handler
	spans   *tracetest.SpanRecorder
	faults  []error
}

// newBench returns a bench whose spans are recorded.
func newBench(t testing.TB) *bench {
	b := &bench{t: t, spans: tracetest.NewSpanRecorder()}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(b.spans))
	lives := coretraced.NewLives(tracers, 0)
	b.open(&traced.Options{Tracers: tracers}, coretraced.Broker(lives, nil), lives)
	return b
}

func (b *bench) open(o *traced.Options, broker func(core.Broker) core.Broker, observers ...core.Observer) {
	b.t.Helper()
	b.clock = clock.NewManual(epoch)
	site := &protocols.Site{
		SQS: protocols.Home{Account: "000000000000", Region: "us-east-1"},
		MNS: protocols.Home{Account: "1234567890123456", Region: "cn-hangzhou"},
	}
	site.Bridges = map[core.Namespace]core.Namespace{site.MNS.Namespace(): site.SQS.Namespace()}
	engine, err := core.Open(memory.New(), core.Options{Clock: b.clock, Observers: observers, Render: mns.Render(site), Pusher: &refusing{}})
	if err != nil {
		b.t.Fatal(err)
	}
	b.engine = engine
	b.t.Cleanup(func() { _ = engine.Close() })
	site.Broker = func(r core.Rules) core.Broker {
		if broker == nil {
			return engine.Under(r)
		}
		return broker(engine.Under(r))
	}
	dialects := []protocols.Dialect{sqs.JSON(site), mns.XML(site), sqs.Query(site)}
	if o != nil {
		decorate, err := traced.Dialect(*o)
		if err != nil {
			b.t.Fatal(err)
		}
		for i := range dialects {
			dialects[i] = decorate(dialects[i])
		}
	}
	b.handler = protocols.NewHandler(dialects, func(_ *protocols.Call, err error) { b.faults = append(b.faults, err) })
}

// refusing is a Pusher whose endpoint takes the third attempt.
type refusing struct{ attempts int }

func (p *refusing) Push(context.Context, core.Delivery) error {
	if p.attempts++; p.attempts < 3 {
		return fmt.Errorf("attempt %d refused", p.attempts)
	}
	return nil
}

// sqs calls an operation in JSON. Headers follow as name, value.
func (b *bench) sqs(operation, body string, headers ...string) string {
	return b.do(http.MethodPost, "/", body, append(headers, "Content-Type", "application/x-amz-json-1.0", "X-Amz-Target", "AmazonSQS."+operation)...)
}

// mns sends a request about a path.
func (b *bench) mns(method, path, body string, headers ...string) string {
	return b.do(method, path, body, append(headers, "X-Mns-Version", "2015-06-06")...)
}

func (b *bench) do(method, path, body string, headers ...string) string {
	b.t.Helper()
	r := httptest.NewRequest(method, "http://localhost:9324"+path, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	return w.Body.String()
}

// queues makes "jobs", whose messages are hidden for 30 s and dead-lettered to "dead" after two receives.
func (b *bench) queues() {
	b.sqs("CreateQueue", `{"QueueName":"dead"}`)
	b.sqs("CreateQueue", `{"QueueName":"jobs","Attributes":{"VisibilityTimeout":"30",
		"RedrivePolicy":"{\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:dead\",\"maxReceiveCount\":2}"}}`)
}

func (b *bench) send(headers ...string) string {
	return b.sqs("SendMessage", `{"QueueUrl":"http://localhost/000000000000/jobs","MessageBody":"m"}`, headers...)
}

func (b *bench) receive(queue string, headers ...string) string {
	return b.sqs("ReceiveMessage", `{"QueueUrl":"http://localhost/000000000000/`+queue+`","WaitTimeSeconds":0,
		"MessageAttributeNames":["All"],"MessageSystemAttributeNames":["All"]}`, headers...)
}

// finished closes the engine, so that all events have been told, and returns what was recorded in a trace as lines. The
// spans of requests have the machine's time, so theirs is left out.
func (b *bench) finished(traceID string) []string {
	b.t.Helper()
	if err := b.engine.Close(); err != nil {
		b.t.Error(err)
	}
	for _, err := range b.faults {
		b.t.Errorf("fault: %v", err)
	}
	var requests, lives []string
	for _, s := range b.spans.Ended() {
		if s.SpanContext().TraceID().String() != traceID {
			continue
		}
		if s.SpanKind() == trace.SpanKindServer {
			requests = append(requests, fmt.Sprintf("%s%s", s.Name(), told(s, "messaging.destination.name", "error.type")))
			continue
		}
		lives = append(lives, fmt.Sprintf("%s %v+%v%s", s.Name(), s.StartTime().Sub(epoch), s.EndTime().Sub(s.StartTime()),
			told(s, "sluice.message.outcome", "sluice.message.receive_count", "sluice.push.attempt", "error.message")))
	}
	return append(requests, lives...)
}

func told(s sdktrace.ReadOnlySpan, keys ...attribute.Key) string {
	text := ""
	for _, key := range keys {
		if v := attributeOf(s, key); v != "" {
			text += " " + v
		}
	}
	for _, l := range s.Links() {
		text += " link:" + l.SpanContext.TraceID().String()[:4]
	}
	for _, e := range s.Events() {
		text += " event:" + e.Name
	}
	return text
}

func attributeOf(s sdktrace.ReadOnlySpan, key attribute.Key) string {
	for _, a := range s.Attributes() {
		if a.Key == key {
			return a.Value.String()
		}
	}
	return ""
}

func find(t *testing.T, text, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing matches %s in %s", pattern, text)
	}
	return m[1]
}

// consumer is the context of the one who receives, in a trace of its own.
const consumer = "00-cccccccccccccccccccccccccccccccc-1111111111111111-01"

func TestOneTraceHoldsTheWholeLifeOfAMessage(t *testing.T) {
	b := newBench(t)
	b.queues()
	b.send("Traceparent", parent)
	b.clock.Advance(5 * time.Second)
	first := b.mns(http.MethodGet, "/queues/jobs/messages", "", "Traceparent", consumer)
	if got := find(t, first, `<Name>traceparent</Name>\s*<Value>([^<]*)`); got != parent {
		t.Errorf("traceparent of the message in MNS = %q, want %q", got, parent)
	}
	b.clock.Advance(31 * time.Second) // 1 s after it became visible again
	second := b.receive("jobs", "Traceparent", consumer)
	handle := find(t, second, `"ReceiptHandle":"([^"]*)"`)
	b.sqs("ChangeMessageVisibility", `{"QueueUrl":"http://localhost/000000000000/jobs","VisibilityTimeout":60,"ReceiptHandle":"`+handle+`"}`)
	b.clock.Advance(60 * time.Second)
	b.receive("jobs") // finds nothing: the message goes to the dead-letter queue
	b.clock.Advance(4 * time.Second)
	third := b.mns(http.MethodGet, "/queues/dead/messages", "")
	b.mns(http.MethodDelete, "/queues/dead/messages?ReceiptHandle="+find(t, third, `<ReceiptHandle>([^<]*)`), "")

	want := []string{
		"SQS.SendMessage jobs",
		"queued jobs 0s+5s received 1",
		"in flight jobs 5s+30s visibility_expired 1 link:cccc",
		"queued jobs 35s+1s received 2",
		"in flight jobs 36s+1m0s visibility_expired 2 link:cccc event:visibility changed",
		"queued jobs 1m36s+0s dead_lettered 2",
		"dead-lettered jobs -> dead 1m36s+0s 2",
		"queued dead 1m36s+4s received 3",
		"in flight dead 1m40s+0s deleted 3 link:" + "????",
	}
	got := b.finished(parent[3:35])
	got[len(got)-1] = regexp.MustCompile(`link:....$`).ReplaceAllString(got[len(got)-1], "link:????")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the trace (-want +got):\n%s", diff)
	}
	requests := []string{"MNS.ReceiveMessage jobs link:5759", "SQS.ReceiveMessage jobs link:5759"}
	if diff := cmp.Diff(requests, b.finished(consumer[3:35])); diff != "" {
		t.Errorf("the consumer's trace (-want +got):\n%s", diff)
	}
}

func TestLivesEndInEveryWay(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func(b *bench, t *testing.T)
		want []string
	}{
		{"delayed and purged", func(b *bench, t *testing.T) {
			b.sqs("SendMessage", `{"QueueUrl":"http://localhost/000000000000/jobs","MessageBody":"m","DelaySeconds":10}`, "Traceparent", parent)
			b.clock.Advance(12 * time.Second)
			b.receive("jobs", "Traceparent", parent)
			b.clock.Advance(time.Second)
			b.sqs("PurgeQueue", `{"QueueUrl":"http://localhost/000000000000/jobs"}`, "Traceparent", parent)
		}, []string{
			"SQS.SendMessage jobs", "SQS.ReceiveMessage jobs link:5759", "SQS.PurgeQueue jobs",
			"delayed jobs 0s+10s delay_over", "queued jobs 10s+2s received 1", "in flight jobs 12s+1s purged 1 link:5759",
		}},
		{"made visible", func(b *bench, t *testing.T) {
			b.send("Traceparent", parent)
			handle := find(t, b.receive("jobs"), `"ReceiptHandle":"([^"]*)"`)
			b.clock.Advance(3 * time.Second)
			b.sqs("ChangeMessageVisibility", `{"QueueUrl":"http://localhost/000000000000/jobs","VisibilityTimeout":0,"ReceiptHandle":"`+handle+`"}`)
			b.clock.Advance(time.Second)
			b.sqs("DeleteQueue", `{"QueueUrl":"http://localhost/000000000000/jobs"}`)
		}, []string{"SQS.SendMessage jobs", "queued jobs 0s+0s received 1", "in flight jobs 0s+3s made_visible 1 link:????", "queued jobs 3s+1s purged 1"}},
		{"too old", func(b *bench, t *testing.T) {
			b.send("Traceparent", parent)
			b.clock.Advance(4 * 24 * time.Hour)
			b.receive("jobs")
		}, []string{"SQS.SendMessage jobs", "queued jobs 0s+96h0m0s retention_expired"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.queues()
			tt.run(b, t)
			got := b.finished(parent[3:35])
			for i := range got {
				if !strings.HasSuffix(got[i], "link:5759") {
					got[i] = regexp.MustCompile(`link:....$`).ReplaceAllString(got[i], "link:????")
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("the trace (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMessagesWithoutATraceLiveInThatOfTheirRequest(t *testing.T) {
	b := newBench(t)
	b.queues()
	b.send()
	got := b.mns(http.MethodGet, "/queues/jobs/messages", "")
	made := find(t, got, `<Name>traceparent</Name>\s*<Value>00-([0-9a-f]{32})`)
	if got := b.finished(made); len(got) != 2 || got[0] != "SQS.SendMessage jobs" || !strings.HasPrefix(got[1], "queued jobs") {
		t.Errorf("spans of the message's trace = %q, want its request and its life", got)
	}
}

func TestSendsNameTheTracesOfTheirMessages(t *testing.T) {
	b := newBench(t)
	b.queues()
	b.sqs("SendMessage", `{"QueueUrl":"http://localhost/000000000000/jobs","MessageBody":"m",
		"MessageAttributes":{"traceparent":{"DataType":"String","StringValue":"`+parent+`"}}}`, "Traceparent", consumer)
	if diff := cmp.Diff([]string{"SQS.SendMessage jobs link:5759"}, b.finished(consumer[3:35])); diff != "" {
		t.Errorf("the sender's trace (-want +got):\n%s", diff)
	}
}

func TestRequestsAreDescribed(t *testing.T) {
	b := newBench(t)
	b.sqs("ReceiveMessage", `{"QueueUrl":"http://localhost/000000000000/none"}`, "User-Agent", "tester")
	b.mns(http.MethodGet, "/queues/none/messages", "")
	b.do(http.MethodPost, "/", "Action=Nonsense", "Content-Type", "application/x-www-form-urlencoded")
	var got []string
	for _, s := range b.spans.Ended() {
		line := s.Name()
		for _, key := range []attribute.Key{
			"messaging.system", "messaging.system.name", "messaging.destination.name", "messaging.operation.type", "rpc.method",
			"http.response.status_code", "error.type", "server.port", "user_agent.original", "sluice.dialect", "cloud.account.id",
		} {
			line += "|" + attributeOf(s, key)
		}
		got = append(got, line)
		if id := attributeOf(s, "aws.request_id") + attributeOf(s, "messaging.smq.request_id"); id == "" {
			t.Errorf("%s has no request id", s.Name())
		}
	}
	want := []string{
		"SQS.ReceiveMessage|aws_sqs|aws.sqs|none|receive|SQS/ReceiveMessage|400|AWS.SimpleQueueService.NonExistentQueue|9324|tester|sqs-json|000000000000",
		"MNS.ReceiveMessage|alibaba_mns|alibaba_mns|none|receive|MNS/ReceiveMessage|404|QueueNotExist|9324||mns|000000000000",
		"SQS.unknown|aws_sqs|aws.sqs|||SQS/unknown|400|InvalidAction|9324||sqs-query|",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

func TestPushesShowEachAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.mns(http.MethodPut, "/topics/news", `<Topic xmlns="http://mns.aliyuncs.com/doc/v1/"></Topic>`)
		b.mns(http.MethodPut, "/topics/news/subscriptions/reader", `<Subscription xmlns="http://mns.aliyuncs.com/doc/v1/">
			<Endpoint>http://127.0.0.1:1/</Endpoint><NotifyStrategy>EXPONENTIAL_DECAY_RETRY</NotifyStrategy></Subscription>`)
		b.mns(http.MethodPost, "/topics/news/messages", `<Message xmlns="http://mns.aliyuncs.com/doc/v1/"><MessageBody>m</MessageBody></Message>`, "Traceparent", parent)
		for range 10 {
			synctest.Wait()
			b.clock.Advance(time.Second)
		}
		synctest.Wait()
		want := []string{
			"MNS.PublishMessage news",
			"push news -> reader 0s+0s 1 attempt 1 refused",
			"push news -> reader 1s+0s 2 attempt 2 refused",
			"push news -> reader 3s+0s 3",
		}
		if diff := cmp.Diff(want, b.finished(parent[3:35])); diff != "" {
			t.Errorf("the trace (-want +got):\n%s", diff)
		}
	})
}
