package sluicetest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/sluicetest"
	"github.com/sluicemq/sluice/core/clock"
)

// client is the official SDK, with an access key.
func client(srv *sluicetest.Server, endpoint, key string) *sqs.Client {
	o := sqs.Options{
		BaseEndpoint: &endpoint, Region: "us-east-1", Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: key, SecretAccessKey: "any"}, nil
		}),
	}
	if endpoint == sluicetest.Endpoint {
		o.HTTPClient = srv.Client()
	}
	return sqs.New(o)
}

// bench is a server with a queue, a dead-letter queue and a client.
type bench struct {
	*sluicetest.Server
	t   *testing.T
	sdk *sqs.Client
	url *string
}

func start(t *testing.T, configure ...func(*sluice.Options)) *bench {
	t.Helper()
	three := 3
	resources := func(o *sluice.Options) {
		o.Resources.Queues = []sluice.Queue{
			{Name: "orders", DeadLetter: &sluice.DeadLetter{Queue: "orders-dlq", MaxReceives: three}, Tags: map[string]string{"team": "a"}},
			{Name: "orders-dlq"},
		}
	}
	srv := sluicetest.Start(t, append([]func(*sluice.Options){resources}, configure...)...)
	return &bench{srv, t, client(srv, sluicetest.Endpoint, "any"), aws.String("http://localhost/000000000000/orders")}
}

func (b *bench) send(body string) string {
	b.t.Helper()
	out, err := b.sdk.SendMessage(b.t.Context(), &sqs.SendMessageInput{
		QueueUrl: b.url, MessageBody: &body,
		MessageAttributes: map[string]types.MessageAttributeValue{"n": {DataType: aws.String("Number"), StringValue: aws.String("7")}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return *out.MessageId
}

func (b *bench) receive() []types.Message {
	b.t.Helper()
	out, err := b.sdk.ReceiveMessage(b.t.Context(), &sqs.ReceiveMessageInput{QueueUrl: b.url})
	if err != nil {
		b.t.Fatal(err)
	}
	return out.Messages
}

func TestTimeIsMovedByHand(t *testing.T) {
	b := start(t)
	id := b.send("42")
	for range 3 {
		if got := b.receive(); len(got) != 1 {
			t.Fatalf("received %v", got)
		}
		b.Advance(30 * time.Second)
	}
	if got := b.receive(); len(got) != 0 {
		t.Errorf("received %v, want nothing: it is dead", got)
	}
	b.Message("42").Received(3)
	b.Message(id).Received(3)
	b.Message(strings.ToUpper(strings.ReplaceAll(id, "-", ""))).Received(3) // as MNS writes it
	b.Message("42").DeadLettered("orders-dlq", 3)
	b.Queue("orders").Empty()
	b.Queue("orders-dlq").Counts(1, 0, 0)
	b.Queue("orders").Events(
		`sent "42"`, `received "42" #1`, `visible "42"`, `received "42" #2`, `visible "42"`, `received "42" #3`, `visible "42"`,
		`dead-lettered "42" to orders-dlq`,
	)
	b.InOrder(`orders: sent "42"`, `orders: received "42" #3`, `orders: dead-lettered "42" to orders-dlq`)
}

func TestGoldenShowsAllThatIsInAQueue(t *testing.T) {
	b := start(t)
	b.send("visible")
	b.send("hidden")
	b.receive()
	b.Advance(time.Second)
	b.send("later")
	b.Queue("orders").Golden()
}

func TestAnAnswerLostOnTheWay(t *testing.T) {
	b := start(t)
	if err := b.SetFaults(sluice.FaultRule{Name: "lost", Kind: sluice.FaultLostAnswer, Operation: "SendMessage", Count: new(1)}); err != nil {
		t.Fatal(err)
	}
	_, err := b.sdk.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: b.url, MessageBody: aws.String("x")})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("SendMessage = %v, want a connection that was closed", err)
	}
	b.Queue("orders").Events(`sent "x"`)
}

func TestSnapshotsBringBackWhatWasThere(t *testing.T) {
	b := start(t)
	b.send("kept")
	restore := b.Snapshot()
	for range 2 {
		m := b.receive()
		if len(m) != 1 || *m[0].Body != "kept" {
			t.Fatalf("received %v", m)
		}
		if _, err := b.sdk.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: b.url, ReceiptHandle: m[0].ReceiptHandle}); err != nil {
			t.Fatal(err)
		}
		b.Queue("orders").Empty()
		restore()
		b.Queue("orders").Counts(1, 0, 0)
	}
	b.Reset()
	if out, err := b.sdk.ListQueues(t.Context(), &sqs.ListQueuesInput{}); err != nil || len(out.QueueUrls) != 0 {
		t.Errorf("after Reset there are the queues %v, %v", out.QueueUrls, err)
	}
	if lines := b.Timeline(); len(lines) != 0 {
		t.Errorf("after Reset there are the events %q", lines)
	}
}

func TestWhatOthersDoIsAwaited(t *testing.T) {
	b := start(t)
	go func() {
		for {
			out, err := b.sdk.ReceiveMessage(context.WithoutCancel(t.Context()), &sqs.ReceiveMessageInput{QueueUrl: b.url, WaitTimeSeconds: 20})
			if err != nil || len(out.Messages) == 0 {
				return
			}
			b.sdk.DeleteMessage(context.WithoutCancel(t.Context()), &sqs.DeleteMessageInput{QueueUrl: b.url, ReceiptHandle: out.Messages[0].ReceiptHandle})
		}
	}()
	b.send("job")
	b.Await(`orders: deleted "job"`)
	b.Message("job").ReceivedOnce()
	b.Message("job").Deleted()
	b.Queue("orders").Empty()
}

func TestServerIsReachedOverTheNetworkToo(t *testing.T) {
	b := start(t)
	if first, again := b.URL(), b.URL(); first != again {
		t.Errorf("the URL is %s and then %s", first, again)
	}
	if _, err := client(b.Server, b.URL(), "any").SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: b.url, MessageBody: aws.String("far")}); err != nil {
		t.Fatal(err)
	}
	b.Queue("orders").Counts(1, 0, 0)
}

func TestMNSIsSpokenInPlainHTTP(t *testing.T) {
	b := start(t)
	body := `<Message xmlns="http://mns.aliyuncs.com/doc/v1/"><MessageBody>plain</MessageBody></Message>`
	r, err := http.NewRequestWithContext(t.Context(), "POST", sluicetest.Endpoint+"/queues/orders/messages", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Mns-Version", "2015-06-06")
	answer, err := b.Client().Do(r)
	if err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("SendMessage = %v, %v", answer, err)
	}
	b.Queue("orders").Events(`sent "plain"`)
}

func TestRequestsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := b.sdk.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: b.url, WaitTimeSeconds: 20})
			done <- err
		}()
		synctest.Wait()
		stop()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("ReceiveMessage = %v, want that it was cancelled", err)
		}
	})
}

func TestKeysHaveAccountsOfTheirOwn(t *testing.T) {
	b := start(t, func(o *sluice.Options) { o.AccountPerKey = true })
	if one, other := sluicetest.Key(), sluicetest.Key(); one == other {
		t.Fatalf("Key() = %s twice", one)
	}
	urls := map[string]bool{}
	for _, key := range []string{sluicetest.Key(), sluicetest.Key(), "000000000000"} {
		c := client(b.Server, sluicetest.Endpoint, key)
		out, err := c.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("mine")})
		if err != nil {
			t.Fatal(err)
		}
		urls[*out.QueueUrl] = true
		if _, err := c.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: out.QueueUrl, MessageBody: &key}); err != nil {
			t.Fatal(err)
		}
		got, err := client(b.Server, sluicetest.Endpoint, key).ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: aws.String("mine")})
		if err != nil || len(got.Messages) != 1 || *got.Messages[0].Body != key {
			t.Errorf("received %v, %v", got, err)
		}
		// The same key opens the same queues at the other provider.
		r, _ := http.NewRequestWithContext(t.Context(), "GET", sluicetest.Endpoint+"/queues/mine", nil)
		r.Header.Set("X-Mns-Version", "2015-06-06")
		r.Header.Set("Authorization", "MNS "+key+":any")
		if answer, err := b.Client().Do(r); err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("GetQueueAttributes of MNS = %v, %v", answer, err)
		}
	}
	if len(urls) != 3 {
		t.Errorf("the queues are at %v", urls)
	}
}

// failing keeps the failures of assertions to itself.
type failing struct {
	testing.TB
	said bytes.Buffer
}

func (f *failing) Errorf(format string, args ...any) { fmt.Fprintf(&f.said, format+"\n", args...) }
func (f *failing) Fatalf(format string, args ...any) { f.Errorf(format, args...) }
func (f *failing) Fatal(args ...any)                 { f.Errorf("%s", fmt.Sprint(args...)) }

func TestAssertionsThatFailSayWhatHappened(t *testing.T) {
	f := &failing{TB: t}
	srv := sluicetest.Start(f, func(o *sluice.Options) {
		o.Resources.Queues = []sluice.Queue{{Name: "orders"}}
		o.Clock = clock.NewManual(time.Unix(0, 0))
	})
	b := &bench{srv, t, client(srv, sluicetest.Endpoint, "any"), aws.String("orders")}
	b.send("42")
	b.receive()
	t.Chdir(t.TempDir())
	for name, tt := range map[string]struct {
		assert func()
		want   string
	}{
		"received":      {func() { srv.Message("42").Received(2) }, `message "42" was received 1 times, want 2; what happened:` + "\n\torders: sent \"42\"\n\torders: received \"42\" #1"},
		"deleted":       {srv.Message("42").Deleted, "was not deleted"},
		"dead-lettered": {func() { srv.Message("42").DeadLettered("dlq", 1) }, "was not dead-lettered"},
		"unknown":       {srv.Message("43").ReceivedOnce, "(nothing)"},
		"events":        {func() { srv.Queue("orders").Events(`sent "42"`) }, "events of orders:"},
		"order":         {func() { srv.InOrder(`orders: received "42" #1`, `orders: sent "42"`) }, "event 2, "},
		"empty":         {srv.Queue("orders").Empty, "orders has 0 visible, 1 in flight"},
		"golden":        {srv.Queue("orders").Golden, "SLUICETEST_UPDATE=1 writes the file"},
		"advance":       {func() { defer func() { _ = recover() }(); srv.Advance(time.Second) }, "a clock of their own"},
	} {
		f.said.Reset()
		tt.assert()
		if !strings.Contains(f.said.String(), tt.want) {
			t.Errorf("%s says %q, want %q", name, f.said.String(), tt.want)
		}
	}
}

func TestGoldenFilesAreWrittenOnDemand(t *testing.T) {
	b := start(t)
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("SLUICETEST_UPDATE", "1")
	b.Queue("orders").Golden()
	t.Setenv("SLUICETEST_UPDATE", "")
	b.Queue("orders").Golden()
	written, err := os.ReadFile("testdata/TestGoldenFilesAreWrittenOnDemand.orders.golden")
	if diff := cmp.Diff(b.Queue("orders").Dump(), string(written)); err != nil || diff != "" {
		t.Errorf("the file: %v, (-want +got):\n%s", err, diff)
	}
}
