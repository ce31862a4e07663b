// Package record writes real traffic down as recordings that package replay can read: Proxy takes it from live clients,
// FromHAR from the network log of a browser or a debugging proxy, and FromCassette from a cassette of go-vcr.
//
// Nothing secret is kept: credentials, signatures, tokens and account ids are gone before a byte is written, and of the
// headers only those are kept that are known to be harmless. What messages say is kept as it is. Values that a provider
// makes up become named bindings, so that the recording can be replayed as it is. What it shows, and which of its
// exchanges only prepare that, is for a person to say.
package record

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/sluicemq/sluice/conformance/replay"
)

// harmless are the headers that get into a recording; those that begin with x-mns- do so as well. All others may carry a
// secret or say nothing about a provider.
var harmless = []string{
	"content-type", "location", "x-amz-target", "x-amzn-query-mode", "x-amzn-requestid", "x-amzn-query-error", "x-amzn-errortype",
}

// measured are headers of MNS that are another value each time and say nothing.
var measured = []string{"x-mns-date", "x-mns-netty-total-time", "x-mns-threadpool-wait-time"}

func kept(header string) bool {
	name := strings.ToLower(header)
	return slices.Contains(harmless, name) || strings.HasPrefix(name, "x-mns-") && !slices.Contains(measured, name)
}

const (
	colon = `(?::|%3[Aa])`
	slash = `(?:/|%2[Ff])`
)

var (
	// Signed URLs and the forms of signature version 2 carry all of this as parameters.
	secretParameter = replay.Pattern(`(?i)^(?:AWSAccessKeyId|AccessKeyId|OSSAccessKeyId|Signature|SignatureMethod|SignatureVersion|SignatureNonce|SecurityToken|X-Amz-(?:Algorithm|Credential|Date|Expires|SignedHeaders|Signature|Security-Token)|Expires|Timestamp)=`)

	// Texts of errors repeat what was signed, with all that it was signed with.
	secretWords = replay.Pattern(`(?i)((?:Credential|Signature|X-Amz-Credential|X-Amz-Signature|X-Amz-Security-Token|security-token|SecretAccessKey|SessionToken|AccessKeySecret)(?:=|:|%3D|%3A|>|"\s*:\s*")\s*)[^\s,&"'<>\\]+`)

	// Documented: ids of IAM begin with four letters for their kind; those of Alibaba Cloud's keys with LTAI or STS.
	identity = replay.Pattern(`\b(A(?:KIA|SIA|IDA|ROA|GPA|NPA|NVA|IPA|NPA|BIA|CCA))[A-Z0-9]{12,}\b`)
	key      = replay.Pattern(`\bLTAI[A-Za-z0-9]{8,}\b|\bSTS\.[A-Za-z0-9]{8,}\b`)
	session  = replay.Pattern(`(AROAEXAMPLE[A-Z0-9]*):[^"<&\s\\]+`)
	person   = replay.Pattern(`(` + colon + `(?:assumed-role|user|federated-user|role)` + slash + `)[^\s"<>&\\,]+`)

	// The first bytes of all session tokens of a provider are the same.
	sessionToken = replay.Pattern(`\b(?:FwoGZXIvYXdz|FQoGZXIvYXdz|IQoJb3JpZ2lu|AQoDYXdz|CAIS)[A-Za-z0-9+/=%]{16,}`)

	region = replay.Pattern(`(arn` + colon + `aws[a-z-]*` + colon + `sqs` + colon + `)([a-z0-9-]+)(` + colon + `)`)

	amazonIDs = replay.Pattern(`(?:arn` + colon + `aws[a-z-]*` + colon + `[a-z0-9-]*` + colon + `[a-z0-9-]*` + colon +
		`|` + slash + `|(?:"|\\"|%22|>)|AWSAccountIds?(?:\.member)?(?:\.[0-9]+)?=)([0-9]{12})(?:[^0-9]|$)`)
	alibabaIDs = replay.Pattern(`([0-9]{14,20})\.mns\.|acs` + colon + `(?:mns|ram)` + colon + `[a-z0-9-]*` + colon + `([0-9]{14,20})|<TopicOwner>([0-9]+)|"TopicOwner":"([0-9]+)|<AccountId>([0-9]+)`)
)

// scrubber replaces what identifies people. It remembers the account ids and the secrets that it has met, as they can
// stand elsewhere as well. The first account of a session is the one that works; the others get numbers.
type scrubber struct {
	accounts map[string]string
	secrets  []string
}

const ownAccount = "{{account}}"

func (s *scrubber) account(id string) {
	if s.accounts == nil {
		s.accounts = make(map[string]string)
	}
	if s.accounts[id] == "" {
		s.accounts[id] = ownAccount
		if n := len(s.accounts); n > 1 {
			s.accounts[id] = fmt.Sprintf("%0*d", len(id), n-1)
		}
	}
}

// learn notes the account ids in a text.
func (s *scrubber) learn(text string) {
	for _, m := range alibabaIDs().FindAllStringSubmatch(text, -1) {
		s.account(strings.Join(m[1:], ""))
	}
	for _, m := range amazonIDs().FindAllStringSubmatch(text, -1) {
		s.account(m[1])
	}
}

// words are the parts of the value of a header that carries a secret.
var words = replay.Pattern(`[^\s,;:="]+=*`)

// learnSecrets notes what stands in a header that does not get into the recording, and could be repeated elsewhere.
func (s *scrubber) learnSecrets(h replay.Header) {
	const shortest = 12 // what is shorter is found where it is not meant
	switch strings.ToLower(h.Name) {
	case "authorization", "proxy-authorization", "cookie", "set-cookie", "x-amz-security-token", "security-token", "x-acs-security-token",
		"x-acs-bearer-token", "x-api-key", "x-amz-access-token":
	default:
		return
	}
	for _, w := range append(words().FindAllString(h.Value, -1), h.Value) {
		id, _, _ := strings.Cut(w, "/") // of a credential and its scope
		for _, secret := range []string{w, id} {
			if len(secret) >= shortest && !strings.HasPrefix(secret, "AWS4-HMAC") && secret != "SignedHeaders" && !slices.Contains(s.secrets, secret) {
				s.secrets = append(s.secrets, secret)
			}
		}
	}
	slices.SortStableFunc(s.secrets, func(a, b string) int { return len(b) - len(a) })
}

// clean returns a text without what is secret. What learn was not told of first cannot be known.
func (s *scrubber) clean(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, "removed")
		text = strings.ReplaceAll(text, url.QueryEscape(secret), "removed")
	}
	text = secretWords().ReplaceAllString(text, "${1}removed")
	text = identity().ReplaceAllStringFunc(text, func(id string) string {
		return id[:4] + ("EXAMPLEEXAMPLE012EXAMPLEEXAMPLEEXAMPLE" + strings.Repeat("0", len(id)))[:len(id)-4]
	})
	text = key().ReplaceAllString(text, "LTAIEXAMPLE")
	text = sessionToken().ReplaceAllString(text, "removed")
	text = session().ReplaceAllString(text, "$1:someone@example.com")
	text = person().ReplaceAllString(text, "${1}someone")
	text = region().ReplaceAllString(text, "${1}{{region}}${3}")
	for id, neutral := range s.accounts {
		text = strings.ReplaceAll(text, id, neutral)
	}
	return text
}

// withoutSecrets leaves out parameters, of a form or of the query of a path.
func withoutSecrets(form string) string {
	parts := strings.Split(form, "&")
	left := slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return secretParameter().MatchString(p) })
	if len(left) == len(parts) {
		return form
	}
	return strings.Join(left, "&")
}

func pathWithoutSecrets(path string) string {
	before, query, ok := strings.Cut(path, "?")
	if left := withoutSecrets(query); ok && left != "" {
		return before + "?" + left
	}
	if query == "" {
		return path
	}
	return before
}
