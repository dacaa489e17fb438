package world

import (
	_ "embed"
	"testing"

	"rdmatui/verbs/verbstest/sim"
)

// kept holds seeds that have failed before.
//
//go:embed testdata/seeds.txt
var kept string

var kind = sim.Kind{Path: "./verbs/verbstest/world", Seeds: 200, Kept: kept, Play: play}

func TestMain(m *testing.M) { kind.Main(m) }

// TestWorld runs the given seed, or many.
func TestWorld(t *testing.T) { kind.TestWorld(t) }

// TestKeptSeeds runs the seeds that have failed before.
func TestKeptSeeds(t *testing.T) { kind.TestKept(t) }

// TestSameSeedSameRun runs seeds twice and compares the digests.
func TestSameSeedSameRun(t *testing.T) {
	n := 40
	if testing.Short() {
		n = 10
	}
	// in this seed two connections were left at one instant, and their timers fired in any order
	kind.TestSame(t, n, 122934320668471)
}
