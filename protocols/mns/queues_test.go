package mns

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

func TestCreateTellsNewFromSameFromDifferent(t *testing.T) {
	l := newLab(t)
	const queue = "<Queue><PollingWaitSeconds>15</PollingWaitSeconds></Queue>"
	created := l.do("PUT", "/queues/q", queue).want(201)
	if got, want := created.header.Get("Location"), "http://"+labHost+"/queues/q"; got != want {
		t.Errorf("Location = %q, want %q", got, want)
	}
	if created.body != "" || created.header.Get("Content-Length") != "0" {
		t.Errorf("201 has the body %q and Content-Length %q", created.body, created.header.Get("Content-Length"))
	}
	same := l.do("PUT", "/queues/q", queue).want(204)
	if got := same.header.Get("Location"); got != created.header.Get("Location") {
		t.Errorf("Location of 204 = %q, want %q", got, created.header.Get("Location"))
	}
	if _, ok := same.header["Content-Length"]; ok || same.header.Get("Content-Type") != "text/xml;charset=utf-8" {
		t.Errorf("204 has the headers %v", same.header)
	}
	l.do("PUT", "/queues/q", "<Queue><PollingWaitSeconds>15</PollingWaitSeconds><DelaySeconds>30</DelaySeconds></Queue>").
		wantError(409, "QueueAlreadyExist", "The queue you want to create is already exist.")
	l.do("DELETE", "/queues/q", "").want(204)
	l.do("DELETE", "/queues/q", "").want(204)
	l.do("GET", "/queues/q", "").wantError(404, "QueueNotExist", "The queue name you provided is not exist.")
}

func TestCreateComparesWhatIsLeftOutAsDefaults(t *testing.T) {
	l := newLab(t)
	l.do("PUT", "/queues/q", "").want(201)
	for body, status := range map[string]int{
		"":         204,
		"<Queue/>": 204,
		"<Queue><LoggingEnabled>false</LoggingEnabled></Queue>":             204, // recorded
		"<Queue><VisibilityTimeout>30</VisibilityTimeout></Queue>":          204,
		"<Queue><PollingWaitSeconds>20</PollingWaitSeconds></Queue>":        409, // asserted by a live test
		"<Queue><LoggingEnabled>True</LoggingEnabled></Queue>":              409,
		"<Queue><MaximumMessageSize>1024</MaximumMessageSize></Queue>":      409,
		"<Queue><DelaySeconds>0</DelaySeconds><Unknown>1</Unknown></Queue>": 204,
	} {
		l.do("PUT", "/queues/q", body).want(status)
	}
	l.create("logged", "<LoggingEnabled>true</LoggingEnabled>")
	l.do("PUT", "/queues/logged", "<Queue><LoggingEnabled>True</LoggingEnabled></Queue>").want(204)
	l.do("PUT", "/queues/logged", "").want(409)
	l.do("PUT", "/queues/logged", "<Queue><LoggingEnabled>false</LoggingEnabled></Queue>").want(409)
}

func TestAttributesAreShownAsRecorded(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	want := `<?xml version="1.0" ?>
<Queue xmlns="http://mns.aliyuncs.com/doc/v1">
  <QueueName>q</QueueName>
  <DelaySeconds>0</DelaySeconds>
  <MaximumMessageSize>65536</MaximumMessageSize>
  <MessageRetentionPeriod>345600</MessageRetentionPeriod>
  <VisibilityTimeout>30</VisibilityTimeout>
  <CreateTime>1790299683</CreateTime>
  <LastModifyTime>1790299683</LastModifyTime>
  <PollingWaitSeconds>0</PollingWaitSeconds>
  <ActiveMessages>0</ActiveMessages>
  <InactiveMessages>0</InactiveMessages>
  <DelayMessages>0</DelayMessages>
  <LoggingEnabled>False</LoggingEnabled>
  <MessageType>0</MessageType>
  <EnableSSE>False</EnableSSE>
</Queue>`
	if got := l.do("GET", "/queues/q", "").want(200).body; got != want {
		t.Errorf("GetQueueAttributes = %s\nwant %s", got, want)
	}
}

func TestSetChangesOnlyWhatIsGiven(t *testing.T) {
	l := newLab(t)
	l.create("q", "<DelaySeconds>5</DelaySeconds><VisibilityTimeout>60</VisibilityTimeout>")
	l.clock.Advance(10 * time.Second)
	l.do("PUT", "/queues/q?metaoverride=true", "<Queue><DelaySeconds>0</DelaySeconds><LoggingEnabled>True</LoggingEnabled></Queue>").want(204)
	a := l.do("GET", "/queues/q", "").want(200)
	for name, want := range map[string]string{
		"DelaySeconds": "0", "VisibilityTimeout": "60", "LoggingEnabled": "True", "CreateTime": "1790299683", "LastModifyTime": "1790299693",
	} {
		if got := a.text(name); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	l.do("PUT", "/queues/q?metaoverride=true", "<Queue><LoggingEnabled>false</LoggingEnabled></Queue>").want(204)
	if got := l.do("GET", "/queues/q", "").text("LoggingEnabled"); got != "False" {
		t.Errorf("LoggingEnabled = %s, want False", got)
	}
	l.do("PUT", "/queues/none?metaoverride=true", "<Queue/>").wantError(404, "QueueNotExist", "The queue name you provided is not exist.")
}

func TestLimitsOfQueueSettings(t *testing.T) {
	l := newLab(t)
	for _, c := range []struct {
		element   string
		low, high int
		unit      string
	}{
		{"DelaySeconds", 0, 604800, "seconds"},
		{"MaximumMessageSize", 1024, 65536, "bytes"},
		{"MessageRetentionPeriod", 60, 604800, "seconds"},
		{"VisibilityTimeout", 1, 43200, "seconds"},
		{"PollingWaitSeconds", 0, 30, "seconds"},
	} {
		text := fmt.Sprintf("The value of %s should between %d and %d %s.", c.element, c.low, c.high, c.unit)
		for i, bad := range []string{fmt.Sprint(c.low - 1), fmt.Sprint(c.high + 1), "99999999999999999999", "-99999999999999999999", "9223372036854775807"} {
			body := fmt.Sprintf("<Queue><%s>%s</%[1]s></Queue>", c.element, bad)
			l.do("PUT", fmt.Sprintf("/queues/%s%d", c.element, i), body).wantError(400, "InvalidArgument", text)
			l.do("GET", fmt.Sprintf("/queues/%s%d", c.element, i), "").want(404)
		}
		for i, good := range []int{c.low, c.high} {
			name := fmt.Sprintf("%s-%d", c.element, i)
			l.create(name, fmt.Sprintf("<%s>%d</%[1]s>", c.element, good))
			l.do("PUT", "/queues/"+name+"?metaoverride=true", fmt.Sprintf("<Queue><%s>%d</%[1]s></Queue>", c.element, c.high+1)).
				wantError(400, "InvalidArgument", text)
			if got := l.do("GET", "/queues/"+name, "").text(c.element); got != fmt.Sprint(good) {
				t.Errorf("%s = %s, want %d", c.element, got, good)
			}
		}
	}
}

func TestQueueNames(t *testing.T) {
	l := newLab(t)
	for _, name := range []string{"q", "Q", "0", "a-", "a1-B", strings.Repeat("a", 120)} {
		l.do("PUT", "/queues/"+name, "").want(201)
	}
	for _, name := range []string{"-a", "a_b", "a.fifo", "a%2Fb", "a%20b", "a+b", "%E4%B8%AD"} {
		l.do("PUT", "/queues/"+name, "").wantError(400, "InvalidQueueName",
			"The queue name you provided is invalid. QueueName should start with alpha and contain only alpha, digit or - .")
	}
	for _, name := range []string{"", strings.Repeat("a", 121)} {
		l.do("PUT", "/queues/"+name, "").wantError(400, "QueueNameLengthError", "Queue name length should between 1 and 256.")
	}
}

func TestListGoesByPages(t *testing.T) {
	l := newLab(t)
	for _, name := range []string{"b2", "a", "b1", "b3", "c"} {
		l.create(name, "")
	}
	const number, prefix, marker = "x-mns-ret-number", "x-mns-prefix", "x-mns-marker"
	first := l.do("GET", "/queues", "", number, "2", prefix, "b").want(200)
	next := first.text("NextMarker")
	want := `<?xml version="1.0" ?>
<Queues xmlns="http://mns.aliyuncs.com/doc/v1">
  <Queue>
    <QueueURL>http://` + labHost + `/queues/b1</QueueURL>
    <QueueName>b1</QueueName>
  </Queue>
  <Queue>
    <QueueURL>http://` + labHost + `/queues/b2</QueueURL>
    <QueueName>b2</QueueName>
  </Queue>
  <NextMarker>` + next + `</NextMarker>
</Queues>`
	if first.body != want {
		t.Errorf("ListQueue = %s\nwant %s", first.body, want)
	}
	second := l.do("GET", "/queues", "", number, "2", prefix, "b", marker, next).want(200)
	if got := names(second.root()); got != "Queue" || second.text("Queue/QueueName") != "b3" {
		t.Errorf("the second page has %s: %s", got, second.body)
	}
	if got := names(l.do("GET", "/queues", "").want(200).root()); got != "Queue Queue Queue Queue Queue" {
		t.Errorf("all queues are %s", got)
	}
	if got := l.do("GET", "/queues", "", prefix, "x").want(200).root(); len(got.kids) != 0 {
		t.Errorf("no queues are %s", names(got))
	}
}

func TestListWithMetaShowsAttributes(t *testing.T) {
	l := newLab(t)
	l.create("q", "<DelaySeconds>7</DelaySeconds>")
	a := l.do("GET", "/queues", "", "x-mns-with-meta", "true").want(200)
	want := "QueueURL QueueName DelaySeconds MaximumMessageSize MessageRetentionPeriod VisibilityTimeout CreateTime LastModifyTime " +
		"PollingWaitSeconds ActiveMessages InactiveMessages DelayMessages LoggingEnabled MessageType EnableSSE"
	if got := names(a.root().last("Queue")); got != want {
		t.Errorf("a listed queue has %s\nwant %s", got, want)
	}
	if got := a.text("Queue/DelaySeconds"); got != "7" {
		t.Errorf("DelaySeconds = %s, want 7", got)
	}
}

func TestListRefusesBadHeaders(t *testing.T) {
	l := newLab(t)
	for _, number := range []string{"0", "1001", "-1", "x", "99999999999999999999"} {
		l.do("GET", "/queues", "", "x-mns-ret-number", number).
			wantError(400, "InvalidArgument", "The value of x-mns-ret-number should between 1 and 1000.")
	}
	l.do("GET", "/queues", "", "x-mns-marker", "!").wantError(400, "InvalidArgument",
		"The XML you provided did not validate against our published schema, cause by x-mns-marker.")
}

func TestNamespacesAreApart(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	for _, host := range []string{"127.0.0.1:8080", "localhost", "sluice:80", "1234567890123456.mns.cn-hangzhou-internal.aliyuncs.com"} {
		a := l.do("GET", "/queues", "", "Host", host).want(200)
		if got, want := a.text("Queue/QueueURL"), "http://"+host+"/queues/q"; got != want {
			t.Errorf("on host %s QueueURL = %q, want %q", host, got, want)
		}
	}
	for _, host := range []string{"42.mns.cn-hangzhou.aliyuncs.com", "1234567890123456.mns.cn-shanghai.aliyuncs.com"} {
		if a := l.do("GET", "/queues/q", "", "Host", host).want(404); a.text("HostId") != "http://"+host {
			t.Errorf("HostId = %q, want that of %s", a.text("HostId"), host)
		}
		l.do("PUT", "/queues/q", "", "Host", host).want(201)
	}
}

func TestPublicURLReplacesTheHost(t *testing.T) {
	l := newLab(t, func(s *protocols.Site) { s.PublicURL = "https://queues.example/" })
	if got := l.do("PUT", "/queues/q", "").want(201).header.Get("Location"); got != "https://queues.example/queues/q" {
		t.Errorf("Location = %q", got)
	}
	if got := l.do("GET", "/queues", "").text("Queue/QueueURL"); got != "https://queues.example/queues/q" {
		t.Errorf("QueueURL = %q", got)
	}
}

func TestQueuesOfTheOtherProviderAreShownAsTheyAre(t *testing.T) {
	l := newLab(t)
	broker, ns := l.sqs()
	retention, delay, size, fifo := 14*day, 15*time.Minute, 1<<20, true
	policy := "{}"
	_, _, err := broker.Create(t.Context(), core.QueueKey{Namespace: ns, Name: "a_b.fifo"},
		core.Patch{Retention: &retention, Delay: &delay, MaxSize: &size, FIFO: &fifo, Notes: map[string]*string{"Policy": &policy}}, nil)
	if err != nil {
		t.Fatalf("Create = %v", err)
	}
	a := l.do("GET", "/queues/a_b.fifo", "").want(200)
	for name, want := range map[string]string{
		"QueueName": "a_b.fifo", "MessageRetentionPeriod": "1209600", "DelaySeconds": "900", "MaximumMessageSize": "1048576", "LoggingEnabled": "False",
	} {
		if got := a.text(name); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	if got := l.do("GET", "/queues", "").text("Queue/QueueURL"); got != "http://"+labHost+"/queues/a_b.fifo" {
		t.Errorf("QueueURL = %s", got)
	}
	l.do("PUT", "/queues/a_b.fifo?metaoverride=true", "<Queue><VisibilityTimeout>5</VisibilityTimeout></Queue>").want(204)
	l.do("DELETE", "/queues/a_b.fifo", "").want(204)
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	l := newLab(t)
	id := regexp.MustCompile(`^6AB5CE23[0-9A-F]{16}$`)
	for _, c := range []struct{ method, target string }{
		{"PUT", "/queues/q"}, {"PUT", "/queues/q"}, {"GET", "/queues/q"}, {"GET", "/queues/none"}, {"GET", "/nothing"}, {"GET", "/queues?x=y"}, {"DELETE", "/queues/q"},
	} {
		h := l.do(c.method, c.target, "").header
		if got := h["x-mns-request-id"]; len(got) != 1 || !id.MatchString(got[0]) {
			t.Errorf("%s %s: x-mns-request-id = %q", c.method, c.target, got)
		}
		for name, want := range map[string]string{"Server": "AliyunMQS", "x-mns-version": "2015-06-06", "Content-Type": "text/xml;charset=utf-8"} {
			if got := h[name]; len(got) != 1 || got[0] != want {
				t.Errorf("%s %s: %s = %q, want %q", c.method, c.target, name, got, want)
			}
		}
	}
}

func TestAccountOperations(t *testing.T) {
	l := newLab(t)
	got := l.do("GET", "/?accountmeta=true", "").want(200).body
	want := "<?xml version=\"1.0\" ?>\n<Account xmlns=\"http://mns.aliyuncs.com/doc/v1\">\n  <LoggingBucket></LoggingBucket>\n</Account>"
	if got != want {
		t.Errorf("GetAccountAttributes = %s\nwant %s", got, want)
	}
	set := func(elements string) { l.do("PUT", "/?accountmeta=true", "<Account>"+elements+"</Account>").want(204) }
	set("<LoggingBucket>my-logs</LoggingBucket>")
	set("<TraceEnabled>true</TraceEnabled>") // unknown: nothing that is given changes
	if got := l.do("GET", "/?accountmeta=true", "").want(200).text("LoggingBucket"); got != "my-logs" {
		t.Errorf("LoggingBucket = %q", got)
	}
	if got := l.do("GET", "/?accountmeta=true", "", "Host", "42.mns.cn-hangzhou.aliyuncs.com").want(200).text("LoggingBucket"); got != "" {
		t.Errorf("LoggingBucket of another account = %q", got)
	}
	set("<LoggingBucket></LoggingBucket>")
	if got := l.do("GET", "/?accountmeta=true", "").want(200).body; got != want {
		t.Errorf("GetAccountAttributes = %s\nwant %s", got, want)
	}
	if got := l.do("POST", "/commonbuy/openservice", "").want(200).text("OrderId"); got == "" {
		t.Error("OpenService has no OrderId")
	}
}
