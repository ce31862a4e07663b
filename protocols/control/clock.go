package control

import (
	"math"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluicemq/sluice/core/clock"
)

func (a *API) clockNow() clockShape {
	machine := clock.System{}.Now()
	now := a.broker.Now()
	s := clockShape{Now: stamp(now), Machine: stamp(machine), OffsetSeconds: now.Sub(machine).Round(time.Millisecond).Seconds()}
	switch c := a.o.Clock.(type) {
	case *clock.Adjustable:
		s.Adjustable, s.Frozen = true, c.Frozen()
		s.OffsetSeconds = c.Offset().Round(time.Millisecond).Seconds()
	case *clock.Manual:
		s.Frozen = true
	}
	return s
}

func (a *API) getClock(*http.Request) (int, any, error) {
	return http.StatusOK, new(a.clockNow()), nil
}

func notAdjustable() error {
	return conflict("ClockNotAdjustable", "The program that has opened the server has given it a clock that cannot do that.")
}

func (a *API) freezeClock(*http.Request) (int, any, error) {
	switch c := a.o.Clock.(type) {
	case *clock.Adjustable:
		c.Freeze()
	case *clock.Manual: // it never runs
	default:
		return 0, nil, notAdjustable()
	}
	return http.StatusOK, new(a.clockNow()), nil
}

func (a *API) resumeClock(*http.Request) (int, any, error) {
	c, ok := a.o.Clock.(*clock.Adjustable)
	if !ok {
		return 0, nil, notAdjustable()
	}
	c.Resume()
	return http.StatusOK, new(a.clockNow()), nil
}

// mover is a clock that can be moved forward.
type mover interface{ Advance(d time.Duration) }

func (a *API) advanceClock(r *http.Request) (int, any, error) {
	var in struct {
		By jsontext.Value `json:"by"`
	}
	if err := read(r, true, &in); err != nil {
		return 0, nil, err
	}
	by, err := readDuration(in.By)
	if err != nil {
		return 0, nil, err
	}
	c, ok := a.o.Clock.(mover)
	if !ok {
		return 0, nil, notAdjustable()
	}
	if a.broker.Now().Add(by).Year() > lastYear {
		return 0, nil, invalid("by", "by leads beyond the year %d.", lastYear)
	}
	c.Advance(by)
	return http.StatusOK, new(a.clockNow()), nil
}

// lastYear is the latest that the clock may show. A clock that runs cannot be moved by more than 250 years, and a later
// instant would be too far from one that is stored to subtract the two.
const lastYear = 2200

// readDuration reads a number of seconds, or a text such as 12h30m.
func readDuration(v jsontext.Value) (time.Duration, error) {
	bad := invalid("by", "by is %s, want seconds, or a text such as 12h30m, and not less than 0.", v)
	switch v.Kind() {
	case '0':
		var seconds float64
		if json.Unmarshal(v, &seconds) != nil || seconds < 0 || seconds > longest.Seconds() {
			return 0, bad
		}
		return time.Duration(math.Round(seconds * float64(time.Second))), nil
	case '"':
		var text string
		if err := json.Unmarshal(v, &text); err != nil {
			return 0, bad
		}
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return 0, bad
		}
		return d, nil
	}
	return 0, bad
}

func (a *API) setClock(r *http.Request) (int, any, error) {
	var in struct {
		To *time.Time `json:"to"`
	}
	if err := read(r, true, &in); err != nil {
		return 0, nil, err
	}
	if in.To == nil {
		return 0, nil, invalid("to", "to is missing.")
	}
	if in.To.Year() > lastYear {
		return 0, nil, invalid("to", "to is beyond the year %d.", lastYear)
	}
	back := conflict("ClockNeverGoesBack", "It is %s already, and the clock never goes back.", stamp(a.broker.Now()))
	switch c := a.o.Clock.(type) {
	case *clock.Adjustable:
		if !c.Set(*in.To) {
			return 0, nil, back
		}
	case *clock.Manual:
		if in.To.Before(c.Now()) {
			return 0, nil, back
		}
		c.Advance(in.To.Sub(c.Now()))
	default:
		return 0, nil, notAdjustable()
	}
	return http.StatusOK, new(a.clockNow()), nil
}
