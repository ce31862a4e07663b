package mns

import (
	"crypto/hmac"
	"strings"
	"time"
)

// authorization is an Authorization header, as far as one can tell without knowing the key.
type authorization struct {
	keyID, signature string
	scheme           *scheme // of version 4; nil: version 2
	day, region      string  // version 4: what the signature is said to be good for
}

// parseAuthorization reads the header of either version and reports whether it is one.
func parseAuthorization(header string) (authorization, bool) {
	algorithm, rest, _ := strings.Cut(header, " ")
	if algorithm == "MNS" {
		keyID, signature, _ := strings.Cut(rest, ":")
		return authorization{keyID: keyID, signature: signature}, keyID != "" && signature != ""
	}
	for i := range schemes {
		if schemes[i].algorithm == algorithm {
			return schemes[i].parse(rest)
		}
	}
	return authorization{}, false
}

// parse reads Credential={key}/{day}/{region}/mns/{ending},Signature={hex}. Clients send the two in this order and
// without white space; others are understood as well.
func (c *scheme) parse(text string) (authorization, bool) {
	a := authorization{scheme: c}
	var credential string
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case name == "Credential" && credential == "":
			credential = value
		case name == "Signature" && a.signature == "":
			a.signature = value
		default:
			return a, false
		}
	}
	scope := strings.Split(credential, "/")
	if len(scope) != 5 || scope[3] != scopeService || scope[4] != c.ending {
		return a, false
	}
	a.keyID, a.day, a.region = scope[0], scope[1], scope[2]
	return a, a.keyID != "" && a.day != "" && a.region != "" && a.signature != ""
}

// matches reports whether the signature is that of the request under the secret. It takes as long for a signature that
// is nearly right as for any other.
func (a *authorization) matches(s *signable, secret string, at time.Time) bool {
	if a.scheme == nil {
		return hmac.Equal([]byte(a.signature), []byte(signV2(s, secret)))
	}
	sameDay := a.day == at.UTC().Format("20060102")
	return hmac.Equal([]byte(a.signature), []byte(a.scheme.signV4(s, secret, a.region, at))) && sameDay
}
