package authority

import (
	"strings"
	"testing"
)

func TestNameIsWhatACertificateCanHave(t *testing.T) {
	for _, test := range []struct{ name, host, want string }{
		{"short", "box", "Sluice local authority of box"},
		{"none", "", "Sluice local authority of "},
		{"long", strings.Repeat("h", 64), "Sluice local authority of " + strings.Repeat("h", 38)},
		{"long, cut within a character", strings.Repeat("h", 37) + "é", "Sluice local authority of " + strings.Repeat("h", 37)},
		{"no text", "b\xffx", "Sluice local authority of bx"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := nameOf(test.host); got != test.want {
				t.Errorf("nameOf(%q) = %q, want %q", test.host, got, test.want)
			}
		})
	}
}
