package mns

import (
	"testing"
	"time"
)

// The units of the provider side by side: durations and resource times in seconds, message times in milliseconds.
func TestUnits(t *testing.T) {
	at := time.UnixMilli(1790299684701)
	if got := epochSecondsOf(at); got != 1790299684 {
		t.Errorf("CreateTime of %v = %d, want seconds", at, got)
	}
	if got := epochMillisOf(at); got != 1790299684701 {
		t.Errorf("EnqueueTime of %v = %d, want milliseconds", at, got)
	}
	if got := epochVisibleOf(at, false); got != 1790299684701 {
		t.Errorf("NextVisibleTime of %v = %d, want milliseconds", at, got)
	}
	if got := epochVisibleOf(at, true); got != 1790299684701000 {
		t.Errorf("NextVisibleTime of %v, set to microseconds, = %d", at, got)
	}
	if got := secondsOf(90*time.Second + 999*time.Millisecond); got != 90 {
		t.Errorf("secondsOf(90.999s) = %d, want 90", got)
	}
}

func TestDurationsDoNotOverflow(t *testing.T) {
	for _, n := range []seconds{0, 1, -1, 604800, beyond, beyond + 1, 1 << 62, -1 << 62} {
		d := *(&n).duration()
		if d < 0 != (n < 0) || n < beyond && n > -beyond && d != time.Duration(n)*time.Second {
			t.Errorf("duration(%d) = %v", n, d)
		}
	}
	if (*seconds)(nil).duration() != nil {
		t.Error("duration(absent) is given")
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "30": 30, " 30\n": 30, "-1": -1, "+5": 5, "007": 7,
		"99999999999999999999": 1<<63 - 1, "-99999999999999999999": -1 << 63,
	} {
		if got, ok := parseNumber(text); !ok || got != want {
			t.Errorf("parseNumber(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", " ", "x", "1.0", "1e3", "0x10", "1_000", "NaN", "١"} {
		if got, ok := parseNumber(text); ok {
			t.Errorf("parseNumber(%q) = %d, want none", text, got)
		}
	}
}

func TestParseFlag(t *testing.T) {
	for text, want := range map[string]bool{
		"true": true, "True": true, "TRUE": true, "1": true, " true ": true,
		"false": false, "False": false, "0": false,
	} {
		if got, ok := parseFlag(text); !ok || got != want {
			t.Errorf("parseFlag(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "yes", "on", "2", "t"} {
		if _, ok := parseFlag(text); ok {
			t.Errorf("parseFlag(%q) finds a flag", text)
		}
	}
}
