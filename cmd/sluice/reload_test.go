package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/sluicemq/sluice"
)

// reloading is a server with the settings of a file, and what it logs when the file is read again. It listens where the
// file says, or on any port.
func reloading(t *testing.T, file string, args ...string) (r *running, reload func(text string) string) {
	t.Helper()
	path := writeConfig(t, file)
	if !strings.Contains(file, "listen:") {
		args = append(args, "--listen=127.0.0.1:0")
	}
	s, err := settled(t, append(args, "--config="+path, "--data=memory"), nil)
	if err != nil {
		t.Fatal(err)
	}
	listeners, err := listenOn(s.listen)
	if err != nil {
		t.Fatal(err)
	}
	server, err := sluice.Open(s.options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var log bytes.Buffer
	r = &running{settings: s, server: server, doors: newDoors(ctx, server, listeners), log: slog.New(slog.NewTextHandler(&log, nil))}
	t.Cleanup(func() {
		stop()
		if err := errors.Join(r.doors.wait(), server.Close()); err != nil {
			t.Error(err)
		}
	})
	return r, func(text string) string {
		t.Helper()
		if text != "" { // otherwise the test has seen to it
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		log.Reset()
		r.reload(t.Context())
		return log.String()
	}
}

func ask(h http.Handler, operation, body string) string {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Body.String()
}

func TestReloadAppliesWhatCanChange(t *testing.T) {
	r, reload := reloading(t, "queues:\n- {name: a, visibility: 10}\n")
	h := r.server.Handler()
	ask(h, "SendMessage", `{"QueueUrl":"a","MessageBody":"kept"}`)
	if log := reload("queue-url-style: path\nqueues:\n- {name: a, visibility: 20, tags: {x: y}}\n- {name: b}\n"); strings.Contains(log, "level=WARN") || !strings.Contains(log, "settings applied") {
		t.Errorf("log = %s, want that all was applied", log)
	}
	got := ask(h, "GetQueueAttributes", `{"QueueUrl":"a","AttributeNames":["VisibilityTimeout","ApproximateNumberOfMessages"]}`)
	if !strings.Contains(got, `"VisibilityTimeout":"20"`) || !strings.Contains(got, `"ApproximateNumberOfMessages":"1"`) {
		t.Errorf("attributes = %s, want the new timeout and the old message", got)
	}
	if got := ask(h, "ListQueues", `{}`); !strings.Contains(got, "/queue/us-east-1/000000000000/b") {
		t.Errorf("queues = %s, want b, and the new form of URLs", got)
	}
	reload("credentials: [{id: a, secret: b}]\nqueues: [{name: c}]\n")
	if got := ask(h, "ListQueues", `{}`); !strings.Contains(got, "AccessDenied") {
		t.Errorf("unsigned request once there are credentials = %s, want a refusal", got)
	}
	reload("auth: off\n")
	if got := ask(h, "ListQueues", `{}`); !strings.Contains(got, "/000000000000/a") || !strings.Contains(got, "/000000000000/c") {
		t.Errorf("queues = %s, want those that the file no longer names as well", got)
	}
}

func TestReloadSaysWhatWaits(t *testing.T) {
	_, reload := reloading(t, "sync: os\n")
	log := reload("sync: always\ntls: generated\nmns: {push-hosts: [x.example]}\nadmin: none\nadmin-hosts: x\nlog-format: json\nsqs: {region: eu-west-1}\nlimits: {in-flight: 9}\n")
	if want := `settings="sync, push-hosts, tls, admin, admin-hosts, log-format and log-requests"`; !strings.Contains(log, want) {
		t.Errorf("log = %s, want %s", log, want)
	}
}

func TestReloadOfAWrongFileChangesNothing(t *testing.T) {
	r, reload := reloading(t, "queues: [{name: a}]\n")
	if log := reload("queues: [{name: b}]\nsync: maybe\n"); !strings.Contains(log, "sluice.yaml:2: sync is") || !strings.Contains(log, "stay as they are") {
		t.Errorf("log = %s, want what is wrong", log)
	}
	if log := reload("queues: [{name: b, delay: 8d}]\n"); !strings.Contains(log, "sluice.yaml:1: delay is") {
		t.Errorf("log = %s, want what is wrong", log)
	}
	if log := reload("queues: [{name: 'b b'}]\n"); !strings.Contains(log, "is not a name") {
		t.Errorf("log = %s, want what is wrong", log)
	}
	if got := ask(r.server.Handler(), "ListQueues", `{}`); strings.Contains(got, "/b") {
		t.Errorf("queues = %s, want a alone", got)
	}
}

func TestReloadKeepsWhatTheCommandLineSays(t *testing.T) {
	r, reload := reloading(t, "strict: true\n", "--queue-url-style=path")
	if log := reload("queue-url-style: domain\nqueues: [{name: a}]\n"); strings.Contains(log, "level=ERROR") {
		t.Fatalf("log = %s", log)
	}
	if got := ask(r.server.Handler(), "ListQueues", `{}`); !strings.Contains(got, "/queue/us-east-1/") {
		t.Errorf("queues = %s, want the form that the flag says", got)
	}
}

func TestReloadMovesTheURLOfThePushCertificate(t *testing.T) {
	urls := make(chan string, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		url, _ := base64.StdEncoding.DecodeString(r.Header.Get("x-mns-signing-cert-url"))
		urls <- string(url)
	}))
	t.Cleanup(receiver.Close)
	declared := "topics: [{name: t}]\nsubscriptions: [{topic: t, name: s, endpoint: '" + receiver.URL + "'}]\n"
	running, reload := reloading(t, declared)
	for _, tt := range []struct{ file, want string }{
		{"public-url: https://public.example\n", "https://public.example"},
		{"public-url: https://other.example:1/\n", "https://other.example:1"},
		{"", running.doors.open[0].url()},
	} {
		if log := reload(tt.file + declared); !strings.Contains(log, "settings applied") {
			t.Fatalf("log = %s, want that all was applied", log)
		}
		r := httptest.NewRequest(http.MethodPost, "/topics/t/messages", strings.NewReader("<Message><MessageBody>m</MessageBody></Message>"))
		running.server.Handler().ServeHTTP(httptest.NewRecorder(), r)
		if got := <-urls; got != tt.want+"/mns/x509_public_certificate.pem" {
			t.Errorf("with %q pushes name %q, want %q before the path", tt.file, got, tt.want)
		}
	}
}

// What the settings are read from may be a named pipe that nobody writes to.
func TestReadingSettingsDoesNotHoldUpTheEnd(t *testing.T) {
	r, reload := reloading(t, "{}\n")
	reading, written := make(chan struct{}), make(chan struct{})
	defer close(written)
	r.settings.again = func() (settings, error) {
		close(reading)
		<-written
		return settings{}, nil
	}
	go func() {
		<-reading
		r.doors.stop()
	}()
	if log := reload(""); !strings.Contains(log, "serving ends") {
		t.Errorf("log = %s, want that the reload has given up", log)
	}
}
