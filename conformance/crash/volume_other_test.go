//go:build !linux

package crash_test

import (
	"errors"
	"os"
	"testing"
)

// volume is known for Linux alone.
type volume struct{ dir string }

func newVolume(t *testing.T) *volume {
	t.Helper()
	t.Skip("how to drop what was not synced is known for Linux alone")
	return nil
}

func (*volume) cut() error     { return errors.ErrUnsupported }
func (*volume) recover() error { return errors.ErrUnsupported }

func stop(*os.Process) error { return errors.ErrUnsupported }
