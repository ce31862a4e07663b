// Package orders is a small program as its users write them: a worker that takes orders from a queue.
package orders

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Work takes the orders that there are at this moment. One that handle refuses is given back at once, until the queue's
// redrive policy sets it aside.
func Work(ctx context.Context, client *sqs.Client, queue string, handle func(order string) error) error {
	for {
		got, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &queue, MaxNumberOfMessages: 10})
		if err != nil || len(got.Messages) == 0 {
			return err
		}
		for _, m := range got.Messages {
			if handle(*m.Body) == nil {
				_, err = client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &queue, ReceiptHandle: m.ReceiptHandle})
			} else {
				_, err = client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{QueueUrl: &queue, ReceiptHandle: m.ReceiptHandle})
			}
			if err != nil {
				return err
			}
		}
	}
}
