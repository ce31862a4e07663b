package sluice_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
)

// shop is one of each, and all that a queue can be given.
func shop() sluice.Resources {
	return sluice.Resources{
		Queues: []sluice.Queue{
			{
				Name: "orders", DeadLetter: &sluice.DeadLetter{Queue: "dead", MaxReceives: 2}, Tags: map[string]string{"team": "shop"},
				Delay: new(time.Duration(0)), Visibility: new(10 * time.Second), Retention: new(time.Hour), Wait: new(time.Second), MaxSize: new(65536),
			},
			{Name: "dead", Namespace: sluice.DefaultMNS},
			{Name: "steps.fifo", FIFO: true, ContentDedup: new(true)},
			{Name: "tenants", TenantRate: new(1)},
		},
		Topics: []sluice.Topic{{Name: "news", MaxSize: new(1024)}, {Name: "events", FIFO: true}},
		Subscriptions: []sluice.Subscription{
			{Topic: "news", Name: "s", Queue: "orders", FilterTag: "red", Format: "SIMPLIFIED", DeadLetter: "dead"},
			{Topic: "events", Name: "s", Queue: "steps.fifo", Format: "SIMPLIFIED"},
		},
	}
}

func sendMNS(h http.Handler, queue, elements string) string {
	return mnsCall(h, http.MethodPost, "/queues/"+queue+"/messages", "<Message><MessageBody>m</MessageBody>"+elements+"</Message>")
}

func contains(t *testing.T, what, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s = %s, want %s", what, got, w)
		}
	}
}

func TestResourcesAreThereFromTheStart(t *testing.T) {
	hands := clock.NewManual(time.Unix(1_700_000_000, 0))
	h := open(t, sluice.Options{Resources: shop(), Clock: hands}).Handler()
	contains(t, "GetQueueAttributes", sqsCall(h, "GetQueueAttributes", `{"QueueUrl":"orders","AttributeNames":["All"]}`),
		`"VisibilityTimeout":"10"`, `"MessageRetentionPeriod":"3600"`, `"ReceiveMessageWaitTimeSeconds":"1"`, `"MaximumMessageSize":"65536"`,
		`\"deadLetterTargetArn\":\"arn:aws:sqs:us-east-1:000000000000:dead\",\"maxReceiveCount\":2`)
	contains(t, "ListQueueTags", sqsCall(h, "ListQueueTags", `{"QueueUrl":"orders"}`), `{"team":"shop"}`)
	contains(t, "the size of a queue of MNS", mnsCall(h, http.MethodGet, "/queues/dead", ""), "<MaximumMessageSize>65536<")
	contains(t, "the size of a queue of SQS", mnsCall(h, http.MethodGet, "/queues/steps.fifo", ""), "<MaximumMessageSize>1048576<", "<MessageType>1<")
	contains(t, "GetTopicAttributes", mnsCall(h, http.MethodGet, "/topics/news", ""), "<MaximumMessageSize>1024<")
	contains(t, "GetSubscriptionAttributes", mnsCall(h, http.MethodGet, "/topics/news/subscriptions/s", ""),
		"<Endpoint>acs:mns:cn-hangzhou:1234567890123456:queues/orders<", "<FilterTag>red<", "<NotifyContentFormat>SIMPLIFIED<", "<NotifyStrategy>BACKOFF_RETRY<")

	mnsCall(h, http.MethodPost, "/topics/news/messages", "<Message><MessageBody>m</MessageBody><MessageTag>red</MessageTag></Message>")
	for count := range 2 {
		got := mnsCall(h, http.MethodGet, "/queues/orders/messages?waitseconds=0", "")
		contains(t, "ReceiveMessage", got, "<MessageBody>m<", "<DequeueCount>"+string(rune('1'+count))+"<")
		hands.Advance(10 * time.Second)
	}
	contains(t, "ReceiveMessage", mnsCall(h, http.MethodGet, "/queues/orders/messages?waitseconds=0", ""), "MessageNotExist")
	contains(t, "ReceiveMessage of the dead letter", mnsCall(h, http.MethodGet, "/queues/dead/messages", ""), "<MessageBody>m<", "DLQSourceArn")
}

// A FIFO queue needs no .fifo at the end of its name for either provider.
func TestDeclaredFIFOQueueIsOneForBothProviders(t *testing.T) {
	h := open(t, sluice.Options{Resources: shop()}).Handler()
	contains(t, "SendMessage without a group", sendMNS(h, "steps.fifo", ""), "FifoMissingMessageGroupId")
	for range 2 { // MNS knows no deduplication ids, but this queue derives them
		contains(t, "SendMessage", sendMNS(h, "steps.fifo", "<MessageGroupId>g</MessageGroupId>"), "<MessageId>")
	}
	got := sqsCall(h, "ReceiveMessage", `{"QueueUrl":"steps.fifo","AttributeNames":["All"],"MaxNumberOfMessages":10}`)
	contains(t, "ReceiveMessage", got, `"MessageGroupId":"g"`, `"SequenceNumber":"`)
	if n := strings.Count(got, `"MessageId"`); n != 1 {
		t.Errorf("received %d messages, want 1: %s", n, got)
	}
}

func TestDeclaredFIFOTopicFeedsFIFOQueues(t *testing.T) {
	h := open(t, sluice.Options{Resources: shop()}).Handler()
	publish := func(elements string) string {
		return mnsCall(h, http.MethodPost, "/topics/events/messages", "<Message>"+elements+"</Message>")
	}
	contains(t, "PublishMessage without a group", publish("<MessageBody>m</MessageBody>"), "FifoMissingMessageGroupId")
	for _, body := range []string{"1", "2"} {
		contains(t, "PublishMessage", publish("<MessageBody>"+body+"</MessageBody><MessageGroupId>g</MessageGroupId>"), "<MessageId>")
	}
	got := sqsCall(h, "ReceiveMessage", `{"QueueUrl":"steps.fifo","AttributeNames":["MessageGroupId"],"MaxNumberOfMessages":10}`)
	contains(t, "ReceiveMessage", got, `"Body":"1"`, `"Body":"2"`, `"MessageGroupId":"g"`)
	if strings.Index(got, `"Body":"1"`) > strings.Index(got, `"Body":"2"`) {
		t.Errorf("ReceiveMessage = %s, want the order of publishing", got)
	}
}

func TestDeclaredTenantRateHolds(t *testing.T) {
	hands := clock.NewManual(time.Unix(1_700_000_000, 0))
	h := open(t, sluice.Options{Resources: shop(), Clock: hands}).Handler()
	for range 2 {
		contains(t, "SendMessage", sendMNS(h, "tenants", "<MessageGroupId>a</MessageGroupId>"), "<MessageId>")
	}
	for _, want := range []string{"<MessageBody>m<", "MessageNotExist"} {
		contains(t, "ReceiveMessage", mnsCall(h, http.MethodGet, "/queues/tenants/messages", ""), want)
	}
	hands.Advance(time.Second)
	contains(t, "ReceiveMessage a second later", mnsCall(h, http.MethodGet, "/queues/tenants/messages", ""), "<MessageBody>m<")
}

// Opening again changes nothing; what has been changed since goes back to what is declared, and the rest is left alone.
func TestResourcesAreDeclaredAgain(t *testing.T) {
	hands := clock.NewManual(time.Unix(1_700_000_000, 0))
	o := sluice.Options{Resources: shop(), Clock: hands, Data: filepath.Join(t.TempDir(), "data")}
	state := func(h http.Handler) (all string) {
		for _, target := range []string{"/queues/orders", "/queues/dead", "/queues/steps.fifo", "/topics/news", "/topics/news/subscriptions/s"} {
			all += mnsCall(h, http.MethodGet, target, "")
		}
		return all + sqsCall(h, "ListQueueTags", `{"QueueUrl":"orders"}`)
	}
	s := open(t, o)
	before := state(s.Handler())
	contains(t, "the send", sendMNS(s.Handler(), "dead", ""), "<MessageId>")
	again := func() http.Handler {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		hands.Advance(time.Minute)
		s = open(t, o)
		return s.Handler()
	}
	h := again()
	if after := strings.Replace(state(h), "<ActiveMessages>1<", "<ActiveMessages>0<", 1); after != before {
		t.Errorf("opened again: %s\nwant %s", after, before)
	}
	contains(t, "the message", mnsCall(h, http.MethodGet, "/queues/dead/messages?peekonly=true", ""), "<MessageBody>m<")

	mnsCall(h, http.MethodPut, "/queues/orders?metaoverride=true", "<Queue><VisibilityTimeout>99</VisibilityTimeout></Queue>")
	mnsCall(h, http.MethodPut, "/queues/dead?metaoverride=true", "<Queue><VisibilityTimeout>99</VisibilityTimeout></Queue>")
	mnsCall(h, http.MethodPut, "/topics/news?metaoverride=true", "<Topic><MaximumMessageSize>2048</MaximumMessageSize></Topic>")
	mnsCall(h, http.MethodPut, "/topics/news/subscriptions/s?metaoverride=true", "<Subscription><FilterTag>blue</FilterTag></Subscription>")
	sqsCall(h, "SetQueueAttributes", `{"QueueUrl":"orders","Attributes":{"RedrivePolicy":""}}`)
	sqsCall(h, "TagQueue", `{"QueueUrl":"orders","Tags":{"team":"other","own":"x"}}`)
	h = again()
	contains(t, "orders", mnsCall(h, http.MethodGet, "/queues/orders", ""), "<VisibilityTimeout>10<")
	contains(t, "dead", mnsCall(h, http.MethodGet, "/queues/dead", ""), "<VisibilityTimeout>99<")
	contains(t, "news", mnsCall(h, http.MethodGet, "/topics/news", ""), "<MaximumMessageSize>1024<")
	contains(t, "s", mnsCall(h, http.MethodGet, "/topics/news/subscriptions/s", ""), "<FilterTag>red<")
	contains(t, "the policy", sqsCall(h, "GetQueueAttributes", `{"QueueUrl":"orders","AttributeNames":["RedrivePolicy"]}`), "maxReceiveCount")
	contains(t, "the tags", sqsCall(h, "ListQueueTags", `{"QueueUrl":"orders"}`), `"team":"shop"`, `"own":"x"`)
}

// A program that makes its queues when it starts must find a declared one to be what it wants.
func TestDeclaredQueuesCanBeMadeAgain(t *testing.T) {
	h := open(t, sluice.Options{Resources: sluice.Resources{
		Queues: []sluice.Queue{
			{Name: "a", Namespace: sluice.DefaultMNS, DeadLetter: &sluice.DeadLetter{Queue: "b", MaxReceives: 1}}, {Name: "b"},
		},
		Topics: []sluice.Topic{{Name: "t"}},
	}}).Handler()
	for _, target := range []string{"/queues/a", "/topics/t"} {
		if got := mnsCall(h, http.MethodPut, target, ""); got != "" {
			t.Errorf("PUT %s = %s, want nothing", target, got)
		}
	}
	contains(t, "CreateQueue", sqsCall(h, "CreateQueue", `{"QueueName":"b","Attributes":{"MaximumMessageSize":"1048576"}}`), "QueueUrl")
}

func TestResourcesThatCannotBeAreRefused(t *testing.T) {
	queue := func(q sluice.Queue) sluice.Resources { return sluice.Resources{Queues: []sluice.Queue{q}} }
	topic := []sluice.Topic{{Name: "t"}}
	for _, tt := range []struct {
		r    sluice.Resources
		want string
	}{
		{queue(sluice.Queue{}), `queue : "" is not a name`},
		{queue(sluice.Queue{Name: strings.Repeat("q", 81)}), "is not a name, want 1 to 80 letters"},
		{queue(sluice.Queue{Name: strings.Repeat("q", 76) + ".fifo", FIFO: true}), "is not a name, want 1 to 80 letters"},
		{queue(sluice.Queue{Name: "q_q", Namespace: sluice.DefaultMNS}), `"q_q" is not a name, want 1 to 120 letters`},
		{queue(sluice.Queue{Name: "-q", Namespace: sluice.DefaultMNS}), `"-q" is not a name`},
		{queue(sluice.Queue{Name: strings.Repeat("q", 121), Namespace: sluice.DefaultMNS}), "is not a name, want 1 to 120 letters"},
		{sluice.Resources{Topics: []sluice.Topic{{Name: "t_t"}}}, `topic t_t: "t_t" is not a name, want 1 to 255 letters`},
		{queue(sluice.Queue{Name: "q", Tags: map[string]string{"": "v"}}), `"" is not the key of a tag`},
		{queue(sluice.Queue{Name: "q", Tags: map[string]string{"k": strings.Repeat("v", 257)}}), "the tag k is too long"},
		{queue(sluice.Queue{Name: "a b"}), `"a b" is not a name`},
		{queue(sluice.Queue{Name: "q.fifo"}), "the queue is not a FIFO queue"},
		{queue(sluice.Queue{Name: "q", ContentDedup: new(true)}), "content-dedup is for FIFO queues"},
		{queue(sluice.Queue{Name: "q", Delay: new(-time.Second)}), "queue q: delay is -1s, want 0s to 168h0m0s"},
		{queue(sluice.Queue{Name: "q", Visibility: new(13 * time.Hour)}), "visibility is 13h0m0s"},
		{queue(sluice.Queue{Name: "q", Retention: new(time.Second)}), "retention is 1s, want 1m0s to 336h0m0s"},
		{queue(sluice.Queue{Name: "q", Wait: new(31 * time.Second)}), "wait is 31s"},
		{queue(sluice.Queue{Name: "q", MaxSize: new(1)}), "max-size is 1, want 1024 to 1048576"},
		{queue(sluice.Queue{Name: "q", DeadLetter: &sluice.DeadLetter{MaxReceives: 1}}), "dead-letter names no queue"},
		{queue(sluice.Queue{Name: "q", DeadLetter: &sluice.DeadLetter{Queue: "d"}}), "max-receives is 0, want 1 to 1000"},
		{queue(sluice.Queue{Name: "q", DeadLetter: &sluice.DeadLetter{Queue: "d", MaxReceives: 1}}), "queue q: its dead-letter queue d does not exist"},
		{
			sluice.Resources{Queues: []sluice.Queue{{Name: "q", DeadLetter: &sluice.DeadLetter{Queue: "d.fifo", MaxReceives: 1}}, {Name: "d.fifo", FIFO: true}}},
			"its dead-letter queue d.fifo is not of the same type",
		},
		{sluice.Resources{Queues: []sluice.Queue{{Name: "q"}, {Name: "q"}}}, "queue q: it is there twice"},
		{
			sluice.Resources{Queues: []sluice.Queue{{Name: "q"}, {Name: "q", Namespace: sluice.Home{Account: "1234567890123456", Region: "cn-hangzhou"}}}},
			"queue q: it is there twice", // by their bridge
		},
		{queue(sluice.Queue{Name: "q", FIFO: true}), "the names of FIFO queues of SQS end with .fifo"},
		{sluice.Resources{Topics: []sluice.Topic{{Name: "t", MaxSize: new(65537)}}}, "topic t: max-size is 65537"},
		{sluice.Resources{Topics: []sluice.Topic{{Name: "t"}, {Name: "t", FIFO: true}}}, "topic t: it is there twice"},
		{queue(sluice.Queue{Name: "q", TenantRate: new(-1)}), "tenant-rate is -1, want 0 to 100000"},
		{queue(sluice.Queue{Name: "q.fifo", FIFO: true, TenantRate: new(1)}), "tenant-rate is for standard queues"},
		{
			sluice.Resources{
				Queues: []sluice.Queue{{Name: "q"}}, Topics: []sluice.Topic{{Name: "t", FIFO: true}},
				Subscriptions: []sluice.Subscription{{Topic: "t", Name: "s", Queue: "q"}},
			},
			"subscription s of topic t: the topic is a FIFO topic, and this is not a FIFO queue",
		},
		{sluice.Resources{Subscriptions: []sluice.Subscription{{Topic: "t", Name: "s"}}}, "subscription s of topic t: want either an endpoint or a queue"},
		{sluice.Resources{Subscriptions: []sluice.Subscription{{Topic: "t", Name: "s", Queue: "q", DeadLetter: "q"}}}, "the dead-letter queue is the queue itself"},
		{sluice.Resources{Subscriptions: []sluice.Subscription{{Topic: "t", Name: "s", Queue: "q"}}}, "there is no such topic"},
		{sluice.Resources{Topics: topic, Subscriptions: []sluice.Subscription{{Topic: "t", Name: "s", Endpoint: "x"}}}, "EndpointInvalid"},
		{sluice.Resources{Topics: topic, Subscriptions: []sluice.Subscription{{Topic: "t", Name: "s", Queue: "q", Format: "x"}}}, "cause by NotifyContentFormat"},
		{
			sluice.Resources{Topics: topic, Subscriptions: []sluice.Subscription{{Topic: "t", Name: "s", Queue: "q"}, {Topic: "t", Name: "s", Queue: "p"}}},
			"subscription s of topic t: it is there twice",
		},
	} {
		s, err := sluice.Open(sluice.Options{Resources: tt.r})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Open(%+v) = %v, want %q", tt.r, err, tt.want)
		}
		if err == nil {
			_ = s.Close()
		}
	}
}

func TestQueueOfTheOtherTypeIsNotTouched(t *testing.T) {
	mns := sluice.Home{Account: "1234567890123456", Region: "cn-hangzhou"}
	o := sluice.Options{Resources: sluice.Resources{Queues: []sluice.Queue{{Name: "q", Namespace: mns}}}}
	s := open(t, o)
	o.Resources = sluice.Resources{Queues: []sluice.Queue{{Name: "q", Namespace: mns, FIFO: true}}}
	if _, err := s.Reload(t.Context(), o); err == nil || !strings.Contains(err.Error(), "queue q: there is one of the other type") {
		t.Errorf("Reload with a FIFO queue in place of a standard one = %v, want that there is one of the other type", err)
	}
}
