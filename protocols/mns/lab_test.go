package mns

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/core/clock"
	"github.com/sluicemq/sluice/persistence/memory"
	"github.com/sluicemq/sluice/protocols"
)

// lab is the dialect over an engine in memory, with a clock that tests move.
type lab struct {
	t       *testing.T
	clock   *clock.Manual
	engine  *core.Engine
	site    *protocols.Site
	handler http.Handler
	faults  []error
}

// labTime is the second of the recorded request id 6AB5CE233034410F00443D5A.
var labTime = time.Date(2026, 9, 25, 1, 28, 3, 992e6, time.UTC)

const labHost = "1234567890123456.mns.cn-hangzhou.mns.localhost:8080"

func newLab(t *testing.T, change ...func(*protocols.Site)) *lab {
	t.Helper()
	l := &lab{t: t, clock: clock.NewManual(labTime)}
	l.site = &protocols.Site{
		SQS: protocols.Home{Account: "000000000000", Region: "us-east-1"},
		MNS: protocols.Home{Account: homeAccount, Region: "cn-hangzhou"},
	}
	l.site.Bridges = map[core.Namespace]core.Namespace{l.site.MNS.Namespace(): l.site.SQS.Namespace()}
	for _, c := range change {
		c(l.site)
	}
	options := core.Options{Clock: l.clock, Render: Render(l.site), OnError: func(err error) { l.faults = append(l.faults, err) }}
	l.engine = openEngine(t, options)
	l.site.Broker = l.engine.Under
	t.Cleanup(func() {
		for _, err := range l.faults {
			t.Errorf("fault: %v", err)
		}
	})
	l.handler = protocols.NewHandler([]protocols.Dialect{JSON(l.site), XML(l.site)}, func(_ *protocols.Call, err error) { l.faults = append(l.faults, err) })
	return l
}

// openEngine opens an engine in memory, which is closed when the test ends.
func openEngine(t *testing.T, o core.Options) *core.Engine {
	t.Helper()
	engine, err := core.Open(memory.New(), o)
	if err != nil {
		t.Fatalf("core.Open = %v", err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return engine
}

// answer is what came back.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   string
	call   string // for messages
}

// do sends a request to the account of labHost. Headers follow as name, value.
func (l *lab) do(method, target, body string, headers ...string) *answer {
	l.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = labHost
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	l.handler.ServeHTTP(w, r)
	res := w.Result()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatalf("%s %s: reading the answer: %v", method, target, err)
	}
	return &answer{l.t, res.StatusCode, res.Header, string(raw), method + " " + target}
}

// want checks the status and returns the answer.
func (a *answer) want(status int) *answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%.120s = %d, want %d: %s", a.call, a.status, status, a.body)
	}
	return a
}

// wantError checks an error to the last character but for its request id.
func (a *answer) wantError(status int, code, message string) {
	a.t.Helper()
	a.want(status)
	id := a.header["x-mns-request-id"][0]
	want := fmt.Sprintf("<?xml version=\"1.0\" ?>\n<Error xmlns=\"http://mns.aliyuncs.com/doc/v1\">\n  <Code>%s</Code>\n"+
		"  <Message>%s</Message>\n  <RequestId>%s</RequestId>\n  <HostId>http://%s</HostId>\n</Error>", code, message, id, labHost)
	if a.body != want {
		a.t.Fatalf("%.120s = %s\nwant %s", a.call, a.body, want)
	}
}

// root returns the root element of the body.
func (a *answer) root() *element {
	a.t.Helper()
	root, err := readXML(a.body)
	if err != nil {
		a.t.Fatalf("%s: the answer is no XML: %q", a.call, a.body)
	}
	return root
}

// text returns the text at a path below the root, such as "Message/ReceiptHandle"; of several elements with one name
// the last counts.
func (a *answer) text(path string) string {
	a.t.Helper()
	return textOf(a.root(), path)
}

func textOf(e *element, path string) string {
	for name := range strings.SplitSeq(path, "/") {
		if e = e.last(name); e == nil {
			return ""
		}
	}
	return e.text
}

// names returns the names of an element's elements.
func names(e *element) string {
	var all []string
	for _, kid := range e.kids {
		all = append(all, kid.name)
	}
	return strings.Join(all, " ")
}

func (l *lab) create(queue, settings string) {
	l.t.Helper()
	l.do("PUT", "/queues/"+queue, "<Queue>"+settings+"</Queue>").want(201)
}

func (l *lab) send(queue, body string) *answer {
	l.t.Helper()
	return l.do("POST", "/queues/"+queue+"/messages", message(body)).want(201)
}

func message(body string) string { return "<Message><MessageBody>" + body + "</MessageBody></Message>" }

func handles(all ...string) string {
	return "<ReceiptHandles><ReceiptHandle>" + strings.Join(all, "</ReceiptHandle><ReceiptHandle>") + "</ReceiptHandle></ReceiptHandles>"
}

// createTopic makes a topic with a subscription for each endpoint, named s0, s1 and so on, each with more elements.
func (l *lab) createTopic(topic string, subscriptions ...string) {
	l.t.Helper()
	l.do("PUT", "/topics/"+topic, "").want(201)
	for i, elements := range subscriptions {
		l.subscribe(topic, fmt.Sprint("s", i), elements)
	}
}

func (l *lab) subscribe(topic, name, elements string) {
	l.t.Helper()
	l.do("PUT", "/topics/"+topic+"/subscriptions/"+name, "<Subscription>"+elements+"</Subscription>").want(201)
}

// toQueue are the elements of a subscription of a queue.
func toQueue(queue, format string) string {
	return "<Endpoint>acs:mns:cn-hangzhou:" + homeAccount + ":queues/" + queue + "</Endpoint><NotifyContentFormat>" + format + "</NotifyContentFormat>"
}

func (l *lab) publish(topic, elements string) *answer {
	l.t.Helper()
	return l.do("POST", "/topics/"+topic+"/messages", "<Message>"+elements+"</Message>").want(201)
}

// receive receives one message and returns its handle.
func (l *lab) receive(queue string) string {
	l.t.Helper()
	return l.do("GET", "/queues/"+queue+"/messages?waitseconds=0", "").want(200).text("ReceiptHandle")
}

func (l *lab) empty(queue string) {
	l.t.Helper()
	l.do("GET", "/queues/"+queue+"/messages?waitseconds=0", "").wantError(404, "MessageNotExist", "Message not exist.")
}

// sqs returns the engine under rules that are not this provider's.
func (l *lab) sqs() (core.Broker, core.Namespace) {
	return l.engine.Under(core.Rules{
		Defaults: core.Settings{Visibility: 30 * time.Second, Retention: 4 * day, MaxSize: 1 << 20},
	}), l.site.SQS.Namespace()
}
