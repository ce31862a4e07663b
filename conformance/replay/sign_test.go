package replay

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Vectors of the provider's clients for Java and of its gateway, which agree on them.
func TestAlibabaVersion4SignsAsTheProvidersClients(t *testing.T) {
	for _, tt := range []struct {
		name, method, target, date string
		header                     map[string]string
		key                        Key
		region, want               string
	}{
		{
			"a query in another order and case", "GET", "/queues/demo-queue/messages?waitseconds=10&numOfMessages=16", "Fri, 06 Nov 2026 08:00:00 GMT",
			map[string]string{"Content-Type": "text/xml;charset=UTF-8", "X-Mns-Version": "2015-06-06"},
			Key{ID: "emulator-ak", Secret: "emulator-secret-key"},
			"cn-hangzhou",
			"5c9f03ae0fc8293113d52176c7c0cec3d26f7cbbfc330201d956e3c3a73d0d13",
		},
		{
			"a handle in the query", "DELETE", "/queues/demo-queue/messages?ReceiptHandle=1-ODU4OTkzNDU5My0xNDQ1OTk4Mjc5LTEtOA==", "Fri, 06 Nov 2026 08:00:00 GMT",
			map[string]string{"Content-Type": "text/xml;charset=UTF-8", "X-Mns-Version": "2015-06-06"},
			Key{ID: "emulator-ak", Secret: "emulator-secret-key"},
			"cn-hangzhou",
			"2167fdff8981241da2feb891adbbde85f4f935a9b0f11ea9bb3d36d4de3f767d",
		},
		{
			"the digest of the body", "POST", "/queues/demo-queue/messages", "Fri, 06 Nov 2026 08:00:00 GMT",
			map[string]string{"Content-Type": "application/json", "Content-Md5": "MWSC0bXa1HNf7FjjpzsM9Q==", "X-Mns-Version": "2026-04-09"},
			Key{ID: "emulator-ak", Secret: "emulator-secret-key"},
			"cn-hangzhou",
			"4990de13ba8977159d6850a85efd5d71f81ea8bb4851eb9f09429491b22b4faf",
		},
		{
			"nothing but a path", "GET", "/", "Tue, 03 Jun 2025 10:52:35 GMT", nil,
			Key{ID: "testAk", Secret: "testSk"},
			"testRegion",
			"63f78964dcd1132bab91b9c38ceebdfb59509149b34874c5b2c9dfc2b12e7291",
		},
		{
			"a path with a blank", "POST", "/queues/Test%20Queue@123", "Tue, 03 Jun 2025 10:52:35 GMT", nil,
			Key{ID: "testAk", Secret: "testSk"},
			"testRegion",
			"87de7499365a31e767cdc0c726a893c72c860e415876f7f92914197ac3795833",
		},
		{
			"headers of the provider", "GET", "/queues", "Thu, 04 Dec 2025 06:32:35 GMT",
			map[string]string{"X-Mns-Version": "2015-06-30", "X-Mns-Ttt": "1", "X-Mns-Uuuuu": "FALse", "Content-Type": "application/json", "Content-Md5": "0d9d2ce750000593eb34f00"},
			Key{ID: "akkkkk222222222", Secret: "skkkkkk2222222222"},
			"eu-west-1",
			"294f776a2d5726df679b54b081ab8126a199a2545c8c8a7a875adff0b386e458",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, tt.target, nil)
			for name, value := range tt.header {
				r.Header.Set(name, value)
			}
			at, err := time.Parse(http.TimeFormat, tt.date)
			if err != nil {
				t.Fatal(err)
			}
			scope := at.Format("20060102") + "/" + tt.region + "/mns/aliyun_v4_request"
			if got := alibabaV4(r, tt.key.Secret, scope, at); got != tt.want {
				t.Errorf("alibabaV4(%s %s) = %s, want %s", tt.method, tt.target, got, tt.want)
			}
		})
	}
}

func TestSignaturesGoByTheVersionAndTheDateOfTheRequest(t *testing.T) {
	now := time.Date(2026, 11, 6, 8, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		header map[string]string
		want   string
	}{
		{"version 2", map[string]string{"X-Mns-Version": "2015-06-06", "Date": "Fri, 06 Nov 2026 08:00:00 GMT"}, "MNS id:"},
		{"version 4", map[string]string{"X-Mns-Version": "2026-04-09", "Date": "Thu, 05 Nov 2026 08:00:00 GMT"}, "MNS4-HMAC-SHA256 Credential=id/20261105/cn-hangzhou/mns/aliyun_v4_request,Signature="},
		{"version 4 without a date", map[string]string{"X-Mns-Version": "2026-04-09"}, "MNS4-HMAC-SHA256 Credential=id/20261106/cn-hangzhou/"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/queues", nil)
		for name, value := range tt.header {
			r.Header.Set(name, value)
		}
		signAlibaba(r, Key{ID: "id", Secret: "secret", Token: "token"}, "cn-hangzhou", now)
		if got := r.Header.Get("Authorization"); !strings.HasPrefix(got, tt.want) || r.Header.Get("Security-Token") != "token" {
			t.Errorf("%s: Authorization = %q with token %q, want %q… with the token", tt.name, got, r.Header.Get("Security-Token"), tt.want)
		}
	}
}

func TestAmazonSignatureLeavesTheRequestAsItIs(t *testing.T) {
	now := time.Date(2026, 11, 6, 8, 0, 0, 0, time.UTC)
	const target = "/?b=%zz&a=1&&Action=ListQueues"
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.URL.RawQuery = strings.TrimPrefix(target, "/?")
	r.Header.Set("X-Amz-Date", "20261105T080000Z")
	if err := signAmazon(r, "", Key{ID: "id", Secret: "secret", Token: "token"}, "eu-west-1", now); err != nil {
		t.Fatal(err)
	}
	const scope = "AWS4-HMAC-SHA256 Credential=id/20261105/eu-west-1/sqs/aws4_request, SignedHeaders="
	if got := r.Header.Get("Authorization"); !strings.HasPrefix(got, scope) {
		t.Errorf("Authorization = %q, want %q…", got, scope)
	}
	if got := r.URL.RequestURI(); got != target || r.Header.Get("X-Amz-Security-Token") != "token" {
		t.Errorf("request is %q with token %q, want %q with the token", got, r.Header.Get("X-Amz-Security-Token"), target)
	}
}
