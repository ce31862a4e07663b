package mns

import (
	"testing"
	"time"

	"github.com/sluicemq/sluice/protocols"
)

// usersLab verifies the keys of an account and of two of its users, and has a queue, a topic and messages.
func usersLab(t *testing.T) *lab {
	t.Helper()
	l := newLab(t, func(site *protocols.Site) {
		site.Verify = true
		site.Credentials = map[string]protocols.Credential{
			"account": {Secret: "s"},
			"worker": {Secret: "s", User: "worker", Policy: `{"Version":"1","Statement":[
				{"Effect":"Allow","Action":["mns:ReceiveMessage","mns:DeleteMessage","mns:ChangeMessageVisibility"],"Resource":"acs:mns:*:*:/queues/orders/messages"},
				{"Effect":"Allow","Action":"mns:ListQueue","Resource":["acs:mns:cn-hangzhou:1234567890123456:/queues"]}]}`},
			"publisher": {Secret: "s", User: "publisher", Policy: `{"Version":"1","Statement":[
				{"Effect":"Allow","Action":"mns:*","Resource":"acs:mns:*:*:/topics/news*"},
				{"Effect":"Deny","Action":"mns:DeleteTopic","Resource":"*"}]}`},
			"outsider": {Secret: "s", User: "outsider", Policy: `{"Version":"1","Statement":[
				{"Effect":"Allow","Action":"mns:*","Resource":"*","Condition":{"IpAddress":{"acs:SourceIp":"203.0.113.0/24"}}}]}`},
			"broken": {Secret: "s", Policy: `{`},
		}
	})
	l.clock.Advance(time.Date(2026, 11, 6, 8, 0, 0, 0, time.UTC).Sub(labTime))
	for _, target := range []string{"/queues/orders", "/queues/other", "/topics/news"} {
		l.do("PUT", target, "", signed("account", "s", "PUT", target)...).want(201)
	}
	l.do("POST", "/queues/orders/messages", message("x"), signed("account", "s", "POST", "/queues/orders/messages")...).want(201)
	return l
}

func TestPoliciesOfUsersDecide(t *testing.T) {
	for _, tt := range []struct {
		key, method, target, body string
		status                    int
	}{
		{"account", "DELETE", "/queues/orders", "", 204},
		{"worker", "GET", "/queues/orders/messages", "", 200},
		{"worker", "GET", "/queues/orders/messages?numOfMessages=2", "", 200}, // a batch
		{"worker", "GET", "/queues/orders/messages?peekonly=true", "", 403},
		{"worker", "GET", "/queues/other/messages", "", 403},
		{"worker", "GET", "/queues/missing/messages", "", 403},
		{"worker", "POST", "/queues/orders/messages", message("x"), 403},
		{"worker", "PUT", "/queues/orders/messages?ReceiptHandle=x&VisibilityTimeout=1", "", 400},
		{"worker", "PUT", "/queues/other/messages?ReceiptHandle=x&VisibilityTimeout=1", "", 403},
		{"worker", "GET", "/queues", "", 200},
		{"worker", "GET", "/queues/orders", "", 403},
		{"worker", "GET", "/topics", "", 403},
		{"publisher", "POST", "/topics/news/messages", message("x"), 201},
		{"publisher", "GET", "/topics/news", "", 200},
		{"publisher", "DELETE", "/topics/news", "", 403},
		{"publisher", "GET", "/queues/orders/messages", "", 403},
		{"outsider", "GET", "/queues/orders/messages", "", 403},
		{"broken", "GET", "/queues/orders/messages", "", 403},
	} {
		l := usersLab(t)
		a := l.do(tt.method, tt.target, tt.body, signed(tt.key, "s", tt.method, tt.target)...).want(tt.status)
		if tt.status == 403 && (a.text("Code") != "AccessDenied" || a.text("Message") != errAccessDenied.text) {
			t.Errorf("%s %s by %s = %s", tt.method, tt.target, tt.key, a.body)
		}
	}
}
