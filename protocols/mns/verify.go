package mns

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/sluicemq/sluice/protocols"
)

// maxSkew is how far the date of a request may be from the service's time. Documented.
const maxSkew = 15 * time.Minute

// Documented, where not said otherwise.
var (
	// UNVERIFIED: of the errors of the version only the codes are known.
	errNoVersion  = &fault{http.StatusBadRequest, "MissingVersionHeader", "x-mns-version header is required."}
	errBadVersion = &fault{http.StatusBadRequest, "InvalidVersionHeader", "The x-mns-version header is invalid."}

	errNoDate           = &fault{http.StatusBadRequest, "MissingDateHeader", "Date header is required."}
	errBadDate          = &fault{http.StatusBadRequest, "InvalidDateHeader", "The Date header format is invalid."}
	errNoAuthorization  = &fault{http.StatusBadRequest, "MissingAuthorizationHeader", "Authorization header is required."}
	errBadAuthorization = &fault{http.StatusBadRequest, "InvalidAuthorizationHeader", "The Authorization header format is invalid."}
	errExpired          = &fault{http.StatusRequestTimeout, "TimeExpired", "The http request you sent is expired."}
	// Asserted by the live test of the Node.js client; the reference page has another text.
	errUnknownKey   = &fault{http.StatusForbidden, "InvalidAccessKeyId", "The access Id you provided does not exist."}
	errBadSignature = &fault{
		http.StatusForbidden, "SignatureDoesNotMatch",
		"The request signature we calculated does not match the signature you provided. Check your key and signing method.",
	}
	errAccessDenied = &fault{
		http.StatusForbidden, "AccessDenied",
		"The OwnerId that your Access Key Id associated to is forbidden for this operation.",
	}
	errBadDigest = &fault{http.StatusBadRequest, "InvalidDegist", "The Content-MD5 you specified is invalid."}
)

// verify checks who sends a request and returns what belongs to the key. The order of the checks within is the order
// of the errors: version, date and authorization headers, clock, key, signature.
// UNVERIFIED: but that the key comes before the account, which a live test asserts, the order is a guess.
func (d *dialect) verify(r *http.Request) (protocols.Credential, error) {
	var none protocols.Credential
	if err := d.checkVersion(r); err != nil {
		return none, err
	}
	s := &signable{method: r.Method, resource: resourceOf(r), header: r.Header}
	at, err := s.readDate()
	if err != nil {
		return none, err
	}
	a, err := readAuthorization(r)
	if err != nil {
		return none, err
	}
	if d.broker.Now().Sub(at).Abs() > maxSkew {
		return none, errExpired
	}
	// UNVERIFIED: a temporary key without its token, or with another one, is a key that does not exist.
	c, known := d.site.Credentials[a.keyID]
	if !known || !c.Admits(r.Header.Get("Security-Token")) {
		return none, errUnknownKey
	}
	if !a.matches(s, c.Secret, at) {
		return none, errBadSignature
	}
	return c, nil
}

func (d *dialect) checkVersion(r *http.Request) error {
	switch r.Header.Get("X-Mns-Version") {
	case d.version[0]:
		return nil
	case "":
		return errNoVersion
	}
	return errBadVersion
}

// readDate returns the time at which a request says that it was made. x-mns-date is for clients that cannot set Date
// and takes its place also in what is signed. Documented.
func (s *signable) readDate() (time.Time, error) {
	s.date = s.header.Get("X-Mns-Date")
	if s.date == "" {
		s.date = s.header.Get("Date")
	}
	if s.date == "" {
		return time.Time{}, errNoDate
	}
	at, err := time.Parse(http.TimeFormat, s.date)
	if err != nil {
		return time.Time{}, errBadDate
	}
	return at, nil
}

func readAuthorization(r *http.Request) (authorization, error) {
	header := r.Header.Get("Authorization")
	if header == "" {
		return authorization{}, errNoAuthorization
	}
	a, ok := parseAuthorization(header)
	if !ok {
		return authorization{}, errBadAuthorization
	}
	return a, nil
}

// resourceOf returns path and query as they were sent, also of a request that was sent as to a proxy.
func resourceOf(r *http.Request) string {
	if strings.HasPrefix(r.RequestURI, "/") {
		return r.RequestURI
	}
	_, rest, absolute := strings.Cut(r.RequestURI, "://")
	if !absolute {
		return r.URL.RequestURI() // made by a program, not read from a connection
	}
	if at := strings.IndexAny(rest, "/?"); at >= 0 && rest[at] == '/' {
		return rest[at:]
	}
	return r.URL.RequestURI()
}

// checkDigest checks the Content-MD5 of a body, if there is one. The clients for Go, Python and Node.js encode the
// hexadecimal digits of the digest, as the reference page does, others its bytes; the service takes both.
func checkDigest(r *http.Request, body []byte) error {
	header := r.Header.Get("Content-Md5")
	if header == "" {
		return nil
	}
	given, err := base64.StdEncoding.DecodeString(header)
	sum := md5.Sum(body)
	if err != nil || !bytes.Equal(given, sum[:]) && !strings.EqualFold(string(given), hex.EncodeToString(sum[:])) {
		return errBadDigest
	}
	return nil
}
