package mns

import "testing"

func TestAuthorizationsOfBothVersions(t *testing.T) {
	for header, want := range map[string]authorization{
		"MNS ak:sig=":  {keyID: "ak", signature: "sig="},
		"MNS ak:s:i:g": {keyID: "ak", signature: "s:i:g"},
		"MNS4-HMAC-SHA256 Credential=ak/20261106/cn-hangzhou/mns/aliyun_v4_request,Signature=0a": {
			keyID: "ak", signature: "0a", scheme: &schemes[0], day: "20261106", region: "cn-hangzhou",
		},
		"MNS4-HMAC-SHA256 Signature=0a, Credential=ak/20261106/cn-hangzhou/mns/aliyun_v4_request": {
			keyID: "ak", signature: "0a", scheme: &schemes[0], day: "20261106", region: "cn-hangzhou",
		},
		"APSARA-MNS4-HMAC-SHA256 Credential=ak/20261106/r/mns/apsara_v4_request,Signature=0a": {
			keyID: "ak", signature: "0a", scheme: &schemes[1], day: "20261106", region: "r",
		},
	} {
		got, ok := parseAuthorization(header)
		if !ok || got != want {
			t.Errorf("parseAuthorization(%q) = %+v, %v, want %+v", header, got, ok, want)
		}
	}
}

// badAuthorizations are headers that are none.
var badAuthorizations = []string{
	"", "MNS", "MNS ", "MNS ak", "MNS :sig", "MNS ak:", "mns ak:sig", "Bearer x", "AWS4-HMAC-SHA256 Credential=x",
	"MNS4-HMAC-SHA256", "MNS4-HMAC-SHA256 ", "MNS4-HMAC-SHA256 Credential=ak/d/r/mns/aliyun_v4_request",
	"MNS4-HMAC-SHA256 Signature=0a", "MNS4-HMAC-SHA256 Credential=ak/d/r/sqs/aliyun_v4_request,Signature=0a",
	"MNS4-HMAC-SHA256 Credential=ak/d/r/mns/apsara_v4_request,Signature=0a",
	"MNS4-HMAC-SHA256 Credential=/d/r/mns/aliyun_v4_request,Signature=0a",
	"MNS4-HMAC-SHA256 Credential=ak/d/r/mns/aliyun_v4_request,Signature=",
	"MNS4-HMAC-SHA256 Credential=a/k/d/r/mns/aliyun_v4_request,Signature=0a",
	"MNS4-HMAC-SHA256 Credential=ak/d/r/mns/aliyun_v4_request,Signature=0a,Signature=0b",
	"MNS4-HMAC-SHA256 Credential=ak/d/r/mns/aliyun_v4_request,SignedHeaders=x,Signature=0a",
}

func TestWhatIsNoAuthorization(t *testing.T) {
	for _, header := range badAuthorizations {
		if got, ok := parseAuthorization(header); ok {
			t.Errorf("parseAuthorization(%q) = %+v, want none", header, got)
		}
	}
}

func FuzzParseAuthorization(f *testing.F) {
	f.Add("MNS ak:sig=")
	f.Add("MNS4-HMAC-SHA256 Credential=ak/20261106/cn-hangzhou/mns/aliyun_v4_request,Signature=0a")
	f.Add("APSARA-MNS4-HMAC-SHA256 Signature=0a, Credential=ak/20261106/r/mns/apsara_v4_request")
	for _, header := range badAuthorizations {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		a, ok := parseAuthorization(header)
		if !ok {
			return
		}
		if a.keyID == "" || a.signature == "" {
			t.Errorf("parseAuthorization(%q) = %+v, without key or signature", header, a)
		}
		again := "MNS " + a.keyID + ":" + a.signature
		if a.scheme != nil {
			again = a.scheme.algorithm + " Credential=" + a.keyID + "/" + a.day + "/" + a.region + "/mns/" + a.scheme.ending + ",Signature=" + a.signature
		}
		if b, ok := parseAuthorization(again); !ok || b != a {
			t.Errorf("parseAuthorization(%q) = %+v, %v, but of %q it is %+v", again, b, ok, header, a)
		}
	})
}
