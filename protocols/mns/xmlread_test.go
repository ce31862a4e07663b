package mns

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// documents are bodies as the provider's clients send them, and what they must come to.
var documents = []struct {
	name, doc string
	want      element
}{
	{
		"Java client", `<?xml version="1.0" encoding="UTF-8" standalone="no"?><Queue xmlns="http://mns.aliyuncs.com/doc/v1"><LoggingEnabled>false</LoggingEnabled></Queue>`,
		element{name: "Queue", kids: []element{{name: "LoggingEnabled", text: "false"}}},
	},
	{
		"Python client", `<?xml version="1.0" encoding="utf-8"?><Message xmlns="http://mns.aliyuncs.com/doc/v1/"><MessageBody>aGVsbG8=</MessageBody></Message>`,
		element{name: "Message", kids: []element{{name: "MessageBody", text: "aGVsbG8="}}},
	},
	{
		"PHP client", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Queue xmlns=\"http://mns.aliyuncs.com/doc/v1/\"/>\n",
		element{name: "Queue"},
	},
	{
		"Go client", `<Message><MessageBody>a &lt;b&gt; &amp;amp; &quot;c&apos;</MessageBody><DelaySeconds>0</DelaySeconds><Priority>0</Priority></Message>`,
		element{name: "Message", kids: []element{{name: "MessageBody", text: `a <b> &amp; "c'`}, {name: "DelaySeconds", text: "0"}, {name: "Priority", text: "0"}}},
	},
	{
		"indented", "<ReceiptHandles>\n  <ReceiptHandle>a+/==</ReceiptHandle>\n  <ReceiptHandle></ReceiptHandle>\n</ReceiptHandles>",
		element{name: "ReceiptHandles", kids: []element{{name: "ReceiptHandle", text: "a+/=="}, {name: "ReceiptHandle"}}},
	},
	{
		"not ASCII", `<Message><MessageBody>中文 😀</MessageBody></Message>`,
		element{name: "Message", kids: []element{{name: "MessageBody", text: "中文 😀"}}},
	},
	{
		"character references", `<M><B>&#x4e2d;&#10;&#xD;</B></M>`,
		element{name: "M", kids: []element{{name: "B", text: "中\n\r"}}},
	},
	{
		"section", `<M><B>x<![CDATA[<y>&amp;]]>z</B></M>`,
		element{name: "M", kids: []element{{name: "B", text: "x<y>&amp;z"}}},
	},
	{
		"comments and instructions", `<!-- a --><M><!-- b --><B>x<!-- c -->y</B><?p q?></M><!-- d -->`,
		element{name: "M", kids: []element{{name: "B", text: "xy"}}},
	},
	{
		"prefixes", `<m:M xmlns:m="urn:x" m:a='1>2'><m:B>x</m:B></m:M >`,
		element{name: "M", kids: []element{{name: "B", text: "x"}}},
	},
	{
		"carriage returns", "<M>\r\n<B>a\r\nb\rc</B></M>",
		element{name: "M", kids: []element{{name: "B", text: "a\nb\nc"}}},
	},
	{
		"a section of tags", "<M><B><![CDATA[" + strings.Repeat("<p>", maxTags) + "]]></B></M>",
		element{name: "M", kids: []element{{name: "B", text: strings.Repeat("<p>", maxTags)}}},
	},
}

func TestReadXML(t *testing.T) {
	for _, c := range documents {
		t.Run(c.name, func(t *testing.T) {
			got, err := readXML(c.doc)
			if err != nil {
				t.Fatalf("readXML(%q) = %v", c.doc, err)
			}
			if diff := cmp.Diff(&c.want, got, cmp.AllowUnexported(element{})); diff != "" {
				t.Errorf("readXML(%q) differs (-want +got):\n%s", c.doc, diff)
			}
		})
	}
}

func TestClientsSendPlainXML(t *testing.T) {
	for _, c := range documents[:6] {
		if _, ok := readPlain(c.doc); !ok {
			t.Errorf("readPlain(%q) leaves it to etree", c.doc)
		}
	}
}

func TestMalformedXMLIsRefused(t *testing.T) {
	nested := strings.Repeat("<a>", maxDepth+1) + strings.Repeat("</a>", maxDepth+1)
	for _, c := range []struct{ name, doc string }{
		{"nothing", ""},
		{"white space", " \n"},
		{"text", "hello"},
		{"JSON", `{"MessageBody":"x"}`},
		{"not closed", "<Message><MessageBody>x</MessageBody>"},
		{"closed by another", "<Message><MessageBody>x</Message></MessageBody>"},
		{"two roots", "<Message/><Message/>"},
		{"text after the root", "<Message/>x"},
		{"open end", "<Message"},
		{"bare ampersand", "<M>a & b</M>"},
		{"unknown entity", "<M>&nbsp;</M>"},
		{"forbidden character", "<M>\x01</M>"},
		{"reference to a forbidden character", "<M>&#1;</M>"},
		{"not UTF-8", "<M>\xff</M>"},
		{"end of section", "<M>]]></M>"},
		{"another encoding", `<?xml version="1.0" encoding="GBK"?><M/>`},
		{"another version", `<?xml version="1.1"?><M/>`},
		{"DTD", `<!DOCTYPE M><M/>`},
		{"entities", `<!DOCTYPE M [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><M>&c;</M>`},
		{"external entity", `<!DOCTYPE M [<!ENTITY a SYSTEM "file:///etc/passwd">]><M>&a;</M>`},
		{"too deep", nested},
		{"too many elements", "<M>" + strings.Repeat("<a/>", maxTags+1) + "</M>"},
		{"too many attributes", "<M" + strings.Repeat(` a=""`, maxTags+1) + "/>"},
		{"too many prefixed attributes", "<m:M" + strings.Repeat(` a='>'`, maxTags+1) + "/>"},
		{"too many comments", "<M>" + strings.Repeat("<!---->", maxTags+1) + "</M>"},
		{"too many sections", "<M>" + strings.Repeat("<![CDATA[]]>", maxTags+1) + "</M>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := readXML(c.doc); !errors.Is(err, errMalformedXML) {
				t.Errorf("readXML(%.40q) = %v, %v, want %v", c.doc, got, err, errMalformedXML)
			}
		})
	}
}

func TestLargestBatchIsRead(t *testing.T) {
	property := "<PropertyValue><Name>n</Name><Value>v</Value><Type>STRING</Type></PropertyValue>"
	message := "<Message><MessageBody>b</MessageBody><UserProperties>" + strings.Repeat(property, 60) + "</UserProperties></Message>"
	doc := "<Messages xmlns=\"http://mns.aliyuncs.com/doc/v1\">" + strings.Repeat(message, maxBatch) + "</Messages>"
	for name, read := range map[string]func(string) (*element, error){"plain": readXML, "etree": readTree} {
		root, err := read(doc)
		if err != nil {
			t.Fatalf("%s: reading 16 messages of 60 properties = %v", name, err)
		}
		if n := len(root.kids[15].kids[1].kids); n != 60 {
			t.Errorf("%s: the last message has %d properties, want 60", name, n)
		}
	}
}

// FuzzReadXML shows that nothing panics, and that what the plain reader accepts etree accepts with the same result.
func FuzzReadXML(f *testing.F) {
	for _, c := range documents {
		f.Add(c.doc)
	}
	for _, r := range recordings(f)[:10] {
		f.Add(r.body)
	}
	for _, doc := range []string{
		"", "<", "</a>", "<a/><a/>", "<a b='c'/>", "<a b = \"c\" />", "<a xmlns:b='c' b:d='e'></a>", "<a>]]></a>", "<a>&#1;</a>",
		"<a>\r</a>", "<a:b></a:b>", "<a b='<'/>", "<a b='&'/>", "<a.-_9/>", "<9/>", "<a\n></a\t>", "<!DOCTYPE a><a/>", "\ufeff<a/>",
		"<?xml version=\"1.0\"?>\n\n<a/>", " <?xml version=\"1.0\"?><a/>", "<?xml version=\"1.0\"?><?xml version=\"1.0\"?><a/>",
		"<a>\uFFFE</a>", "<a b=\"\uFFFF\"/>", "<a>x<b/>y</a>", "<a b='1'c='2'/>", "<a b:='1'/>", "<a :b='1'/>", "<a b/>",
	} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		plain, ok := readPlain(doc)
		tree, err := readTree(doc)
		if !ok {
			return
		}
		if err != nil {
			t.Fatalf("readPlain accepts %q, readTree says %v", doc, err)
		}
		if !reflect.DeepEqual(plain, tree) {
			t.Errorf("readPlain(%q) = %+v, readTree = %+v", doc, plain, tree)
		}
	})
}

func benchmarkDocuments() map[string]string {
	const namespace = ` xmlns="http://mns.aliyuncs.com/doc/v1/"`
	message := "<Message><MessageBody>" + strings.Repeat("0123456789abcdef", 64) + "</MessageBody><DelaySeconds>0</DelaySeconds><Priority>8</Priority></Message>"
	quoted := "<Message><MessageBody>" + strings.Repeat("{&quot;key&quot;: 1}", 50) + "</MessageBody></Message>"
	handles := "<ReceiptHandles" + namespace + ">" + strings.Repeat("<ReceiptHandle>0123456789ABCDEF0123456789ABCDEF-0123456789abcdef</ReceiptHandle>", 16) + "</ReceiptHandles>"
	const head = `<?xml version="1.0" encoding="UTF-8"?>`
	return map[string]string{
		"Message":  head + message,
		"quoted":   head + quoted,
		"Messages": head + "<Messages" + namespace + ">" + strings.Repeat(message, 16) + "</Messages>",
		"Handles":  head + handles,
	}
}

func BenchmarkReadXML(b *testing.B) {
	readers := map[string]func(string) bool{
		"plain": func(doc string) bool { _, ok := readPlain(doc); return ok },
		"etree": func(doc string) bool { _, err := readTree(doc); return err == nil },
	}
	for name, doc := range benchmarkDocuments() {
		for reader, read := range readers {
			b.Run(fmt.Sprint(name, "/", reader), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if !read(doc) {
						b.Fatal("not read")
					}
				}
			})
		}
	}
}
