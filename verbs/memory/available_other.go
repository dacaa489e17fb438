//go:build !linux

package memory

import "io/fs"

// available returns how many bytes this process may still take, and what bounds them: half of what the smallest of these machines have.
func available(fs.FS) (bytes uint64, of string) {
	return 4 << 30, "4 GiB, which is taken to be available"
}
