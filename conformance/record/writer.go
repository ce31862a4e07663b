package record

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sluicemq/sluice/conformance/replay"
)

// Exchange is a request and its answer as they were on the wire.
type Exchange struct {
	Method, Path    string // the path with its query
	Host            string
	RequestHeaders  []replay.Header
	RequestBody     string
	Status          int
	ResponseHeaders []replay.Header
	ResponseBody    string
	At              time.Time
}

// Dialect tells which dialect an exchange is in.
func (x *Exchange) Dialect() string {
	path, _, _ := strings.Cut(x.Path, "?")
	for _, h := range x.RequestHeaders {
		if strings.EqualFold(h.Name, "X-Amz-Target") {
			return replay.SQSJSON
		}
		if strings.EqualFold(h.Name, "x-mns-version") {
			return replay.MNS
		}
	}
	if strings.HasPrefix(path, "/queues") || strings.HasPrefix(path, "/topics") || strings.Contains(x.Host, ".mns.") {
		return replay.MNS
	}
	return replay.SQSQuery
}

// Writer turns the exchanges of one session into one recording. Its zero value is ready.
type Writer struct {
	scrub  scrubber
	names  map[string]string // by value
	values []string          // longest first
	counts map[string]int
}

// Head returns the provenance of a recording that has yet to be described by a person.
func Head(source string, at time.Time) string {
	date := "unknown"
	if !at.IsZero() {
		date = at.UTC().Format(time.DateOnly)
	}
	return fmt.Sprintf("title: A recorded session of %s, not yet described\nsource: %s\ndate: %s\nevidence: recorded\nbytes: exact\n", date, source, date)
}

// Write returns an exchange as a step of a recording, with nothing secret in it.
func (w *Writer) Write(x *Exchange) string {
	if w.names == nil {
		w.names, w.counts = make(map[string]string), make(map[string]int)
		w.scrub.accounts = make(map[string]string)
	}
	for _, text := range []string{x.Path, x.Host, x.RequestBody, x.ResponseBody} {
		w.scrub.learn(text)
	}
	for _, h := range slices.Concat(x.RequestHeaders, x.ResponseHeaders) {
		w.scrub.learn(h.Value)
	}
	w.learnQueue(x)
	var out strings.Builder
	fmt.Fprintf(&out, "\n### call\n%s %s HTTP/1.1\n", x.Method, w.known(w.scrub.clean(x.Path), true))
	w.headers(&out, x.RequestHeaders)
	if x.RequestBody != "" {
		fmt.Fprintf(&out, "\n%s\n", w.known(w.scrub.clean(x.RequestBody), x.Dialect() == replay.SQSQuery))
	}
	fmt.Fprintf(&out, "\nHTTP/1.1 %d\n", x.Status)
	w.headers(&out, x.ResponseHeaders)
	if x.ResponseBody != "" {
		fmt.Fprintf(&out, "\n%s\n", w.bind(w.scrub.clean(x.ResponseBody)))
	}
	return out.String()
}

// headers writes those that are worth it. Request ids are checked by their form alone.
func (w *Writer) headers(out *strings.Builder, all []replay.Header) {
	for _, h := range all {
		if secret(h.Name) {
			continue
		}
		value := w.scrub.clean(h.Value)
		switch {
		case strings.EqualFold(h.Name, "x-amzn-RequestId"), strings.EqualFold(h.Name, "x-mns-request-id"):
			value = w.name("RequestId", value)
		default:
			value = w.known(value, false)
		}
		fmt.Fprintf(out, "%s: %s\n", h.Name, value)
	}
}

// queueName finds the name of a queue or a topic that is being made: it has to be another one in each run.
var queueName = regexp.MustCompile(`"QueueName"\s*:\s*"([^"]+)"|(?:^|[?&])QueueName=([^&\s]+)|^/(?:queues|topics)/([^/?]+)$`)

func (w *Writer) learnQueue(x *Exchange) {
	for _, text := range []string{x.Path, x.RequestBody} {
		m := queueName.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		name := strings.TrimSuffix(strings.Join(m[1:], ""), ".fifo")
		const shortest = 4 // a shorter one would be found where it is not meant
		if _, known := w.names[name]; !known && len(name) >= shortest {
			w.keep(name, "unique:"+w.next("queue"))
		}
	}
}

func (w *Writer) next(word string) string {
	w.counts[word]++
	return word + strconv.Itoa(w.counts[word])
}

func (w *Writer) keep(value, name string) {
	w.names[value] = name
	w.values = append(w.values, value)
	slices.SortStableFunc(w.values, func(a, b string) int { return len(b) - len(a) })
}

// known puts names in the place of values that have been seen.
func (w *Writer) known(text string, escaped bool) string {
	for _, v := range w.values {
		token := "{{" + w.names[v] + "}}"
		text = strings.ReplaceAll(text, v, token)
		if escaped {
			text = strings.ReplaceAll(text, url.QueryEscape(v), token)
		}
	}
	return text
}

// made are the names under which providers send what they make up, in JSON and in XML, and in lists of attributes.
var made = regexp.MustCompile(`("(MessageId|ReceiptHandle|QueueUrl|SenderId|TaskHandle|SequenceNumber|NextToken)"\s*:\s*")([^"]+)(")` +
	`|(<(MessageId|ReceiptHandle|QueueUrl|QueueURL|TaskHandle|RequestId|SequenceNumber|NextToken)>)([^<]+)(<)` +
	`|("((?:[A-Za-z]*Timestamp))"\s*:\s*"?)([0-9]{10,16})("?)` +
	`|(<((?:[A-Za-z]*Time))>)([0-9]{10,16})(<)` +
	`|(<Name>([A-Za-z]*Timestamp)</Name><Value>)([0-9]{10,16})(<)` +
	`|(<Name>(SenderId)</Name><Value>)([^<]+)(<)`)

// forms are tried in this order on a value.
var forms = []struct {
	kind string
	form *regexp.Regexp
}{
	{"uuid", regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)},
	{"hex24", regexp.MustCompile(`^[0-9A-F]{24}$`)},
	{"hex32", regexp.MustCompile(`^[0-9A-F]{32}$`)},
	{"s", regexp.MustCompile(`^[0-9]{10}$`)},
	{"ms", regexp.MustCompile(`^[0-9]{13}$`)},
	{"us", regexp.MustCompile(`^[0-9]{16}$`)},
	{"seq", regexp.MustCompile(`^[0-9]{20}$`)},
	{"url", regexp.MustCompile(`^https?://\S+$`)},
	{"handle", regexp.MustCompile(`^[^\s<>"&]{1,1000}$`)},
}

// bind gives names to what a provider made up.
func (w *Writer) bind(body string) string {
	body = made.ReplaceAllStringFunc(body, func(found string) string {
		m := made.FindStringSubmatch(found)
		for i := 1; i < len(m); i += 4 {
			if m[i] != "" {
				return m[i] + w.name(m[i+1], m[i+2]) + m[i+3]
			}
		}
		return found
	})
	return w.known(body, false)
}

// name returns a value as a token that binds it, or that demands the value bound before.
func (w *Writer) name(word, value string) string {
	// Two times can be equal by chance: only the same one has to recur.
	isTime := strings.HasSuffix(word, "Time") || strings.HasSuffix(word, "Timestamp")
	seen := value
	if isTime {
		seen = word + " " + value
	}
	if n, ok := w.names[seen]; ok {
		return "{{" + n + "}}"
	}
	for _, f := range forms {
		if !f.form.MatchString(value) {
			continue
		}
		n := w.next(strings.ToLower(word[:1]) + word[1:])
		if isTime {
			w.names[seen] = n
		} else {
			w.keep(value, n)
		}
		return "{{" + f.kind + ":" + n + "}}"
	}
	return value
}
