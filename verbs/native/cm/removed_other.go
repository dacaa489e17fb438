//go:build !linux

package cm

// fileID is of no use where there is no library.
type fileID struct{}

func fileOf(int32) fileID { return fileID{} }

func disconnect(...int32) {}
