package mns

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice/core"
)

const noTopic = "The topic you provided does not exist."

func TestCreateTopicTellsNewFromSameFromDifferent(t *testing.T) {
	l := newLab(t)
	created := l.do("PUT", "/topics/t", "").want(201)
	if got, want := created.header.Get("Location"), "http://"+labHost+"/topics/t"; got != want {
		t.Errorf("Location = %q, want %q", got, want)
	}
	for _, body := range []string{"", "<Topic/>", "<Topic><LoggingEnabled>false</LoggingEnabled></Topic>", "<Topic><MaximumMessageSize>65536</MaximumMessageSize></Topic>"} {
		same := l.do("PUT", "/topics/t", body).want(204)
		if got := same.header.Get("Location"); got != created.header.Get("Location") {
			t.Errorf("Location of 204 = %q", got)
		}
	}
	l.do("PUT", "/topics/t", "<Topic><MaximumMessageSize>1024</MaximumMessageSize></Topic>").
		wantError(409, "TopicAlreadyExist", "The topic you want to create is already exists.")
	l.do("DELETE", "/topics/t", "").want(204)
	l.do("DELETE", "/topics/t", "").want(204)
	l.do("GET", "/topics/t", "").wantError(404, "TopicNotExist", noTopic)
}

func TestTopicAttributes(t *testing.T) {
	l := newLab(t)
	l.do("PUT", "/topics/t", "").want(201)
	l.clock.Advance(time.Second)
	l.do("PUT", "/topics/t?metaoverride=true", "<Topic><MaximumMessageSize>2048</MaximumMessageSize></Topic>").want(204)
	const attributes = `TopicName>t</TopicName>
  <CreateTime>1790299683</CreateTime>
  <LastModifyTime>1790299684</LastModifyTime>
  <MaximumMessageSize>2048</MaximumMessageSize>
  <MessageRetentionPeriod>86400</MessageRetentionPeriod>
  <MessageCount>0</MessageCount>
  <LoggingEnabled>False</LoggingEnabled>
`
	want := "<?xml version=\"1.0\" ?>\n<Topic xmlns=\"http://mns.aliyuncs.com/doc/v1\">\n  <" + attributes + "</Topic>"
	if got := l.do("GET", "/topics/t", "").want(200).body; got != want {
		t.Errorf("GetTopicAttributes = %s\nwant %s", got, want)
	}
	// Asserted by the live test of the PHP client: what is not given stays.
	l.do("PUT", "/topics/t?metaoverride=true", "<Topic><LoggingEnabled>True</LoggingEnabled></Topic>").want(204)
	l.do("PUT", "/topics/t?metaoverride=true", "<Topic/>").want(204)
	if got := l.do("GET", "/topics/t", ""); got.text("LoggingEnabled") != "True" || got.text("MaximumMessageSize") != "2048" {
		t.Errorf("GetTopicAttributes = %s", got.body)
	}
}

func TestListTopicByPages(t *testing.T) {
	l := newLab(t)
	for _, name := range []string{"b", "a2", "a1"} {
		l.do("PUT", "/topics/"+name, "").want(201)
	}
	first := l.do("GET", "/topics", "", "x-mns-prefix", "a", "x-mns-ret-number", "1").want(200)
	want := "<?xml version=\"1.0\" ?>\n<Topics xmlns=\"http://mns.aliyuncs.com/doc/v1\">\n  <Topic>\n    <TopicURL>http://" + labHost +
		"/topics/a1</TopicURL>\n  </Topic>\n  <NextMarker>" + first.text("NextMarker") + "</NextMarker>\n</Topics>"
	if first.body != want {
		t.Errorf("ListTopic = %s\nwant %s", first.body, want)
	}
	second := l.do("GET", "/topics", "", "x-mns-prefix", "a", "x-mns-marker", first.text("NextMarker"), "x-mns-with-meta", "true").want(200)
	if names := names(second.root().last("Topic")); names != "TopicURL TopicName CreateTime LastModifyTime MaximumMessageSize MessageRetentionPeriod MessageCount LoggingEnabled" {
		t.Errorf("with meta a topic has %s", names)
	}
	if second.text("Topic/TopicName") != "a2" || second.root().last("NextMarker") != nil {
		t.Errorf("ListTopic, second page = %s", second.body)
	}
	for _, header := range [][2]string{{"x-mns-ret-number", "0"}, {"x-mns-ret-number", "1001"}, {"x-mns-marker", "!"}} {
		for _, target := range []string{"/topics", "/topics/b/subscriptions"} {
			if code := l.do("GET", target, "", header[0], header[1]).want(400).text("Code"); code != "InvalidArgument" {
				t.Errorf("%s with %s = %s", target, header, code)
			}
		}
	}
}

func TestSubscribeTellsNewFromSameFromDifferent(t *testing.T) {
	l := newLab(t)
	l.createTopic("t")
	subscribe := func(elements string) *answer {
		return l.do("PUT", "/topics/t/subscriptions/s", "<Subscription>"+elements+"</Subscription>")
	}
	const endpoint = "<Endpoint>http://localhost/x</Endpoint>"
	created := subscribe(endpoint).want(201)
	// Recorded: without a scheme.
	if got, want := created.header.Get("Location"), labHost+"/topics/t/subscriptions/s"; got != want {
		t.Errorf("Location = %q, want %q", got, want)
	}
	same := subscribe(endpoint + "<NotifyStrategy>BACKOFF_RETRY</NotifyStrategy><NotifyContentFormat>XML</NotifyContentFormat><FilterTag></FilterTag>").want(204)
	if got := same.header.Get("Location"); got != created.header.Get("Location") {
		t.Errorf("Location of 204 = %q", got)
	}
	for _, other := range []string{
		"<Endpoint>http://localhost/y</Endpoint>", endpoint + "<FilterTag>x</FilterTag>", endpoint + "<NotifyContentFormat>SIMPLIFIED</NotifyContentFormat>",
		endpoint + "<NotifyStrategy>EXPONENTIAL_DECAY_RETRY</NotifyStrategy>", "<Endpoint>mail:directmail:a@b.example</Endpoint>",
	} {
		subscribe(other).wantError(409, "SubscriptionAlreadyExist", "The subscription you want to create is already exists.")
	}
	l.do("DELETE", "/topics/t/subscriptions/s", "").want(204)
	l.do("DELETE", "/topics/t/subscriptions/s", "").want(204)
	l.do("GET", "/topics/t/subscriptions/s", "").wantError(404, "SubscriptionNotExist", "The subscription you provided does not exist.")
}

func TestSubscriptionAttributes(t *testing.T) {
	l := newLab(t)
	l.createTopic("t", "<Endpoint>sms:directsms:anonymous</Endpoint><NotifyContentFormat>JSON</NotifyContentFormat>")
	l.clock.Advance(time.Second)
	get := func() string { return l.do("GET", "/topics/t/subscriptions/s0", "").want(200).body }
	want := func(tag, modified, strategy string) string {
		return `<?xml version="1.0" ?>
<Subscription xmlns="http://mns.aliyuncs.com/doc/v1">
  <CreateTime>1790299683</CreateTime>
  <Endpoint>sms:directsms:anonymous</Endpoint>
` + tag + `  <LastModifyTime>` + modified + `</LastModifyTime>
  <NotifyContentFormat>JSON</NotifyContentFormat>
  <NotifyStrategy>` + strategy + `</NotifyStrategy>
  <SubscriptionName>s0</SubscriptionName>
  <TopicName>t</TopicName>
  <TopicOwner>1234567890123456</TopicOwner>
</Subscription>`
	}
	if diff := cmp.Diff(want("", "1790299683", "BACKOFF_RETRY"), get()); diff != "" {
		t.Errorf("GetSubscriptionAttributes (-want +got):\n%s", diff)
	}
	set := func(elements string) *answer {
		return l.do("PUT", "/topics/t/subscriptions/s0?metaoverride=true", "<Subscription>"+elements+"</Subscription>")
	}
	set("<NotifyStrategy>EXPONENTIAL_DECAY_RETRY</NotifyStrategy>").want(204)
	set("<FilterTag>0123456789中文四五六七</FilterTag>").want(204)
	const tag = "  <FilterTag>0123456789中文四五六七</FilterTag>\n"
	if diff := cmp.Diff(want(tag, "1790299684", "EXPONENTIAL_DECAY_RETRY"), get()); diff != "" {
		t.Errorf("GetSubscriptionAttributes after changes (-want +got):\n%s", diff)
	}
	set("<FilterTag></FilterTag>").want(204)
	if diff := cmp.Diff(want("", "1790299684", "EXPONENTIAL_DECAY_RETRY"), get()); diff != "" {
		t.Errorf("GetSubscriptionAttributes without a tag (-want +got):\n%s", diff)
	}
}

func TestEndpoints(t *testing.T) {
	l := newLab(t)
	s := &service{outside: l.site.MNS.Namespace(), inside: l.site.SQS.Namespace()}
	queue := core.Endpoint{Kind: core.EndpointQueue, Queue: s.key("q")}
	for text, want := range map[string]core.Endpoint{
		"http://localhost":                              {Kind: core.EndpointPush},
		"http://127.0.0.1:8080/a/b?c=d":                 {Kind: core.EndpointPush},
		"https://example.com/notifications":             {Kind: core.EndpointPush},
		"HTTP://[::1]:80/":                              {Kind: core.EndpointPush},
		"acs:mns:cn-hangzhou:1234567890123456:queues/q": queue,
		"acs:mns:0:127:queues/q":                        queue, // PHP at 127.0.0.1
		"acs:mns:cn-hangzhou:localhost:/queues/q":       queue,
		"mail:directmail:someone@example.com":           {Kind: core.EndpointOutbox},
		"sms:directsms:anonymous":                       {Kind: core.EndpointOutbox},
		"sms:directsms:13800000000":                     {Kind: core.EndpointOutbox},
		"sms:dayu:13800000000":                          {Kind: core.EndpointOutbox},
		"push:23456":                                    {Kind: core.EndpointOutbox},
	} {
		want.Address = text
		if got, err := s.endpoint(&text); err != nil || got != want {
			t.Errorf("endpoint(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "x", "http://", "http:///path", "http://user:password@host/", "http://host:port/", "ftp://host/", "http://host/mns-reserved-x", "http://host/%zz",
		"acs:", "acs:mns:r:1:queues/", "acs:mns:r:1:queues/a/b", "acs:mns:r:1:topics/t", "acs:oss:r:1:queues/q", "acs:mns:r:queues/q",
		"mail:directmail:", "mail:x:a@b", "sms:directmail:1", "sms:directsms", "sms:dayu:", "push:", "push", "http://h/" + strings.Repeat("x", maxEndpoint),
	} {
		if got, err := s.endpoint(&text); err != errEndpoint {
			t.Errorf("endpoint(%.40q) = %+v, %v, want %v", text, got, err, errEndpoint)
		}
	}
	if _, err := s.endpoint(nil); err != errEndpoint {
		t.Errorf("endpoint(nil) = %v", err)
	}
}

func TestListSubscriptionByPages(t *testing.T) {
	l := newLab(t)
	const mail = "<Endpoint>mail:directmail:a@b.example</Endpoint>"
	l.createTopic("t", mail, mail, mail)
	first := l.do("GET", "/topics/t/subscriptions", "", "x-mns-ret-number", "2").want(200)
	want := "<?xml version=\"1.0\" ?>\n<Subscriptions xmlns=\"http://mns.aliyuncs.com/doc/v1\">\n"
	for i := range 2 {
		want += fmt.Sprintf("  <Subscription>\n    <SubscriptionURL>http://%s/topics/t/subscriptions/s%d</SubscriptionURL>\n  </Subscription>\n", labHost, i)
	}
	want += "  <NextMarker>" + first.text("NextMarker") + "</NextMarker>\n</Subscriptions>"
	if first.body != want {
		t.Errorf("ListSubscriptionByTopic = %s\nwant %s", first.body, want)
	}
	second := l.do("GET", "/topics/t/subscriptions", "", "x-mns-marker", first.text("NextMarker")).want(200)
	if second.text("Subscription/SubscriptionURL") != "http://"+labHost+"/topics/t/subscriptions/s2" || second.root().last("NextMarker") != nil {
		t.Errorf("second page = %s", second.body)
	}
}

func TestTopicTakesAHundredSubscriptions(t *testing.T) {
	l := newLab(t)
	l.createTopic("t")
	const mail = "<Endpoint>mail:directmail:a@b.example</Endpoint>"
	for i := range 100 {
		l.subscribe("t", fmt.Sprint(i), mail)
	}
	l.do("PUT", "/topics/t/subscriptions/more", "<Subscription>"+mail+"</Subscription>").
		wantError(400, "InvalidArgument", "The number of subscriptions should between 0 and 100.")
}

func TestQueueMustTakeWhatTheTopicTakes(t *testing.T) {
	l := newLab(t)
	l.create("small", "<MaximumMessageSize>1024</MaximumMessageSize>")
	l.createTopic("t")
	l.do("PUT", "/topics/t/subscriptions/s", "<Subscription>"+toQueue("small", formatXML)+"</Subscription>").
		wantError(400, "EndpointInvalid", "The endpoint you provided is invalid.")
	l.do("PUT", "/topics/t?metaoverride=true", "<Topic><MaximumMessageSize>1024</MaximumMessageSize></Topic>").want(204)
	l.subscribe("t", "s", toQueue("small", formatXML))
	l.subscribe("t", "later", toQueue("none-yet", formatXML))
}

func TestPublishReachesWhoWantsTheTag(t *testing.T) {
	l := newLab(t)
	for _, queue := range []string{"all", "red", "blue"} {
		l.create(queue, "")
	}
	l.createTopic("t", toQueue("all", formatSimplified), toQueue("red", formatSimplified)+"<FilterTag>red</FilterTag>", toQueue("blue", formatSimplified)+"<FilterTag>blue</FilterTag>")
	published := l.publish("t", "<MessageBody>hello world</MessageBody><MessageTag>red</MessageTag>")
	if names := names(published.root()); names != "MessageId MessageBodyMD5" || published.text("MessageBodyMD5") != "5EB63BBBE01EEED093CB22BB8F5ACDC3" {
		t.Errorf("PublishMessage = %s", published.body)
	}
	if _, given := published.header["Location"]; given {
		t.Error("PublishMessage has a Location")
	}
	for _, queue := range []string{"all", "red"} {
		if got := l.do("GET", "/queues/"+queue+"/messages", "").want(200).text("MessageBody"); got != "hello world" {
			t.Errorf("%s has %q", queue, got)
		}
	}
	l.empty("blue")
	l.publish("t", "<MessageBody>x</MessageBody>")
	l.empty("red")
}

func TestMailsAreLaidIntoTheOutbox(t *testing.T) {
	l := newLab(t)
	l.createTopic("t", "<Endpoint>mail:directmail:a@b.example</Endpoint>")
	l.publish("t", `<MessageBody>x</MessageBody><MessageAttributes><DirectMail>{"Subject":"&lt;s&gt;"}</DirectMail><DirectSMS>{}</DirectSMS></MessageAttributes>`)
	got, err := l.engine.Under(rules).Outbox(t.Context(), l.site.SQS.Namespace(), 10)
	if err != nil || len(got) != 1 {
		t.Fatalf("Outbox = %v, %v", got, err)
	}
	if diff := cmp.Diff(map[string]string{"DirectMail": `{"Subject":"<s>"}`, "DirectSMS": "{}"}, got[0].Notes); diff != "" {
		t.Errorf("notes of the delivery (-want +got):\n%s", diff)
	}
	if got[0].Subscription.Settings.Endpoint.Address != "mail:directmail:a@b.example" || got[0].Sender != homeAccount {
		t.Errorf("delivery = %+v", got[0])
	}
}

func TestJSONPublishesToTopics(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	l.createTopic("t", toQueue("q", formatSimplified)+"<FilterTag>red</FilterTag>", "<Endpoint>sms:directsms:anonymous</Endpoint>")
	published := l.doJSON("POST", "/topics/t/messages", `{"MessageBody":"x","MessageTag":"red","MessageAttributes":{"DirectSMS":"{}"},"UserProperties":{"k":{"DataType":"NUMBER","StringValue":"1"}}}`)
	published.wantJSON(201, `{"MessageId":"`+published.field("MessageId")+`","MessageBodyMD5":"`+digest("x")+`"}`)
	if got := l.do("GET", "/queues/q/messages", "").want(200); got.text("MessageBody") != "x" || got.text("UserProperties/PropertyValue/Type") != "NUMBER" {
		t.Errorf("received %s", got.body)
	}
	got, err := l.engine.Under(rules).Outbox(t.Context(), l.site.SQS.Namespace(), 10)
	if err != nil || len(got) != 1 || got[0].Notes["DirectSMS"] != "{}" {
		t.Errorf("Outbox = %+v, %v", got, err)
	}
	l.doJSON("POST", "/topics/none/messages", `{"MessageBody":"x"}`).wantJSONError(404, "TopicNotExist", noTopic)
}
