package replay_test

import (
	"testing"

	"github.com/sluicemq/sluice"
	"github.com/sluicemq/sluice/conformance/replay"
)

// CI runs the program itself in all combinations of stores, ways to sync and restarts.

func TestCorpusHoldsOnDisk(t *testing.T) {
	replayAll(t, replay.OwnOnDisk(t.TempDir(), sluice.SyncAlways))
}

func TestCorpusHoldsAfterARestartInTheMiddle(t *testing.T) {
	replayAll(t, replay.OwnRestarted(t.TempDir(), sluice.SyncOS))
}
