package mns

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// seconds is a duration as the provider writes it.
type seconds int64

func secondsOf(d time.Duration) seconds { return seconds(d / time.Second) }

// duration returns nil for nil: what was not given. It is cut to some 68 years, so that every number, however absurd,
// can be told to be out of range.
func (s *seconds) duration() *time.Duration {
	if s == nil {
		return nil
	}
	return new(time.Duration(min(max(*s, -beyond), beyond)) * time.Second)
}

// epochSeconds is the time of a resource (CreateTime, LastModifyTime): recorded with 10 digits.
type epochSeconds int64

func epochSecondsOf(t time.Time) epochSeconds { return epochSeconds(t.Unix()) }

// epochMillis is the time of a message (EnqueueTime, FirstDequeueTime, NextVisibleTime): recorded with 13 digits in
// every year since 2015.
type epochMillis int64

func epochMillisOf(t time.Time) epochMillis { return epochMillis(t.UnixMilli()) }

// epochVisible is the NextVisibleTime of ChangeMessageVisibility: milliseconds, as all recordings of it have; or, for
// clients that were written against the 16 digits of its reference page, microseconds.
type epochVisible int64

func epochVisibleOf(t time.Time, micro bool) epochVisible {
	if micro {
		return epochVisible(t.UnixMicro())
	}
	return epochVisible(t.UnixMilli())
}

// beyond is a number outside all ranges of the provider. It stands for arguments that are no numbers, since the
// provider documents one and the same error for both.
const beyond = math.MaxInt32

// parseNumber reads a decimal integer and reports whether there was one. Numbers of more than 64 bits are cut to that
// size, which is out of every range.
func parseNumber(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.Trim(text, " \t\r\n"), 10, 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}

// parseFlag reads True, False, 1 or 0 in any case: clients send True, true and 1.
func parseFlag(text string) (value, ok bool) {
	switch text = strings.Trim(text, " \t\r\n"); {
	case text == "1" || strings.EqualFold(text, "true"):
		return true, true
	case text == "0" || strings.EqualFold(text, "false"):
		return false, true
	}
	return false, false
}

// formatFlag writes a flag with a capital, as recorded.
func formatFlag(value bool) string {
	if value {
		return "True"
	}
	return "False"
}
