package verbs

import "time"

// Faults are what a provider's link does to packets on purpose. Shares are
// probabilities from 0 to 1, drawn for each packet apart. The zero value is a
// faultless link.
type Faults struct {
	Loss      float64       // share of packets that vanish
	Duplicate float64       // share that arrives twice
	Reorder   float64       // share that is overtaken by packets behind it
	Corrupt   float64       // share that arrives with one bit turned over
	Delay     time.Duration // added to every packet
	Jitter    time.Duration // up to this much more or less, evenly spread; never less than none in all
	Seed      uint64        // the same faults strike the same packets again; 0 is a seed of its own
}

// FaultInjector is implemented by providers that can do harm to their devices'
// packets, for testing what stands above.
type FaultInjector interface {
	// SetFaults replaces the faults of what the named device sends, from the
	// next packet on.
	SetFaults(device string, f Faults) error
	// Faults reads them.
	Faults(device string) (Faults, error)
}
