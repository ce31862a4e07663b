package sluice_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/core/clock"
)

// A test that receives a message, loses it and gets it back half a minute later, without waiting for it.
func Example() {
	ctx := context.Background()
	hands := clock.NewManual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	server, err := sluice.Open(sluice.Options{Clock: hands})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	web := httptest.NewServer(server.Handler())
	defer web.Close()

	client := sqs.New(sqs.Options{
		BaseEndpoint: aws.String(web.URL),
		Region:       "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
		}),
	})
	queue, _ := client.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("orders")})
	client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: queue.QueueUrl, MessageBody: aws.String("hello")})

	receive := func() {
		got, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: queue.QueueUrl})
		if err != nil {
			panic(err)
		}
		fmt.Println(len(got.Messages))
	}
	receive()
	receive() // it is hidden now
	hands.Advance(30 * time.Second)
	receive()
	// Output:
	// 1
	// 0
	// 1
}
