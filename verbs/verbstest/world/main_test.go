package world

import (
	"encoding/binary"
	"flag"
	"fmt"
	"testing"
	"time"

	"rdmatui/verbs/wire"
)

var (
	oneSeed = flag.Uint64("seed", 0, "run this seed of the world alone")
	count   = flag.Int("seeds", 300, "how many seeds TestWorld runs")
	first   = flag.Uint64("first", 1, "the first of them")
)

// TestWorld runs seeds.
func TestWorld(t *testing.T) {
	if *oneSeed != 0 {
		report(t, *oneSeed, simulate(t, *oneSeed, testing.Verbose()))
		return
	}
	begun := time.Now()
	var packets, steps int
	var requests uint64
	for i := range *count {
		seed := *first + uint64(i)
		r := simulate(t, seed, false)
		report(t, seed, r)
		packets, steps, requests = packets+r.packets, steps+r.steps, requests+r.requests
		if t.Failed() {
			break
		}
	}
	t.Logf("%d seeds, %d steps, %d requests, %d packets, %.0f seeds/s", *count, steps, requests, packets, float64(*count)/time.Since(begun).Seconds())
}

// report fails the test for what went wrong, with the command that runs the seed again.
func report(t *testing.T, seed uint64, r result) {
	t.Helper()
	if len(r.problems) == 0 {
		t.Logf("seed %d: digest %016x, %d packets, %d requests, %v of virtual time", seed, r.digest, r.packets, r.requests, r.virtual)
		return
	}
	for _, p := range r.problems {
		t.Errorf("seed %d: %s", seed, p)
	}
	t.Errorf("again: go test ./verbs/verbstest/world -run 'TestWorld$' -seed=%d -v", seed)
}

// TestSame runs seeds twice: the digests are the same.
func TestSame(t *testing.T) {
	for seed := uint64(1); seed <= 60; seed++ {
		a, b := simulate(t, seed, false), simulate(t, seed, false)
		if a.digest != b.digest {
			t.Errorf("seed %d: digests %016x and %016x", seed, a.digest, b.digest)
		}
	}
}

// tracePacket shows a packet in the trace.
func (w *world) tracePacket(p *packet) {
	if !w.trace {
		return
	}
	h, err := wire.Parse(p.data)
	text := h.String()
	if err != nil {
		text = fmt.Sprint(err)
	}
	w.tracef("  %s > %s QP %06x %s (%08x)", p.path.Src, p.path.Dst, p.destQP(), text, binary.LittleEndian.Uint32(p.data[len(p.data)-4:]))
}
