package mns

import (
	"net/url"
	"strings"
	"testing"
)

func TestQueryKeepsWhatClientsSendRaw(t *testing.T) {
	for _, c := range []struct{ raw, name, want string }{
		{"ReceiptHandle=AbC+/==", "ReceiptHandle", "AbC+/=="},             // Java, Node.js, Python
		{"ReceiptHandle=AbC%2B%2F%3D%3D", "ReceiptHandle", "AbC+/=="},     // Go, PHP
		{"receiptHandle=a&visibilityTimeout=5", "ReceiptHandle", "a"},     // PHP, Node.js
		{"receiptHandle=a&visibilityTimeout=5", "VisibilityTimeout", "5"}, // PHP, Node.js
		{"waitseconds=10&numOfMessages=16", "numofmessages", "16"},        //
		{"&&waitseconds=1&", "waitseconds", "1"},                          //
		{"waitseconds=1&waitseconds=2", "waitseconds", "1"},               // UNVERIFIED
		{"%77aitseconds=1", "waitseconds", "1"},                           //
		{"receipthandle=a%20b", "ReceiptHandle", "a b"},                   //
		{"ReceiptHandle=", "ReceiptHandle", ""},                           //
		{"ReceiptHandle", "ReceiptHandle", ""},                            //
		{"peekonly=True", "peekonly", "True"},                             //
	} {
		q, err := parseQuery(c.raw)
		if err != nil {
			t.Errorf("parseQuery(%q) = %v", c.raw, err)
			continue
		}
		if got, ok := q.get(c.name); !ok || got != c.want {
			t.Errorf("parseQuery(%q) has %s = %q, %v, want %q", c.raw, c.name, got, ok, c.want)
		}
	}
}

func TestQueryRefusesWhatItDoesNotKnow(t *testing.T) {
	for raw, name := range map[string]string{
		"foo=1":             "foo",
		"waitseconds=1&=2":  "",
		"ReceiptHandle=%zz": "ReceiptHandle",
		"ReceiptHandle=%2":  "ReceiptHandle",
		"%zz=1":             "%zz",
		"peekonly=yes":      "peekonly",
		"metaoverride":      "metaoverride",
		strings.Repeat("waitseconds=1&", maxItems+1): "waitseconds",
	} {
		_, err := parseQuery(raw)
		if want := invalidQuery(name); err == nil || err.Error() != want.Error() {
			t.Errorf("parseQuery(%.30q) = %v, want %v", raw, err, want)
		}
	}
}

func TestQueryTellsAbsentFromEmpty(t *testing.T) {
	q, err := parseQuery("ReceiptHandle=")
	if err != nil {
		t.Fatalf("parseQuery = %v", err)
	}
	if _, ok := q.get("ReceiptHandle"); !ok {
		t.Error("an empty item is absent")
	}
	if _, ok := q.get("VisibilityTimeout"); ok {
		t.Error("an absent item is there")
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, raw := range []string{
		"", "&", "=", "ReceiptHandle=a+b/==", "receipthandle=%2B", "peekonly=true&numOfMessages=16", "%zz", "waitseconds=%", "a=b=c",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := parseQuery(raw)
		if err != nil {
			if q != nil {
				t.Errorf("parseQuery(%q) returns both items and %v", raw, err)
			}
			return
		}
		var again []string
		for _, it := range q {
			again = append(again, it.name+"="+url.PathEscape(it.value))
		}
		// PathEscape leaves '&' and '+' alone; the first would end an item.
		text := strings.Join(again, "&")
		if strings.Count(text, "&") >= len(q) && len(q) > 0 {
			return
		}
		r, err := parseQuery(text)
		if err != nil || len(r) != len(q) {
			t.Fatalf("parseQuery(%q) = %v, %v, but of %q it was %v", text, r, err, raw, q)
		}
		for i := range q {
			if r[i].value != q[i].value {
				t.Errorf("parseQuery(%q) has %q, want %q", text, r[i].value, q[i].value)
			}
		}
	})
}
