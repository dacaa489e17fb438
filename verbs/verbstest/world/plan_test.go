package world

import (
	"math/rand/v2"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/sim"
)

// hostility is what the attacker may do.
type hostility int

const (
	peaceful hostility = iota
	// outsider sends packets from its own address, and repeats packets that it has seen, unchanged or damaged.
	outsider
	// insider changes packets that it has seen, computes a new ICRC and sends them with another host's address: it can
	// do everything that the host's queue pairs may.
	insider
)

// plan holds the choices that a seed makes at the beginning.
type plan struct {
	hosts   int
	net     sim.Conditions
	hostile hostility
	steps   int
	pace    time.Duration // mean time between steps
	pairs   int           // of queue pairs connected without the connection manager
	// Weights of the actions of steps; 0: never.
	manage, windows, mistakes, destroy, rereg, groups int

	slot      int // bytes of a slot of a region
	mtus      []verbs.MTU
	timeout   uint8 // minimum timeout of queue pairs
	placement bool  // see drawPlacement
	reset     bool  // failed queue pairs are used again; the wire check then ends at the first reset
}

func draw(r *rand.Rand) plan {
	p := plan{
		hosts: 2 + r.IntN(3), steps: 40 + r.IntN(120), pace: time.Duration(1+r.IntN(40)) * time.Microsecond,
		pairs: 1 + r.IntN(3), slot: sim.Pick(r, 64, 300, 512, 1024, 2048, 3000), timeout: uint8(7 + r.IntN(6)),
	}
	p.net = sim.Draw(r)
	if p.net.Faultless() {
		p.timeout = 13 // longer than the round-trip time
	}
	p.mtus = [][]verbs.MTU{{verbs.MTU256}, {verbs.MTU256, verbs.MTU512}, {verbs.MTU512, verbs.MTU1024},
		{verbs.MTU1024, verbs.MTU4096}}[r.IntN(4)]
	p.hostile = sim.Pick(r, peaceful, peaceful, outsider, insider)
	p.manage = sim.Pick(r, 0, 0, 3, 12)
	p.windows = sim.Pick(r, 0, 6, 30)
	p.mistakes = sim.Pick(r, 0, 0, 3, 8)
	p.groups = sim.Pick(r, 0, 2, 6)
	p.rereg = sim.Pick(r, 0, 0, 2, 8)
	p.destroy = sim.Pick(r, 0, 0, 1, 4)
	p.reset = r.IntN(2) == 0
	return p
}
