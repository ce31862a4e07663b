package replay

import (
	"maps"
	"net/url"
	"testing"
	"time"
)

func testBinder(values map[string]string) *binder {
	if values == nil {
		values = make(map[string]string)
	}
	return &binder{values: values, unique: func() string { return "q00" }, now: func() time.Time { return epoch }}
}

func TestMatchBindsAtFirstSightAndDemandsTheSameLater(t *testing.T) {
	for _, tt := range []struct {
		about, want, got string
		bound            map[string]string
		class            Class
		after            map[string]string
	}{
		{about: "a literal", want: "hello", got: "hello"},
		{about: "another literal", want: "hello", got: "hallo", class: Value},
		{about: "a new value", want: "{{digits:n}}", got: "12", after: map[string]string{"n": "12"}},
		{about: "a new value of another form", want: "{{digits:n}}", got: "x", class: ValueForm},
		{about: "the same again", want: "{{n}}", got: "12", bound: map[string]string{"n": "12"}},
		{about: "the same again, with its kind", want: "{{digits:n}}", got: "12", bound: map[string]string{"n": "12"}},
		{about: "another", want: "{{n}}", got: "13", bound: map[string]string{"n": "12"}, class: BoundChanged},
		{about: "never bound", want: "{{n}}", got: "13", class: Unbound},
		{about: "not kept", want: "{{digits:_}}", got: "13", after: map[string]string{}},
		{about: "within a text", want: "a {{word:w}} b", got: "a xyz b", after: map[string]string{"w": "xyz"}},
		{about: "two of them", want: "{{word:a}}:{{word:b}}", got: "x:y", after: map[string]string{"a": "x", "b": "y"}},
		{about: "twice the same", want: "{{word:a}}:{{word:a}}", got: "x:x", after: map[string]string{"a": "x"}},
		{about: "twice, but others", want: "{{word:a}}:{{word:a}}", got: "x:y", class: BoundChanged},
		{about: "as long as it has to be", want: "{{text:a}}, {{word:b}}", got: "1, 2, 3", after: map[string]string{"a": "1, 2", "b": "3"}},
		{about: "a renewed one", want: "{{handle:b!=a}}", got: "y", bound: map[string]string{"a": "x"}, after: map[string]string{"b": "y"}},
		{about: "one that is not renewed", want: "{{handle:b!=a}}", got: "x", bound: map[string]string{"a": "x"}, class: NotRenewed},
		{about: "a later one", want: "{{int:b>=a}}", got: "7", bound: map[string]string{"a": "7"}, after: map[string]string{"b": "7"}},
		{about: "an earlier one", want: "{{int:b>=a}}", got: "6", bound: map[string]string{"a": "7"}, class: Value},
		{about: "shifted", want: "{{a+30}}", got: "37", bound: map[string]string{"a": "7"}},
		{about: "shifted too far", want: "{{a+30}}", got: "38", bound: map[string]string{"a": "7"}, class: Value},
		{about: "near enough", want: "{{a+30~5}}", got: "41", bound: map[string]string{"a": "9"}},
		{about: "not near enough", want: "{{a+30~1}}", got: "41", bound: map[string]string{"a": "9"}, class: Value},
		{about: "the path of a URL", want: "{{u.path}}", got: "/0/q", bound: map[string]string{"u": "http://h:1/0/q"}},
		{about: "repeated", want: "{{repeat:ab:3}}", got: "ababab"},
		{about: "in base64", want: "{{base64:hello}}", got: "aGVsbG8="},
		{about: "a name of ours", want: "{{unique:q}}.fifo", got: "q00.fifo", after: map[string]string{"q": "q00"}},
		{about: "braces that mean nothing", want: "{{1 2}}", got: "x", class: Value},
	} {
		t.Run(tt.about, func(t *testing.T) {
			b := testBinder(maps.Clone(tt.bound))
			if m := b.match(tt.want, tt.got, nil); m.class != tt.class {
				t.Errorf("match(%q, %q) = %q (%s), want %q", tt.want, tt.got, m.class, m.want, tt.class)
			}
			if tt.after != nil && !maps.Equal(b.values, merged(tt.bound, tt.after)) {
				t.Errorf("match(%q, %q) bound %v, want %v", tt.want, tt.got, b.values, tt.after)
			}
		})
	}
}

func merged(a, b map[string]string) map[string]string {
	all := make(map[string]string)
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

func TestRequestsEscapeValuesForTheirPlace(t *testing.T) {
	s := &Scenario{Dialect: Cross}
	e := &remote{base: mustURL(t, "http://localhost:1")}
	r := &runner{ctx: t.Context(), s: s, e: e, b: testBinder(map[string]string{"v": `a+b/"<c>`, "u": "http://x/0/q"})}
	for _, tt := range []struct {
		message             Message
		wantPath, wantQuery string
		wantBody            string
	}{
		{Message{Method: "POST", Path: "/", Headers: []Header{{"X-Amz-Target", "T"}}, Body: `{"a":"{{v}}"}`}, "/", "", `{"a":"a+b/\"<c>"}`},
		{Message{Method: "POST", Path: "{{u.path}}", Body: "Action=A\n&B={{v}}"}, "/0/q", "", "Action=A&B=a%2Bb%2F%22%3Cc%3E"},
		{Message{Method: "PUT", Path: "/queues/q?h={{v}}", Body: "<A>{{v}}</A>"}, "/queues/q", "h=a%2Bb%2F%22%3Cc%3E", `<A>a+b/"&lt;c&gt;</A>`},
	} {
		req, body, err := r.request(t.Context(), &tt.message)
		if err != nil {
			t.Errorf("request(%+v) = %v", tt.message, err)
			continue
		}
		if req.URL.Path != tt.wantPath || req.URL.RawQuery != tt.wantQuery || body != tt.wantBody {
			t.Errorf("request(%+v) = %s ? %s with %q, want %s ? %s with %q",
				tt.message, req.URL.Path, req.URL.RawQuery, body, tt.wantPath, tt.wantQuery, tt.wantBody)
		}
	}
}

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestUnorderedListsFitInAnyOrder(t *testing.T) {
	want := `{"Failed":[{"Id":"x"}],"Successful":[{"Id":"1","M":"{{word:a}}"},{"Id":"2","M":"{{word:b}}"}]}`
	got := `{"Failed":[{"Id":"x"}],"Successful":[{"Id":"2","M":"p"},{"Id":"1","M":"q"}]}`
	c := &comparison{b: testBinder(nil), exact: true, unordered: setOf([]string{"Successful"})}
	if c.body(want, got); len(c.found) != 0 || c.b.values["a"] != "q" || c.b.values["b"] != "p" {
		t.Errorf("body(…) found %v and bound %v, want nothing and a=q b=p", c.found, c.b.values)
	}
	c = &comparison{b: testBinder(nil), exact: true}
	if c.body(want, got); len(c.found) != 2 {
		t.Errorf("body(…) found %v in order, want two differences", c.found)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("a {{word:a}} b {{text:c}}", "a x b y")
	f.Add("{{int:b>=a}}{{repeat:x:3}}{{byte:ff}}", "1xxx")
	f.Fuzz(func(_ *testing.T, want, got string) {
		testBinder(nil).match(want, got, nil)
	})
}

func FuzzBody(f *testing.F) {
	f.Add(`{"a":{{int:a}},"b":["{{word:b}}",null,true]}`, `{"a":1,"b":["x",null,true]}`, true)
	f.Add(`<?xml version="1.0"?><A x="1"><B>{{text:b}}</B></A>`, `<A x="1"><B>1</B><B/></A>`, false)
	f.Fuzz(func(_ *testing.T, want, got string, exact bool) {
		c := &comparison{b: testBinder(nil), exact: exact, unordered: setOf([]string{"b", "B"})}
		c.body(want, got)
	})
}
