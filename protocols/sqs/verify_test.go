package sqs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsv4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/schemas"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/transport/http/protocol/awsquery"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

const (
	exampleSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
	exampleToken  = "session/token+x=="

	unknownKeyText   = "The security token included in the request is invalid."
	badSignatureText = "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details."
)

// verifying turns signatures on, with a permanent key, a temporary one and one of another account.
func verifying(site *protocols.Site) {
	site.Verify = true
	site.Credentials = map[string]protocols.Credential{
		"AKIDEXAMPLE": {Secret: exampleSecret},
		"ASIAEXAMPLE": {Secret: exampleSecret, SessionToken: exampleToken},
		"AKIDOTHER":   {Secret: exampleSecret, Account: "123456789012"},
	}
}

// clockSigner signs at the time of a server's clock.
type clockSigner struct {
	s      *server
	signer *awsv4.Signer
	later  time.Duration
}

func (c clockSigner) SignHTTP(ctx context.Context, k aws.Credentials, r *http.Request, hash, service, region string, _ time.Time, o ...func(*awsv4.SignerOptions)) error {
	return c.signer.SignHTTP(ctx, k, r, hash, service, region, c.s.clock.Now().Add(c.later), o...)
}

// signingClient is the provider's own client, whose requests change may change after they were signed.
func signingClient(s *server, protocol string, k aws.Credentials, later time.Duration, change func(*http.Request)) *sqs.Client {
	return sqs.New(sqs.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://localhost:9324"), RetryMaxAttempts: 1,
		HTTPClient:   tampered{direct{s.handler}, change},
		HTTPSignerV4: clockSigner{s, awsv4.NewSigner(), later},
		Credentials:  aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return k, nil }),
	}, func(o *sqs.Options) {
		if protocol == "Query" {
			o.Protocol = awsquery.New(schemas.AmazonSQS)
		}
	})
}

type tampered struct {
	direct
	change func(*http.Request)
}

func (d tampered) Do(r *http.Request) (*http.Response, error) {
	if d.change != nil {
		d.change(r)
	}
	return d.direct.Do(r)
}

var exampleKey = aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: exampleSecret}

// inBothProtocols runs a test for each protocol of the client.
func inBothProtocols(t *testing.T, run func(t *testing.T, protocol string)) {
	for _, protocol := range []string{"JSON", "Query"} {
		t.Run(protocol, func(t *testing.T) { run(t, protocol) })
	}
}

func TestSignedRequestsOfTheOfficialClientAreAccepted(t *testing.T) {
	inBothProtocols(t, func(t *testing.T, protocol string) {
		s := newServer(t, verifying)
		ctx := t.Context()
		for _, k := range []aws.Credentials{exampleKey, {AccessKeyID: "ASIAEXAMPLE", SecretAccessKey: exampleSecret, SessionToken: exampleToken}} {
			c := signingClient(s, protocol, k, 0, nil)
			q, err := c.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("q"), Tags: map[string]string{"a": "é"}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: q.QueueUrl, MessageBody: aws.String("a &%+ é😀")}); err != nil {
				t.Fatal(err)
			}
			got, err := c.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: q.QueueUrl})
			if err != nil || len(got.Messages) != 1 {
				t.Fatalf("ReceiveMessage = %+v, %v, want one", got, err)
			}
			if _, err := c.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: q.QueueUrl, ReceiptHandle: got.Messages[0].ReceiptHandle}); err != nil {
				t.Error(err)
			}
		}
	})
}

// jsonTypes are the names that errors about signatures have in JSON, by their codes in the Query protocol.
var jsonTypes = map[string]string{
	"AccessDenied": "AccessDeniedException", "IncompleteSignature": "IncompleteSignatureException",
	"InvalidClientTokenId": "UnrecognizedClientException", "SignatureDoesNotMatch": "InvalidSignatureException",
}

// wantCode checks an error of the client, which in JSON goes by the type.
func wantCode(t *testing.T, what string, err error, protocol, code, text string) {
	t.Helper()
	if protocol == "JSON" {
		code = jsonTypes[code]
	}
	e, ok := errors.AsType[smithy.APIError](err)
	if !ok || e.ErrorCode() != code || e.ErrorMessage() != text {
		t.Errorf("%s: %v, want %s: %s", what, err, code, text)
	}
}

func TestTamperedRequestsAreRefused(t *testing.T) {
	body := func(r *http.Request) {
		all, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(bytes.Replace(all, []byte("hello"), []byte("HELLO"), 1)))
	}
	inBothProtocols(t, func(t *testing.T, protocol string) {
		s := newServer(t, verifying)
		for name, change := range map[string]func(*http.Request){
			"body":          body,
			"method":        func(r *http.Request) { r.Method = http.MethodPut },
			"path":          func(r *http.Request) { r.URL.Path = "/000000000000/r" },
			"query":         func(r *http.Request) { r.URL.RawQuery = "Action=ListQueues" },
			"broken query":  func(r *http.Request) { r.URL.RawQuery = "a;b=c" },
			"host":          func(r *http.Request) { r.URL.Host = "example.com" },
			"signed header": func(r *http.Request) { r.Header.Set("Content-Type", r.Header.Get("Content-Type")+";charset=x") },
			"date":          func(r *http.Request) { r.Header.Set("X-Amz-Date", "20231114T221321Z") },
			"signature": func(r *http.Request) {
				r.Header.Set("Authorization", strings.TrimRight(r.Header.Get("Authorization"), "0123456789abcdef")+"0")
			},
			"less signed": func(r *http.Request) {
				r.Header.Set("Authorization", strings.Replace(r.Header.Get("Authorization"), "content-type;", "", 1))
			},
		} {
			if protocol == "Query" && name == "method" {
				continue // the body of a PUT is not read, so that there is no action to be refused
			}
			c := signingClient(s, protocol, exampleKey, 0, change)
			_, err := c.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String("q"), MessageBody: aws.String("hello")})
			wantCode(t, name, err, protocol, "SignatureDoesNotMatch", badSignatureText)
		}
		c := signingClient(s, protocol, aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "other"}, 0, nil)
		_, err := c.ListQueues(t.Context(), &sqs.ListQueuesInput{})
		wantCode(t, "other secret", err, protocol, "SignatureDoesNotMatch", badSignatureText)
	})
}

func TestKeysThatAreNotKnownAreRefused(t *testing.T) {
	inBothProtocols(t, func(t *testing.T, protocol string) {
		s := newServer(t, verifying)
		for name, k := range map[string]aws.Credentials{
			"unknown":       {AccessKeyID: "AKIDNONE", SecretAccessKey: exampleSecret},
			"without token": {AccessKeyID: "ASIAEXAMPLE", SecretAccessKey: exampleSecret},
			"other token":   {AccessKeyID: "ASIAEXAMPLE", SecretAccessKey: exampleSecret, SessionToken: "x"},
		} {
			_, err := signingClient(s, protocol, k, 0, nil).ListQueues(t.Context(), &sqs.ListQueuesInput{})
			wantCode(t, name, err, protocol, "InvalidClientTokenId", unknownKeyText)
		}
	})
}

// The clock that counts is the engine's, which a test may have moved.
func TestClockOfTheSignerMayDifferByFifteenMinutes(t *testing.T) {
	inBothProtocols(t, func(t *testing.T, protocol string) {
		s := newServer(t, verifying)
		s.clock.Advance(48*time.Hour + 999*time.Millisecond)
		call := func(later time.Duration) error {
			_, err := signingClient(s, protocol, exampleKey, later, nil).ListQueues(t.Context(), &sqs.ListQueuesInput{})
			return err
		}
		for _, later := range []time.Duration{15 * time.Minute, -15*time.Minute + time.Second} {
			if err := call(later); err != nil {
				t.Errorf("signed %v later: %v", later, err)
			}
		}
		wantCode(t, "early", call(15*time.Minute+time.Second), protocol, "SignatureDoesNotMatch",
			"Signature not yet current: 20231116T222821Z is still later than 20231116T222820Z (20231116T221320Z + 15 min.)")
		wantCode(t, "late", call(-15*time.Minute-time.Second), protocol, "SignatureDoesNotMatch",
			"Signature expired: 20231116T215819Z is now earlier than 20231116T215820Z (20231116T221320Z - 15 min.)")
	})
}

// captured reads a request that botocore has signed at the time that a new server shows.
func captured(t *testing.T, name string) *http.Request {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name + ".http")
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(file)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	r.RemoteAddr = "192.0.2.1:1"
	return r
}

// The requests are botocore's, without the header that names the machine, which it does not sign.
func TestCapturedRequestsOfBotocoreAreAccepted(t *testing.T) {
	for name, body := range map[string]string{
		"botocore-1.43-json": "café & more", "botocore-1.43-json-token": "café & more", "botocore-1.29-query": "café & more",
		"botocore-1.29-presigned": "a b+c&d~*",
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, verifying)
			key := core.QueueKey{Namespace: s.site.SQS.Namespace(), Name: "q"}
			broker := s.site.Broker(rules(false))
			if _, _, err := broker.Create(t.Context(), key, core.Patch{}, nil); err != nil {
				t.Fatal(err)
			}
			s.ok(s.do(captured(t, name)))
			got, err := broker.Peek(t.Context(), key, nil)
			if err != nil || len(got) != 1 || got[0].Body != body {
				t.Errorf("the queue has %+v, %v, want %q", got, err, body)
			}
			r := captured(t, name)
			r.Host = "localhost:19871"
			if reply := s.do(r); reply.status != http.StatusForbidden || !strings.Contains(reply.body, badSignatureText) {
				t.Errorf("with another host: %d %s", reply.status, reply.body)
			}
		})
	}
}

func TestPresignedRequestsEnd(t *testing.T) {
	s := newServer(t, verifying)
	s.clock.Advance(time.Hour)
	s.queryFault(s.do(captured(t, "botocore-1.29-presigned")), 400, "AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist for this wsdl version.")
	s.clock.Advance(time.Second)
	s.queryFault(s.do(captured(t, "botocore-1.29-presigned")), 400, "RequestExpired", "Request has expired.")
}

func TestPresignedRequestsOfTheOfficialSignerAreAccepted(t *testing.T) {
	s := newServer(t, verifying)
	presign := func(k aws.Credentials, query string) *http.Request {
		t.Helper()
		r := httptest.NewRequest(http.MethodGet, "http://localhost:9324/?X-Amz-Expires=60&"+query, nil)
		const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
		signed, _, err := awsv4.NewSigner().PresignHTTP(t.Context(), k, r, empty, serviceName, "us-east-1", s.clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return httptest.NewRequest(http.MethodGet, signed, nil)
	}
	s.ok(s.do(presign(exampleKey, "Action=CreateQueue&QueueName=q")))
	s.ok(s.do(presign(aws.Credentials{AccessKeyID: "ASIAEXAMPLE", SecretAccessKey: exampleSecret, SessionToken: exampleToken}, "Action=ListQueues")))
	r := presign(exampleKey, "Action=ListQueues")
	r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "ListQueues", "DeleteQueue", 1)
	s.queryFault(s.do(r), 403, "SignatureDoesNotMatch", badSignatureText)
	r = presign(exampleKey, "Action=ListQueues")
	r.URL.RawQuery += "&QueueNamePrefix=x"
	s.queryFault(s.do(r), 403, "SignatureDoesNotMatch", badSignatureText)
}

func TestUnsignedRequestsAreRefused(t *testing.T) {
	s := newServer(t, verifying)
	s.jsonFault(s.json("ListQueues", "{}"), 403, "AccessDenied", "/AccessDeniedException", "Access to the resource is denied.")
	s.queryFault(s.query("Action=ListQueues"), 403, "MissingAuthenticationToken", "Request is missing Authentication Token")
	s.queryFault(s.do(httptest.NewRequest(http.MethodGet, "/?Action=ListQueues&X-Amz-Date=x", nil)), 403, "MissingAuthenticationToken", "Request is missing Authentication Token")
	// What asks for nothing is nobody's business.
	if got := s.do(httptest.NewRequest(http.MethodGet, "/", nil)); got.status != 404 {
		t.Errorf("GET / = %d %s", got.status, got.body)
	}
}

// Nothing is looked at while nobody asks for signatures.
func TestSignaturesAreNotReadWithoutVerification(t *testing.T) {
	s := newServer(t)
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
	r.Header.Set("Content-Type", jsonType)
	r.Header.Set(targetHeader, "AmazonSQS.ListQueues")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=bogus")
	s.ok(s.do(r))
}

// A key opens the queues of its account and of its region, however they are named.
func TestKeysOpenTheirOwnQueuesOnly(t *testing.T) {
	inBothProtocols(t, func(t *testing.T, protocol string) {
		s := newServer(t, verifying)
		ctx := t.Context()
		mine := signingClient(s, protocol, exampleKey, 0, nil)
		other := signingClient(s, protocol, aws.Credentials{AccessKeyID: "AKIDOTHER", SecretAccessKey: exampleSecret}, 0, nil)
		q, err := mine.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("q")})
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := other.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("theirs")})
		if err != nil || *theirs.QueueUrl != "http://localhost:9324/123456789012/theirs" {
			t.Fatalf("CreateQueue of the other account = %v, %v", theirs, err)
		}
		list, err := other.ListQueues(ctx, &sqs.ListQueuesInput{})
		if err != nil || len(list.QueueUrls) != 1 {
			t.Errorf("ListQueues of the other account = %+v, %v, want one", list, err)
		}
		const refused = "User: arn:aws:iam::123456789012:root is not authorized to perform: sqs:%s on resource: arn:aws:sqs:us-east-1:000000000000:q because no resource-based policy allows the sqs:%[1]s action"
		const arn = "arn:aws:sqs:us-east-1:000000000000:q"
		for name, call := range map[string]func() error{
			"SendMessage": func() error {
				_, err := other.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: q.QueueUrl, MessageBody: aws.String("x")})
				return err
			},
			"GetQueueUrl": func() error {
				_, err := other.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("q"), QueueOwnerAWSAccountId: aws.String("000000000000")})
				return err
			},
			"DeleteQueue": func() error {
				_, err := other.DeleteQueue(ctx, &sqs.DeleteQueueInput{QueueUrl: q.QueueUrl})
				return err
			},
			"StartMessageMoveTask": func() error {
				_, err := other.StartMessageMoveTask(ctx, &sqs.StartMessageMoveTaskInput{SourceArn: aws.String(arn)})
				return err
			},
			"ListMessageMoveTasks": func() error {
				_, err := other.ListMessageMoveTasks(ctx, &sqs.ListMessageMoveTasksInput{SourceArn: aws.String(arn)})
				return err
			},
			"CancelMessageMoveTask": func() error {
				handle := "eyJ0YXNrSWQiOiIwMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDAiLCJzb3VyY2VBcm4iOiJhcm46YXdzOnNxczp1cy1lYXN0LTE6MDAwMDAwMDAwMDAwOnEifQ=="
				_, err := other.CancelMessageMoveTask(ctx, &sqs.CancelMessageMoveTaskInput{TaskHandle: &handle})
				return err
			},
		} {
			wantCode(t, name, call(), protocol, "AccessDenied", fmt.Sprintf(refused, strings.ToLower(name)))
		}
		_, err = other.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: theirs.QueueUrl, Attributes: map[string]string{
			"RedrivePolicy": `{"deadLetterTargetArn":"` + arn + `","maxReceiveCount":1}`,
		}})
		if err == nil || !strings.Contains(err.Error(), "Dead letter target does not exist.") {
			t.Errorf("a dead-letter queue of another account: %v", err)
		}
		if _, err := mine.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: q.QueueUrl, MessageBody: aws.String("x")}); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	s := newServer(b, verifying)
	var signed *http.Request
	c := signingClient(s, "JSON", exampleKey, 0, func(r *http.Request) { signed = r.Clone(context.Background()) })
	if _, err := c.ListQueues(b.Context(), &sqs.ListQueuesInput{}); err != nil {
		b.Fatal(err)
	}
	signed.Host = signed.URL.Host
	service := newService(s.site)
	digest := service.digest([]byte("{}"))
	b.ReportAllocs()
	for b.Loop() {
		if err := service.verify(newCaller(s.site, signed), digest); err != nil {
			b.Fatal(err)
		}
	}
}
