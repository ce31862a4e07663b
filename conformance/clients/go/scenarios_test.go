package sdk_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"

	"github.com/sluicemq/sluice"
)

// scenario is one of the scenarios that the runners of all languages share.
type scenario struct {
	Name      string   `json:"name"`
	About     string   `json:"about"`
	Protocols []string `json:"protocols"` // json, query; none means both
	Steps     []step   `json:"steps"`
}

type step struct {
	Call    string            `json:"call"`
	With    map[string]any    `json:"with"`
	Expect  map[string]any    `json:"expect"`
	Count   map[string]int    `json:"count"`
	Absent  []string          `json:"absent"`
	Save    map[string]string `json:"save"` // name -> path
	Same    map[string]string `json:"same"` // path -> text with variables
	Differs map[string]string `json:"differs"`
	Fails   map[string]any    `json:"fails"` // error, code, status, message, each if it is compared
}

// leftOut has the scenarios that this SDK cannot send. Its inputs hold numbers by value, so that zero is not sent.
var leftOut = map[string]string{
	"delay-of-zero-beats-the-queues":   "DelaySeconds 0 is not sent",
	"fifo-delay-of-zero-is-the-queues": "DelaySeconds 0 is not sent",
	"fifo-groups-take-turns":           "VisibilityTimeout 0 is not sent",
	"queue-waits-unless-told":          "WaitTimeSeconds 0 is not sent",
	"receive-of-zero-messages-fails":   "MaxNumberOfMessages 0 is not sent",
	"visibility-of-zero-hides-nothing": "VisibilityTimeout 0 is not sent",
}

// TestScenarios runs each scenario in a bubble, or against the running server that SLUICE_URL names.
func TestScenarios(t *testing.T) {
	url := os.Getenv("SLUICE_URL")
	for protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			for _, s := range readScenarios(t) {
				if leftOut[s.Name] != "" || s.Protocols != nil && !slices.Contains(s.Protocols, strings.ToLower(protocol)) {
					continue
				}
				t.Run(s.Name, func(t *testing.T) {
					if url == "" {
						synctest.Test(t, func(t *testing.T) { playInBubble(t, &s, protocol) })
						return
					}
					t.Parallel()
					play(t, &s, protocol, url, http.DefaultTransport)
				})
			}
		})
	}
}

func TestScenariosCoverEveryOperation(t *testing.T) {
	called, names := map[string]bool{}, map[string]bool{}
	for _, s := range readScenarios(t) {
		if names[s.Name] || s.About == "" {
			t.Errorf("scenario %q is there twice or says nothing about itself", s.Name)
		}
		names[s.Name] = true
		for _, each := range s.Steps {
			called[each.Call] = true
		}
	}
	client := reflect.TypeFor[*sqs.Client]()
	for method := range client.Methods() {
		if method.Name != "Options" && !called[method.Name] {
			t.Errorf("no scenario calls %s", method.Name)
		}
	}
	for name := range leftOut {
		if !names[name] {
			t.Errorf("%s is left out, but there is no such scenario", name)
		}
	}
}

func readScenarios(t *testing.T) []scenario {
	t.Helper()
	file, err := os.Open("../scenarios/sqs.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all struct {
		Scenarios []scenario `json:"scenarios"`
	}
	decoder := json.NewDecoder(file)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all.Scenarios
}

// playInBubble runs a scenario against a server of its own, in a bubble: what waits there takes no time outside.
func playInBubble(t *testing.T, s *scenario, protocol string) {
	server, err := sluice.Open(sluice.Options{OnFault: func(f *sluice.Fault) { t.Errorf("fault: %v", f) }})
	if err != nil {
		t.Fatal(err)
	}
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	web := &http.Server{Handler: server.Handler()}
	served := make(chan error, 1)
	go func() { served <- web.Serve(l) }()
	transport := &http.Transport{DialContext: l.dial}
	play(t, s, protocol, "http://sluice", transport)
	transport.CloseIdleConnections()
	_ = web.Close()
	<-served
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}

func play(t *testing.T, s *scenario, protocol, url string, transport http.RoundTripper) {
	p := player{
		client: sqs.New(sqs.Options{
			BaseEndpoint: aws.String(url),
			Region:       "us-east-1",
			Retryer:      aws.NopRetryer{},
			HTTPClient:   &http.Client{Transport: bodyFirst{transport}},
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
			}),
		}, protocols[protocol]),
		query: protocol == "Query",
		saved: map[string]string{
			"unique": "go-" + protocol + "-" + rand.Text(), "kilobyte": strings.Repeat("a", 1<<10), "megabyte": strings.Repeat("a", 1<<20),
		},
	}
	for i := range s.Steps {
		if err := p.step(t.Context(), &s.Steps[i]); err != nil {
			t.Errorf("step %d, %s: %v", i+1, s.Steps[i].Call, err)
			break
		}
	}
}

// bodyFirst reads the body of a request before it is sent. The SDK closes its body once the headers of the answer are
// there (ClientHandler.Handle of smithy-go 1.28.9), and a closed one ends with io.EOF in WriteTo. If the server answers
// before net/http has seen that the body is over, net/http takes this for a failed write and closes the connection, so
// that the rest of a long answer is lost: about once in 300 receives of 1 MiB here.
type bodyFirst struct {
	http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (b bodyFirst) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err := errors.Join(err, request.Body.Close()); err != nil {
		return nil, err
	}
	request = request.Clone(request.Context())
	request.Body = io.NopCloser(bytes.NewReader(body))
	return b.RoundTripper.RoundTrip(request)
}

// player is what a scenario knows while it runs.
type player struct {
	client *sqs.Client
	query  bool // speaks Query, not JSON
	saved  map[string]string
}

func (p *player) step(ctx context.Context, s *step) error {
	answer, err := p.call(ctx, s.Call, p.fill(s.With))
	switch {
	case s.Fails != nil && err == nil:
		return fmt.Errorf("succeeded with %s, want it to fail", short(answer))
	case s.Fails != nil:
		return p.checkFailure(s.Fails, err)
	case err != nil:
		return err
	}
	return errors.Join(p.checkValues(s, answer), p.checkShape(s, answer), p.keep(s, answer))
}

// call finds the operation by its name. Its input and its output travel as JSON, whose names are those of the fields.
func (p *player) call(ctx context.Context, name string, with any) (any, error) {
	method := reflect.ValueOf(p.client).MethodByName(name)
	if !method.IsValid() {
		return nil, fmt.Errorf("the client has no %s", name)
	}
	text, err := json.Marshal(with)
	if err != nil {
		return nil, err
	}
	input := reflect.New(method.Type().In(1).Elem())
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(input.Interface()); err != nil {
		return nil, err
	}
	results := method.Call([]reflect.Value{reflect.ValueOf(ctx), input})
	if err, failed := results[1].Interface().(error); failed {
		return nil, err
	}
	if text, err = json.Marshal(results[0].Interface()); err != nil {
		return nil, err
	}
	var answer any
	return answer, json.Unmarshal(text, &answer)
}

func (p *player) checkFailure(want map[string]any, err error) error {
	failed, ok := errors.AsType[smithy.APIError](err)
	response, answered := errors.AsType[*awshttp.ResponseError](err)
	if !ok || !answered {
		return fmt.Errorf("%w, want an answer of the service", err)
	}
	got := map[string]any{
		"error":   reflect.TypeOf(failed).Elem().Name(),
		"code":    failed.ErrorCode(),
		"status":  float64(response.HTTPStatusCode()),
		"message": failed.ErrorMessage(),
	}
	if want["error"] != nil && p.query {
		got["code"] = want["code"] // in Query this SDK finds the type by the code, and then shows the type's name
	}
	var faults []error
	for name, value := range want {
		if value = p.fill(value); got[name] != value {
			faults = append(faults, fmt.Errorf("%s = %s, want %s", name, short(got[name]), short(value)))
		}
	}
	return errors.Join(faults...)
}

func (p *player) checkValues(s *step, answer any) error {
	var faults []error
	for path, want := range s.Expect {
		if diff := cmp.Diff(p.fill(want), at(answer, path)); diff != "" {
			faults = append(faults, fmt.Errorf("%s (-want +got):\n%s", path, short(diff)))
		}
	}
	for path, want := range s.Same {
		if got := at(answer, path); got != p.replace(want) {
			faults = append(faults, fmt.Errorf("%s = %v, want %v", path, got, p.replace(want)))
		}
	}
	for path, want := range s.Differs {
		if got := at(answer, path); got == nil || got == p.replace(want) {
			faults = append(faults, fmt.Errorf("%s = %v, want another value", path, got))
		}
	}
	return errors.Join(faults...)
}

func (p *player) checkShape(s *step, answer any) error {
	var faults []error
	for path, want := range s.Count {
		n := 0
		if got := at(answer, path); got != nil {
			n = reflect.ValueOf(got).Len()
		}
		if n != want {
			faults = append(faults, fmt.Errorf("%s has %d, want %d, in %s", path, n, want, short(answer)))
		}
	}
	for _, path := range s.Absent {
		if got := at(answer, path); got != nil {
			faults = append(faults, fmt.Errorf("%s = %s, want nothing", path, short(got)))
		}
	}
	return errors.Join(faults...)
}

func (p *player) keep(s *step, answer any) error {
	for name, path := range s.Save {
		got := at(answer, path)
		if got == nil {
			return fmt.Errorf("there is no %s in %s", path, short(answer))
		}
		p.saved[name] = fmt.Sprint(got)
	}
	return nil
}

var variable = regexp.MustCompile(`\$\{(\w+)\}`)

func (p *player) replace(text string) string {
	return variable.ReplaceAllStringFunc(text, func(v string) string {
		if value, ok := p.saved[v[2:len(v)-1]]; ok {
			return value
		}
		panic("scenario uses " + v + " before it is saved")
	})
}

// fill replaces variables, and bytes by the base64 that JSON has for them.
func (p *player) fill(value any) any {
	switch v := value.(type) {
	case string:
		return p.replace(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = p.fill(v[i])
		}
		return list
	case map[string]any:
		if bytes, ok := v["$base64"]; ok {
			return bytes
		}
		all := maps.Clone(v)
		for name := range all {
			all[name] = p.fill(all[name])
		}
		return all
	}
	return value
}

// A path has names and indices, separated by dots; what has dots itself stands in brackets.
var pathPart = regexp.MustCompile(`\[([^\]]*)\]|[^.\[]+`)

// at returns what stands at a path, nil if nothing does.
func at(value any, path string) any {
	for _, part := range pathPart.FindAllString(path, -1) {
		part = strings.TrimSuffix(strings.TrimPrefix(part, "["), "]")
		switch v := value.(type) {
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		case map[string]any:
			value = member(v, part)
		default:
			return nil
		}
	}
	return value
}

// member finds a name as the model has it, or as Go has to write it: queueUrls is QueueUrls here.
func member(values map[string]any, name string) any {
	if v, ok := values[name]; ok {
		return v
	}
	return values[strings.ToUpper(name[:1])+name[1:]]
}

func short(value any) string {
	text := fmt.Sprint(value)
	if len(text) > 1000 {
		return text[:1000] + "…"
	}
	return text
}

// pipes is a listener without a network, so that a bubble can see that everybody waits.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }
