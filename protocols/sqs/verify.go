package sqs

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/smithy-go/aws-http-auth/credentials"
	"github.com/aws/smithy-go/aws-http-auth/sigv4"
	v4 "github.com/aws/smithy-go/aws-http-auth/v4"

	"github.com/sluicemq/sluice/core"
	"github.com/sluicemq/sluice/protocols"
)

// The errors about who sends a request. Recorded are type, code and status of all but the last three, which are
// documented; of the texts those of unknownKey and badSignature, and that of an expired signature.
var (
	accessDenied        = &shape{name: "AccessDeniedException", code: "AccessDenied", status: 403, coral: true, loud: true}
	unknownKey          = general("UnrecognizedClientException", "InvalidClientTokenId", 403)
	badSignature        = general("InvalidSignatureException", "SignatureDoesNotMatch", 403)
	incompleteSignature = general("IncompleteSignatureException", "IncompleteSignature", 400)
	missingToken        = general("MissingAuthenticationTokenException", "MissingAuthenticationToken", 403)
	requestExpired      = general("RequestExpired", "RequestExpired", 400)
)

var (
	// UNVERIFIED: both texts. Recorded is that JSON has another code here than the Query protocol, whose is documented.
	errUnsigned = &fault{
		shape: accessDenied, text: "Access to the resource is denied.", query: missingToken.say("Request is missing Authentication Token"),
	}
	errUnknownKey   = unknownKey.say("The security token included in the request is invalid.")
	errBadSignature = badSignature.say("The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.")
)

// digest is the SHA-256 of a body, which signatures cover. It is not made while nobody verifies them.
func (s *service) digest(body []byte) (sum [sha256.Size]byte) {
	if s.site.Verify {
		sum = sha256.Sum256(body)
	}
	return sum
}

// verify checks who sends a request, if the site wants that, and enters user and account into the caller. A request that
// is not signed passes, and has no user.
// UNVERIFIED: the order of the checks, which is that of the errors: form, scope, clock, key, signature.
func (s *service) verify(from *caller, digest [sha256.Size]byte) error {
	if !s.site.Verify {
		return nil
	}
	g, err := readSignature(from.request)
	if g == nil || err != nil {
		return err // what is not signed is for admit
	}
	if err := g.checkScope(from.request); err != nil {
		return err
	}
	if err := s.checkClock(g); err != nil {
		return err
	}
	// UNVERIFIED: a temporary key without its token, or with another one, is a key that does not exist.
	c, known := s.site.Credentials[g.scope.key]
	if !known || !c.Admits(g.token) {
		return errUnknownKey
	}
	if !g.matches(from.request, c, digest) {
		return errBadSignature
	}
	from.user = s.users[g.scope.key]
	from.namespace = core.Namespace{Account: from.user.account, Region: g.scope.region}
	return nil
}

// checkScope tells all that is wrong with the scope, and with what is signed, in one text. Recorded: the text about the region, with the blank at
// its end. UNVERIFIED: the others, which are those of other services.
func (g *signature) checkScope(r *http.Request) error {
	var text string
	asked := hostRegion(r.Host)
	if !isRegion(g.scope.region) || asked != "" && asked != g.scope.region {
		text += "Credential should be scoped to a valid region, not '" + g.scope.region + "'. "
	}
	if g.scope.service != serviceName {
		text += "Credential should be scoped to correct service: '" + serviceName + "'. "
	}
	if g.scope.terminator != terminator {
		text += "Credential should be scoped with a valid terminator: '" + terminator + "', not '" + g.scope.terminator + "'. "
	}
	if day := g.at.UTC().Format(dayFormat); day != g.scope.day {
		text += "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '" +
			g.scope.day + "' != '" + day + "', from '" + g.at.UTC().Format(timeFormat) + "'. "
	}
	if !g.IsSigned("host") {
		text += "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization. "
	}
	if r.Header.Get(targetHeader) != "" && !g.IsSigned("x-amz-target") {
		text += "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization. "
	}
	if text != "" {
		return &fault{shape: badSignature, text: text}
	}
	return nil
}

// checkClock compares the time of signing with the engine's. Recorded: the text of a late one.
// UNVERIFIED: that of an early one, which other services have, and that of a presigned URL.
func (s *service) checkClock(g *signature) error {
	now, minutes := s.broker.Now().UTC(), strconv.Itoa(int(maxSkew.Minutes()))
	signed, shown := g.at.UTC().Format(timeFormat), now.Format(timeFormat)
	switch early, late := now.Add(maxSkew), now.Add(-maxSkew); {
	case g.at.After(early):
		return badSignature.say("Signature not yet current: %s is still later than %s (%s + %s min.)", signed, early.Format(timeFormat), shown, minutes)
	case g.lifetime > 0 && now.After(g.at.Add(g.lifetime)):
		return requestExpired.say("Request has expired.")
	case g.lifetime == 0 && g.at.Before(late):
		return badSignature.say("Signature expired: %s is now earlier than %s (%s - %s min.)", signed, late.Format(timeFormat), shown, minutes)
	}
	return nil
}

// matches signs the request again, with exactly the headers that the client has signed, and compares. Clients differ in
// whether they sign the path as it is or without its dots and empty segments.
func (g *signature) matches(r *http.Request, c protocols.Credential, digest [sha256.Size]byte) bool {
	if g.matchesPath(r, r.URL.Path, r.URL.RawPath, c, digest) {
		return true
	}
	cleaned := path.Clean(r.URL.Path)
	if strings.HasSuffix(r.URL.Path, "/") && cleaned != "/" {
		cleaned += "/"
	}
	return cleaned != r.URL.Path && g.matchesPath(r, cleaned, "", c, digest)
}

func (g *signature) matchesPath(r *http.Request, plain, raw string, c protocols.Credential, digest [sha256.Size]byte) bool {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return false // what cannot be read is not signed either
	}
	kind := v4.SignatureTypeHeader
	if g.lifetime > 0 {
		kind = v4.SignatureTypeQueryString
		query.Del("X-Amz-Signature")
	}
	again := &http.Request{
		Method: r.Method, Host: r.Host, Header: g.signedHeaders(r),
		URL: &url.URL{Path: plain, RawPath: raw, RawQuery: query.Encode()},
	}
	err = signer.SignRequest(&sigv4.SignRequestInput{
		Request:       again,
		PayloadHash:   digest[:],
		Credentials:   credentials.Credentials{AccessKeyID: g.scope.key, SecretAccessKey: c.Secret},
		Service:       g.scope.service,
		Region:        g.scope.region,
		Time:          g.at,
		SignatureType: kind,
	}, func(o *v4.SignerOptions) { o.HeaderRules = g })
	if err != nil {
		return false
	}
	_, expected, _ := strings.Cut(again.Header.Get("Authorization"), "Signature=")
	if g.lifetime > 0 {
		expected = again.URL.Query().Get("X-Amz-Signature")
	}
	return hmac.Equal([]byte(expected), []byte(g.value))
}

var signer = sigv4.New()

var _ v4.SignedHeaderRules = (*signature)(nil)

// IsSigned reports whether the client has signed a header, which is given in lower case.
func (g *signature) IsSigned(name string) bool { return slices.Contains(g.headers, name) }

// signedHeaders returns the headers that are signed, as they are signed: with single blanks, and empty where the request
// has none. net/http takes the length out of the headers of some requests.
func (g *signature) signedHeaders(r *http.Request) http.Header {
	signed := make(http.Header, len(g.headers)+2) // the signer adds two
	for _, name := range g.headers {
		values := r.Header.Values(name)
		if name == "content-length" && values == nil {
			values = []string{strconv.FormatInt(r.ContentLength, 10)}
		}
		if values == nil {
			values = []string{""}
		}
		single := make([]string, len(values))
		for i, value := range values {
			single[i] = strings.Join(strings.Fields(value), " ")
		}
		signed[http.CanonicalHeaderKey(name)] = single
	}
	return signed
}
