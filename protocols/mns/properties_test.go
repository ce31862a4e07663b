package mns

import (
	"strings"
	"testing"
	"time"

	"github.com/sluicemq/sluice/core"
)

func TestBodiesComeBackAsTheyWere(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	for _, c := range []struct{ sent, body, md5 string }{
		{"5Lit5paHPCY+", "5Lit5paHPCY+", "B1CD11B9C677E413620F10D834EA88CC"},
		{"中文&lt;&amp;&gt;", "中文<&>", "4F8EC04C380CD87AF44F2FEFA8B0F625"},
		{" a\n\tb ", " a\n\tb ", ""},
		{"a&#13;&#10;b", "a\r\nb", ""},
		{"a\r\nb", "a\nb", ""},
		{"<![CDATA[<x>&amp;</x>]]>", "<x>&amp;</x>", ""},
		{"{&quot;a&quot;: 'b'}", `{"a": 'b'}`, ""},
		{"😀", "😀", ""},
	} {
		sent := l.send("q", c.sent)
		got := l.do("GET", "/queues/q/messages", "").want(200)
		if got.text("MessageBody") != c.body || got.text("MessageBodyMD5") != sent.text("MessageBodyMD5") {
			t.Errorf("sent %q, received %s", c.sent, got.body)
		}
		if c.md5 != "" && got.text("MessageBodyMD5") != c.md5 {
			t.Errorf("MessageBodyMD5 of %q = %s, want %s", c.body, got.text("MessageBodyMD5"), c.md5)
		}
	}
}

func TestForbiddenCharactersDoNotPoisonAQueue(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	for _, bad := range []string{"\x01", "&#1;", "\uFFFF", "\xff"} {
		l.do("POST", "/queues/q/messages", message(bad)).wantError(400, "MalformedXML", "The XML you provided was not well-formed.")
	}
	// Through another provider they may come all the same.
	broker, ns := l.sqs()
	_, err := broker.Send(t.Context(), core.QueueKey{Namespace: ns, Name: "q"},
		[]core.Outgoing{{Body: "a\x01b", Attributes: []core.Attribute{{Name: "\x02", Label: "x", Value: []byte("\x03")}}}})
	if err != nil {
		t.Fatalf("Send = %v", err)
	}
	if got := l.do("GET", "/queues/q/messages", "").want(200).text("MessageBody"); got != "a\uFFFDb" {
		t.Errorf("MessageBody = %q", got)
	}
}

func TestPropertiesTravel(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	properties := `<UserProperties>
  <PropertyValue><Name>s</Name><Value>a&lt;b</Value><Type>STRING</Type></PropertyValue>
  <PropertyValue><Name>n</Name><Value>1.50</Value><Type>NUMBER</Type></PropertyValue>
  <PropertyValue><Name>b</Name><Value>true</Value><Type>BOOLEAN</Type></PropertyValue>
  <PropertyValue><Name>x</Name><Value>AQL/</Value><Type>BINARY</Type></PropertyValue>
  <PropertyValue><Name>s</Name><Value></Value><Type>STRING</Type></PropertyValue>
</UserProperties>
<SystemProperties>
  <SystemPropertyValue><Name>traceparent</Name><Value>00-1-2-01</Value><Type>STRING</Type></SystemPropertyValue>
  <SystemPropertyValue><Name>baggage</Name><Value>k=v</Value><Type>STRING</Type></SystemPropertyValue>
  <SystemPropertyValue><Name>DLQSourceArn</Name><Value>forged</Value><Type>STRING</Type></SystemPropertyValue>
</SystemProperties>`
	l.do("POST", "/queues/q/messages", "<Message><MessageBody>x</MessageBody>"+properties+"</Message>").want(201)
	want := `  <Priority>8</Priority>
  <UserProperties>
    <PropertyValue>
      <Name>s</Name>
      <Value></Value>
      <Type>STRING</Type>
    </PropertyValue>
    <PropertyValue>
      <Name>n</Name>
      <Value>1.50</Value>
      <Type>NUMBER</Type>
    </PropertyValue>
    <PropertyValue>
      <Name>b</Name>
      <Value>true</Value>
      <Type>BOOLEAN</Type>
    </PropertyValue>
    <PropertyValue>
      <Name>x</Name>
      <Value>AQL/</Value>
      <Type>BINARY</Type>
    </PropertyValue>
  </UserProperties>
  <SystemProperties>
    <SystemPropertyValue>
      <Name>traceparent</Name>
      <Value>00-1-2-01</Value>
      <Type>STRING</Type>
    </SystemPropertyValue>
    <SystemPropertyValue>
      <Name>baggage</Name>
      <Value>k=v</Value>
      <Type>STRING</Type>
    </SystemPropertyValue>
  </SystemProperties>
</Message>`
	if got := l.do("GET", "/queues/q/messages?peekonly=true", "").want(200).body; !strings.HasSuffix(got, want) {
		t.Errorf("PeekMessage = %s\nwant the end %s", got, want)
	}
	broker, ns := l.sqs()
	got, err := broker.Receive(t.Context(), core.QueueKey{Namespace: ns, Name: "q"}, core.ReceiveRequest{})
	if err != nil || len(got) != 1 {
		t.Fatalf("Receive = %v, %v", got, err)
	}
	attributes := got[0].Attributes
	if len(attributes) != 4 || attributes[3].Kind != core.Binary || string(attributes[3].Value) != "\x01\x02\xff" || attributes[2].Kind != core.Boolean {
		t.Errorf("the engine has the attributes %+v", attributes)
	}
	if got[0].Sender != "1234567890123456" || got[0].Trace != (core.Trace{Parent: "00-1-2-01", Baggage: "k=v"}) {
		t.Errorf("the engine has sender %q and trace %+v", got[0].Sender, got[0].Trace)
	}
}

func TestBadProperties(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	for _, c := range []struct{ property, element string }{
		{"<Value>v</Value><Type>STRING</Type>", "Name"},
		{"<Name></Name><Value>v</Value><Type>STRING</Type>", "Name"},
		{"<Name>n</Name><Type>STRING</Type>", "Value"},
		{"<Name>n</Name><Value>v</Value>", "Type"},
		{"<Name>n</Name><Value>v</Value><Type>DATE</Type>", "Type"},
		{"<Name>n</Name><Value>not base64</Value><Type>BINARY</Type>", "Value"},
	} {
		body := "<Message><MessageBody>x</MessageBody><UserProperties><PropertyValue>" + c.property + "</PropertyValue></UserProperties></Message>"
		for _, body := range []string{body, "<Messages>" + message("ok") + body + "</Messages>"} {
			l.do("POST", "/queues/q/messages", body).wantError(400, "InvalidArgument",
				"The XML you provided did not validate against our published schema, cause by "+c.element+".")
		}
	}
	l.empty("q")
}

func TestAttributesOfTheOtherProviderBecomeProperties(t *testing.T) {
	l := newLab(t)
	l.create("q", "")
	broker, ns := l.sqs()
	_, err := broker.Send(t.Context(), core.QueueKey{Namespace: ns, Name: "q"}, []core.Outgoing{{Body: "x", Attributes: []core.Attribute{
		{Name: "t", Kind: core.Text, Label: "java.lang.String", Value: []byte("v")},
		{Name: "b", Kind: core.Binary, Label: "png", Value: []byte{1, 2, 255}},
	}}})
	if err != nil {
		t.Fatalf("Send = %v", err)
	}
	a := l.do("GET", "/queues/q/messages", "").want(200)
	properties := a.root().last("UserProperties")
	if got := textOf(&properties.kids[0], "Type") + textOf(&properties.kids[1], "Type") + textOf(&properties.kids[1], "Value"); got != "STRINGBINARYAQL/" {
		t.Errorf("UserProperties = %s", a.body)
	}
	if a.text("Priority") != "8" {
		t.Errorf("Priority = %s, want 8", a.text("Priority"))
	}
}

func TestDeadLettersSayWhereTheyComeFrom(t *testing.T) {
	l := newLab(t)
	l.create("q", "<VisibilityTimeout>1</VisibilityTimeout>")
	l.create("dead", "")
	broker, ns := l.sqs()
	policy := &core.Redrive{Target: core.QueueKey{Namespace: ns, Name: "dead"}, MaxReceives: 1}
	if err := broker.Amend(t.Context(), core.QueueKey{Namespace: ns, Name: "q"}, func(core.QueueInfo) (core.Patch, error) {
		return core.Patch{Redrive: &policy}, nil
	}); err != nil {
		t.Fatalf("Amend = %v", err)
	}
	id := l.send("q", "x").text("MessageId")
	l.receive("q")
	l.clock.Advance(time.Second)
	l.empty("q")
	a := l.do("GET", "/queues/dead/messages", "").want(200)
	got := map[string]string{}
	for _, p := range a.root().last("SystemProperties").kids {
		got[textOf(&p, "Name")] = textOf(&p, "Value")
	}
	if got["DLQSourceArn"] != "acs:mns:cn-hangzhou:1234567890123456:/queues/q" || got["DLQOriginMessageId"] != id || got["DLQMessageType"] == "" {
		t.Errorf("SystemProperties = %v, message %s", got, id)
	}
}
