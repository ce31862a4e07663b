package hostile_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// furnishTopic makes a topic with a subscription to a queue.
func (s *site) furnishTopic(t *testing.T) {
	t.Helper()
	s.create(t, "/queues/sink", "<Queue/>")
	s.create(t, "/topics/news", "<Topic/>")
	s.create(t, "/topics/news/subscriptions/first", subscription("acs:mns:cn-hangzhou:1234567890123456:queues/sink", ""))
}

func (s *site) create(t *testing.T, path, body string) {
	t.Helper()
	if r := s.send(t, mnsAsk(http.MethodPut, path, body)); r.status != http.StatusCreated {
		t.Fatalf("PUT %s = %d %s, want 201", path, r.status, r.body)
	}
}

func subscription(endpoint, more string) string {
	return "<Subscription><Endpoint>" + endpoint + "</Endpoint>" + more + "</Subscription>"
}

// topics is everything that clients can see of the topics.
func (s *site) topics(t *testing.T) string {
	t.Helper()
	all := ""
	for _, path := range []string{"/topics", "/topics/news", "/topics/news/subscriptions", "/topics/news/subscriptions/first"} {
		all += s.send(t, mnsAsk(http.MethodGet, path, "")).body
	}
	return all + s.send(t, mnsAsk(http.MethodGet, "/queues/sink/messages?peekonly=true", "")).body[:40]
}

func TestTopicsThatCannotBe(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnishTopic(t)
	before := s.topics(t)
	const sink = "acs:mns:cn-hangzhou:1234567890123456:queues/sink"
	noTopic, badEndpoint := fault{http.StatusNotFound, "TopicNotExist"}, fault{http.StatusBadRequest, "EndpointInvalid"}
	subscribe := func(body string) ask { return mnsAsk(http.MethodPut, "/topics/news/subscriptions/second", body) }
	publish := func(body string) ask { return mnsAsk(http.MethodPost, "/topics/news/messages", body) }
	long := strings.Repeat("n", 300)
	rows := []row{
		{"unknown topic", mnsAsk(http.MethodGet, "/topics/nowhere", ""), inMNS, noTopic},
		{"unknown topic to publish on", mnsAsk(http.MethodPost, "/topics/nowhere/messages", "<Message><MessageBody>x</MessageBody></Message>"), inMNS, noTopic},
		{"unknown topic to subscribe to", mnsAsk(http.MethodPut, "/topics/nowhere/subscriptions/a", subscription(sink, "")), inMNS, noTopic},
		{"unknown topic to list", mnsAsk(http.MethodGet, "/topics/nowhere/subscriptions", ""), inMNS, noTopic},
		{"unknown subscription", mnsAsk(http.MethodGet, "/topics/news/subscriptions/nope", ""), inMNS, fault{404, "SubscriptionNotExist"}},
		{"escaped name", mnsAsk(http.MethodGet, "/topics/%2e%2e%2Fqueues", ""), inMNS, noTopic},
		{"zero byte", mnsAsk(http.MethodGet, "/topics/%00", ""), inMNS, noTopic},
		{"part too many", mnsAsk(http.MethodGet, "/topics/news/subscriptions/first/x", ""), inMNS, mnsURL},
		{"method", mnsAsk("PATCH", "/topics/news", ""), inMNS, mnsURL},
		{"another root", mnsAsk(http.MethodPut, "/topics/new", "<Queue/>"), inMNS, mnsArgument},
		{"malformed", mnsAsk(http.MethodPut, "/topics/new", "<Topic>"), inMNS, mnsMalformed},
		{"size too small", mnsAsk(http.MethodPut, "/topics/new", "<Topic><MaximumMessageSize>1023</MaximumMessageSize></Topic>"), inMNS, mnsArgument},
		{"size too large", mnsAsk(http.MethodPut, "/topics/new", "<Topic><MaximumMessageSize>99999999999999999999</MaximumMessageSize></Topic>"), inMNS, mnsArgument},
		{"name empty", mnsAsk(http.MethodPut, "/topics/", "<Topic/>"), inMNS, fault{400, "TopicNameLengthError"}},
		{"name too long", mnsAsk(http.MethodPut, "/topics/"+long, "<Topic/>"), inMNS, fault{400, "TopicNameLengthError"}},
		{"name with a blank", mnsAsk(http.MethodPut, "/topics/a%20b", "<Topic/>"), inMNS, fault{400, "TopicNameInvalid"}},
		{"subscription name empty", mnsAsk(http.MethodPut, "/topics/news/subscriptions/", subscription(sink, "")), inMNS, fault{400, "SubscriptionNameLengthError"}},
		{"subscription name too long", mnsAsk(http.MethodPut, "/topics/news/subscriptions/"+long, subscription(sink, "")), inMNS, fault{400, "SubscriptionNameLengthError"}},
		{"subscription name with a slash", mnsAsk(http.MethodPut, "/topics/news/subscriptions/a%2Fb", subscription(sink, "")), inMNS, fault{400, "SubscriptionNameInvalid"}},
		{"no endpoint", subscribe("<Subscription/>"), inMNS, badEndpoint},
		{"no subscription", subscribe(""), inMNS, mnsMalformed},
		{"unknown strategy", subscribe(subscription(sink, "<NotifyStrategy>NEVER</NotifyStrategy>")), inMNS, mnsArgument},
		{"unknown format", subscribe(subscription(sink, "<NotifyContentFormat>YAML</NotifyContentFormat>")), inMNS, mnsArgument},
		{"long filter", subscribe(subscription(sink, "<FilterTag>12345678901234567</FilterTag>")), inMNS, mnsArgument},
		{"nothing published", publish("<Message/>"), inMNS, mnsArgument},
		{"empty body", publish("<Message><MessageBody/></Message>"), inMNS, mnsArgument},
		{"long tag", publish("<Message><MessageBody>x</MessageBody><MessageTag>12345678901234567</MessageTag></Message>"), inMNS, mnsArgument},
		{"large body", publish("<Message><MessageBody>" + strings.Repeat("x", 65537) + "</MessageBody></Message>"), inMNS, mnsArgument},
		{"publication that is malformed", publish("<Message>"), inMNS, mnsMalformed},
		{"publication with a DTD", publish("<!DOCTYPE a><Message><MessageBody>x</MessageBody></Message>"), inMNS, mnsMalformed},
	}
	for _, endpoint := range []string{
		"", " ", "x", "http://", "https://", "ftp://host/", "file:///etc/passwd", "javascript:x", "http:///path", "http://[::1", "http://host:port/", "//host/",
		"acs:mns:", "acs:mns:::", "acs:mns:cn-hangzhou:1:queues/", "acs:mns:cn-hangzhou:1:topics/news", "acs:sqs:cn-hangzhou:1:queues/sink", "mail:directmail:", "http://host/mns-reserved-x", "http://a b/",
	} {
		rows = append(rows, row{fmt.Sprintf("endpoint %.40q", endpoint), subscribe(subscription(endpoint, "")), inMNS, badEndpoint})
	}
	s.refuses(t, rows)
	if now := s.topics(t); now != before {
		t.Errorf("the topics have changed from\n%s\nto\n%s", before, now)
	}
}

// TestPublicationsThatAreTooMuchForOneCommit are within all limits of their own, and reach many.
func TestPublicationsThatAreTooMuchForOneCommit(t *testing.T) {
	t.Parallel()
	s := openOnDisk(t)
	s.create(t, "/topics/news", "<Topic/>")
	const subscriptions = 90
	for i := range subscriptions {
		s.create(t, fmt.Sprintf("/queues/sink-%d", i), "<Queue/>")
		s.create(t, fmt.Sprintf("/topics/news/subscriptions/s-%d", i), subscription(fmt.Sprintf("acs:mns:cn-hangzhou:1234567890123456:queues/sink-%d", i), ""))
	}
	property := "<UserProperties><PropertyValue><Name>a</Name><Value>" + strings.Repeat("x", 1_400_000) + "</Value><Type>STRING</Type></PropertyValue></UserProperties>"
	for name, body := range map[string]string{
		"a large body":     "<Message><MessageBody>" + strings.Repeat("x", 65536) + "</MessageBody></Message>",
		"a large property": "<Message><MessageBody>x</MessageBody>" + property + "</Message>",
		"large attributes": "<Message><MessageBody>x</MessageBody><MessageAttributes><DirectMail>" + strings.Repeat("x", 1_400_000) + "</DirectMail></MessageAttributes></Message>",
	} {
		t.Run(name, func(t *testing.T) {
			if r := s.send(t, mnsAsk(http.MethodPost, "/topics/news/messages", body)); r.status >= 500 {
				t.Errorf("publishing %s = %d %.300s, want no error of the server's", name, r.status, r.body)
			}
			s.checkFaults(t)
		})
	}
}
