package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/sluicemq/sluice/core/clock"
)

// tick is the unit of CPU times in /proc: USER_HZ is 100 on every architecture that Go and Linux share.
const tick = 10 * time.Millisecond

// usage is what a process has used so far.
type usage struct {
	cpu            time.Duration // user and system
	rss, anonymous int64         // bytes
}

// usageOf reads a process's usage. Where there is no /proc, and for process 0, it is not known.
func usageOf(pid int) (u usage, known bool) {
	if pid == 0 {
		return u, false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u, false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u, false
	}
	if u.cpu, known = cpuOf(stat); !known {
		return u, false
	}
	u.rss, u.anonymous = memoryOf(status)
	return u, true
}

// cpuOf reads the fields 14 and 15 of /proc/PID/stat. The second one, the name, may itself contain blanks.
func cpuOf(stat []byte) (time.Duration, bool) {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return 0, false
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, false
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * tick, err == nil
}

// idleCPU returns how much of a core a server takes for a while, in percent, nil if that cannot be known.
func idleCPU(ctx context.Context, c clock.Clock, e Endpoint, span time.Duration) *float64 {
	before, known := usageOf(e.PID)
	if !known || !rest(ctx, c, span) {
		return nil
	}
	after, known := usageOf(e.PID)
	if !known {
		return nil
	}
	return new(100 * (after.cpu - before.cpu).Seconds() / span.Seconds())
}

// memoryOf reads resident memory in /proc/PID/status, all of it and what is backed by no file.
func memoryOf(status []byte) (rss, anonymous int64) {
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "VmRSS":
			rss = kib << 10
		case "RssAnon":
			anonymous = kib << 10
		}
	}
	return rss, anonymous
}
