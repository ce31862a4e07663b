package replay

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/smithy-go/aws-http-auth/credentials"
	"github.com/aws/smithy-go/aws-http-auth/sigv4"
)

// Key is what requests are signed with.
type Key struct {
	ID, Secret string
	Token      string // of a temporary key; empty: the key is permanent
}

// AnyKey is for servers that accept every key.
var AnyKey = Key{ID: "test", Secret: "test"}

const (
	amazonTime = "20060102T150405Z"
	amazonDay  = "20060102"
)

var amazonSigner = sigv4.New()

// signAmazon signs with version 4, for the time in the request's X-Amz-Date.
func signAmazon(r *http.Request, body string, k Key, region string, now time.Time) error {
	at, err := time.Parse(amazonTime, r.Header.Get("X-Amz-Date"))
	if err != nil {
		at = now
	}
	// The signer writes the query in its own way. What is sent has to stay as it was written down.
	signed := r.Clone(r.Context())
	signed.Host = cmp.Or(r.Host, r.URL.Host)
	digest := sha256.Sum256([]byte(body))
	err = amazonSigner.SignRequest(&sigv4.SignRequestInput{
		Request: signed, PayloadHash: digest[:], Time: at, Service: "sqs", Region: region,
		Credentials: credentials.Credentials{AccessKeyID: k.ID, SecretAccessKey: k.Secret, SessionToken: k.Token},
	})
	if err != nil {
		return err
	}
	for _, name := range []string{"Authorization", "X-Amz-Date", "X-Amz-Security-Token"} {
		if v := signed.Header.Values(name); len(v) > 0 {
			r.Header[name] = v
		}
	}
	return nil
}

// alibabaJSON is the version whose clients speak JSON and sign with version 4 only; all others sign with version 2 here.
const alibabaJSON = "2026-04-09"

func signAlibaba(r *http.Request, k Key, region string, now time.Time) {
	if k.Token != "" {
		r.Header.Set("Security-Token", k.Token)
	}
	date := cmp.Or(r.Header.Get("X-Mns-Date"), r.Header.Get("Date"))
	if r.Header.Get("X-Mns-Version") != alibabaJSON {
		r.Header.Set("Authorization", "MNS "+k.ID+":"+alibabaV2(r, k.Secret, date))
		return
	}
	at, err := time.Parse(http.TimeFormat, date)
	if err != nil {
		at = now
	}
	scope := at.UTC().Format(amazonDay) + "/" + region + "/mns/aliyun_v4_request"
	r.Header.Set("Authorization", "MNS4-HMAC-SHA256 Credential="+k.ID+"/"+scope+",Signature="+alibabaV4(r, k.Secret, scope, at))
}

// alibabaV2 is version 2 of the signature, over what is sent as it is. Documented.
func alibabaV2(r *http.Request, secret, date string) string {
	h := hmac.New(sha1.New, []byte(secret))
	h.Write([]byte(r.Method + "\n" + r.Header.Get("Content-Md5") + "\n" + r.Header.Get("Content-Type") + "\n" + date + "\n" +
		alibabaHeaders(r.Header, false) + r.URL.RequestURI()))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// alibabaV4 is version 4 of the signature, as two of the provider's clients make it. It is not documented.
func alibabaV4(r *http.Request, secret, scope string, at time.Time) string {
	key := []byte("aliyun_v4" + secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = hmacSHA256(key, part)
	}
	segments := strings.Split(r.URL.EscapedPath(), "/")
	for i, s := range segments {
		segments[i] = alibabaEscape(s)
	}
	return hex.EncodeToString(hmacSHA256(key, strings.Join([]string{
		"MNS4-HMAC-SHA256", at.UTC().Format(amazonTime), scope,
		r.Method, strings.Join(segments, "/"), alibabaQuery(r.URL.RawQuery), alibabaHeaders(r.Header, true), "",
	}, "\n")))
}

func hmacSHA256(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// alibabaHeaders are the headers that are signed, a line each; those of the content are among them in version 4 only.
func alibabaHeaders(all http.Header, content bool) string {
	lines := make(map[string]string)
	for name, values := range all {
		name = strings.ToLower(name)
		if strings.HasPrefix(name, "x-mns-") || content && (name == "content-type" || name == "content-md5") {
			lines[name] = name + ":" + strings.TrimSpace(strings.Join(values, ",")) + "\n"
		}
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		out.WriteString(lines[name])
	}
	return out.String()
}

func alibabaQuery(raw string) string {
	type pair struct{ name, value string }
	var pairs []pair
	for part := range strings.SplitSeq(raw, "&") {
		if name, value, _ := strings.Cut(part, "="); part != "" {
			pairs = append(pairs, pair{strings.ToLower(alibabaEscape(strings.TrimSpace(name))), alibabaEscape(strings.TrimSpace(value))})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.name, b.name) })
	texts := make([]string, len(pairs))
	for i, p := range pairs {
		if texts[i] = p.name; p.value != "" {
			texts[i] += "=" + p.value
		}
	}
	return strings.Join(texts, "&")
}

// alibabaEscape writes what is on the wire in the one way in which it is signed.
func alibabaEscape(onWire string) string {
	plain, err := url.PathUnescape(onWire)
	if err != nil {
		plain = onWire
	}
	return strings.ReplaceAll(url.QueryEscape(plain), "+", "%20")
}
