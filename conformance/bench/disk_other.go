//go:build !unix

package bench

// diskOf knows nothing here.
func diskOf(string) (bytes int64, known bool) { return 0, false }
