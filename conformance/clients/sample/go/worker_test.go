package orders

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/sluicetest"
)

func TestOrderThatIsRefusedThreeTimesIsSetAside(t *testing.T) {
	srv := sluicetest.Start(t, func(o *sluice.Options) {
		o.Resources.Queues = []sluice.Queue{
			{Name: "orders", DeadLetter: &sluice.DeadLetter{Queue: "orders-dead", MaxReceives: 3}},
			{Name: "orders-dead"},
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
	for _, order := range []string{"good", "broken"} {
		if _, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String("orders"), MessageBody: &order}); err != nil {
			t.Fatal(err)
		}
	}
	err := Work(t.Context(), client, "orders", func(order string) error {
		if order == "broken" {
			return errors.New("no such customer")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Message("good").ReceivedOnce()
	srv.Message("broken").DeadLettered("orders-dead", 3)
	srv.Queue("orders").Empty()
}
