package histories_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/schemas"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/transport/http/protocol/awsquery"

	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/sluicemq/sluice/conformance/model"
)

// sqsVoice is Amazon's own client in one of its protocols, and raw JSON where that client cannot say what is asked.
type sqsVoice struct {
	*ledger
	client *sqs.Client
	raw    rawJSON
	query  bool
}

// newSQS returns a voice that sends its requests to a host.
func newSQS(l *ledger, d doer, host string, query bool) *sqsVoice {
	client := sqs.New(sqs.Options{
		Region:       "us-east-1",
		BaseEndpoint: aws.String("http://" + host),
		HTTPClient:   d,
		Retryer:      aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "secret"}, nil
		}),
	}, func(o *sqs.Options) {
		if query {
			o.Protocol = awsquery.New(schemas.AmazonSQS)
		}
	})
	return &sqsVoice{ledger: l, client: client, raw: rawJSON{d, host}, query: query}
}

func (v *sqsVoice) rules() *model.Rules { return &model.SQS }

func (v *sqsVoice) provider() string { return "SQS" }

// heard reads the client's error.
func (v *sqsVoice) heard(err error) said {
	if raw, ok := errors.AsType[*rawFault](err); ok {
		return raw.said
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return said{text: err.Error()}
	}
	s := said{code: api.ErrorCode(), text: api.ErrorMessage()}
	if answer, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		s.status = answer.HTTPStatusCode()
	}
	if t := reflect.TypeOf(api).Elem(); strings.HasSuffix(t.PkgPath(), "/types") {
		s.kind = t.Name()
		if code, ok := queryCodes[s.code]; ok && v.query {
			s.code = code
		}
	}
	return s
}

// queryCodes are the codes behind the names that the client shows in their place when it speaks the Query protocol.
var queryCodes = map[string]string{
	"QueueDoesNotExist":    "AWS.SimpleQueueService.NonExistentQueue",
	"QueueDeletedRecently": "AWS.SimpleQueueService.QueueDeletedRecently",
	"PurgeQueueInProgress": "AWS.SimpleQueueService.PurgeQueueInProgress",
}

// refusal is which refusal an error is; a nil one is none.
func (v *sqsVoice) refusal(err error, words refusals, about ...string) model.Refusal {
	if err == nil {
		return model.None
	}
	wsdl := ""
	if _, raw := errors.AsType[*rawFault](err); v.query && !raw {
		wsdl = " for this wsdl version."
	}
	s := v.heard(err)
	if wsdl != "" { // the only text that differs between the protocols. Recorded
		s.text = strings.Replace(s.text, "exist"+wsdl, "exist.", 1)
	}
	return words.of(s, append(about, "{wsdl}", "")...)
}

// entryRefusal is which refusal the failure of an entry is.
func entryRefusal(e types.BatchResultErrorEntry, words refusals, about ...string) model.Refusal {
	if !e.SenderFault {
		return "blamed on the server"
	}
	return words.of(said{code: *e.Code, text: aws.ToString(e.Message)}, about...)
}

// queueURL is what the client needs; a plain name is as good. Validated.
func queueURL(queue string) *string { return &queue }

func (v *sqsVoice) create(queue string, s model.Settings) model.Created {
	attributes := settingsOf(s)
	if s.FIFO {
		attributes["FifoQueue"] = "true"
		attributes["ContentBasedDeduplication"] = strconv.FormatBool(s.ContentDedup)
		if s.DedupPerGroup {
			attributes["DeduplicationScope"] = "messageGroup"
		}
	}
	if s.DeadLetters == "" {
		delete(attributes, "RedrivePolicy")
	}
	_, err := v.client.CreateQueue(context.Background(), &sqs.CreateQueueInput{QueueName: &queue, Attributes: attributes})
	return model.Created{Queue: queue, Settings: s, Refused: v.refusal(err, sqsWords)}
}

// settingsOf are the settings that can be changed, as attributes.
func settingsOf(s model.Settings) map[string]string {
	attributes := map[string]string{
		"DelaySeconds": fmt.Sprint(seconds(s.Delay)), "VisibilityTimeout": fmt.Sprint(seconds(s.Visibility)),
		"MessageRetentionPeriod": fmt.Sprint(seconds(s.Retention)), "RedrivePolicy": "",
	}
	if s.DeadLetters != "" {
		attributes["RedrivePolicy"] = fmt.Sprintf(`{"deadLetterTargetArn":"%s%s","maxReceiveCount":%d}`, arnPrefix, s.DeadLetters, s.MaxReceives)
	}
	return attributes
}

const arnPrefix = "arn:aws:sqs:us-east-1:000000000000:"

// amend changes the settings that a change makes different.
func (v *sqsVoice) amend(queue string, was model.Settings, change func(*model.Settings)) model.Amended {
	now := was
	change(&now)
	attributes, before := settingsOf(now), settingsOf(was)
	for name := range before {
		if attributes[name] == before[name] && name != "VisibilityTimeout" { // there must be one
			delete(attributes, name)
		}
	}
	_, err := v.client.SetQueueAttributes(context.Background(), &sqs.SetQueueAttributesInput{QueueUrl: queueURL(queue), Attributes: attributes})
	return model.Amended{Queue: queue, Change: change, Refused: v.refusal(err, sqsWords)}
}

func (v *sqsVoice) drop(queue string) model.Dropped {
	_, err := v.client.DeleteQueue(context.Background(), &sqs.DeleteQueueInput{QueueUrl: queueURL(queue)})
	return model.Dropped{Queue: queue, Refused: v.refusal(err, sqsWords)}
}

func (v *sqsVoice) purge(queue string) model.Purged {
	_, err := v.client.PurgeQueue(context.Background(), &sqs.PurgeQueueInput{QueueUrl: queueURL(queue)})
	return model.Purged{Queue: queue, Refused: v.refusal(err, sqsWords, "{queue}", queue)}
}

func (v *sqsVoice) counts(queue string) model.Counted {
	names := []types.QueueAttributeName{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed"}
	got, err := v.client.GetQueueAttributes(context.Background(), &sqs.GetQueueAttributesInput{QueueUrl: queueURL(queue), AttributeNames: names})
	c := model.Counted{Queue: queue, Refused: v.refusal(err, sqsWords)}
	if err == nil {
		for i, into := range []*int{&c.Visible, &c.InFlight, &c.Delayed} {
			*into = number(got.Attributes[string(names[i])])
		}
	}
	return c
}

// number reads a decimal number; what is none is less than all.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// millis reads an instant.
func millis(text string) time.Time { return time.UnixMilli(int64(number(text))) }
