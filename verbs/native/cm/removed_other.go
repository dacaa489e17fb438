//go:build !linux

package cm

// fileID is unused on systems without the library.
type fileID struct{}

func fileOf(int32) fileID { return fileID{} }

func disconnect(...int32) {}
