package verbs

// HWCounter is one of the numbers that a device itself keeps, as the files in a
// kernel device's hw_counters directory are.
type HWCounter struct {
	Name  string // as the kernel's devices name it where they have the same
	Help  string // what it counts, in a few words
	Value uint64 // since the device came into being
}

// HWCounterReader is implemented by providers whose devices keep counters that
// the operating system does not show.
type HWCounterReader interface {
	// HWCounters reads all counters of the named device, in a fixed order.
	HWCounters(device string) ([]HWCounter, error)
}
