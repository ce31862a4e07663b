package sqs

import (
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/aws/smithy-go/aws-http-auth/credentials"
	"github.com/aws/smithy-go/aws-http-auth/sigv4"
	v4 "github.com/aws/smithy-go/aws-http-auth/v4"

	"github.com/sluicemq/sluice/protocols"
)

// malformedHeaders are signatures that cannot be, and the first thing that is wrong with each. All were signed at the
// time of the server.
var malformedHeaders = []struct {
	name, authorization, date string
	status                    int
	code, text                string
}{
	{
		"bogus", "AWS4-HMAC-SHA256 Credential=bogus", "20231114T221320Z", 400, "IncompleteSignature", // Recorded
		"Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. Authorization=AWS4-HMAC-SHA256 Credential=bogus",
	},
	{
		"other scheme", "Basic abc", "", 400, "IncompleteSignature",
		"Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. Authorization header requires 'SignedHeaders' parameter. " +
			"Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=Basic abc",
	},
	{
		"short scope", "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=x", "20231114T221320Z", 400, "IncompleteSignature",
		"Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'a/b'",
	},
	{
		"no such date", "AWS4-HMAC-SHA256 Credential=a/20231114/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=x", "yesterday", 400, "IncompleteSignature",
		"Date must be in ISO-8601 'basic format'. Got 'yesterday'. See http://en.wikipedia.org/wiki/ISO_8601",
	},
	{
		"region", "AWS4-HMAC-SHA256 Credential=a/20231114/queue/sqs/aws4_request, SignedHeaders=host;x-amz-target, Signature=x", "20231114T221320Z", 403, "SignatureDoesNotMatch",
		"Credential should be scoped to a valid region, not 'queue'. ",
	},
	{
		"all of the scope", "AWS4-HMAC-SHA256 Credential=a/20231113/x/s3/aws2, SignedHeaders=date, Signature=x", "20231114T221320Z", 403, "SignatureDoesNotMatch",
		"Credential should be scoped to a valid region, not 'x'. Credential should be scoped to correct service: 'sqs'. " +
			"Credential should be scoped with a valid terminator: 'aws4_request', not 'aws2'. " +
			"Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '20231113' != '20231114', from '20231114T221320Z'. " +
			"'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization. 'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization. ",
	},
	{
		"key", "AWS4-HMAC-SHA256 Credential=a/20231114/us-east-1/sqs/aws4_request,SignedHeaders=host;x-amz-target,Signature=x", "20231114T221320Z", 403, "InvalidClientTokenId",
		unknownKeyText,
	},
}

func TestMalformedSignatures(t *testing.T) {
	s := newServer(t, verifying)
	for _, c := range malformedHeaders {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("not JSON"))
		r.Header.Set("Content-Type", jsonType)
		r.Header.Set(targetHeader, "AmazonSQS.None")
		r.Header.Set("Authorization", c.authorization)
		if c.date != "" {
			r.Header.Set("X-Amz-Date", c.date)
		}
		s.jsonFault(s.do(r), c.status, c.code, "/"+jsonTypes[c.code], c.text)
	}
}

func TestMalformedPresignedRequests(t *testing.T) {
	s := newServer(t, verifying)
	good := map[string]string{
		"X-Amz-Algorithm": algorithm, "X-Amz-Credential": "AKIDEXAMPLE/20231114/us-east-1/sqs/aws4_request", "X-Amz-Date": "20231114T221320Z",
		"X-Amz-Expires": "60", "X-Amz-SignedHeaders": "host", "X-Amz-Signature": "x",
	}
	for _, c := range []struct{ name, value, text string }{
		{"X-Amz-Credential", "", "AWS query-string parameters must include 'X-Amz-Credential'. Re-examine the query-string parameters."},
		{"X-Amz-Date", "", "AWS query-string parameters must include 'X-Amz-Date'. Re-examine the query-string parameters."},
		{"X-Amz-Algorithm", "x", "AWS query-string parameters must include 'X-Amz-Algorithm'. Re-examine the query-string parameters."},
		{"X-Amz-Expires", "0", "X-Amz-Expires must be a number between 1 and 604800."},
		{"X-Amz-Expires", "604801", "X-Amz-Expires must be a number between 1 and 604800."},
		{"X-Amz-Expires", "x", "X-Amz-Expires must be a number between 1 and 604800."},
	} {
		query := url.Values{"Action": {"ListQueues"}}
		for name, value := range good {
			query.Set(name, value)
		}
		query.Set(c.name, c.value)
		s.queryFault(s.do(httptest.NewRequest(http.MethodGet, "/?"+query.Encode(), nil)), 400, "IncompleteSignature", c.text)
	}
}

// headerRules sign the headers they name.
type headerRules []string

func (h headerRules) IsSigned(name string) bool { return slices.Contains(h, name) }

// Old clients have no X-Amz-Date; others sign a path without its dots, or a header with more blanks than it is signed with.
func TestSignaturesOfOtherClients(t *testing.T) {
	for _, c := range []struct {
		name   string
		signed headerRules
		change func(r *http.Request)
	}{
		{"Date alone", headerRules{"host", "date"}, func(r *http.Request) { r.Header.Del("X-Amz-Date") }},
		{"more blanks", headerRules{"host", "x-amz-date", "x-note"}, func(r *http.Request) { r.Header.Set("X-Note", "  a   b ") }},
		{"path with dots", headerRules{"host", "x-amz-date"}, func(r *http.Request) { r.URL.Path = "/./000000000000//q" }},
		{"content length", headerRules{"host", "x-amz-date", "content-length"}, func(r *http.Request) { r.Header.Del("Content-Length") }},
		{"header that is not there", headerRules{"host", "x-amz-date", "x-empty"}, func(r *http.Request) { r.Header.Del("X-Empty") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer(t, verifying)
			const body = "Action=GetQueueAttributes"
			r := httptest.NewRequest(http.MethodPost, "/000000000000/q", strings.NewReader(body))
			r.Header.Set("Content-Type", formType)
			r.Header.Set("Content-Length", "25")
			r.Header.Set("Date", s.clock.Now().UTC().Format(http.TimeFormat))
			r.Header.Set("X-Note", "a b")
			r.Header.Set("X-Empty", "")
			sum := sha256.Sum256([]byte(body))
			if err := signer.SignRequest(&sigv4.SignRequestInput{
				Request: r, PayloadHash: sum[:], Service: serviceName, Region: "us-east-1", Time: s.clock.Now(),
				Credentials: credentials.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: exampleSecret},
			}, func(o *v4.SignerOptions) { o.HeaderRules = c.signed }); err != nil {
				t.Fatal(err)
			}
			c.change(r)
			s.queryFault(s.do(r), 400, "AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist for this wsdl version.")
		})
	}
}

func TestHostMayAskForARegion(t *testing.T) {
	for host, want := range map[string]string{
		"sqs.eu-west-1.amazonaws.com": "eu-west-1", "eu-west-1.queue.amazonaws.com:443": "eu-west-1", "sqs.us-east-1.localhost.example:4566": "us-east-1",
		"localhost:9324": "", "sqs.localhost.example": "", "queue.amazonaws.com": "", "127.0.0.1": "", "sqs": "",
	} {
		if got := hostRegion(host); got != want {
			t.Errorf("hostRegion(%q) = %q, want %q", host, got, want)
		}
	}
}

func FuzzReadSignature(f *testing.F) {
	f.Add("AWS4-HMAC-SHA256 Credential=a/20231114/us-east-1/sqs/aws4_request, SignedHeaders=host;x-amz-date, Signature=x", "", "20231114T221320Z")
	f.Add("", "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2Fb&X-Amz-Expires=1&X-Amz-Signature=x&X-Amz-SignedHeaders=host&X-Amz-Date=x", "")
	f.Add("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/us-east-1/sqs/aws4_request, SignedHeaders=;;host;\x00, Signature=", "a=%zz", "Tue, 14 Nov 2023 22:13:20 GMT")
	f.Fuzz(func(t *testing.T, authorization, query, date string) {
		r := &http.Request{Method: http.MethodGet, Host: "h", URL: &url.URL{Path: "/", RawQuery: query}, Header: http.Header{
			"Authorization": {authorization}, "X-Amz-Date": {date},
		}}
		g, err := readSignature(r)
		if err == nil && g != nil && g.matches(r, protocols.Credential{Secret: exampleSecret}, [32]byte{}) {
			t.Errorf("%q %q %q is a good signature", authorization, query, date)
		}
	})
}
