package main

import (
	"fmt"
	"os"
	"regexp"
	"testing"
)

// mapped returns how much of its files a process has in memory, in kB.
func mapped(t *testing.T) (kilobytes int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("/proc/self/status has no RssFile:\n%s", status)
	}
	if _, err := fmt.Sscan(string(found[1]), &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes
}

func TestCodeIsDroppedAndComesBack(t *testing.T) {
	before := mapped(t)
	if err := dropCode(); err != nil {
		t.Fatalf("dropCode() = %v, want nil", err)
	}
	if after := mapped(t); after >= before {
		t.Errorf("%d kB of files are in memory, as many as the %d before or more", after, before)
	}
}
