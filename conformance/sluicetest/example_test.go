package sluicetest_test

// The tests of this file are examples: a small program that works with a queue, and tests of it as a user would write
// them.

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/sluicetest"
)

// biller is the program under test: it bills orders, each of them once.
type biller struct {
	client *sqs.Client
	queue  string

	mu     sync.Mutex
	billed map[string]int
}

// work takes what there is in the queue at this moment. It forgets an order that it cannot bill, so that it comes again.
func (b *biller) work(ctx context.Context, bill func(order string) error) error {
	for {
		out, err := b.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &b.queue, MaxNumberOfMessages: 10})
		if err != nil || len(out.Messages) == 0 {
			return err
		}
		for _, m := range out.Messages {
			if b.first(*m.MessageId) && bill(*m.Body) != nil {
				continue
			}
			_, err := b.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &b.queue, ReceiptHandle: m.ReceiptHandle})
			if err != nil {
				return err
			}
		}
	}
}

// first reports whether a message comes for the first time.
func (b *biller) first(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.billed[id]++
	return b.billed[id] == 1
}

// startBiller starts a server with the biller's queues, and the biller.
func startBiller(t *testing.T) (*sluicetest.Server, *biller) {
	srv := sluicetest.Start(t, func(o *sluice.Options) {
		o.Resources.Queues = []sluice.Queue{
			{Name: "orders", DeadLetter: &sluice.DeadLetter{Queue: "orders-dlq", MaxReceives: 3}},
			{Name: "orders-dlq"},
		}
	})
	client := sqs.New(sqs.Options{
		BaseEndpoint: aws.String(sluicetest.Endpoint),
		HTTPClient:   srv.Client(),
		Region:       "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
		}),
	})
	return srv, &biller{client: client, queue: "orders", billed: map[string]int{}}
}

func (b *biller) order(t *testing.T, order string) {
	t.Helper()
	if _, err := b.client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &b.queue, MessageBody: &order}); err != nil {
		t.Fatal(err)
	}
}

// An order is billed, and does not come again when its visibility timeout has passed.
func TestExampleOrderIsBilledOnce(t *testing.T) {
	srv, b := startBiller(t)
	b.order(t, "42")
	if err := b.work(t.Context(), func(string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	srv.Advance(12 * time.Hour)
	srv.Message("42").ReceivedOnce()
	srv.Queue("orders").Events(`sent "42"`, `received "42" #1`, `deleted "42"`)
	srv.Queue("orders").Empty()
}

// A queue of the provider may deliver a message twice. A fault makes it do so.
func TestExampleDuplicatesAreBilledOnce(t *testing.T) {
	srv, b := startBiller(t)
	if err := srv.SetFaults(sluice.FaultRule{Name: "twice", Kind: sluice.FaultDuplicate, Queue: "orders"}); err != nil {
		t.Fatal(err)
	}
	b.order(t, "42")
	bills := 0
	for range 2 {
		got, err := b.client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &b.queue})
		if err != nil || len(got.Messages) != 1 {
			t.Fatalf("received %v, %v", got, err)
		}
		if b.first(*got.Messages[0].MessageId) {
			bills++
		}
	}
	if bills != 1 {
		t.Errorf("billed %d times", bills)
	}
	srv.Message("42").Received(2)
}

// An order that cannot be billed comes again when its visibility timeout has passed, and is set aside after three times.
func TestExampleWhatCannotBeBilledIsSetAside(t *testing.T) {
	srv, b := startBiller(t)
	b.order(t, "broken")
	broken := func(string) error { return fmt.Errorf("no such customer") }
	for range 3 {
		b.billed = map[string]int{}
		if err := b.work(t.Context(), broken); err != nil {
			t.Fatal(err)
		}
		srv.Advance(30 * time.Second)
	}
	if err := b.work(t.Context(), broken); err != nil { // the receive that finds it too often received
		t.Fatal(err)
	}
	srv.Message("broken").DeadLettered("orders-dlq", 3)
	srv.Queue("orders-dlq").Golden()
}

// MNS is plain HTTP. Its queues are those of SQS.
func TestExamplePlainMNS(t *testing.T) {
	srv, _ := startBiller(t)
	call := func(method, path, body string) string {
		r, err := http.NewRequestWithContext(t.Context(), method, sluicetest.Endpoint+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("x-mns-version", "2015-06-06")
		answer, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return string(text)
	}
	call("POST", "/queues/orders/messages", "<Message><MessageBody>42</MessageBody></Message>")
	if got := call("GET", "/queues/orders/messages", ""); !strings.Contains(got, "<MessageBody>42</MessageBody>") {
		t.Errorf("received %s", got)
	}
	srv.Message("42").ReceivedOnce()
}
