package record

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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

// versions are those of the API of SQS. Those of other services, such as the one that gives out tokens, are others.
var versions = replay.Pattern(`(?:^|[?&])Version=(2007-05-01|2008-01-01|2009-02-01|2011-10-01|2012-11-05)(?:&|$)`)

// Dialect tells which dialect an exchange is in. Empty means none: it is with another service and nobody's business.
func (x *Exchange) Dialect() string {
	path, query, _ := strings.Cut(x.Path, "?")
	for _, h := range x.RequestHeaders {
		switch {
		case strings.EqualFold(h.Name, "X-Amz-Target"):
			if strings.HasPrefix(h.Value, "AmazonSQS.") {
				return replay.SQSJSON
			}
			return ""
		case strings.EqualFold(h.Name, "x-mns-version"):
			return replay.MNS
		}
	}
	switch {
	case strings.HasPrefix(path, "/queues") || strings.HasPrefix(path, "/topics") || strings.Contains(x.Host, ".mns."):
		return replay.MNS
	case isForm("&" + query + "&" + x.RequestBody), sqsHost().MatchString(x.Host):
		return replay.SQSQuery
	}
	return ""
}

// isForm tells the Query protocol of SQS from that of other services.
func isForm(form string) bool {
	return strings.Contains(form, "&Action=") && (versions().MatchString(form) || !strings.Contains(form, "&Version="))
}

var sqsHost = replay.Pattern(`^sqs\.|(?:^|\.)queue\.amazonaws\.com`)

// Writer turns the exchanges of one session into one recording. Its zero value is ready.
type Writer struct {
	scrub  scrubber
	host   string            // of the exchange that is being written
	names  map[string]string // by value
	values []string          // longest first
	queues []queue
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
	}
	for _, text := range []string{x.Path, x.Host, x.RequestBody, x.ResponseBody} {
		w.scrub.learn(text)
	}
	for _, h := range slices.Concat(x.RequestHeaders, x.ResponseHeaders) {
		w.scrub.learn(h.Value)
		w.scrub.learnSecrets(h)
	}
	w.learnQueue(x)
	w.host = x.Host
	var out strings.Builder
	fmt.Fprintf(&out, "\n### call\n%s %s HTTP/1.1\n", x.Method, w.clean(w.known(literal(pathWithoutSecrets(x.Path)), true)))
	w.headers(&out, x.RequestHeaders)
	if x.RequestBody != "" {
		body, isForm := x.RequestBody, x.Dialect() == replay.SQSQuery
		if isForm {
			body = withoutSecrets(body)
		}
		fmt.Fprintf(&out, "\n%s\n", w.clean(w.known(literal(body), isForm)))
	}
	fmt.Fprintf(&out, "\nHTTP/1.1 %d\n", x.Status)
	w.headers(&out, x.ResponseHeaders)
	if x.ResponseBody != "" {
		fmt.Fprintf(&out, "\n%s\n", w.clean(w.bind(literal(x.ResponseBody))))
	}
	return out.String()
}

// clean takes out what is secret and has no name by now.
func (w *Writer) clean(text string) string {
	text = w.scrub.clean(text)
	const shortest = 4 // a shorter one would be found where it is not meant
	if len(w.host) > shortest {
		text = strings.ReplaceAll(text, w.scrub.clean(w.host), "{{host}}")
	}
	return text
}

// marks are what the format would take for its own.
var marks = strings.NewReplacer("{{", "{{byte:7B}}{{byte:7B}}", "\r", "{{cr}}", "\n### ", "{{nl}}### ", "\nHTTP/1.1 ", "{{nl}}HTTP/1.1 ")

// literal writes a text so that it is read back as it was.
func literal(raw string) string {
	text := marks.Replace(strings.TrimRight(raw, "\n"))
	text += strings.Repeat("{{nl}}", len(raw)-len(strings.TrimRight(raw, "\n")))
	first := strings.TrimLeft(text, "\n")
	text = strings.Repeat("{{nl}}", len(text)-len(first)) + first
	for _, mark := range []string{"### ", "HTTP/1.1 "} {
		if strings.HasPrefix(text, mark) {
			text = fmt.Sprintf("{{byte:%02X}}", text[0]) + text[1:]
		}
	}
	if utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&out, "{{byte:%02X}}", text[0])
		} else {
			out.WriteString(text[:n])
		}
		text = text[n:]
	}
	return out.String()
}

// headers writes those that are worth it. Request ids are checked by their form alone.
func (w *Writer) headers(out *strings.Builder, all []replay.Header) {
	for _, h := range all {
		if !kept(h.Name) {
			continue
		}
		value := literal(h.Value)
		switch {
		case strings.EqualFold(h.Name, "x-amzn-RequestId"), strings.EqualFold(h.Name, "x-mns-request-id"):
			value = w.name("RequestId", value)
		default:
			value = w.known(value, false)
		}
		fmt.Fprintf(out, "%s: %s\n", h.Name, w.clean(value))
	}
}

// queueName finds the name of a queue or a topic that is being made: it has to be another one in each run.
var queueName = replay.Pattern(`"QueueName"\s*:\s*"([^"]+)"|(?:^|[?&])QueueName=([^&\s]+)|^/(?:queues|topics)/([^/?]+)$`)

func (w *Writer) learnQueue(x *Exchange) {
	for _, text := range []string{x.Path, x.RequestBody} {
		m := queueName().FindStringSubmatch(text)
		if m == nil {
			continue
		}
		name := strings.TrimSuffix(strings.Join(m[1:], ""), ".fifo")
		if slices.ContainsFunc(w.queues, func(q queue) bool { return q.name == name }) {
			continue
		}
		// Only where names stand: elsewhere the same word is another thing, such as a part of a message.
		where := regexp.MustCompile(`(/|%2F|:|%3A|"(?:Queue|Topic)Name"\s*:\s*"|QueueName=|<(?:Queue|Topic)Name>)` + regexp.QuoteMeta(name) + `(\.fifo|["&<?/\\\s]|%22|$)`)
		w.queues = append(w.queues, queue{name, where, "{{unique:" + w.next("queue") + "}}"})
	}
}

// queue is a queue or a topic whose name is another one in each run.
type queue struct {
	name  string
	where *regexp.Regexp
	token string
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
	for _, q := range w.queues {
		text = q.where.ReplaceAllString(text, "${1}"+q.token+"${2}")
	}
	return text
}

// made are the names under which providers send what they make up, in JSON and in XML, and in lists of attributes.
var made = replay.Pattern(`("(MessageId|ReceiptHandle|QueueUrl|SenderId|TaskHandle|SequenceNumber|NextToken)"\s*:\s*")([^"]+)(")` +
	`|(<(MessageId|ReceiptHandle|QueueUrl|QueueURL|TaskHandle|RequestId|SequenceNumber|NextToken)>)([^<]+)(<)` +
	`|("((?:[A-Za-z]*Timestamp))"\s*:\s*"?)([0-9]{10,16})("?)` +
	`|(<((?:[A-Za-z]*Time))>)([0-9]{10,16})(<)` +
	`|(<Name>([A-Za-z]*Timestamp)</Name><Value>)([0-9]{10,16})(<)` +
	`|(<Name>(SenderId)</Name><Value>)([^<]+)(<)`)

// forms are tried in this order on a value.
var forms = []struct {
	kind string
	form func() *regexp.Regexp
}{
	{"uuid", replay.Pattern(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)},
	{"hex24", replay.Pattern(`^[0-9A-F]{24}$`)},
	{"hex32", replay.Pattern(`^[0-9A-F]{32}$`)},
	{"s", replay.Pattern(`^[0-9]{10}$`)},
	{"ms", replay.Pattern(`^[0-9]{13}$`)},
	{"us", replay.Pattern(`^[0-9]{16}$`)},
	{"seq", replay.Pattern(`^[0-9]{20}$`)},
	{"url", replay.Pattern(`^https?://\S+$`)},
	{"handle", replay.Pattern(`^[^\s<>"&]{1,1000}$`)},
}

// bind gives names to what a provider made up.
func (w *Writer) bind(body string) string {
	body = made().ReplaceAllStringFunc(body, func(found string) string {
		m := made().FindStringSubmatch(found)
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
		if !f.form().MatchString(value) {
			continue
		}
		const shortest = 8 // a shorter one would be found where it is not meant
		if !isTime && len(value) < shortest {
			return value
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
