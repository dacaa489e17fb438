package program

import "runtime"

// heap returns the bytes in use after a collection.
func heap() uint64 {
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	return mem.HeapAlloc
}
