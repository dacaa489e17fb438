//go:build !linux

package memory

import (
	"os"

	"rdmatui/verbs"
)

func mappingUnit(*os.File) uint64 { return 1 }

func (b *Budget) mapShared(verbs.Backing, uint64) (*Mapping, error) {
	return nil, &verbs.UnsupportedError{Feature: "a region of shared memory", Requires: "Linux"}
}

func (b *Budget) mapDMABuf(verbs.Backing, uint64) (*Mapping, error) {
	return nil, &verbs.UnsupportedError{Feature: "a region of a dma-buf", Requires: "Linux"}
}

// InHugePages returns length: only Linux has regions of huge pages.
func InHugePages(length uint64) uint64 { return length }

func mapHuge(verbs.Backing, uint64) (*Mapping, error) {
	return nil, &verbs.UnsupportedError{Feature: "a region of huge pages", Requires: "Linux"}
}
