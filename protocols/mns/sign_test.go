package mns

import (
	"encoding/hex"
	"net/http"
	"testing"
	"time"
)

// headers makes a header of names and values, with the names as they are.
func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i+1 < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

const (
	emulatorSecret = "emulator-secret-key"
	emulatorDate   = "Fri, 06 Nov 2026 08:00:00 GMT"
	june           = "Tue, 03 Jun 2025 11:23:48 GMT"
	emulatorBody   = `<?xml version="1.0" encoding="UTF-8"?><Message xmlns="http://mns.aliyuncs.com/doc/v1/"><MessageBody>aGVsbG8=</MessageBody><DelaySeconds>0</DelaySeconds><Priority>8</Priority></Message>`
	hexDigest      = "ZjlhOTBmZjdiMTk2M2ZlNzk0NzIyMDQ4NWM0M2M1M2Q=" // base64 of the hexadecimal digits
	rawDigest      = "+akP97GWP+eUciBIXEPFPQ=="                     // base64 of the bytes
)

// The signatures are from the reference pages, from the tests of the provider's clients, and computed by an
// independent program for Sluice.
func TestSignaturesOfVersion2(t *testing.T) {
	xml := []string{"Content-Type", "text/xml;charset=UTF-8", "x-mns-version", "2015-06-06"}
	with := func(more ...string) http.Header { return headers(append(xml[:4:4], more...)...) }
	for _, c := range []struct {
		name, secret, method, resource, date string
		header                               http.Header
		want                                 string
	}{
		{
			"reference page", "TestAccessSecret", "GET", "/MyQueue", "Thu, 09 Jul 2015 03:01:34 GMT",
			headers("x-mns-version", "2015-06-06"), "uwx3yeWoILzgmvesW0BQSgfM7b8=",
		},
		{"Java, own header", "sk1", "POST", "/queues/TestQueue", june, headers("x-mns-abcdef", "abcDEF"), "cAThPWnbphg3hDe3ZHDADTgkgyE="},
		{"Java, no headers", "testSk", "GET", "/queues/TestQueue", june, nil, "uDJQXbk2xOhH95MDXmgbAGdtyE4="},
		{"Java, XML", "accessKeySecret111", "PUT", "/queues/TestQueue", june, with(), "HCSlBi5KuXGNf06tZKFiQlNDt4c="},
		{
			"Node.js", "ACCESS_KEY_SECRET", "PUT", "/", "Tue, 11 Apr 2017 10:09:19 GMT",
			headers("Content-MD5", "574683b3684e3cff610afa155cc2506d", "Content-Type", "text/xml", "x-mns-version", "2015-06-06"),
			"A9zehggaYHHujmuRMxGIDrhWwx8=",
		},
		{"Java, odd path", "testSk", "POST", "/queues/Test Queue@123", june, headers("Content-Type", "application/json"), "GZ/I9UgZsqvbzfzjd0GmA6VHOx4="},
		{"send without digest", emulatorSecret, "POST", "/queues/demo-queue/messages", emulatorDate, with(), "Trhs5A4vIJ1ujvcORiurjWlXXE0="},
		{"send with the digest of Go", emulatorSecret, "POST", "/queues/demo-queue/messages", emulatorDate, with("Content-MD5", hexDigest), "8icMI8jgeOeLGKU+uTnTPwfnw74="},
		{"send with the digest of RFC 1864", emulatorSecret, "POST", "/queues/demo-queue/messages", emulatorDate, with("Content-MD5", rawDigest), "Sso1O/kRExnZZb7tL9r3rylR+aI="},
		{"raw handle", emulatorSecret, "DELETE", "/queues/demo-queue/messages?ReceiptHandle=1-ODU4OTkzNDU5My0xNDQ1OTk4Mjc5LTEtOA==", emulatorDate, with(), "wvXQfn8Aregde6GKymW1doiX6ac="},
		{
			"list headers", emulatorSecret, "GET", "/queues", emulatorDate,
			with("x-mns-with-meta", "true", "x-mns-ret-number", "10", "x-mns-prefix", "demo", "Security-Token", "not signed"), "0NYlvWxQxDO8ykd9D+Bpm8pae9U=",
		},
	} {
		s := &signable{method: c.method, resource: c.resource, header: c.header, date: c.date}
		if got := signV2(s, c.secret); got != c.want {
			t.Errorf("%s: signV2(%q) = %s, want %s", c.name, s.plainString(), got, c.want)
		}
	}
}

func TestSignaturesOfVersion4(t *testing.T) {
	const (
		parameters = "param1=abc&PARAM2=d%20%20ef&PARAM3=[def]%23bbb&PARAM4=%E4%B8%AD%E6%96%87%E5%8F%82%E6%95%B0"
		july       = "20250603T105235Z"
		november   = "20261106T080000Z"
	)
	xml := headers("Content-Type", "text/xml;charset=UTF-8", "x-mns-version", "2015-06-06")
	for _, c := range []struct {
		name, secret, region, at, method, resource string
		header                                     http.Header
		want                                       string
	}{
		{
			"parameters", "sk1", "region1", july, "POST", "/queues/TestQueue/?" + parameters, nil,
			"1fc6013f158d4c3aba09570895a2a93c8445c2c5213d82a1463baf602cf0d945",
		},
		{
			"more parameters", "sk1", "region1", july, "POST", "/queues/TestQueue?num=10&paramx=100&" + parameters, nil,
			"8d555514e749185d3e6d68df416692e6cc960ba85a089c9d69a2f4d7bb607560",
		},
		{"root", "testSk", "testRegion", july, "GET", "/", nil, "63f78964dcd1132bab91b9c38ceebdfb59509149b34874c5b2c9dfc2b12e7291"},
		{"odd path", "testSk", "testRegion", july, "POST", "/queues/Test Queue@123", nil, "87de7499365a31e767cdc0c726a893c72c860e415876f7f92914197ac3795833"},
		{
			"own headers", "skkkkkkk1111111111", "region2", "20251203T112348Z", "PUT", "queues/TestQueue123456",
			headers("x-mns-abc", "kkk", "X-MNS-Sss", "2015-06-06xFFF"), "04f1e5f929b5aaac3af6a54970f591581ecd2aade2562f926c5f2ec5d5c8cfad",
		},
		{
			"content headers", "skkkkkk2222222222", "eu-west-1", "20251204T063235Z", "GET", "/queues",
			headers("x-mns-version", "2015-06-30", "x-mns-ttt", "1", "X-MNS-UUUuu", "FALse", "content-type", "application/json", "content-md5", "0d9d2ce750000593eb34f00"),
			"294f776a2d5726df679b54b081ab8126a199a2545c8c8a7a875adff0b386e458",
		},
		{
			"receive", emulatorSecret, "cn-hangzhou", november, "GET", "/queues/demo-queue/messages?waitseconds=10&numOfMessages=16", xml,
			"5c9f03ae0fc8293113d52176c7c0cec3d26f7cbbfc330201d956e3c3a73d0d13",
		},
		{
			"raw handle", emulatorSecret, "cn-hangzhou", november, "DELETE", "/queues/demo-queue/messages?ReceiptHandle=1-ODU4OTkzNDU5My0xNDQ1OTk4Mjc5LTEtOA==", xml,
			"2167fdff8981241da2feb891adbbde85f4f935a9b0f11ea9bb3d36d4de3f767d",
		},
		{
			"JSON", emulatorSecret, "cn-hangzhou", november, "POST", "/queues/demo-queue/messages",
			headers("Content-Type", "application/json", "Content-MD5", "MWSC0bXa1HNf7FjjpzsM9Q==", "x-mns-version", "2026-04-09"),
			"4990de13ba8977159d6850a85efd5d71f81ea8bb4851eb9f09429491b22b4faf",
		},
	} {
		at, err := time.Parse("20060102T150405Z", c.at)
		if err != nil {
			t.Fatal(err)
		}
		s := &signable{method: c.method, resource: c.resource, header: c.header}
		if got := schemes[0].signV4(s, c.secret, c.region, at); got != c.want {
			t.Errorf("%s: signV4(%q) = %s, want %s", c.name, s.canonical(), got, c.want)
		}
	}
}

func TestSigningKeyOfVersion4(t *testing.T) {
	got := hex.EncodeToString(schemes[0].key(emulatorSecret, "20261106", "cn-hangzhou"))
	if want := "078561383ec61e59e2a684c14b000a586e2f6cd9cf5d9d8d0db0f07689cc2571"; got != want {
		t.Errorf("key = %s, want %s", got, want)
	}
}

func TestSignedHeadersAreInTheOrderOfTheirNames(t *testing.T) {
	s := &signable{header: headers("x-mns-a-b", "1", "x-mns-a", "2", "x-other", "3")}
	if got, want := s.headers(false), "x-mns-a:2\nx-mns-a-b:1\n"; got != want {
		t.Errorf("headers = %q, want %q", got, want)
	}
}
