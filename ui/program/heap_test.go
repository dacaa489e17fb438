package program

import "runtime"

// heap is how many bytes are in use after a collection.
// heap is what is in use, without what is garbage.
func heap() uint64 {
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	return mem.HeapAlloc
}
