package mns

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
	"github.com/sluicemq/sluice/protocols/policy"
)

const xmlVersion = "2015-06-06"

// XML returns the dialect of version 2015-06-06.
func XML(site *protocols.Site) protocols.Dialect {
	return &dialect{
		name: "mns", version: []string{xmlVersion}, codec: xmlCodec{}, host: namespaceOf,
		router: newRouter(operations), broker: site.Broker(rulesOf(site)), site: site, policies: newPolicies(site),
	}
}

type dialect struct {
	name    string
	version []string // of the API, as the header has it
	codec   codec
	host    func(host string, home protocols.Home) (ns core.Namespace, namesAccount bool)
	router  *router
	broker  core.Broker
	site    *protocols.Site

	policies map[string]*policy.Document // of users, by their texts; nil while nobody verifies keys
}

func (d *dialect) Name() string { return d.name }

// Claims takes what bears a mark of the provider: its paths, its version header or its signatures. Whatever bears a
// mark of Amazon SQS is left to others, even on such a path.
func (d *dialect) Claims(r *http.Request) bool {
	if speaksSQS(r) {
		return false
	}
	signature := r.Header.Get("Authorization")
	return ownPath(r.URL.Path) || r.Header.Get("X-Mns-Version") != "" ||
		strings.HasPrefix(signature, "MNS ") || strings.HasPrefix(signature, "MNS4-HMAC-SHA256 ") ||
		r.URL.Path == rootPath && strings.Contains(strings.ToLower(r.URL.RawQuery), "accountmeta")
}

func speaksSQS(r *http.Request) bool {
	if r.Header.Get("X-Amz-Target") != "" || strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-") {
		return true
	}
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if name, _, _ := strings.Cut(pair, "="); name == "Action" || name == "X-Amz-Signature" {
			return true
		}
	}
	return false
}

func ownPath(path string) bool {
	return path == queuesPath || strings.HasPrefix(path, "/queues/") ||
		path == topicsPath || strings.HasPrefix(path, "/topics/") || path == openPath
}

// Decode reads a request. Its errors are *faults, in this order: of the URL, of who sends it, of the body.
func (d *dialect) Decode(r *http.Request) (*protocols.Call, error) {
	c := &protocols.Call{Request: r, RequestID: d.requestID()}
	rows, vars := d.router.match(r)
	in, err := d.read(r, vars)
	switch {
	case rows == nil:
		return c, errInvalidURL
	case err != nil:
		return c, err
	}
	o := pick(rows, in)
	if o == nil {
		return c, errInvalidURL
	}
	c.Operation, c.Detail = o.name, o
	s, err := d.serve(in, o.name)
	if err != nil {
		return c, err
	}
	c.Run, err = o.start(s, in)
	return c, err
}

// read reads query and body. The body is read in any case, so that the connection can be used again.
func (d *dialect) read(r *http.Request, vars map[string]string) (*request, error) {
	in := &request{http: r, codec: d.codec, vars: vars}
	var err error
	in.raw, err = protocols.ReadBody(r, maxRequest)
	switch {
	case errors.Is(err, protocols.ErrBodyTooLarge):
		in.cut = errBodySize
	case err != nil:
		in.cut = d.codec.malformed() // the client has gone, or sent less than it said
	case len(in.raw) > 0:
		in.body, in.bodyErr = d.codec.read(in.raw)
	}
	in.query, err = parseQuery(r.URL.RawQuery)
	return in, err
}

func (d *dialect) requestID() string { return newRequestID(d.broker.Now()) }

// newRequestID returns an id of the recorded form: 24 upper-case hexadecimal digits, of which the first 8 are the
// second of the request.
func newRequestID(now time.Time) string {
	var id [12]byte
	second, random := now.Unix(), rand.Uint64()
	for i := range 4 {
		id[i] = byte(second >> (8 * (3 - i)))
	}
	for i := range 8 {
		id[4+i] = byte(random >> (8 * i))
	}
	return upperHex(id[:])
}

// Encode answers with an output of the call's operation.
func (d *dialect) Encode(w http.ResponseWriter, c *protocols.Call, result any) error {
	o := c.Detail.(*operation)
	status := o.status
	if own, ok := result.(statusOwner); ok {
		status = own.status()
	}
	v := reflect.ValueOf(result).Elem()
	for i := range o.out.line {
		f := &o.out.line[i]
		w.Header().Set(f.name, v.FieldByIndex(f.index).String())
	}
	return d.answer(w, c.RequestID, status, o.out, v)
}

var errorPlan = planOf[errorOutput]()

// Fail answers with an error in the provider's words.
func (d *dialect) Fail(w http.ResponseWriter, c *protocols.Call, err error) {
	f := translate(err)
	if c.RequestID == "" {
		c.RequestID = d.requestID()
	}
	out := errorOutput{Code: f.code, Message: f.text, RequestID: c.RequestID, HostID: "http://" + c.Request.Host}
	// The client may have gone; there is nobody else to tell.
	_ = d.answer(w, c.RequestID, f.status, errorPlan, reflect.ValueOf(&out).Elem())
}

// Code implements protocols.Coder.
func (d *dialect) Code(_ *protocols.Call, err error) string { return translate(err).code }

// Headers that are the same in all answers.
var (
	server  = []string{"AliyunMQS"}
	account = []string{""}
)

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// answer writes headers and body. Recorded: names in this spelling, Content-Type also without a body; Content-Length
// in all answers but those of status 204.
//
// x-mns-netty-total-time and x-mns-threadpool-wait-time are left out. They are measurements of the provider's front
// end; no client reads them, Sluice has no such parts, and numbers that are made up, or taken from a clock that a test
// has stopped, would mislead whoever looks at them.
func (d *dialect) answer(w http.ResponseWriter, requestID string, status int, p *plan, v reflect.Value) error {
	h := w.Header()
	h["Server"], h["x-mns-version"], h["x-mns-request-id"] = server, d.version, []string{requestID}
	h["x-mns-account-type"], h["x-mns-response-format"] = account, d.codec.format()
	h["Content-Type"] = d.codec.contentType()
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return nil
	}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	*buffer = (*buffer)[:0]
	if p.root != "" {
		*buffer = d.codec.write(*buffer, p, v)
	}
	h["Content-Length"] = []string{strconv.Itoa(len(*buffer))}
	w.WriteHeader(status)
	_, err := w.Write(*buffer)
	return err
}

// service is the provider as the sender of one request sees it.
type service struct {
	broker  core.Broker
	outside core.Namespace // what the host says
	inside  core.Namespace // what the engine makes of it
	url     string         // scheme and host of the URLs in answers
	micro   bool           // NextVisibleTime of ChangeMessageVisibility in microseconds
	request *http.Request  // whose headers may have a trace
}

// serve makes out who sends a request and what it is about.
func (d *dialect) serve(in *request, operation string) (*service, error) {
	outside, err := d.namespaceOf(in.http, operation)
	if err != nil {
		return nil, err
	}
	if in.cut != nil {
		return nil, in.cut
	}
	if d.site.Verify {
		if err := checkDigest(in.http, in.raw); err != nil {
			return nil, err
		}
	}
	url := strings.TrimSuffix(d.site.PublicURL, "/")
	if url == "" {
		url = "http://" + in.http.Host // recorded, whatever the scheme of the request
	}
	return &service{broker: d.broker, outside: outside, inside: d.site.Inside(outside), url: url, micro: d.site.MicrosecondVisibleTime, request: in.http}, nil
}

// namespaceOf returns whose queues a request is about, and where.
func (d *dialect) namespaceOf(r *http.Request, operation string) (core.Namespace, error) {
	ns, named := d.host(r.Host, d.site.MNS)
	if !d.site.Verify {
		if d.site.AccountPerKey && !named {
			a, _ := parseAuthorization(r.Header.Get("Authorization"))
			ns.Account = cmp.Or(d.site.AccountOf(a.keyID), ns.Account)
		}
		return ns, nil
	}
	c, err := d.verify(r)
	if err != nil {
		return ns, err
	}
	return d.authorize(r, c, operation, ns, named)
}

func (s *service) key(queue string) core.QueueKey {
	return core.QueueKey{Namespace: s.inside, Name: core.QueueName(queue)}
}

func (s *service) queueURL(queue core.QueueName) string {
	return s.url + queuesPath + "/" + string(queue)
}

func (s *service) nextVisible(t time.Time) epochVisible { return epochVisibleOf(t, s.micro) }
