package bench

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
)

// sqsQuery is the Query protocol.
type sqsQuery struct{ host string }

func (sqsQuery) batch() int       { return sqsBatch }
func (sqsQuery) nothing(int) bool { return false }
func (sqsQuery) partly(answer []byte) bool {
	return bytes.Contains(answer, []byte("<BatchResultErrorEntry>"))
}

func (s sqsQuery) head(path string) []byte {
	return head("POST", path, s.host, signed("Content-Type: application/x-www-form-urlencoded")...)
}

func action(name string) string { return "Action=" + name + "&Version=2012-11-05" }

func (s sqsQuery) create(name string, fifo bool) []byte {
	form := action("CreateQueue") + "&QueueName=" + escaped(name) +
		"&Attribute.1.Name=VisibilityTimeout&Attribute.1.Value=" + visibility
	if fifo {
		form += "&Attribute.2.Name=FifoQueue&Attribute.2.Value=true"
	}
	return whole(s.head("/"), form)
}

func (s sqsQuery) wire(_ string, fifo bool, answer []byte, body string) (*wire, error) {
	found := between(answer, "<QueueUrl>", "</QueueUrl>", nil)
	if len(found) == 0 {
		return nil, errNoURL
	}
	u, err := url.Parse(string(found[0]))
	if err != nil {
		return nil, errNoURL
	}
	head := s.head(u.Path) // the clients send to the queue's URL
	operation := func(name string) string { return action(name) + "&QueueUrl=" + escaped(string(found[0])) }
	message := "MessageBody=" + body
	if fifo {
		message += "&MessageGroupId=" + groupMark + "&MessageDeduplicationId=" + dedupMark
	}
	batch := operation("SendMessageBatch")
	for i := range sqsBatch {
		entry := "&SendMessageBatchRequestEntry." + strconv.Itoa(i+1) + "."
		batch += entry + "Id=" + strconv.Itoa(i) + entry + strings.ReplaceAll(message, "&", entry)
	}
	receive := func(most int, wait string) []byte {
		return whole(head, operation("ReceiveMessage")+"&MaxNumberOfMessages="+strconv.Itoa(most)+"&WaitTimeSeconds="+wait)
	}
	return &wire{
		send:         whole(head, operation("SendMessage")+"&"+message),
		sendBatch:    whole(head, batch),
		receive:      receive(1, "0"),
		receiveBatch: receive(sqsBatch, "0"),
		poll:         receive(1, pollTime),
		drop:         whole(head, operation("DeleteQueue")),
		deleteOne:    bodied(head, operation("DeleteMessage")+"&ReceiptHandle=", "", appendFormValue),
		deleteBatch:  bodied(head, operation("DeleteMessageBatch"), "", appendFormEntry),
	}, nil
}

func appendFormValue(b []byte, _ int, receipt []byte) []byte { return appendEscaped(b, receipt) }

func appendFormEntry(b []byte, i int, receipt []byte) []byte {
	for _, part := range [...]string{"Id=", "ReceiptHandle="} {
		b = append(b, "&DeleteMessageBatchRequestEntry."...)
		b = strconv.AppendInt(b, int64(i+1), 10)
		b = append(b, '.')
		b = append(b, part...)
		if part == "Id=" {
			b = strconv.AppendInt(b, int64(i), 10)
		}
	}
	return appendEscaped(b, receipt)
}

func (sqsQuery) receipts(answer []byte, to [][]byte) [][]byte {
	return between(answer, "<ReceiptHandle>", "</ReceiptHandle>", to)
}
