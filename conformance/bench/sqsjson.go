package bench

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// errNoURL is returned when CreateQueue answers without a URL.
var errNoURL = errors.New("the answer to CreateQueue has no queue URL")

// sqsBatch is the largest batch of SQS (Documented).
const sqsBatch = 10

// signed are the headers of a signed request. The signature is one of the right form.
func signed(headers ...string) []string {
	return append(headers,
		"X-Amz-Date: 20260101T000000Z",
		"Authorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/sqs/aws4_request, "+
			"SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-target, "+
			"Signature="+strings.Repeat("0123456789abcdef", 4),
	)
}

// sqsJSON is AWS JSON 1.0.
type sqsJSON struct{ host string }

func (sqsJSON) batch() int       { return sqsBatch }
func (sqsJSON) nothing(int) bool { return false }
func (sqsJSON) partly(answer []byte) bool {
	failed, ok := member(answer, `"Failed"`)
	list, isList := bytes.CutPrefix(failed, []byte("["))
	return ok && isList && bytes.HasPrefix(bytes.TrimLeft(list, spaces), []byte("{"))
}

func (s sqsJSON) head(operation string) []byte {
	return head("POST", "/", s.host,
		signed("Content-Type: application/x-amz-json-1.0", "X-Amz-Target: AmazonSQS."+operation)...)
}

func (s sqsJSON) request(operation, body string) []byte { return whole(s.head(operation), body) }

func (s sqsJSON) create(name string, fifo bool) []byte {
	attributes := `"VisibilityTimeout":"` + visibility + `"`
	if fifo {
		attributes += `,"FifoQueue":"true"`
	}
	return s.request("CreateQueue", `{"QueueName":"`+name+`","Attributes":{`+attributes+`}}`)
}

func (s sqsJSON) wire(_ string, fifo bool, answer []byte, body string) (*wire, error) {
	found := texts(answer, `"QueueUrl"`, nil)
	if len(found) == 0 {
		return nil, errNoURL
	}
	queue := `"QueueUrl":"` + string(found[0]) + `"`
	message := `"MessageBody":"` + body + `"`
	if fifo {
		message += `,"MessageGroupId":"` + groupMark + `","MessageDeduplicationId":"` + dedupMark + `"`
	}
	entries := make([]string, sqsBatch)
	for i := range entries {
		entries[i] = `{"Id":"` + strconv.Itoa(i) + `",` + message + `}`
	}
	receive := func(most int, wait string) []byte {
		return s.request("ReceiveMessage", `{`+queue+`,"MaxNumberOfMessages":`+strconv.Itoa(most)+`,"WaitTimeSeconds":`+wait+`}`)
	}
	return &wire{
		send:         s.request("SendMessage", `{`+queue+`,`+message+`}`),
		sendBatch:    s.request("SendMessageBatch", `{`+queue+`,"Entries":[`+strings.Join(entries, ",")+`]}`),
		receive:      receive(1, "0"),
		receiveBatch: receive(sqsBatch, "0"),
		poll:         receive(1, pollTime),
		drop:         s.request("DeleteQueue", `{`+queue+`}`),
		deleteOne:    bodied(s.head("DeleteMessage"), `{`+queue+`,"ReceiptHandle":"`, `"}`, appendRaw),
		deleteBatch:  bodied(s.head("DeleteMessageBatch"), `{`+queue+`,"Entries":[`, `]}`, appendJSONEntry),
	}, nil
}

// appendRaw appends a receipt as the answer had it, which is how this language wants it back.
func appendRaw(b []byte, _ int, receipt []byte) []byte { return append(b, receipt...) }

func appendJSONEntry(b []byte, i int, receipt []byte) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	b = append(b, `{"Id":"`...)
	b = strconv.AppendInt(b, int64(i), 10)
	b = append(b, `","ReceiptHandle":"`...)
	b = append(b, receipt...)
	return append(b, `"}`...)
}

func (sqsJSON) receipts(answer []byte, to [][]byte) [][]byte {
	return texts(answer, `"ReceiptHandle"`, to)
}

// texts appends the values of all members of a name that are strings, as they are written.
func texts(answer []byte, name string, to [][]byte) [][]byte {
	for {
		value, ok := member(answer, name)
		if !ok {
			return to
		}
		text, isText := bytes.CutPrefix(value, []byte(`"`))
		end := bytes.IndexByte(text, '"')
		if isText && end >= 0 {
			to = append(to, text[:end])
		}
		answer = text[max(end, 0):]
	}
}

// spaces may stand between the parts of a document; some servers put one behind each colon.
const spaces = " \t\r\n"

// member returns what follows the first member of a name, which is given in its quotes: its value, and the rest.
func member(answer []byte, name string) (value []byte, ok bool) {
	at := bytes.Index(answer, []byte(name))
	if at < 0 {
		return nil, false
	}
	value, ok = bytes.CutPrefix(bytes.TrimLeft(answer[at+len(name):], spaces), []byte(":"))
	return bytes.TrimLeft(value, spaces), ok
}
