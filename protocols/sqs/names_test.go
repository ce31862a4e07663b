package sqs

import (
	"crypto/tls"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

func TestParseQueueURL(t *testing.T) {
	for text, want := range map[string]place{
		"http://localhost:9324/000000000000/q":                        {account: "000000000000", name: "q"},
		"https://sqs.eu-west-1.amazonaws.com/123456789012/a-b_c.fifo": {account: "123456789012", name: "a-b_c.fifo"},
		"http://other:1/000000000000/q/":                              {account: "000000000000", name: "q"},
		"http://localhost/000000000000/q?x=y":                         {account: "000000000000", name: "q"},
		"/000000000000/q":                                             {account: "000000000000", name: "q"},
		"000000000000/q":                                              {account: "000000000000", name: "q"},
		"//000000000000/q//":                                          {account: "000000000000", name: "q"},
		"q":                                                           {name: "q"},
		"/q":                                                          {name: "q"},
		"http://localhost/q":                                          {name: "q"},
		"http://localhost/queue/q":                                    {name: "q"},
		"http://localhost/queue/eu-west-1/123456789012/q": {region: "eu-west-1", account: "123456789012", name: "q"},
		// Of LocalStack, in its three strategies.
		"http://sqs.eu-west-1.localhost.localstack.cloud:4566/000000000000/q":   {account: "000000000000", name: "q"},
		"http://eu-west-1.queue.localhost.localstack.cloud:4566/000000000000/q": {account: "000000000000", name: "q"},
		"http://queue.localhost.localstack.cloud:4566/000000000000/q":           {account: "000000000000", name: "q"},
		"http://localhost.localstack.cloud:4566/queue/us-east-2/000000000000/q": {region: "us-east-2", account: "000000000000", name: "q"},
		"http://sqs.us-east-1.localhost:4566/queue/us-east-2/000000000000/q":    {region: "us-east-2", account: "000000000000", name: "q"},
		"http://sqs.nonsense.localhost:4566/000000000000/q":                     {account: "000000000000", name: "q"},
		"http://sqs.eu-west-1.localhostage.example/000000000000/q":              {account: "000000000000", name: "q"},
		// Of GoAWS and of ElasticMQ.
		"http://us-east-1.goaws.com:4100/100010001000/q": {account: "100010001000", name: "q"},
		"http://goaws:4100/queue/q":                      {name: "q"},
		"http://localhost:9324/queue/q":                  {name: "q"},
	} {
		if got, ok := parseQueueURL(text); !ok || got != want {
			t.Errorf("parseQueueURL(%q) = %+v, %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "/", "http://", "http://whatever-incorrect-queue-address", "http://h/12/q", "/a/b/c", "/queue/r/12/q", "/1/2/3/4/5"} {
		if got, ok := parseQueueURL(text); ok {
			t.Errorf("parseQueueURL(%q) = %+v, want nothing", text, got)
		}
	}
}

func TestQueueURLsHaveTheFormOfTheSite(t *testing.T) {
	for _, tt := range []struct {
		style       protocols.QueueURLStyle
		request, at string
	}{
		{"", "http://localhost:9324/", "http://localhost:9324/000000000000/q"},
		{protocols.QueueURLHost, "http://localhost:9324/", "http://localhost:9324/000000000000/q"},
		{protocols.QueueURLPath, "http://localhost:9324/", "http://localhost:9324/queue/eu-west-1/000000000000/q"},
		{protocols.QueueURLStandard, "http://localhost:9324/", "http://sqs.eu-west-1.localhost:9324/000000000000/q"},
		{protocols.QueueURLStandard, "http://localhost/", "http://sqs.eu-west-1.localhost/000000000000/q"},
		{protocols.QueueURLStandard, "http://127.0.0.1:9324/", "http://sqs.eu-west-1.localhost.localstack.cloud:9324/000000000000/q"},
		{protocols.QueueURLStandard, "http://[::1]:9324/", "http://sqs.eu-west-1.localhost.localstack.cloud:9324/000000000000/q"},
		{protocols.QueueURLStandard, "http://[::1]/", "http://sqs.eu-west-1.localhost.localstack.cloud/000000000000/q"},
		{protocols.QueueURLStandard, "http://us-east-1.queue.localhost:1/", "http://sqs.eu-west-1.localhost:1/000000000000/q"},
		{protocols.QueueURLDomain, "http://sqs.us-east-1.localhost.localstack.cloud:4566/", "http://eu-west-1.queue.localhost.localstack.cloud:4566/000000000000/q"},
	} {
		s := &service{site: &protocols.Site{SQS: protocols.Home{Account: "000000000000", Region: "us-east-1"}, QueueURLs: tt.style}}
		key := core.QueueKey{Namespace: core.Namespace{Account: "000000000000", Region: "eu-west-1"}, Name: "q"}
		got := s.queueURL(&caller{request: httptest.NewRequest("POST", tt.request, nil)}, key)
		if got != tt.at {
			t.Errorf("queueURL in the form %q at %s = %s, want %s", tt.style, tt.request, got, tt.at)
		}
		if p, ok := parseQueueURL(got); !ok || p.name != "q" || p.region != "" && p.region != "eu-west-1" {
			t.Errorf("parseQueueURL(%q) = %+v, want the same queue", got, p)
		}
	}
}

func TestNewQueueName(t *testing.T) {
	long := strings.Repeat("a", 80)
	for _, tt := range []struct {
		name string
		fifo bool
		ok   bool
	}{
		{"q", false, true},
		{long, false, true},
		{long + "a", false, false},
		{"a-b_C9", false, true},
		{"a b", false, false},
		{"a/b", false, false},
		{"q.fifo", false, false},
		{"é", false, false},
		{"q.fifo", true, true},
		{"q", true, false},
		{".fifo", true, false},
		{long[:75] + ".fifo", true, true},
		{long[:76] + ".fifo", true, false},
	} {
		if err := newQueueName(tt.name, tt.fifo); (err == nil) != tt.ok {
			t.Errorf("newQueueName(%q, %v) = %v, want ok %v", tt.name, tt.fifo, err, tt.ok)
		}
	}
}

func TestARN(t *testing.T) {
	s := &service{site: &protocols.Site{
		SQS:     protocols.Home{Account: "000000000000", Region: "us-east-1"},
		Bridges: map[core.Namespace]core.Namespace{{Account: "000000000000", Region: "us-east-1"}: {Account: "joined"}},
	}}
	for _, want := range []string{
		"arn:aws:sqs:us-east-1:000000000000:q",
		"arn:aws:sqs:eu-west-1:123456789012:q.fifo",
		"arn:aws-cn:sqs:cn-north-1:123456789012:q",
		"arn:aws-us-gov:sqs:us-gov-west-1:123456789012:q",
		"arn:aws-iso:sqs:us-iso-east-1:123456789012:q",
		"arn:aws-iso-b:sqs:us-isob-east-1:123456789012:q",
	} {
		key, kind := s.parseARN(want)
		if got := s.arn(key); got != want || kind != "sqs" {
			t.Errorf("arn(parseARN(%q)) = %q of %q", want, got, kind)
		}
	}
	if key, _ := s.parseARN("arn:aws:sqs:us-east-1:000000000000:q"); key.Namespace.Account != "joined" {
		t.Errorf("parseARN = %v, want the bridged namespace", key)
	}
	for _, text := range []string{"arn:aws:sqs:elasticmq:123456789012:q", "arn:aws:sqs::123456789012:q"} {
		if key, kind := s.parseARN(text); kind != "sqs" || key.Namespace.Region != "us-east-1" || key.Namespace.Account != "123456789012" {
			t.Errorf("parseARN(%q) = %v, want the home region", text, key)
		}
	}
	for _, text := range []string{"", "q", "arn:aws:sqs:us-east-1:000000000000", "arn:aws:sqs:us-east-1:000000000000:", "x:aws:sqs:r:a:q", "arn:aws:sqs:r:a:q:more"} {
		if _, kind := s.parseARN(text); kind != "" {
			t.Errorf("parseARN(%q) is of %q, want nothing", text, kind)
		}
	}
}

func TestCaller(t *testing.T) {
	site := &protocols.Site{SQS: protocols.Home{Account: "000000000000", Region: "us-east-1"}}
	home := site.SQS.Namespace()
	const v4 = "AWS4-HMAC-SHA256 Credential="
	for _, tt := range []struct {
		name, authorization, target string
		want                        core.Namespace
		key                         string
	}{
		{"unsigned", "", "/", home, ""},
		{"signed", v4 + "AKID/20261130/eu-west-1/sqs/aws4_request, SignedHeaders=host, Signature=x", "/", core.Namespace{Account: "000000000000", Region: "eu-west-1"}, "AKID"},
		{"presigned", "", "/?X-Amz-Credential=AKID%2F20261130%2Fus-gov-west-1%2Fsqs%2Faws4_request", core.Namespace{Account: "000000000000", Region: "us-gov-west-1"}, "AKID"},
		{"an account as access key", v4 + "123456789012/20261130/eu-west-1/sqs/aws4_request", "/", core.Namespace{Account: "123456789012", Region: "eu-west-1"}, "123456789012"},
		{"another service", v4 + "AKID/20261130/us-east-1/s3/aws4_request", "/", home, "AKID"},
		{"a region from a host name", v4 + "AKID/20261130/queue/sqs/aws4_request", "/", home, "AKID"},
		{"a region with marks", v4 + "AKID/20261130/../1-1/sqs/aws4_request", "/", home, "AKID"},
		{"something else", "Bearer x", "/", home, ""},
		{"a local host with a region", "", "http://sqs.eu-west-1.localhost:4566/", home, ""},
		{"a scope before the host", v4 + "AKID/20261130/us-east-2/sqs/aws4_request", "http://eu-west-1.queue.localhost/", core.Namespace{Account: "000000000000", Region: "us-east-2"}, "AKID"},
		{"another host with a region", "", "http://sqs.eu-west-1.amazonaws.com/", home, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", tt.target, nil)
			if tt.authorization != "" {
				r.Header.Set("Authorization", tt.authorization)
			}
			c := newCaller(site, r)
			if c.namespace != tt.want || c.accessKey != tt.key {
				t.Errorf("newCaller = %v %q, want %v %q", c.namespace, c.accessKey, tt.want, tt.key)
			}
		})
	}
}

func TestSender(t *testing.T) {
	r := httptest.NewRequest("POST", "/", nil)
	anonymous := &caller{request: r}
	if got := anonymous.sender(); got != "192.0.2.1" {
		t.Errorf("sender of nobody = %q, want the address", got)
	}
	a, b := &caller{request: r, accessKey: "AKID"}, &caller{request: r, accessKey: "other"}
	if got := a.sender(); len(got) != 21 || !strings.HasPrefix(got, "AIDA") || got != a.sender() || got == b.sender() || strings.ToUpper(got) != got {
		t.Errorf("sender = %q and %q, want AIDA and 17 characters for each access key", got, b.sender())
	}
}

func TestBaseOfURLs(t *testing.T) {
	r := httptest.NewRequest("POST", "http://sqs-emu.test:9999/", nil)
	c := &caller{request: r}
	if got := c.base(&protocols.Site{}); got != "http://sqs-emu.test:9999" {
		t.Errorf("base = %q, want that of the request", got)
	}
	if got := c.base(&protocols.Site{PublicURL: "https://public/"}); got != "https://public" {
		t.Errorf("base = %q, want the public URL", got)
	}
	r.TLS = &tls.ConnectionState{}
	if got := c.base(&protocols.Site{}); got != "https://sqs-emu.test:9999" {
		t.Errorf("base = %q, want https", got)
	}
}

func TestHandles(t *testing.T) {
	for _, r := range []core.Receipt{"a", "AZaz09-_", "----"} {
		text := handle(r)
		if got, ok := parseHandle(text); !ok || got != r {
			t.Errorf("parseHandle(%q) = %q, %v, want %q", text, got, ok, r)
		}
		if strings.ContainsAny(text, "-_") {
			t.Errorf("handle(%q) = %q, want the alphabet of base64", r, text)
		}
	}
	for _, text := range []string{"", "fake", "AQEB", "AQEBa-b", "AQEBa_b", "AQEBa ", "aqeba", "AQEBa=", "AQEBé"} {
		if got, ok := parseHandle(text); ok {
			t.Errorf("parseHandle(%q) = %q, want nothing", text, got)
		}
	}
}
