package core

import "time"

// instant is a point in time in milliseconds since 1970, the precision of both providers. Zero means never.
type instant int64

func instantOf(t time.Time) instant { return instant(t.UnixMilli()) }

func (i instant) add(d time.Duration) instant { return i + instant(d/time.Millisecond) }

// time returns the instant for callers; never is the zero time.
func (i instant) time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(i)).UTC()
}
