package record_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/replay"
)

var epoch = time.Unix(1_790_000_000, 0)

// recorded runs a session through the proxy, to a server with an account of its own, and returns what was written.
func recorded(t *testing.T, use func(url string)) string {
	t.Helper()
	s, err := sluice.Open(sluice.Options{SQS: sluice.Home{Account: "987654321098", Region: "us-east-1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	upstream := httptest.NewServer(s.Handler())
	t.Cleanup(upstream.Close)
	p := taping(t, upstream.URL)
	use(p.URL)
	all := slices.Collect(maps.Values(p.written()))
	if len(p.errors) > 0 {
		t.Errorf("the proxy complains of %q", p.errors)
	}
	if len(all) != 1 {
		t.Fatalf("%d recordings, want 1", len(all))
	}
	return all[0]
}

func post(t *testing.T, url, target, body string) string {
	t.Helper()
	headers := []string{
		"Authorization", "AWS4-HMAC-SHA256 Credential=AKIASECRETSECRET1234/20260101/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=00ff",
		"X-Amz-Security-Token", "secrettoken", "Cookie", "session=SECRET", "X-Secret-Of-Some-Gateway", "SECRET",
		"Content-Type", "application/x-www-form-urlencoded",
	}
	if target != "" {
		headers = append(headers[:len(headers)-1], "application/x-amz-json-1.0", "X-Amz-Target", "AmazonSQS."+target)
	}
	return answer(t, http.MethodPost, url, body, headers...)
}

// answer sends a request and returns the body of its answer.
func answer(t *testing.T, method, url, body string, headers ...string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func field(t *testing.T, body, form string) string {
	t.Helper()
	m := regexp.MustCompile(form).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("no %q in %s", form, body)
	}
	return m[1]
}

// sessions are some requests in each protocol of SQS, in which later ones need what earlier ones answered.
func sessions(t *testing.T) map[string]func(url string) {
	return map[string]func(url string){
		"sqs-json": func(url string) {
			queue := field(t, post(t, url, "CreateQueue", `{"QueueName":"orders"}`), `"QueueUrl":"([^"]*)"`)
			post(t, url, "SendMessage", `{"QueueUrl":"`+queue+`","MessageBody":"orders of {{whom}}\n### call\nHTTP/1.1 200"}`)
			handle := field(t, post(t, url, "ReceiveMessage", `{"QueueUrl":"`+queue+`","AttributeNames":["All"]}`), `"ReceiptHandle":"([^"]*)"`)
			post(t, url, "DeleteMessage", `{"QueueUrl":"`+queue+`","ReceiptHandle":"`+handle+`"}`)
			post(t, url, "GetQueueAttributes", `{"QueueUrl":"`+queue+`","AttributeNames":["QueueArn"]}`)
		},
		"mns": func(url string) {
			send := func(method, path, body string) string {
				return answer(t, method, url+path, body, "x-mns-version", "2015-06-06", "Authorization", "MNS LTAISECRETSECRET:c2VjcmV0c2VjcmV0")
			}
			send("PUT", "/queues/orders", `<Queue/>`)
			send("POST", "/queues/orders/messages", "<Message><MessageBody>orders\r\n### setup\n\n</MessageBody></Message>\n\n")
			handle := field(t, send("GET", "/queues/orders/messages?waitseconds=1", ""), `<ReceiptHandle>(.*)</ReceiptHandle>`)
			send("DELETE", "/queues/orders/messages?ReceiptHandle="+handle, "")
			send("GET", "/queues/orders", "")
			send("GET", "/queues/nothing", "")
		},
		"sqs-query": func(url string) {
			queue := field(t, post(t, url, "", "Action=CreateQueue&QueueName=orders&AWSAccessKeyId=AKIASECRETSECRET1234&Signature=00ff"), `<QueueUrl>(.*)</QueueUrl>`)
			post(t, url, "", "Action=SendMessage&MessageBody=hello&QueueUrl="+queue)
			post(t, url, "", "Action=ReceiveMessage&AttributeName.1=All&QueueUrl="+queue)
		},
	}
}

func TestProxyKeepsNothingSecret(t *testing.T) {
	for name, use := range sessions(t) {
		t.Run(name, func(t *testing.T) {
			text := recorded(t, use)
			for _, never := range []string{"SECRET", "secrettoken", "987654321098", "Signature", "Credential", "00ff", "c2Vj"} {
				if strings.Contains(text, never) {
					t.Errorf("the recording contains %q:\n%s", never, text)
				}
			}
		})
	}
}

func TestProxyRecordingsCanBeReplayed(t *testing.T) {
	for name, use := range sessions(t) {
		t.Run(name, func(t *testing.T) {
			text := recorded(t, use)
			s, err := replay.Parse(name+"/Session/recorded.http", text)
			if err != nil {
				t.Fatalf("Parse(…) = %v\n%s", err, text)
			}
			report, err := (&replay.Suite{Scenarios: []*replay.Scenario{s}}).Run(t.Context(), replay.Own())
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range report.Results[0].Differences {
				t.Errorf("%s\n%s", d.String(), text)
			}
		})
	}
}
