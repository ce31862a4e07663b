package hostile_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

const onMessages = "/queues/plain/messages"

func sendXML(body string) ask { return mnsAsk(http.MethodPost, onMessages, body) }

func TestXMLThatIsNotWellFormed(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	const good = "<Message><MessageBody>x</MessageBody></Message>"
	var rows []row
	for _, body := range []string{
		"", " ", "x", "<", ">", "<>", "</>", "<Message", "<Message>", "</Message>", "<Message/", "<Message></message>",
		"<Message><MessageBody>x</Message></MessageBody>", good + good, good + "<x/>", good + "x", "x" + good,
		"<?xml version=\"1.0\"?>", "<!-- only a comment -->", "<Message>&nothing;</Message>", "<Message>&#0;</Message>",
		"<Message>&#x1F;</Message>", "<Message>&#xFFFF;</Message>", "<Message>&#x110000;</Message>", "<Message>& </Message>",
		"<Message>\x00</Message>", "<Message>\x08</Message>", "<Message>\xff</Message>", "<Message>\xed\xa0\x80</Message>",
		"<Message a=1/>", "<Message a/>", "<Message a='<'/>", "<Message a=\"x></Message>", "<1/>", "<a:b:c/>",
		"<Message><![CDATA[x</Message>", "<Message><!-- x</Message>", "<Message><!-- a -- b --></Message>", "<Message>]]></Message>",
		"{\"MessageBody\":\"x\"}", "Action=SendMessage&MessageBody=x",
		"<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + good, "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" + good,
		"<?xml version=\"1.0\" encoding=\"nope\"?>" + good, utf16(good), "\xfe\xff" + good,
		"<!DOCTYPE Message>" + good, "<!DOCTYPE Message SYSTEM \"file:///etc/passwd\">" + good,
		"<!DOCTYPE Message [<!ENTITY a \"x\">]><Message><MessageBody>&a;</MessageBody></Message>",
		"<!DOCTYPE Message [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><Message><MessageBody>&a;</MessageBody></Message>",
		"<!DOCTYPE Message [<!ENTITY % a SYSTEM \"http://127.0.0.1/\">%a;]>" + good,
		"<Message><!ELEMENT a ANY></Message>",
	} {
		rows = append(rows, row{fmt.Sprintf("%.60q", body), sendXML(body), inMNS, mnsMalformed})
	}
	s.refuses(t, rows)
}

func utf16(text string) string {
	b := []byte{0xff, 0xfe}
	for _, c := range []byte(text) {
		b = append(b, c, 0)
	}
	return string(b)
}

// TestXMLBombs sends documents that would take far more room in memory than on the wire, and watches how much they take.
func TestXMLBombs(t *testing.T) {
	s := open(t)
	s.furnish(t)
	laughs := "<!DOCTYPE m [<!ENTITY a0 \"ha\">"
	for i := range 30 {
		laughs += fmt.Sprintf("<!ENTITY a%d \"&a%d;&a%[2]d;\">", i+1, i)
	}
	const size = 1 << 20
	const room = 64 << 20 // bytes that one request may allocate in all
	for _, tt := range []struct{ name, body string }{
		{"entities", laughs + "]><Message>&a30;</Message>"},
		{"depth", strings.Repeat("<a>", size/3)},
		{"depth that ends", strings.Repeat("<a>", 10_000) + strings.Repeat("</a>", 10_000)},
		{"breadth", "<Message>" + strings.Repeat("<a/>", size/4) + "</Message>"},
		{"breadth with ends", "<Message>" + strings.Repeat("<a></a>", size/7) + "</Message>"},
		{"breadth after an instruction with a quote", "<?x '?><Message>" + strings.Repeat("<a/>", size/4) + "</Message>"},
		{"breadth after an instruction with an angle", "<?x > \" ?><Message>" + strings.Repeat("<a/>", size/4) + "</Message>"},
		{"breadth after a comment with a quote", "<!-- ' --><Message>" + strings.Repeat("<a/>", size/4) + "</Message>"},
		{"attributes", "<Message " + strings.Repeat("a='' ", size/5) + "/>"},
		{"attributes without values", "<Message " + strings.Repeat("a ", size/2) + "/>"},
		{"namespaces", "<Message " + strings.Repeat("xmlns:a='b' ", size/12) + "/>"},
		{"one long attribute", "<Message a='" + strings.Repeat("x", size) + "'/>"},
		{"one long name", "<" + strings.Repeat("x", size) + "/>"},
		{"sections", "<Message>" + strings.Repeat("<![CDATA[]]>", size/12) + "</Message>"},
		{"comments", "<Message>" + strings.Repeat("<!---->", size/7) + "</Message>"},
		{"instructions", "<Message>" + strings.Repeat("<?a?>", size/5) + "</Message>"},
		{"references", "<Message><MessageBody>" + strings.Repeat("&#65;", size/5-100) + "</MessageBody></Message"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := s.state(t)
			var was, is runtime.MemStats
			runtime.ReadMemStats(&was)
			r := s.send(t, sendXML(tt.body))
			runtime.ReadMemStats(&is)
			if r.status != http.StatusBadRequest || !mnsError.MatchString(r.body) {
				t.Errorf("answer = %d %.300s, want 400 and an Error", r.status, r.body)
			}
			if grown := is.TotalAlloc - was.TotalAlloc; grown > room {
				t.Errorf("a request of %d KiB made the server allocate %d MiB, want at most %d", len(tt.body)>>10, grown>>20, room>>20)
			}
			if s.state(t) != before {
				t.Error("it has changed the queues")
			}
		})
	}
}

func TestXMLOfAnotherStructure(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	in := func(inside string) ask {
		return sendXML("<Message><MessageBody>x</MessageBody>" + inside + "</Message>")
	}
	property := func(inside string) ask {
		return in("<UserProperties><PropertyValue>" + inside + "</PropertyValue></UserProperties>")
	}
	many := strings.Repeat("<Message><MessageBody>x</MessageBody></Message>", 17)
	s.refuses(t, []row{
		{"another root", sendXML("<Queue/>"), inMNS, mnsArgument},
		{"root of another case", sendXML("<message><MessageBody>x</MessageBody></message>"), inMNS, mnsArgument},
		{"no body", sendXML("<Message/>"), inMNS, mnsArgument},
		{"body of another case", sendXML("<Message><messagebody>x</messagebody></Message>"), inMNS, mnsArgument},
		{"empty body", sendXML("<Message><MessageBody/></Message>"), inMNS, mnsArgument},
		{"negative delay", in("<DelaySeconds>-1</DelaySeconds>"), inMNS, mnsArgument},
		{"delay over a week", in("<DelaySeconds>604801</DelaySeconds>"), inMNS, mnsArgument},
		{"delay over 32 bits", in("<DelaySeconds>4294967296</DelaySeconds>"), inMNS, mnsArgument},
		{"delay over 64 bits", in("<DelaySeconds>18446744073709551616</DelaySeconds>"), inMNS, mnsArgument},
		{"delay under 64 bits", in("<DelaySeconds>-18446744073709551616</DelaySeconds>"), inMNS, mnsArgument},
		{"delay of no end", in("<DelaySeconds>1e400</DelaySeconds>"), inMNS, mnsArgument},
		{"delay with a fraction", in("<DelaySeconds>1.5</DelaySeconds>"), inMNS, mnsArgument},
		{"empty delay", in("<DelaySeconds/>"), inMNS, mnsArgument},
		{"delay with elements", in("<DelaySeconds><a>1</a></DelaySeconds>"), inMNS, mnsArgument},
		{"priority over the lowest", in("<Priority>17</Priority>"), inMNS, mnsArgument},
		{"negative priority", in("<Priority>-1</Priority>"), inMNS, mnsArgument},
		{"priority that wraps in 8 bits", in("<Priority>257</Priority>"), inMNS, mnsArgument},
		{"property without a name", property("<Value>x</Value><Type>STRING</Type>"), inMNS, mnsArgument},
		{"property without a value", property("<Name>a</Name><Type>STRING</Type>"), inMNS, mnsArgument},
		{"property without a type", property("<Name>a</Name><Value>x</Value>"), inMNS, mnsArgument},
		{"property of an unknown type", property("<Name>a</Name><Value>x</Value><Type>string</Type>"), inMNS, mnsArgument},
		{"property that is no base64", property("<Name>a</Name><Value>*</Value><Type>BINARY</Type>"), inMNS, mnsArgument},
		{"empty batch", sendXML("<Messages/>"), inMNS, mnsArgument},
		{"batch of something else", sendXML("<Messages><x/></Messages>"), inMNS, mnsArgument},
		{"batch of 17", sendXML("<Messages>" + many + "</Messages>"), inMNS, mnsArgument},
		{"batch with one bad message", sendXML("<Messages><Message><MessageBody>x</MessageBody></Message><Message/></Messages>"), inMNS, mnsArgument},
		{"batch with one bad delay", sendXML("<Messages><Message><MessageBody>x</MessageBody></Message><Message><MessageBody>x</MessageBody><DelaySeconds>-1</DelaySeconds></Message></Messages>"), inMNS, mnsArgument},
		{"no group", mnsAsk(http.MethodPost, "/queues/orders.fifo/messages", "<Message><MessageBody>x</MessageBody></Message>"), inMNS, fault{400, "FifoMissingMessageGroupId"}},
		{"queue settings of another root", mnsAsk(http.MethodPut, "/queues/new", "<Message/>"), inMNS, mnsArgument},
		{"queue settings that are malformed", mnsAsk(http.MethodPut, "/queues/new", "<Queue>"), inMNS, mnsMalformed},
		{"handles that are malformed", mnsAsk(http.MethodDelete, onMessages, "<ReceiptHandles>"), inMNS, mnsMalformed},
		{"no handles", mnsAsk(http.MethodDelete, onMessages, "<ReceiptHandles/>"), inMNS, mnsArgument},
		{"17 handles", mnsAsk(http.MethodDelete, onMessages, "<ReceiptHandles>"+strings.Repeat("<ReceiptHandle>x</ReceiptHandle>", 17)+"</ReceiptHandles>"), inMNS, mnsArgument},
	})
}

func TestMNSQueueSettingsThatNoQueueCanHave(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	var rows []row
	for element, values := range map[string][]string{
		"DelaySeconds":           {"-1", "604801", "2147483648", "99999999999999999999", "1e400", "x", "", "1.0", "٣"},
		"VisibilityTimeout":      {"0", "-1", "43201", "x"},
		"MessageRetentionPeriod": {"59", "604801", "-1", "x"},
		"MaximumMessageSize":     {"1023", "65537", "-1", "0", "2147483648", "-9223372036854775809", "x"},
		"PollingWaitSeconds":     {"-1", "31", "x"},
		"LoggingEnabled":         {"yes", "2", ""},
	} {
		for _, value := range values {
			body := fmt.Sprintf("<Queue><%s>%s</%[1]s></Queue>", element, value)
			rows = append(rows,
				row{fmt.Sprintf("create %s %q", element, value), mnsAsk(http.MethodPut, "/queues/new", body), inMNS, mnsArgument},
				row{fmt.Sprintf("set %s %q", element, value), mnsAsk(http.MethodPut, "/queues/plain?metaoverride=true", body), inMNS, mnsArgument})
		}
	}
	s.refuses(t, rows)
}

func TestMNSQueryStringsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	s := open(t)
	_, _, handle := s.furnish(t)
	get := func(query string) ask { return mnsAsk(http.MethodGet, onMessages+"?"+query, "") }
	put := func(query string) ask { return mnsAsk(http.MethodPut, onMessages+"?"+query, "") }
	var rows []row
	for _, n := range []string{"", "0", "-1", "17", "x", "1.5", "1e400", "2147483648", "9223372036854775808", "-9223372036854775809", "%00", "%D9%A3"} {
		rows = append(rows,
			row{"numOfMessages=" + n, get("numOfMessages=" + n), inMNS, mnsArgument},
			row{"peek numOfMessages=" + n, get("peekonly=true&numOfMessages=" + n), inMNS, mnsArgument},
			row{"visibilityTimeout=" + n, put("receiptHandle=" + handle + "&visibilityTimeout=" + n), inMNS, mnsArgument})
	}
	rows = without(rows, "visibilityTimeout=17") // is one
	for _, n := range []string{"", "-1", "31", "x", "1e400", "2147483648", "99999999999999999999"} {
		rows = append(rows, row{"waitseconds=" + n, get("waitseconds=" + n), inMNS, mnsArgument})
	}
	for _, query := range []string{
		"nope=1", "=", "=1", "%zz=1", "waitseconds=%zz", "waitseconds=%", "peekonly=maybe", "%00", "waitseconds%00=1", "wait",
		strings.Repeat("waitseconds=1&", 17), strings.Repeat("&", 1000) + "x", strings.Repeat("x", 10_000), ";waitseconds=1",
	} {
		rows = append(rows, row{fmt.Sprintf("%.40q", query), get(query), inMNS, mnsQuery})
	}
	rows = append(rows,
		row{"no handle", put("visibilityTimeout=10"), inMNS, fault{400, "MissingReceiptHandle"}},
		row{"no timeout", put("receiptHandle=" + handle), inMNS, fault{400, "MissingVisibilityTimeout"}},
		row{"nothing to change", put(""), inMNS, fault{400, "MissingReceiptHandle"}},
		row{"nothing to delete", mnsAsk(http.MethodDelete, onMessages, ""), inMNS, fault{400, "MissingReceiptHandle"}})
	s.refuses(t, rows)
}

func TestMNSListsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.furnish(t)
	list := func(header string) ask {
		a := mnsAsk(http.MethodGet, "/queues", "")
		a.header = append(a.header, header)
		return a
	}
	var rows []row
	for _, n := range []string{"0", "-1", "1001", "x", "1e400", "99999999999999999999", "\xff"} {
		rows = append(rows, row{fmt.Sprintf("number %q", n), list("x-mns-ret-number: " + n), inMNS, mnsArgument})
	}
	rows = append(rows, row{"marker", list("x-mns-marker: ***"), inMNS, mnsArgument})
	s.refuses(t, rows)
}
