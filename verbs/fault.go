package verbs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Faults are what a provider's link does to packets on purpose. Shares are
// probabilities from 0 to 1, drawn for each packet apart. The zero value is a
// faultless link.
type Faults struct {
	Loss      float64       // share of packets that vanish
	Duplicate float64       // share that arrives twice
	Reorder   float64       // share that is overtaken by packets behind it
	Corrupt   float64       // share that arrives damaged: one bit flipped, a burst, or bits here and there
	Delay     time.Duration // added to every packet
	Jitter    time.Duration // up to this much more or less, evenly spread; never less than none in all
	Seed      uint64        // the same faults strike the same packets again; 0 is a seed of its own
}

// MaxFaultDelay bounds Delay and Jitter: a packet later than any timer waits is
// as good as lost.
const MaxFaultDelay = time.Minute

// FaultShares are the fields that are probabilities, in the order in which they
// are shown.
var FaultShares = []struct {
	Name string
	Doc  string
	Of   func(*Faults) *float64
}{
	{"loss", `share of packets that vanish; "rdmatui explain packet loss" tells the cost`, func(f *Faults) *float64 { return &f.Loss }},
	{"duplicate", "share that arrives twice", func(f *Faults) *float64 { return &f.Duplicate }},
	{"reorder", "share that is overtaken by packets behind it", func(f *Faults) *float64 { return &f.Reorder }},
	{"corrupt", "share that arrives damaged: one bit flipped, a burst, or bits here and there", func(f *Faults) *float64 { return &f.Corrupt }},
}

// FaultSpans are the fields that are times.
var FaultSpans = []struct {
	Name string
	Doc  string
	Of   func(*Faults) *time.Duration
}{
	{"delay", "how much later every packet arrives", func(f *Faults) *time.Duration { return &f.Delay }},
	{"jitter", "up to this much more or less than delay, evenly spread", func(f *Faults) *time.Duration { return &f.Jitter }},
}

// Active reports whether any packet can be struck.
func (f Faults) Active() bool {
	f.Seed = 0
	return f != Faults{}
}

// Check refuses shares that are not from 0 to 1, and times that are not from 0
// to MaxFaultDelay.
func (f Faults) Check() error {
	for _, s := range FaultShares {
		if v := *s.Of(&f); !(v >= 0 && v <= 1) { // NaN is neither
			return fmt.Errorf("%s %v is out of range: 0 to 1", s.Name, v)
		}
	}
	for _, s := range FaultSpans {
		if v := *s.Of(&f); v < 0 || v > MaxFaultDelay {
			return fmt.Errorf("%s %v is out of range: 0 to %v", s.Name, v, MaxFaultDelay)
		}
	}
	return nil
}

// String lists what is set, as "loss=5% delay=2ms seed=7"; "none" for a faultless
// link.
func (f Faults) String() string {
	if !f.Active() {
		return "none"
	}
	var words []string
	for _, s := range FaultShares {
		if v := *s.Of(&f); v != 0 {
			words = append(words, s.Name+"="+formatShare(v))
		}
	}
	for _, s := range FaultSpans {
		if v := *s.Of(&f); v != 0 {
			words = append(words, s.Name+"="+v.String())
		}
	}
	if f.Seed != 0 {
		words = append(words, "seed="+strconv.FormatUint(f.Seed, 10))
	}
	return strings.Join(words, " ")
}

// formatShare prints a probability in per cent. Nine digits hide that 0.07 is no
// binary fraction.
func formatShare(v float64) string { return strconv.FormatFloat(100*v, 'g', 9, 64) + "%" }

// FaultInjector is implemented by providers that can do harm to their devices'
// packets, for testing what stands above.
type FaultInjector interface {
	// SetFaults replaces the faults of what the named device sends, from the
	// next packet on.
	SetFaults(device string, f Faults) error
	// Faults reads them.
	Faults(device string) (Faults, error)
}
