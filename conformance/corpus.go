// Package conformance holds the corpus of recorded provider traffic, as part of the program, so that any server can be
// measured without a clone. Package replay runs it. Its tests hold what is true of the code base as a whole.
package conformance

import (
	"embed"
	"io/fs"

	"github.com/sluicemq/sluice/conformance/replay"
)

//go:embed recordings
var files embed.FS

//go:embed deviations.txt
var deviations string

// Corpus returns all scenarios, in the order of their names. Returns an error if a recording cannot be read.
func Corpus() ([]*replay.Scenario, error) {
	below, err := fs.Sub(files, "recordings")
	if err != nil {
		return nil, err
	}
	return replay.Load(below)
}

// Deviations returns the known differences of this server, each with its reason.
func Deviations() ([]replay.Deviation, error) { return replay.ParseDeviations(deviations) }
