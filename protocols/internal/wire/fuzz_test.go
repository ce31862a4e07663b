package wire

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

func FuzzDecodeJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"MessageBody":"x\u0000","DelaySeconds":0}`, `{"Entries":[{"Id":"1","MessageAttributes":{"k":{"BinaryValue":"AA=="}}}]}`,
		`{"Attributes":{"a":1,"b":[{}]}}`, `{"AttributeNames":["All",null]}`, `[[[[`, `{"MessageBody":{"a":`, `nul`, `{"DelaySeconds":1e400}`,
	} {
		f.Add([]byte(seed))
	}
	decode := JSONDecoder[request]()
	f.Fuzz(func(t *testing.T, doc []byte) {
		var m *Malformed
		if err := decode(doc, &request{}); err != nil && !errors.As(err, &m) {
			t.Errorf("decode(%q) = %v, want Malformed", doc, err)
		}
	})
}

func FuzzDecodeForm(f *testing.F) {
	for _, seed := range []string{
		"", "Action=SendMessage&MessageBody=a%20b", "AttributeName=All&AttributeName.2=x&AttributeName.1=", "Entry.1.Id=a&Entry.01.Id=b&Entry=",
		"Attribute.Name=a&Attribute.Value=b", "Entry.1.MessageAttribute.1.Value.StringListValue.1=x", "....=&.1.=%&%zz", "Entry.Entry.Entry=1",
	} {
		f.Add([]byte(seed))
	}
	decode := FormDecoder[request]()
	f.Fuzz(func(t *testing.T, doc []byte) {
		form, err := ParseForm(doc)
		if err != nil {
			return
		}
		var m *Malformed
		if err := decode(form, &request{}); err != nil && !errors.As(err, &m) {
			t.Errorf("decode(%q) = %v, want Malformed", doc, err)
		}
	})
}

func FuzzAppendText(f *testing.F) {
	f.Add("a\r\n\"&<>\x00\xff\uFFFE")
	f.Fuzz(func(t *testing.T, s string) {
		want := strings.ToValidUTF8(s, "\uFFFD")
		if utf8.ValidString(s) { // otherwise the number of replacements may differ
			got, err := jsontext.AppendUnquote(nil, AppendJSONText(nil, s))
			if err != nil || string(got) != want {
				t.Errorf("JSON round trip of %q = %q, %v", s, got, err)
			}
		}
		var back string
		if err := xml.Unmarshal([]byte("<a>"+string(AppendXMLText(nil, s))+"</a>"), &back); err != nil {
			t.Errorf("XML of %q cannot be read: %v", s, err)
		}
	})
}
