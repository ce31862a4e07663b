package histories_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// rawJSON sends what the client cannot say, which is an explicit zero. Its verbs look like those of the client.
type rawJSON struct {
	doer
	host string
}

// rawFault is an error that a raw request was answered with.
type rawFault struct{ said }

func (f *rawFault) Error() string { return fmt.Sprintf("%+v", f.said) }

// call sends a request of the client with all its zeros, but for what edit takes out.
func (r rawJSON) call(operation string, in, out any, edit func(members map[string]any)) error {
	text, err := json.Marshal(in)
	if err != nil {
		return err
	}
	members := map[string]any{}
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	edit(members)
	if text, err = json.Marshal(members); err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, "http://"+r.host+"/", bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-amz-json-1.0")
	request.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
	answer, err := r.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return rawError(answer)
	}
	return json.NewDecoder(answer.Body).Decode(out)
}

func rawError(answer *http.Response) error {
	var doc struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&doc); err != nil {
		return err
	}
	f := &rawFault{said{status: answer.StatusCode, text: doc.Message}}
	f.code, _, _ = strings.Cut(answer.Header.Get("x-amzn-query-error"), ";")
	f.kind, _ = strings.CutPrefix(doc.Type, "com.amazonaws.sqs#")
	if strings.Contains(f.kind, "#") {
		f.kind = ""
	}
	return f
}

func (r rawJSON) sendWithoutDelay(_ context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	out := &sqs.SendMessageOutput{}
	return out, r.call("SendMessage", in, out, func(map[string]any) {})
}

func (r rawJSON) sendBatch(messages []outgoing) func(context.Context, *sqs.SendMessageBatchInput, ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error) {
	return func(_ context.Context, in *sqs.SendMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error) {
		out := &sqs.SendMessageBatchOutput{}
		return out, r.call("SendMessageBatch", in, out, func(members map[string]any) {
			for i, entry := range members["Entries"].([]any) {
				if messages[i].Delay == nil {
					delete(entry.(map[string]any), "DelaySeconds")
				}
			}
		})
	}
}

func (r rawJSON) receive(a asking) func(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	return func(_ context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
		out := &sqs.ReceiveMessageOutput{}
		return out, r.call("ReceiveMessage", in, out, func(members map[string]any) {
			if a.max == nil {
				delete(members, "MaxNumberOfMessages")
			}
			if a.visibility == nil {
				delete(members, "VisibilityTimeout")
			}
		})
	}
}

func (r rawJSON) changeBatch(_ context.Context, in *sqs.ChangeMessageVisibilityBatchInput, _ ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityBatchOutput, error) {
	out := &sqs.ChangeMessageVisibilityBatchOutput{}
	return out, r.call("ChangeMessageVisibilityBatch", in, out, func(map[string]any) {})
}
