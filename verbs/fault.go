package verbs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Faults are deliberate faults that a provider's link applies to packets. Shares are
// probabilities from 0 to 1, drawn separately for each packet. The zero value is a
// faultless link.
type Faults struct {
	Loss      float64       // share of packets that are dropped
	Duplicate float64       // share of packets that arrive twice
	Reorder   float64       // share of packets that later packets overtake
	Corrupt   float64       // share of packets that are damaged: one bit flipped, a burst, or scattered bits
	Delay     time.Duration // added to every packet
	Jitter    time.Duration // added to or subtracted from the delay, uniformly distributed; the sum is never negative
	Seed      uint64        // the same seed hits the same packets; 0 picks a new one
}

// MaxFaultDelay is the maximum of Delay and Jitter: a packet that arrives after every
// timer has expired is as good as lost.
const MaxFaultDelay = time.Minute

// FaultShares lists the fields that are probabilities, in display order.
var FaultShares = []struct {
	Name string
	Doc  string
	Of   func(*Faults) *float64
}{
	{"loss", `share of packets that vanish; "rdmatui explain packet loss" tells the cost`, func(f *Faults) *float64 {
		return &f.Loss
	}},
	{"duplicate", "share that arrives twice", func(f *Faults) *float64 { return &f.Duplicate }},
	{"reorder", "share that is overtaken by packets behind it", func(f *Faults) *float64 { return &f.Reorder }},
	{"corrupt", "share that arrives damaged: one bit flipped, a burst, or bits here and there",
		func(f *Faults) *float64 { return &f.Corrupt }},
}

// FaultSpans lists the fields that are durations.
var FaultSpans = []struct {
	Name string
	Doc  string
	Of   func(*Faults) *time.Duration
}{
	{"delay", "how much later every packet arrives", func(f *Faults) *time.Duration { return &f.Delay }},
	{"jitter", "up to this much more or less than delay, evenly spread", func(f *Faults) *time.Duration {
		return &f.Jitter
	}},
}

// Active reports whether any packet can be affected.
func (f Faults) Active() bool {
	f.Seed = 0
	return f != Faults{}
}

// Check returns an error if a share is outside 0 to 1, or a duration outside 0 to
// MaxFaultDelay.
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

// String lists the fields that are set as they are typed, as in "loss=5% delay=2ms seed=7";
// "none" for a faultless link.
func (f Faults) String() string { return f.list("=", " ", time.Duration.String) }

// Text lists the fields that are set for people, as in "loss 5%, delay 2 ms, seed 7", with
// durations as span formats them; "none" for a faultless link.
func (f Faults) Text(span func(time.Duration) string) string { return f.list(" ", ", ", span) }

func (f Faults) list(is, gap string, span func(time.Duration) string) string {
	if !f.Active() {
		return "none"
	}
	var words []string
	for _, s := range FaultShares {
		if v := *s.Of(&f); v != 0 {
			words = append(words, s.Name+is+formatShare(v))
		}
	}
	for _, s := range FaultSpans {
		if v := *s.Of(&f); v != 0 {
			words = append(words, s.Name+is+span(v))
		}
	}
	if f.Seed != 0 {
		words = append(words, "seed"+is+strconv.FormatUint(f.Seed, 10))
	}
	return strings.Join(words, gap)
}

// formatShare formats a probability in percent. Nine digits hide the binary rounding of
// values such as 0.07.
func formatShare(v float64) string { return strconv.FormatFloat(100*v, 'g', 9, 64) + "%" }

// FaultInjector is implemented by providers that can apply faults to their devices'
// packets.
type FaultInjector interface {
	// SetFaults replaces the faults for packets that the named device sends, from the next
	// packet on.
	SetFaults(device string, f Faults) error
	// Faults returns the faults of the named device.
	Faults(device string) (Faults, error)
}
