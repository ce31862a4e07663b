package core

import (
	"strings"
	"testing"
)

func TestDigestOfABody(t *testing.T) {
	for body, want := range map[string]string{
		"":                         "d41d8cd98f00b204e9800998ecf8427e",
		"message-1":                "3d6b824fd8c1520e9a047d21fee6fb1f",
		"test":                     "098f6bcd4621d373cade4e832627b4f6",
		"Toolbox – reset password": "f525b4c112740b68cf253aae348efd58",
		"ok😀中文":                    "ca11df5bd2b25c051101d9f98f7a19cf",
		"\"&quot;&quot;\r":         "1f3930f662f907b134a181296c895d21",
	} {
		if got := DigestOf(body).String(); got != want {
			t.Errorf("DigestOf(%q) = %s, want %s", body, got, want)
		}
	}
}

// Earlier versions stored a message without the digest of its body.
func TestDigestIsComputedForRecordsThatHaveNone(t *testing.T) {
	body := strings.Repeat("b", 300)
	record := encodeMessage(&message{priority: defaultPriority}, "g", &content{body: body, digest: DigestOf(body)})
	r := newReader(record[:len(record)-len(Digest{})])
	decodeHead(r, &message{})
	if c := decodeContent(r); r.err != nil || c.body != body || c.digest != DigestOf(body) {
		t.Errorf("a record without a digest gives %.20q... with %v, error %v, want the body with %v", c.body, c.digest, r.err, DigestOf(body))
	}
	r = newReader(record[:len(record)-1])
	decodeHead(r, &message{})
	if decodeContent(r); r.err == nil {
		t.Error("a record that ends within its digest is accepted")
	}
}
