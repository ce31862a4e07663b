package mns

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/protocols"
)

const homeAccount = "1234567890123456"

// verifying turns signatures on, with a permanent key, a temporary one and one of another account.
func verifying(site *protocols.Site) {
	site.Verify = true
	site.Credentials = map[string]protocols.Credential{
		"emulator-ak": {Secret: emulatorSecret},
		"temporary":   {Secret: "t", Account: homeAccount, SessionToken: "token"},
		"stranger":    {Secret: "s", Account: "42"},
	}
}

// signedLab verifies signatures, and its clock shows emulatorDate.
func signedLab(t *testing.T) *lab {
	t.Helper()
	l := newLab(t, verifying)
	l.clock.Advance(time.Date(2026, 11, 6, 8, 0, 0, 0, time.UTC).Sub(labTime))
	return l
}

// signed returns headers for a request with the signature of a key in version 2. More headers follow as name, value.
func signed(keyID, secret, method, target string, more ...string) []string {
	all := append([]string{"x-mns-version", "2015-06-06", "Date", emulatorDate}, more...)
	h := headers(all...)
	date := h.Get("Date")
	if other := h.Get("x-mns-date"); other != "" {
		date = other
	}
	s := &signable{method: method, resource: target, header: h, date: date}
	return append(all, "Authorization", "MNS "+keyID+":"+signV2(s, secret))
}

func TestWorkedExamplesAreAccepted(t *testing.T) {
	xml := []string{"Date", emulatorDate, "Content-Type", "text/xml;charset=UTF-8", "x-mns-version", "2015-06-06"}
	const scope = "MNS4-HMAC-SHA256 Credential=emulator-ak/20261106/cn-hangzhou/mns/aliyun_v4_request,Signature="
	for _, c := range []struct {
		name, method, target, body, authorization string
		more                                      []string
		status                                    int
	}{
		{"send", "POST", "/queues/demo-queue/messages", emulatorBody, "MNS emulator-ak:Trhs5A4vIJ1ujvcORiurjWlXXE0=", nil, 201},
		{"send, digest of Go", "POST", "/queues/demo-queue/messages", emulatorBody, "MNS emulator-ak:8icMI8jgeOeLGKU+uTnTPwfnw74=", []string{"Content-MD5", hexDigest}, 201},
		{"send, digest of RFC 1864", "POST", "/queues/demo-queue/messages", emulatorBody, "MNS emulator-ak:Sso1O/kRExnZZb7tL9r3rylR+aI=", []string{"Content-MD5", rawDigest}, 201},
		{"delete", "DELETE", "/queues/demo-queue/messages?ReceiptHandle=1-ODU4OTkzNDU5My0xNDQ1OTk4Mjc5LTEtOA==", "", "MNS emulator-ak:wvXQfn8Aregde6GKymW1doiX6ac=", nil, 400}, // ReceiptHandleError
		{"list", "GET", "/queues", "", "MNS emulator-ak:0NYlvWxQxDO8ykd9D+Bpm8pae9U=", []string{"x-mns-prefix", "demo", "x-mns-ret-number", "10", "x-mns-with-meta", "true"}, 200},
		{"receive, version 4", "GET", "/queues/demo-queue/messages?waitseconds=10&numOfMessages=16", "", scope + "5c9f03ae0fc8293113d52176c7c0cec3d26f7cbbfc330201d956e3c3a73d0d13", nil, 200},
		{"delete, version 4", "DELETE", "/queues/demo-queue/messages?ReceiptHandle=1-ODU4OTkzNDU5My0xNDQ1OTk4Mjc5LTEtOA==", "", scope + "2167fdff8981241da2feb891adbbde85f4f935a9b0f11ea9bb3d36d4de3f767d", nil, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := signedLab(t)
			l.do("PUT", "/queues/demo-queue", "", signed("emulator-ak", emulatorSecret, "PUT", "/queues/demo-queue")...).want(201)
			send := signed("emulator-ak", emulatorSecret, "POST", "/queues/demo-queue/messages")
			l.do("POST", "/queues/demo-queue/messages", message("x"), send...).want(201)
			a := l.do(c.method, c.target, c.body, append(append(xml[:6:6], c.more...), "Authorization", c.authorization)...).want(c.status)
			if c.status == 400 && a.text("Code") != "ReceiptHandleError" {
				t.Errorf("%s = %s", c.target, a.body)
			}
		})
	}
}

// refusals are in the order of the checks: each request has the faults of all that follow as well.
var refusals = []struct {
	name, target string
	drop         []string
	set          []string
	status       int
	code, text   string
}{
	{"path", "/queues/q/other", nil, nil, 400, "InvalidRequestURL", "Http request URL format invalid."},
	{"query", "/queues/q?x=1", nil, nil, 400, "InvalidQueryString", `Http request URL contains invalid querystring item "x".`},
	{"no version", "", []string{"X-Mns-Version"}, nil, 400, "MissingVersionHeader", "x-mns-version header is required."},
	{"other version", "", nil, []string{"X-Mns-Version", "2014-07-08"}, 400, "InvalidVersionHeader", "The x-mns-version header is invalid."},
	{"no date", "", []string{"Date"}, nil, 400, "MissingDateHeader", "Date header is required."},
	{"no such date", "", nil, []string{"Date", "2026-11-06T08:00:00Z"}, 400, "InvalidDateHeader", "The Date header format is invalid."},
	{"date of another zone", "", nil, []string{"Date", "Fri, 06 Nov 2026 08:00:00 CST"}, 400, "InvalidDateHeader", "The Date header format is invalid."},
	{"no authorization", "", []string{"Authorization"}, nil, 400, "MissingAuthorizationHeader", "Authorization header is required."},
	{"no such authorization", "", nil, []string{"Authorization", "Basic x"}, 400, "InvalidAuthorizationHeader", "The Authorization header format is invalid."},
	{"too late", "", nil, []string{"Date", "Fri, 06 Nov 2026 08:15:01 GMT"}, 408, "TimeExpired", "The http request you sent is expired."},
	{"too early", "", nil, []string{"Date", "Fri, 06 Nov 2026 07:44:59 GMT"}, 408, "TimeExpired", "The http request you sent is expired."},
	{"x-mns-date too early", "", nil, []string{"X-Mns-Date", "Fri, 06 Nov 2026 07:44:59 GMT"}, 408, "TimeExpired", "The http request you sent is expired."},
	{"unknown key", "", nil, []string{"Authorization", "MNS none:x"}, 403, "InvalidAccessKeyId", "The access Id you provided does not exist."},
	{"temporary key without token", "", nil, []string{"Authorization", "MNS temporary:x"}, 403, "InvalidAccessKeyId", "The access Id you provided does not exist."},
	{
		"other signature", "", nil, nil, 403, "SignatureDoesNotMatch",
		"The request signature we calculated does not match the signature you provided. Check your key and signing method.",
	},
}

func TestRequestsAreRefusedInTheOrderOfTheChecks(t *testing.T) {
	l := signedLab(t)
	const body = "<not XML"
	for _, c := range refusals {
		target := c.target
		if target == "" {
			target = "/queues/q"
		}
		h := headers("x-mns-version", "2015-06-06", "Date", emulatorDate, "Authorization", "MNS stranger:x", "Content-MD5", "x")
		for _, name := range c.drop {
			h.Del(name)
		}
		for i := 0; i < len(c.set); i += 2 {
			h.Set(c.set[i], c.set[i+1])
		}
		var pairs []string
		for name := range h {
			pairs = append(pairs, name, h.Get(name))
		}
		t.Run(c.name, func(t *testing.T) {
			a := l.do("PUT", target, body, pairs...)
			a.t = t
			a.wantError(c.status, c.code, c.text)
		})
	}
	l.do("PUT", "/queues/q", body, signed("stranger", "s", "PUT", "/queues/q", "Content-MD5", "x")...).
		wantError(403, "AccessDenied", "The OwnerId that your Access Key Id associated to is forbidden for this operation.")
	l.do("PUT", "/queues/q", body, signed("emulator-ak", emulatorSecret, "PUT", "/queues/q", "Content-MD5", "x")...).
		wantError(400, "InvalidDegist", "The Content-MD5 you specified is invalid.")
	l.do("PUT", "/queues/q", body, signed("emulator-ak", emulatorSecret, "PUT", "/queues/q")...).wantError(400, "MalformedXML", malformed)
}

func TestSignatureCoversTheRequest(t *testing.T) {
	l := signedLab(t)
	l.do("PUT", "/queues/q", "", signed("emulator-ak", emulatorSecret, "PUT", "/queues/q")...).want(201)
	for _, c := range []struct{ name, method, target, header, value string }{
		{"method", "DELETE", "/queues/q", "", ""},
		{"path", "GET", "/queues/r", "", ""},
		{"query", "GET", "/queues/q?metaoverride=true", "", ""},
		{"type", "GET", "/queues/q", "Content-Type", "text/xml"},
		{"own header", "GET", "/queues/q", "x-mns-prefix", "p"},
		{"date", "GET", "/queues/q", "Date", "Fri, 06 Nov 2026 08:00:01 GMT"},
	} {
		h := signed("emulator-ak", emulatorSecret, "GET", "/queues/q")
		if c.header != "" {
			h = append(h, c.header, c.value)
		}
		if a := l.do(c.method, c.target, "", h...).want(403); a.text("Code") != "SignatureDoesNotMatch" {
			t.Errorf("another %s: %s", c.name, a.body)
		}
	}
}

func TestClockMayDifferByFifteenMinutes(t *testing.T) {
	l := signedLab(t)
	for _, date := range []string{"Fri, 06 Nov 2026 08:15:00 GMT", "Fri, 06 Nov 2026 07:45:00 GMT"} {
		l.do("GET", "/queues", "", signed("emulator-ak", emulatorSecret, "GET", "/queues", "Date", date)...).want(200)
	}
	// The header that browsers can set wins, in the check of the clock and in what is signed.
	l.do("GET", "/queues", "", signed("emulator-ak", emulatorSecret, "GET", "/queues", "Date", "Fri, 06 Nov 2026 09:00:00 GMT", "x-mns-date", emulatorDate)...).want(200)
}

func TestTemporaryKeyNeedsItsToken(t *testing.T) {
	l := signedLab(t)
	l.do("GET", "/queues", "", signed("temporary", "t", "GET", "/queues", "Security-Token", "token")...).want(200)
	for _, token := range []string{"", "tokem", "token2"} {
		l.do("GET", "/queues", "", signed("temporary", "t", "GET", "/queues", "Security-Token", token)...).
			wantError(403, "InvalidAccessKeyId", "The access Id you provided does not exist.")
	}
}

func TestVersion4SignatureIsGoodForOneDayOnly(t *testing.T) {
	l := signedLab(t)
	s := &signable{method: "GET", resource: "/queues", header: headers("x-mns-version", "2015-06-06")}
	at := time.Date(2026, 11, 6, 8, 0, 0, 0, time.UTC)
	signature := schemes[0].signV4(s, emulatorSecret, "r", at)
	get := func(day string) *answer {
		return l.do("GET", "/queues", "", "x-mns-version", "2015-06-06", "Date", emulatorDate,
			"Authorization", "MNS4-HMAC-SHA256 Credential=emulator-ak/"+day+"/r/mns/aliyun_v4_request,Signature="+signature)
	}
	get("20261106").want(200)
	if code := get("20261105").want(403).text("Code"); code != "SignatureDoesNotMatch" {
		t.Errorf("Code = %s, want SignatureDoesNotMatch", code)
	}
}

func TestHostWithoutAccountMeansThatOfTheKey(t *testing.T) {
	l := signedLab(t)
	put := signed("stranger", "s", "PUT", "/queues/q")
	l.do("PUT", "/queues/q", "", append(put, "Host", "localhost:9324")...).want(201)
	get := signed("stranger", "s", "GET", "/queues/q")
	l.do("GET", "/queues/q", "", append(get, "Host", "42.mns.cn-hangzhou.mns.localhost")...).want(200)
	l.do("GET", "/queues/q", "", signed("emulator-ak", emulatorSecret, "GET", "/queues/q")...).
		wantError(404, "QueueNotExist", noQueue)
}

func TestBodyThatIsTooLongIsRefusedAfterTheSignature(t *testing.T) {
	l := signedLab(t)
	long := strings.Repeat("x", maxRequest+1)
	l.do("PUT", "/queues/q", long).wantError(400, "MissingVersionHeader", "x-mns-version header is required.")
	l.do("PUT", "/queues/q", long, signed("emulator-ak", emulatorSecret, "PUT", "/queues/q")...).
		wantError(400, "InvalidArgument", "The value of MessageBody should between 1 and 65536 bytes.")
}

func TestSignaturesAreAcceptedUnreadByDefault(t *testing.T) {
	l := newLab(t, func(s *protocols.Site) { s.Credentials = map[string]protocols.Credential{"ak": {Secret: "x"}} })
	l.do("GET", "/queues", "", "Authorization", "MNS nobody:x", "Date", "never", "Content-MD5", "x").want(200)
	l.do("GET", "/queues", "").want(200)
}

func TestDigestsInBothEncodings(t *testing.T) {
	body := []byte("hello")
	sum := md5.Sum(body)
	digits := hex.EncodeToString(sum[:])
	for header, good := range map[string]bool{
		"": true,
		base64.StdEncoding.EncodeToString(sum[:]):                          true,
		base64.StdEncoding.EncodeToString([]byte(digits)):                  true,
		base64.StdEncoding.EncodeToString([]byte(strings.ToUpper(digits))): true,
		digits:              false,
		"!":                 false,
		"AAAA":              false,
		hexDigest:           false,
		rawDigest[:3] + "=": false,
	} {
		r := httptest.NewRequest("POST", "/", nil)
		r.Header.Set("Content-MD5", header)
		if err := checkDigest(r, body); (err == nil) != good {
			t.Errorf("checkDigest(%q) = %v, want an error: %v", header, err, !good)
		}
	}
}

func TestResourceIsWhatWasSent(t *testing.T) {
	for uri, want := range map[string]string{
		"/queues/a%2Fb?ReceiptHandle=a+b/==": "/queues/a%2Fb?ReceiptHandle=a+b/==",
		"http://host/queues?x=%20":           "/queues?x=%20",
		"http://host":                        "/queues",
		"http://host?a=/b":                   "/queues",
		"":                                   "/queues",
	} {
		r := httptest.NewRequest("GET", "/queues", nil)
		r.RequestURI = uri
		if got := resourceOf(r); got != want {
			t.Errorf("resourceOf(%q) = %q, want %q", uri, got, want)
		}
	}
}
