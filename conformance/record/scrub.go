// Package record writes real traffic down as recordings that package replay can read: Proxy takes it from live clients,
// FromHAR from the network log of a browser or a debugging proxy, and FromCassette from a cassette of go-vcr.
//
// Nothing secret is kept: credentials, signatures, tokens and account ids are gone before a byte is written. Values that
// a provider makes up become named bindings, so that the recording can be replayed as it is. What it shows, and which
// of its exchanges only prepare that, is for a person to say.
package record

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Placeholders for what identifies people. They have the length of the real thing.
const (
	amazonAccount  = "123456789012"
	alibabaAccount = "1234567890123456"
)

// secretHeaders never get into a recording; neither do those that say nothing about a provider.
var secretHeaders = []string{
	"Authorization", "Cookie", "Set-Cookie", "Proxy-Authorization", "X-Amz-Security-Token", "Security-Token",
	"X-Amz-Date", "Date", "X-Amz-Content-Sha256", "Content-Md5", "Content-Length", "Connection", "Host", "User-Agent",
	"Accept", "Accept-Encoding", "Amz-Sdk-Invocation-Id", "Amz-Sdk-Request", "X-Forwarded-For", "X-Amz-User-Agent",
	"Traceparent", "Tracestate", "Baggage", "X-Amzn-Trace-Id", "Keep-Alive", "Transfer-Encoding", "Proxy-Connection",
	"X-Mns-Netty-Total-Time", "X-Mns-Threadpool-Wait-Time",
}

func secret(header string) bool {
	return slices.Contains(secretHeaders, http.CanonicalHeaderKey(header)) || strings.HasPrefix(header, ":")
}

var (
	// Signed URLs and the forms of signature version 2 carry all of this as parameters.
	secretParameter = regexp.MustCompile(`(?i)(^|[?&])(?:AWSAccessKeyId|AccessKeyId|OSSAccessKeyId|Signature|SignatureMethod|SignatureVersion|SecurityToken|X-Amz-(?:Algorithm|Credential|Date|Expires|SignedHeaders|Signature|Security-Token)|Expires|Timestamp)=[^&\s]*`)

	// Documented: ids of IAM begin with four letters for their kind; those of Alibaba Cloud's keys with LTAI.
	identity = regexp.MustCompile(`\b(A(?:KIA|SIA|IDA|ROA|GPA|NPA|NVA|IPA))[A-Z0-9]{12,}\b`)
	key      = regexp.MustCompile(`\bLTAI[A-Za-z0-9]{8,}\b`)
	session  = regexp.MustCompile(`(AROAEXAMPLE[A-Z0-9]*):[^"<&\s]+`)

	amazonIDs  = regexp.MustCompile(`(?:arn(?::|%3[Aa])aws[a-z-]*(?::|%3[Aa])[a-z0-9-]*(?::|%3[Aa])[a-z0-9-]*(?::|%3[Aa])|//[^/\s"<]+/|%2[Ff]%2[Ff][^&\s]+?%2[Ff]|/queue/|^/|AWSAccountIds?(?:\.[0-9]+)?(?:"\s*:\s*\[?\s*"|=)|(?:\s)/)([0-9]{12})\b`)
	alibabaIDs = regexp.MustCompile(`([0-9]{14,20})\.mns\.|acs:mns:[a-z0-9-]*:([0-9]{14,20})|<TopicOwner>([0-9]+)|"TopicOwner":"([0-9]+)`)
)

// scrubber replaces what identifies people. It remembers the account ids it has met, as they stand elsewhere as well.
type scrubber struct{ accounts map[string]string }

// learn notes the account ids in a text.
func (s *scrubber) learn(text string) {
	for _, m := range amazonIDs.FindAllStringSubmatch(text, -1) {
		if m[1] != "000000000000" {
			s.accounts[m[1]] = amazonAccount
		}
	}
	for _, m := range alibabaIDs.FindAllStringSubmatch(text, -1) {
		s.accounts[strings.Join(m[1:], "")] = alibabaAccount
	}
}

// clean returns a text without what is secret. What learn was not told of first cannot be known.
func (s *scrubber) clean(text string) string {
	text = secretParameter.ReplaceAllString(text, "$1")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "?&", "?"), "&&", "&")
	text = identity.ReplaceAllStringFunc(text, func(id string) string {
		return id[:4] + ("EXAMPLEEXAMPLE012EXAMPLEEXAMPLEEXAMPLE" + strings.Repeat("0", len(id)))[:len(id)-4]
	})
	text = key.ReplaceAllString(text, "LTAIEXAMPLE")
	text = session.ReplaceAllString(text, "$1:someone@example.com")
	for id, neutral := range s.accounts {
		text = strings.ReplaceAll(text, id, neutral)
	}
	return text
}
