//go:build !linux

package memory

import "io/fs"

// available returns a fixed number of bytes, half the memory of the smallest such machines, and the reason.
func available(fs.FS) (bytes uint64, of string) {
	return 4 << 30, "4 GiB, which is taken to be available"
}
