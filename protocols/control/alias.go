package control

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

// LocalStack's ways to look into a queue and to ask for health, so that tests that were written for it go on working.
// What they answer follows its published tests.

const (
	aliasPeek   = "/_aws/sqs/messages"
	aliasHealth = "/_localstack/health"
)

// These bound an answer, which LocalStack does not page.
const (
	aliasMessages = 10_000
	aliasBytes    = 32 << 20
)

// IsAlias reports whether a path is one of those that Alias answers.
func IsAlias(path string) bool {
	return path == aliasHealth || path == aliasPeek || strings.HasPrefix(path, aliasPeek+"/")
}

// Alias answers the paths of LocalStack on a port that anybody may ask. With closed, it shows no messages.
func (a *API) Alias(closed bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer a.recovered(w, r)
		if _, pattern := a.mux.Handler(r); pattern == "" {
			a.dispatch(w, r) // says what is wrong
			return
		}
		if closed && r.URL.Path != aliasHealth {
			newAliasAnswer(w, r).fail(http.StatusForbidden, "AccessDenied", "Requests to this server have to be signed; the admin port shows its messages.")
			return
		}
		a.mux.ServeHTTP(w, r)
	})
}

type localStackHealth struct {
	Services map[string]string `json:"services"`
	Edition  string            `json:"edition"`
	Version  string            `json:"version"`
}

func (a *API) localStackHealth(*http.Request) (int, any, error) {
	return http.StatusOK, &localStackHealth{map[string]string{"sqs": "running"}, "community", a.o.Version}, nil
}

// aliasPeek shows messages without receiving them.
func (a *API) aliasPeek(w http.ResponseWriter, r *http.Request) {
	out := newAliasAnswer(w, r)
	in, err := readAlias(r)
	if err != nil {
		out.fail(http.StatusBadRequest, "InvalidRequest", explainError(err).message)
		return
	}
	if in.action != "" && in.action != "ReceiveMessage" {
		out.fail(http.StatusBadRequest, "InvalidRequest", "Nothing but ReceiveMessage can be asked for here.")
		return
	}
	key, ok := a.aliasQueue(in)
	if !ok {
		out.fail(http.StatusNotFound, "InvalidAddress", "The QueueUrl is not the URL of a queue.")
		return
	}
	messages, err := a.aliasMessages(r, key, in)
	if err == nil {
		out.messages(messages)
		return
	}
	if p := explainError(err); p.status == http.StatusInternalServerError {
		a.o.OnFault(err)
		out.fail(p.status, "InternalFailure", p.message)
		return
	}
	out.fail(http.StatusBadRequest, "AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist.")
}

// aliasRequest is what can be said in the path, in the query, in a form or in JSON.
type aliasRequest struct {
	action                  string
	url                     string
	account, region, name   string
	showInvisible, showLate bool
}

func readAlias(r *http.Request) (in aliasRequest, err error) {
	values := r.URL.Query()
	if r.Method == http.MethodPost {
		body, err := protocols.ReadBody(r, maxBody)
		if err != nil {
			return in, invalid("", "The request cannot be read.")
		}
		if isAmazonJSON(r) {
			var doc struct {
				QueueURL string `json:"QueueUrl"`
			}
			if err := json.Unmarshal(body, &doc); err != nil {
				return in, invalid("", "The request is not JSON.")
			}
			values.Set("QueueUrl", doc.QueueURL)
			_, in.action, _ = strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		} else if form, err := url.ParseQuery(string(body)); err == nil {
			for name, v := range form {
				values[name] = v
			}
		}
	}
	if in.action == "" {
		in.action = values.Get("Action")
	}
	in.url = values.Get("QueueUrl")
	in.account, in.region, in.name = r.PathValue("account"), r.PathValue("region"), r.PathValue("queue")
	in.showInvisible, in.showLate = isTrue(values.Get("ShowInvisible")), isTrue(values.Get("ShowDelayed"))
	return in, nil
}

func isTrue(s string) bool { return strings.EqualFold(s, "true") || s == "1" }

func isAmazonJSON(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-amz-json")
}

// aliasQueue returns the queue that a request names, and false for a URL that is not that of a queue. Without any, the
// name is empty, which no queue has.
func (a *API) aliasQueue(in aliasRequest) (core.QueueKey, bool) {
	if in.name == "" && in.url != "" && !in.readURL() {
		return core.QueueKey{}, false
	}
	ns := a.o.Home
	if in.account != "" {
		ns.Account = in.account
	}
	if in.region != "" {
		ns.Region = in.region
	}
	return core.QueueKey{Namespace: a.o.Inside(ns), Name: core.QueueName(in.name)}, true
}

// readURL reads the forms of queue URLs that LocalStack hands out, and the provider's own.
func (in *aliasRequest) readURL() bool {
	u, err := url.Parse(in.url)
	if err != nil {
		return false
	}
	in.region = regionOfHost(u.Hostname())
	switch parts := strings.Split(strings.Trim(u.Path, "/"), "/"); {
	case len(parts) == 2 && parts[0] == "queue":
		in.name = parts[1]
	case len(parts) == 2:
		in.account, in.name = parts[0], parts[1]
	case len(parts) == 4 && parts[0] == "queue":
		in.region, in.account, in.name = parts[1], parts[2], parts[3]
	case len(parts) == 1 && u.Host == "":
		in.name = parts[0]
	default:
		return false
	}
	return in.name != ""
}

// regionOfHost returns the region in a host such as sqs.us-east-1.localhost or us-east-1.queue.localhost.
func regionOfHost(host string) string {
	switch labels := strings.Split(host, "."); {
	case len(labels) > 2 && labels[0] == "sqs":
		return labels[1]
	case len(labels) > 2 && labels[1] == "queue":
		return labels[0]
	}
	return ""
}

// aliasMessages returns the messages to show. Without the invisible ones, those that wait for their FIFO group are left
// out too.
func (a *API) aliasMessages(r *http.Request, key core.QueueKey, in aliasRequest) ([]core.Seen, error) {
	var shown []core.Seen
	hidden := map[string]bool{} // groups
	b := core.BrowseRequest{Limit: 100}
	for size := 0; len(shown) < aliasMessages && size < aliasBytes; {
		found, more, err := a.engine.Browse(r.Context(), key, b)
		if err != nil {
			return nil, err
		}
		for i := range found {
			if m := &found[i]; in.shows(m, hidden) && size < aliasBytes {
				shown = append(shown, *m)
				size += len(m.Body)
			}
		}
		if !more || len(found) == 0 {
			break
		}
		b.After = found[len(found)-1].Sequence
	}
	return shown, nil
}

// shows reports whether a message is to be shown, and notes which groups have one in flight.
func (in *aliasRequest) shows(m *core.Seen, hidden map[string]bool) bool {
	if m.State == core.InFlight {
		hidden[m.Group] = true
	}
	if m.State == core.Delayed && !in.showLate {
		return false
	}
	return in.showInvisible || m.State != core.InFlight && !(m.FIFO && hidden[m.Group])
}

// aliasReceipt is the receipt of what nobody has received.
const aliasReceipt = "SQS/BACKDOOR/ACCESS"

// aliasAttributes are the system attributes of a message.
func aliasAttributes(m *core.Seen) [][2]string {
	first := int64(0)
	if !m.FirstReceivedAt.IsZero() {
		first = m.FirstReceivedAt.UnixMilli()
	}
	list := [][2]string{
		{"SenderId", m.Sender},
		{"SentTimestamp", strconv.FormatInt(m.SentAt.UnixMilli(), 10)},
		{"ApproximateReceiveCount", strconv.Itoa(m.Receives)},
		{"ApproximateFirstReceiveTimestamp", strconv.FormatInt(first, 10)},
		{"IsVisible", strconv.FormatBool(m.State == core.Visible)},
		{"IsDelayed", strconv.FormatBool(m.State == core.Delayed)},
	}
	add := func(name, value string) {
		if value != "" {
			list = append(list, [2]string{name, value})
		}
	}
	add("MessageGroupId", m.Group)
	add("MessageDeduplicationId", m.DeduplicationID)
	if m.FIFO {
		add("SequenceNumber", strconv.FormatUint(m.Sequence, 10))
	}
	add("AWSTraceHeader", m.Trace.XRay)
	if m.Source != nil {
		ns := m.Source.Namespace
		add("DeadLetterQueueSourceArn", "arn:aws:sqs:"+ns.Region+":"+ns.Account+":"+string(m.Source.Name))
	}
	return slices.DeleteFunc(list, func(a [2]string) bool { return a[1] == "" })
}

// uuid is how SQS writes the id of a message.
func uuid(id core.MessageID) string {
	s := id.String()
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// attributeValue returns the name of the member that has an attribute's value, and the value.
func attributeValue(a *core.Attribute) (member, value string) {
	if a.Kind == core.Binary {
		return "BinaryValue", base64.StdEncoding.EncodeToString(a.Value)
	}
	return "StringValue", string(a.Value)
}
