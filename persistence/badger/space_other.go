//go:build !linux && !darwin

package badger

// freeSpace is not known here: on Windows a full disk is reported as an error when Badger extends a file, since files
// have no holes there.
func freeSpace(string) (bytes uint64, known bool) {
	return 0, false
}
