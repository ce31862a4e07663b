package sqs

import (
	"testing"

	"github.com/sluicemq/sluice/core"
)

// Unless said otherwise the digests are those of the real service, for attributes of these types and values.
func TestAttributesDigest(t *testing.T) {
	text := func(name, value string) core.Attribute { return core.Attribute{Name: name, Value: []byte(value)} }
	number := func(name, value string) core.Attribute {
		return core.Attribute{Name: name, Kind: core.Number, Value: []byte(value)}
	}
	mixed := func(label string) []core.Attribute { // of the specification of the Ruby client
		return []core.Attribute{
			{Name: "aaa", Kind: core.Binary, Label: label, Value: []byte{2, 3, 4}},
			{Name: "ccc", Label: label, Value: []byte("test")},
			{Name: "zzz", Kind: core.Number, Label: label, Value: []byte("0230.01")},
			{Name: "öther_encodings", Label: label, Value: []byte("Tüst")},
		}
	}
	general, hello, help := text("General", "Kenobi"), text("Hello", "There"), text("Help.Me", "Me")
	for _, tt := range []struct {
		want string
		of   []core.Attribute
	}{
		{"235c5c510d26fb653d073faed50ae77c", []core.Attribute{number("timestamp", "1493147359900")}},
		{"a45daa70926828a2f0a1db3418e6feb4", []core.Attribute{text("k", "x")}},
		{"ae7155c6026991b6d54b11589678bf9c", []core.Attribute{text("Foo", "Bar")}},
		{"adb59cd4678ea5a855436b949cd07ab6", []core.Attribute{text("MyAttribute", "foobar")}},
		{"4c360f3fdafd970e05fae2f149d997f5", []core.Attribute{general, hello, help}},
		{"fca026605781cb4126a1e9044df24232", []core.Attribute{general, hello}},
		{"83fee93c1bcd8b9a5a923ffacdc636c7", []core.Attribute{hello, help}},
		{"a311262e065454b75da111d535b8dacd", []core.Attribute{hello}},
		{"8cbe4db156db8a94db8b801b7addb984", []core.Attribute{{
			Name: "attr1", Kind: core.Binary, Value: []byte("traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01"),
		}}},
		{"5ae4d5d7636402d80f4eb6d213245a88", []core.Attribute{text(traceHeader, "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1")}},
		{"756d7f4338696745d063b420a2f7e502", mixed("")},
		{"5b7ef6c8a8d46001c7cdadaeea917aa4", mixed("test")},
		{"6735a2d7fe7f0e962a51db579c2d92cb", []core.Attribute{{Name: "timestamp", Kind: core.Number, Label: "java.lang.Long", Value: []byte("1")}}}, // computed by the Java client
		{"7e480da8c0e874189215a7676537a024", []core.Attribute{{Name: "b", Kind: core.Binary, Value: []byte{0, 1, 2, 255}}}},                         // computed
	} {
		if got := attributesDigest(tt.of); got == nil || *got != tt.want {
			t.Errorf("attributesDigest(%v) = %v, want %s", tt.of, got, tt.want)
		}
	}
	if got := attributesDigest(nil); got != nil {
		t.Errorf("attributesDigest of nothing = %q, want none", *got)
	}
}
