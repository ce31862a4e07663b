package wire

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The shapes of these tests have one member of each type that a shape may have.

type value struct {
	Text *string  `json:"StringValue"`
	Blob []byte   `json:"BinaryValue"`
	List []string `json:"StringListValues" query:"StringListValue"`
	Type *string  `json:"DataType"`
}

type common struct {
	Body  *string      `json:"MessageBody,cast"`
	Delay *int         `json:"DelaySeconds"`
	Attrs Map[value]   `json:"MessageAttributes" query:"MessageAttribute,Name,Value"`
	Pairs Map[*string] `json:"Attributes,cast" query:"Attribute,Name,Value"`
	Tags  Map[string]  `json:"tags" query:"Tag|Tags,Key,Value"`
	Names []string     `json:"AttributeNames" query:"AttributeName"`
}

type request struct {
	common
	Entries []entry `json:"Entries" query:"Entry"`
	Hidden  *string `json:"-" query:"OldName"`
}

type entry struct {
	ID *string `json:"Id,cast"`
	common
}

type answer struct {
	ID      string      `json:"Id"`
	Fault   bool        `json:"Fault"`
	Count   int         `json:"Count"`
	Items   []item      `json:"Items,plain=items" query:"Item"`
	Attrs   Map[string] `json:"Attributes" query:"Attribute,Name,Value"`
	Special Map[value]  `json:"Special" query:"SpecialAttribute,Name,Value"`
	Body    *string     `json:"Body"`
}

type item struct {
	Name string `json:"Name"`
}

func ptr[T any](v T) *T { return &v }

func TestJSONDecoder(t *testing.T) {
	for _, tt := range []struct {
		name, doc string
		want      request
	}{
		{"empty", `{}`, request{}},
		{"white space around", " \n{ } ", request{}},
		{"unknown members of any type", `{"x":{"y":[1,{"z":null}]},"X":"","messagebody":"no"}`, request{}},
		{"null is absence", `{"MessageBody":null,"DelaySeconds":null,"AttributeNames":null,"MessageAttributes":null,"Entries":null}`, request{}},
		{"text", `{"MessageBody":"a\u00e9\n\"\ud83d\ude00"}`, request{common: common{Body: ptr("aé\n\"😀")}}},
		{"empty text is not absent", `{"MessageBody":""}`, request{common: common{Body: ptr("")}}},
		{"cast number and boolean", `{"MessageBody":1.50,"Attributes":{"a":5,"b":true}}`, request{common: common{
			Body: ptr("1.50"), Pairs: Map[*string]{{"a", ptr("5")}, {"b", ptr("true")}},
		}}},
		{"zero is not absent", `{"DelaySeconds":0}`, request{common: common{Delay: ptr(0)}}},
		{"whole number with a fraction", `{"DelaySeconds":5.0}`, request{common: common{Delay: ptr(5)}}},
		{"negative", `{"DelaySeconds":-1}`, request{common: common{Delay: ptr(-1)}}},
		{"the last of repeated members counts", `{"DelaySeconds":1,"DelaySeconds":2}`, request{common: common{Delay: ptr(2)}}},
		{"list", `{"AttributeNames":["a",null,"b"]}`, request{common: common{Names: []string{"a", "b"}}}},
		{"empty list is not absent", `{"AttributeNames":[],"Entries":[]}`, request{common: common{Names: []string{}}, Entries: []entry{}}},
		{"map keeps order", `{"tags":{"b":"1","a":""}}`, request{common: common{Tags: Map[string]{{"b", "1"}, {"a", ""}}}}},
		{"null in a map of texts is left out", `{"tags":{"b":null}}`, request{common: common{Tags: Map[string]{}}}},
		{"null in a map of pointers stays", `{"Attributes":{"b":null}}`, request{common: common{Pairs: Map[*string]{{"b", nil}}}}},
		{"structures", `{"Entries":[{"Id":7},{"MessageAttributes":{"k":{"BinaryValue":"AAEC/w==","DataType":"Binary"}}}]}`, request{Entries: []entry{
			{ID: ptr("7")},
			{common: common{Attrs: Map[value]{{"k", value{Blob: []byte{0, 1, 2, 255}, Type: ptr("Binary")}}}}},
		}}},
		{"empty blob is not absent", `{"MessageAttributes":{"k":{"BinaryValue":""}}}`, request{common: common{Attrs: Map[value]{{"k", value{Blob: []byte{}}}}}}},
		{"escaped member name", `{"Message\u0042ody":"x"}`, request{common: common{Body: ptr("x")}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got request
			if err := JSONDecoder[request]()([]byte(tt.doc), &got); err != nil {
				t.Fatalf("decode(%s) = %v", tt.doc, err)
			}
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(request{}, entry{})); d != "" {
				t.Errorf("decode(%s): %s", tt.doc, d)
			}
		})
	}
}

func TestJSONDecoderRefusesWrongTypesInTheProvidersWords(t *testing.T) {
	for _, tt := range []struct{ doc, want string }{
		{``, ``},
		{`{`, ``},
		{`[]`, startOfList},
		{`"x"`, ``},
		{`{} {}`, ``},
		{`{}x`, ``},
		{`{"a":}`, ``},
		{"{\"MessageBody\":\"\xff\"}", ``},
		{`{"MessageBody":"\ud800"}`, ``},
		{`{"MessageBody":{}}`, startOfMap},
		{`{"MessageBody":[]}`, startOfList},
		{`{"DelaySeconds":"5"}`, "STRING_VALUE can not be converted to an Integer"},
		{`{"DelaySeconds":true}`, "TRUE_VALUE can not be converted to an Integer"},
		{`{"DelaySeconds":false}`, "FALSE_VALUE can not be converted to an Integer"},
		{`{"DelaySeconds":1.5}`, "NUMBER_VALUE can not be converted to an Integer"},
		{`{"DelaySeconds":99999999999}`, "NUMBER_VALUE can not be converted to an Integer"},
		{`{"DelaySeconds":{}}`, startOfMap},
		{`{"Attributes":{"a":["b"]}}`, listInMap},
		{`{"Attributes":{"a":{}}}`, startOfMap},
		{`{"Attributes":[]}`, startOfList},
		{`{"AttributeNames":{}}`, startOfMap},
		{`{"AttributeNames":"All"}`, ``},
		{`{"MessageAttributes":{"a":{"StringValue":1}}}`, "NUMBER_VALUE can not be converted to a String"},
		{`{"MessageAttributes":{"a":{"StringValue":true}}}`, "TRUE_VALUE can not be converted to a String"},
		{`{"MessageAttributes":{"a":{"BinaryValue":"*"}}}`, ``},
	} {
		var m *Malformed
		err := JSONDecoder[request]()([]byte(tt.doc), &request{})
		if !errors.As(err, &m) || m.Text != tt.want {
			t.Errorf("decode(%s) = %v, want Malformed %q", tt.doc, err, tt.want)
		}
	}
}

func TestJSONDecoderSurvivesDepth(t *testing.T) {
	deep := `{"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`
	if err := JSONDecoder[request]()([]byte(deep), &request{}); err == nil {
		t.Error("decode of 100,000 nested lists = nil, want an error")
	}
}

func TestFormDecoder(t *testing.T) {
	pairs := func(p ...Entry[*string]) request { return request{common: common{Pairs: p}} }
	names := func(n ...string) request { return request{common: common{Names: n}} }
	for _, tt := range []struct {
		name, form string
		want       request
	}{
		{"nothing", "", request{}},
		{"unknown and authentication parameters", "Action=x&Version=1&AWSAccessKeyId=k&X-Amz-Signature=s&a.1.b=c&.=&=", request{}},
		{"text", "MessageBody=a+b%2Bc%C3%A9%0A", request{common: common{Body: ptr("a b+cé\n")}}},
		{"lower-case escapes", "MessageBody=%c3%a9", request{common: common{Body: ptr("é")}}},
		{"empty text is not absent", "MessageBody=", request{common: common{Body: ptr("")}}},
		{"no equals sign", "MessageBody", request{common: common{Body: ptr("")}}},
		{"integer", "DelaySeconds=0", request{common: common{Delay: ptr(0)}}},
		{"the last of repeated parameters counts", "DelaySeconds=1&DelaySeconds=2", request{common: common{Delay: ptr(2)}}},
		{"a member of a text means nothing", "MessageBody.1=x", request{}},
		{"list", "AttributeName.1=a&AttributeName.2=b", names("a", "b")},
		{"list out of order, with gaps, past nine", "AttributeName.10=c&AttributeName.9=b&AttributeName.2=a", names("a", "b", "c")},
		{"list without numbers", "AttributeName=All", names("All")},
		{"list without numbers, repeated", "AttributeName=b&AttributeName=a", names("b", "a")},
		{"list by its member name", "AttributeNames.1=a&AttributeNames.2=b", names("a", "b")},
		{"list by both names", "AttributeName.1=a&AttributeNames=b", names("a", "b")},
		{"empty list", "AttributeName=", names([]string{}...)},
		{"empty element", "AttributeName.1=", names("")},
		{"members of list elements mean nothing", "AttributeName.x=1", names([]string{}...)},
		{"huge number", "AttributeName.99999999999999999999999=a", names("a")},
		{"map", "Attribute.1.Name=a&Attribute.1.Value=1&Attribute.2.Value=2&Attribute.2.Name=b", pairs(Entry[*string]{"a", ptr("1")}, Entry[*string]{"b", ptr("2")})},
		{"map without numbers", "Attribute.Name=a&Attribute.Value=1", pairs(Entry[*string]{"a", ptr("1")})},
		{"map by its member name", "Attributes.1.Name=a&Attributes.1.Value=1", pairs(Entry[*string]{"a", ptr("1")})},
		{"map entry without value", "Attribute.1.Name=a", pairs(Entry[*string]{"a", nil})},
		{"another name of a map", "Tags.1.Key=a&Tags.1.Value=b", request{common: common{Tags: Map[string]{{"a", "b"}}}}},
		{"a name that is not JSON's", "OldName=x&Hidden=y", request{Hidden: ptr("x")}},
		{"structures", "Entry.1.Id=a&Entry.1.MessageAttribute.1.Name=k&Entry.1.MessageAttribute.1.Value.DataType=Binary" +
			"&Entry.1.MessageAttribute.1.Value.BinaryValue=AAEC%2Fw%3D%3D&Entry.2.Id=b&Entry.2.MessageAttribute.1.Value.StringListValue=x", request{Entries: []entry{
			{ID: ptr("a"), common: common{Attrs: Map[value]{{"k", value{Blob: []byte{0, 1, 2, 255}, Type: ptr("Binary")}}}}},
			{ID: ptr("b"), common: common{Attrs: Map[value]{{"", value{List: []string{"x"}}}}}},
		}}},
		{"structures without numbers", "Entry.Id=a&Entry.MessageBody=b", request{Entries: []entry{{ID: ptr("a"), common: common{Body: ptr("b")}}}}},
		{"empty list of structures", "Entry=", request{Entries: []entry{}}},
		{"structure without a known member", "Entry.1.x=y", request{Entries: []entry{{}}}},
		{"structure with a text in its place", "Entry.1=y", request{Entries: []entry{}}},
		{"empty blob is not absent", "MessageAttribute.1.Value.BinaryValue=", request{common: common{Attrs: Map[value]{{"", value{Blob: []byte{}}}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			form, err := ParseForm([]byte(tt.form))
			if err != nil {
				t.Fatalf("ParseForm(%q) = %v", tt.form, err)
			}
			var got request
			if err := FormDecoder[request]()(form, &got); err != nil {
				t.Fatalf("decode(%q) = %v", tt.form, err)
			}
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(request{}, entry{})); d != "" {
				t.Errorf("decode(%q): %s", tt.form, d)
			}
		})
	}
}

func TestFormDecoderRefuses(t *testing.T) {
	for _, tt := range []string{"DelaySeconds=x", "DelaySeconds=", "DelaySeconds=1.5", "Entry.1.DelaySeconds=9999999999", "MessageAttribute.1.Value.BinaryValue=*"} {
		form, err := ParseForm([]byte(tt))
		if err != nil {
			t.Fatal(err)
		}
		var m *Malformed
		if err := FormDecoder[request]()(form, &request{}); !errors.As(err, &m) {
			t.Errorf("decode(%q) = %v, want Malformed", tt, err)
		}
	}
}

func TestParseForm(t *testing.T) {
	for _, broken := range []string{"a=%", "a=%1", "a=%zz", "%q1=b"} {
		if _, err := ParseForm([]byte(broken)); !errors.Is(err, ErrFormSyntax) {
			t.Errorf("ParseForm(%q) = %v, want ErrFormSyntax", broken, err)
		}
	}
	if _, err := ParseForm(bytes.Repeat([]byte("&"), maxParameters)); !errors.Is(err, ErrFormTooLong) {
		t.Errorf("ParseForm of too many = %v, want ErrFormTooLong", err)
	}
	form, err := ParseForm([]byte("a=1&b=2"), []byte("a=3"))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := form.Get("a"); got != "3" {
		t.Errorf("Get(a) = %q, want the 3 of the later source", got)
	}
	if _, found := form.Get("c"); found {
		t.Error("Get(c) found what is not there")
	}
}

func TestEncoders(t *testing.T) {
	full := &answer{
		ID: "1", Count: -2, Items: []item{{"x"}, {""}}, Attrs: Map[string]{{"b", "<"}, {"a", ""}},
		Special: Map[value]{{"k", value{Text: ptr("v"), Type: ptr("String")}}, {"l", value{Blob: []byte{0, 255}}}}, Body: ptr(""),
	}
	for _, tt := range []struct {
		name             string
		in               *answer
		json, plain, xml string
	}{
		{
			"nothing", &answer{},
			`{"Count":0,"Fault":false}`,
			`{"Attributes":null,"Body":null,"Count":0,"Fault":false,"Id":null,"Special":null,"items":null}`,
			`<Fault>false</Fault><Count>0</Count>`,
		},
		{
			"everything", full,
			`{"Attributes":{"b":"<","a":""},"Body":"","Count":-2,"Fault":false,"Id":"1","Items":[{"Name":"x"},{}],` +
				`"Special":{"k":{"DataType":"String","StringValue":"v"},"l":{"BinaryValue":"AP8="}}}`,
			`{"Attributes":[{"Name":"b","Value":"<"},{"Name":"a","Value":""}],"Body":"","Count":-2,"Fault":false,"Id":"1",` +
				`"Special":[{"Name":"k","Value":{"BinaryValue":null,"DataType":"String","StringListValues":null,"StringValue":"v"}},` +
				`{"Name":"l","Value":{"BinaryValue":"AP8=","DataType":null,"StringListValues":null,"StringValue":null}}],"items":[{"Name":"x"},{"Name":null}]}`,
			`<Id>1</Id><Fault>false</Fault><Count>-2</Count><Item><Name>x</Name></Item><Item></Item>` +
				`<Attribute><Name>b</Name><Value>&lt;</Value></Attribute><Attribute><Name>a</Name><Value></Value></Attribute>` +
				`<SpecialAttribute><Name>k</Name><Value><StringValue>v</StringValue><DataType>String</DataType></Value></SpecialAttribute>` +
				`<SpecialAttribute><Name>l</Name><Value><BinaryValue>AP8=</BinaryValue></Value></SpecialAttribute><Body></Body>`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(JSONEncoder[answer]()(nil, tt.in)); got != tt.json {
				t.Errorf("JSON:\n got %s\nwant %s", got, tt.json)
			}
			if got := string(PlainJSONEncoder[answer]()(nil, tt.in)); got != tt.plain {
				t.Errorf("plain JSON:\n got %s\nwant %s", got, tt.plain)
			}
			if got := string(XMLEncoder[answer]()(nil, tt.in)); got != tt.xml {
				t.Errorf("XML:\n got %s\nwant %s", got, tt.xml)
			}
		})
	}
}

func TestAppendText(t *testing.T) {
	for _, tt := range []struct{ in, json, xml string }{
		{"", `""`, ""},
		{"plain é 中 😀 '/", `"plain é 中 😀 '/"`, "plain é 中 😀 '/"},
		{"\"&quot;&quot;\r", `"\"&quot;&quot;\r"`, "&quot;&amp;quot;&amp;quot;&#xD;"},
		{"a\tb\nc\\<>", `"a\tb\nc\\<>"`, "a\tb\nc\\&lt;&gt;"},
		{"\x00\x1f\b\f\x7f", "\"\\u0000\\u001f\\b\\f\x7f\"", "\uFFFD\uFFFD\uFFFD\uFFFD\x7f"},
		{"a\xffb\xe4\xb8", "\"a\uFFFDb\uFFFD\uFFFD\"", "a\uFFFDb\uFFFD\uFFFD"},
		{"\uFFFD\uFFFE\uFFFF", "\"\uFFFD\uFFFE\uFFFF\"", "\uFFFD\uFFFD\uFFFD"},
	} {
		if got := string(AppendJSONText(nil, tt.in)); got != tt.json {
			t.Errorf("AppendJSONText(%q) = %s, want %s", tt.in, got, tt.json)
		}
		if got := string(AppendXMLText(nil, tt.in)); got != tt.xml {
			t.Errorf("AppendXMLText(%q) = %s, want %s", tt.in, got, tt.xml)
		}
	}
}

func TestShapeWithoutNamesPanics(t *testing.T) {
	for name, compile := range map[string]func(){
		"a field without a tag": func() { JSONDecoder[struct{ A string }]() },
		"an unsupported type": func() {
			XMLEncoder[struct {
				A float64 `json:"A"`
			}]()
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			compile()
		}()
	}
}

func TestMapGetReturnsTheLast(t *testing.T) {
	m := Map[int]{{"a", 1}, {"b", 2}, {"a", 3}}
	if v, ok := m.Get("a"); v != 3 || !ok {
		t.Errorf("Get(a) = %v, %v, want 3, true", v, ok)
	}
	if _, ok := m.Get("c"); ok {
		t.Error("Get(c) found what is not there")
	}
	if !isMap(reflect.TypeFor[Map[int]]()) || isMap(reflect.TypeFor[[]int]()) {
		t.Error("isMap does not tell Maps from lists")
	}
}
