package mns

import (
	_ "embed"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

//go:embed testdata/recorded.txt
var recordedText string

type recording struct{ name, operation, body string }

// recordings splits the file of recorded bodies.
func recordings(t testing.TB) []recording {
	t.Helper()
	var all []recording
	for _, section := range strings.Split(recordedText, "\n-- ")[1:] {
		head, body, ok := strings.Cut(section, " --\n")
		fields := strings.Fields(head)
		if !ok || len(fields) != 3 {
			t.Fatalf("recorded.txt has the heading %q", head)
		}
		all = append(all, recording{fields[0], fields[1], strings.TrimSuffix(body, "\n")})
	}
	return all
}

// shapeOf returns the plan and an empty value of what an answer is written from.
func shapeOf(t testing.TB, operation, root string) (*plan, reflect.Value) {
	t.Helper()
	if root == "Error" {
		return errorPlan, reflect.ValueOf(&errorOutput{}).Elem()
	}
	switch operation {
	case "SendMessage", "PublishMessage": // topics answer as queues do
		return planOf[sendMessageOutput](), reflect.ValueOf(&sendMessageOutput{}).Elem()
	case "BatchSendMessage":
		return planOf[batchSendMessageOutput](), reflect.ValueOf(&batchSendMessageOutput{}).Elem()
	case "ReceiveMessage":
		return planOf[receiveMessageOutput](), reflect.ValueOf(&receiveMessageOutput{}).Elem()
	case "BatchReceiveMessage":
		return planOf[batchReceiveMessageOutput](), reflect.ValueOf(&batchReceiveMessageOutput{}).Elem()
	case "ChangeMessageVisibility":
		return planOf[changeVisibilityOutput](), reflect.ValueOf(&changeVisibilityOutput{}).Elem()
	case "GetQueueAttributes":
		return planOf[getQueueAttributesOutput](), reflect.ValueOf(&getQueueAttributesOutput{}).Elem()
	}
	t.Fatalf("no shape for %s", operation)
	return nil, reflect.Value{}
}

func TestAnswersAreWrittenAsRecorded(t *testing.T) {
	all := recordings(t)
	if len(all) < 50 {
		t.Fatalf("recorded.txt has %d bodies, want 50", len(all))
	}
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) {
			root, err := readTree(r.body)
			if err != nil {
				t.Fatalf("readTree(recorded body) = %v", err)
			}
			p, v := shapeOf(t, r.operation, root.name)
			if err := root.bind(p, v); err != nil {
				t.Fatalf("bind(recorded body) = %v", err)
			}
			got := string(xmlCodec{}.write(nil, p, v))
			if diff := cmp.Diff(r.body, got); diff != "" {
				t.Errorf("write(values of the recorded body) differs (-recorded +got):\n%s", diff)
			}
		})
	}
}

func TestRecordedLengths(t *testing.T) {
	// The Content-Length headers of 2022, which prove the layout.
	want := map[string]int{"publish-message-2022": 208, "receive-message-2022": 852, "send-message-delayed-2022": 279}
	for _, r := range recordings(t) {
		if n, ok := want[r.name]; ok && len(r.body) != n {
			t.Errorf("%s has %d bytes, want %d", r.name, len(r.body), n)
		}
	}
}

func TestTextIsEscapedOnlyWhereXMLNeedsIt(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain", "plain"},
		{`{"a": 'b'}`, `{"a": 'b'}`},
		{"a<b>&c", "a&lt;b&gt;&amp;c"},
		{"]]>", "]]&gt;"},
		{"tab\tline\ncr\r.", "tab\tline\ncr&#xD;."},
		{"中文 \U0001F600", "中文 \U0001F600"},
		{"\x00\x01\x1f", "\uFFFD\uFFFD\uFFFD"},
		{"\xff\xc3", "\uFFFD\uFFFD"},
		{"\uFFFE\uFFFF\uFFFD", "\uFFFD\uFFFD\uFFFD"},
	} {
		if got := string(appendText(nil, c.text)); got != c.want {
			t.Errorf("appendText(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestEmptyListIsARootAlone(t *testing.T) {
	out := listQueueOutput{}
	got := string(xmlCodec{}.write(nil, planOf[listQueueOutput](), reflect.ValueOf(&out).Elem()))
	want := "<?xml version=\"1.0\" ?>\n<Queues xmlns=\"http://mns.aliyuncs.com/doc/v1\">\n</Queues>"
	if got != want {
		t.Errorf("write(no queues) = %q, want %q", got, want)
	}
}

func TestAbsentIsNotZero(t *testing.T) {
	read := func(doc string) queueSettings {
		t.Helper()
		root, err := readXML(doc)
		if err != nil {
			t.Fatalf("readXML(%q) = %v", doc, err)
		}
		var in queueSettingsInput
		if err := root.bind(planOf[queueSettingsInput](), reflect.ValueOf(&in).Elem()); err != nil {
			t.Fatalf("bind(%q) = %v", doc, err)
		}
		return in.queueSettings
	}
	if got := read("<Queue/>"); got != (queueSettings{}) {
		t.Errorf("an empty Queue gives %+v, want nothing", got)
	}
	got := read("<Queue><DelaySeconds>0</DelaySeconds><LoggingEnabled>false</LoggingEnabled></Queue>")
	if got.DelaySeconds == nil || *got.DelaySeconds != 0 || got.LoggingEnabled == nil || *got.LoggingEnabled {
		t.Errorf("a given 0 and false give %+v, want pointers to them", got)
	}
	if got.VisibilityTimeout != nil {
		t.Errorf("VisibilityTimeout = %v, want nil", *got.VisibilityTimeout)
	}
}

func TestUnknownAndRepeatedElements(t *testing.T) {
	root, err := readXML(`<m:Message xmlns:m="urn:x"><Slices>1</Slices><Priority>1</Priority><m:Priority> 2
</m:Priority><MessageBody> x </MessageBody></m:Message>`)
	if err != nil {
		t.Fatalf("readXML = %v", err)
	}
	var in sendMessageInput
	if err := root.bind(planOf[sendMessageInput](), reflect.ValueOf(&in).Elem()); err != nil {
		t.Fatalf("bind = %v", err)
	}
	if *in.Priority != 2 || *in.MessageBody != " x " {
		t.Errorf("Priority, MessageBody = %d, %q, want 2 and \" x \"", *in.Priority, *in.MessageBody)
	}
}

func TestElementsOfTheWrongType(t *testing.T) {
	for _, c := range []struct{ doc, element string }{
		{"<Queue><DelaySeconds>soon</DelaySeconds></Queue>", "DelaySeconds"},
		{"<Queue><DelaySeconds></DelaySeconds></Queue>", "DelaySeconds"},
		{"<Queue><VisibilityTimeout>1.5</VisibilityTimeout></Queue>", "VisibilityTimeout"},
		{"<Queue><LoggingEnabled>maybe</LoggingEnabled></Queue>", "LoggingEnabled"},
		{"<Topic/>", "Topic"},
	} {
		root, err := readXML(c.doc)
		if err != nil {
			t.Fatalf("readXML(%q) = %v", c.doc, err)
		}
		var in queueSettingsInput
		err = root.bind(planOf[queueSettingsInput](), reflect.ValueOf(&in).Elem())
		if want := notInSchema(c.element); err == nil || err.Error() != want.Error() {
			t.Errorf("bind(%q) = %v, want %v", c.doc, err, want)
		}
	}
}

func BenchmarkWriteReceive(b *testing.B) {
	p, v := shapeOf(b, "BatchReceiveMessage", "Messages")
	root, err := readTree(recordings(b)[0].body)
	if err != nil {
		b.Fatal(err)
	}
	if err := root.bind(p, v); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf = xmlCodec{}.write(buf[:0], p, v)
	}
}
