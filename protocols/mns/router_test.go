package mns

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/protocols"
)

func TestRequestsFindTheirOperation(t *testing.T) {
	const message, messages = "<Message/>", "<Messages/>"
	r := newRouter(operations)
	for _, c := range []struct{ method, target, body, want string }{
		{"PUT", "/queues/q", "", "CreateQueue"},
		{"PUT", "/queues/q", "<Queue/>", "CreateQueue"},
		{"PUT", "/queues/", "", "CreateQueue"},
		{"PUT", "/queues/a%2Fb", "", "CreateQueue"},
		{"PUT", "/queues/q?metaoverride=false", "", "CreateQueue"},
		{"PUT", "/queues/q?metaoverride=true", "", "SetQueueAttributes"},
		{"PUT", "/queues/q?Metaoverride=True", "", "SetQueueAttributes"},
		{"GET", "/queues/q", "", "GetQueueAttributes"},
		{"DELETE", "/queues/q", "", "DeleteQueue"},
		{"GET", "/queues", "", "ListQueue"},
		{"POST", "/queues/q/messages", message, "SendMessage"},
		{"POST", "/queues/q/messages", messages, "BatchSendMessage"},
		{"POST", "/queues/q/messages", "<a:Messages xmlns:a='b'/>", "BatchSendMessage"},
		{"POST", "/queues/q/messages", "not XML", "SendMessage"},
		{"GET", "/queues/q/messages", "", "ReceiveMessage"},
		{"GET", "/queues/q/messages?waitseconds=10", "", "ReceiveMessage"},
		{"GET", "/queues/q/messages?peekonly=false", "", "ReceiveMessage"},
		{"GET", "/queues/q/messages?numOfMessages=1", "", "BatchReceiveMessage"},
		{"GET", "/queues/q/messages?numofmessages=16&waitseconds=1", "", "BatchReceiveMessage"},
		{"GET", "/queues/q/messages?peekonly=true", "", "PeekMessage"},
		{"GET", "/queues/q/messages?numOfMessages=2&peekonly=true", "", "BatchPeekMessage"},
		{"DELETE", "/queues/q/messages?ReceiptHandle=x", "", "DeleteMessage"},
		{"DELETE", "/queues/q/messages", "", "DeleteMessage"},
		{"DELETE", "/queues/q/messages", "<ReceiptHandles/>", "BatchDeleteMessage"},
		{"DELETE", "/queues/q/messages", "not XML", "BatchDeleteMessage"},
		{"DELETE", "/queues/q/messages?receiptHandle=x", "<ReceiptHandles/>", "DeleteMessage"},
		{"PUT", "/queues/q/messages?receiptHandle=x&visibilityTimeout=5", "", "ChangeMessageVisibility"},
		{"PUT", "/topics/t", "", "CreateTopic"},
		{"PUT", "/topics/", "", "CreateTopic"},
		{"PUT", "/topics/t?metaoverride=true", "", "SetTopicAttributes"},
		{"GET", "/topics/t", "", "GetTopicAttributes"},
		{"DELETE", "/topics/t", "", "DeleteTopic"},
		{"GET", "/topics", "", "ListTopic"},
		{"POST", "/topics/t/messages", message, "PublishMessage"},
		{"PUT", "/topics/t/subscriptions/s", "<Subscription/>", "Subscribe"},
		{"PUT", "/topics/t/subscriptions/s?metaOverride=true", "<Subscription/>", "SetSubscriptionAttributes"},
		{"GET", "/topics/t/subscriptions/s", "", "GetSubscriptionAttributes"},
		{"DELETE", "/topics/t/subscriptions/s", "", "Unsubscribe"},
		{"GET", "/topics/t/subscriptions", "", "ListSubscriptionByTopic"},
		{"GET", "/?accountmeta=true", "", "GetAccountAttributes"},
		{"PUT", "/?accountmeta=true", "", "SetAccountAttributes"},
		{"PUT", "/?accountMeta=True", "<Account/>", "SetAccountAttributes"},
		{"POST", "/commonbuy/openservice", "", "OpenService"},

		{"GET", "/", "", ""},
		{"GET", "/q", "", ""},
		{"GET", "/queues/q/", "", ""},
		{"GET", "/queues/q/messages/", "", ""},
		{"GET", "/queues//messages/x", "", ""},
		{"GET", "//queues/q", "", ""},
		{"GET", "/queues/../queues/q", "", ""},
		{"GET", "/topics/t/messages", "", ""},
		{"GET", "/topics/t/subscriptions/", "", "GetSubscriptionAttributes"},
		{"POST", "/topics/t/subscriptions/s", "", ""},
		{"GET", "/topics/t/subscriptions/s/x", "", ""},
		{"POST", "/queues/q", "", ""},
		{"PATCH", "/queues/q", "", ""},
		{"HEAD", "/queues/q", "", ""},
		{"OPTIONS", "/queues/q/messages", "", ""},
		{"PUT", "/?accountmeta=false", "", ""},
		{"DELETE", "/?accountmeta=true", "", ""},
	} {
		req := httptest.NewRequest(c.method, c.target, nil)
		in := &request{http: req}
		if c.body != "" {
			in.body, in.bodyErr = xmlCodec{}.read([]byte(c.body))
		}
		var err error
		if in.query, err = parseQuery(req.URL.RawQuery); err != nil {
			t.Errorf("parseQuery(%q) = %v", req.URL.RawQuery, err)
		}
		rows, vars := r.match(req)
		got := ""
		if o := pick(rows, in); o != nil {
			got = o.name
		}
		if got != c.want {
			t.Errorf("%s %s %.20q is %q, want %q (%v)", c.method, c.target, c.body, got, c.want, vars)
		}
	}
}

func TestTableIsConsistent(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range operations {
		if seen[o.name] {
			t.Errorf("%s has two rows", o.name)
		}
		seen[o.name] = true
		for _, f := range o.in.line {
			if f.source == inPath && !strings.Contains(o.path, "{"+f.name) {
				t.Errorf("%s reads %q, which %s does not have", o.name, f.name, o.path)
			}
			if _, known := queryNames[strings.ToLower(f.name)]; f.source == inQuery && !known {
				t.Errorf("%s reads the query item %q, which is refused", o.name, f.name)
			}
		}
	}
}

func TestDialectClaimsWhatIsItsOwn(t *testing.T) {
	d := &dialect{}
	for _, c := range []struct {
		name, target string
		headers      []string
		want         bool
	}{
		{"queue", "/queues/q", nil, true},
		{"list", "/queues", nil, true},
		{"topic", "/topics/t/messages", nil, true},
		{"open service", "/commonbuy/openservice", nil, true},
		{"account", "/?accountmeta=true", nil, true},
		{"account, other case", "/?AccountMeta=true", nil, true},
		{"version header", "/anything", []string{"x-mns-version", "2015-06-06"}, true},
		{"signature", "/", []string{"Authorization", "MNS ak:sig"}, true},
		{"signature version 4", "/", []string{"Authorization", "MNS4-HMAC-SHA256 Credential=x"}, true},
		{"root", "/", nil, false},
		{"queue URL of SQS", "/000000000000/q", nil, false},
		{"path that only begins alike", "/queuesx", nil, false},
		{"JSON of SQS", "/queues/q", []string{"X-Amz-Target", "AmazonSQS.SendMessage"}, false},
		{"signature of SQS", "/queues/q", []string{"Authorization", "AWS4-HMAC-SHA256 Credential=x"}, false},
		{"action of SQS", "/queues/q?Action=SendMessage", nil, false},
		{"presigned for SQS", "/queues/q?a=b&X-Amz-Signature=x", nil, false},
		{"action of SQS with a version of ours", "/?Action=ListQueues", []string{"x-mns-version", "2015-06-06"}, false},
	} {
		r := httptest.NewRequest("GET", c.target, nil)
		if c.headers != nil {
			r.Header.Set(c.headers[0], c.headers[1])
		}
		if got := d.Claims(r); got != c.want {
			t.Errorf("%s: Claims(%s %v) = %v, want %v", c.name, c.target, c.headers, got, c.want)
		}
	}
}

var _ protocols.Dialect = (*dialect)(nil)
