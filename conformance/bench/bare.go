package bench

import (
	"bytes"
	"io"
	"net/http"
)

// Answers of the bare handler, as long as those to SendMessage and SendMessageBatch.
var (
	small = bytes.Repeat([]byte("x"), 110)
	large = bytes.Repeat([]byte("x"), 1400)
)

// largePath asks for the large answer.
const largePath = "/large"

// Bare is the handler that a server is compared with: it reads the body and answers fixed bytes.
func Bare() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return // the client is gone
		}
		answer := small
		if r.URL.Path == largePath {
			answer = large
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.Write(answer)
	})
}

// bareWire holds the requests to the bare handler: those that send a message and a batch in AWS JSON. The rest of a
// workload is compared with these too.
func bareWire(host, body string) *wire {
	queue, err := sqsJSON{host}.wire("", false, []byte(`"QueueUrl":"http://`+host+`/000000000000/bare"`), body)
	if err != nil {
		panic(err) // the URL is there
	}
	queue.sendBatch = bytes.Replace(queue.sendBatch, []byte("POST / "), []byte("POST "+largePath+" "), 1)
	return queue
}
