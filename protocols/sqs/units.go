package sqs

import (
	"strconv"
	"time"
)

// seconds is a duration as requests carry it: whole seconds, of any sign until the engine has checked its range.
type seconds int

func (s seconds) duration() time.Duration { return time.Duration(s) * time.Second }

// optional returns the duration of a member that a request may leave out.
func (s *seconds) optional() *time.Duration {
	if s == nil {
		return nil
	}
	d := s.duration()
	return &d
}

// inSeconds writes a duration as whole seconds in decimal digits.
func inSeconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

// parseSeconds reads a queue attribute in whole seconds. It refuses everything but a few decimal digits, as the real
// service does with signs, blanks and fractions.
func parseSeconds(text string) (time.Duration, bool) {
	n, ok := parseCount(text)
	return time.Duration(n) * time.Second, ok
}

// parseCount reads a queue attribute that is a number without a unit.
func parseCount(text string) (int, bool) {
	if len(text) == 0 || len(text) > 9 {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// epochSeconds writes an instant the way queue attributes do: seconds since 1970.
func epochSeconds(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// epochMillis is an instant as message attributes and move tasks carry it: milliseconds since 1970, 13 digits.
type epochMillis int64

func newEpochMillis(t time.Time) epochMillis { return epochMillis(t.UnixMilli()) }

func (m epochMillis) String() string { return strconv.FormatInt(int64(m), 10) }
