package replay

import (
	"rdmatui/session/stages"
	"rdmatui/verbs"
)

// lane is a line of the diagram along which the request moves.
type lane uint8

// The lanes. Those of a host lie between its NIC and a queue or its memory.
const (
	none lane = iota
	nearSQ
	nearMemory
	nearCQ
	wireOut
	wireBack
	farRQ
	farMemory
	farCQ
	lanes
)

// hop is a way along a lane.
type hop struct {
	on   lane
	left bool // towards the left
}

// The ways on which a request comes to a stage.
var (
	pushWays = [stages.Stages][]hop{
		stages.Fetched: {{nearSQ, false}}, stages.Built: {{nearMemory, false}},
		stages.Placed: {{wireOut, false}, {farMemory, false}}, stages.Acknowledged: {{wireBack, true}},
		stages.CQE: {{nearCQ, true}},
	}
	pullWays = [stages.Stages][]hop{
		stages.Fetched: {{nearSQ, false}}, stages.Acknowledged: {{wireOut, false}, {farMemory, false},
			{farMemory, true}, {wireBack, true}}, stages.Placed: {{nearMemory, true}}, stages.CQE: {{nearCQ, true}},
	}
	refusedWay = []hop{{wireOut, false}, {wireBack, true}} // the answer to a request that was not executed
)

// way returns the hops on which a request comes to a stage.
func way(r *stages.Request, to stages.Stage) []hop {
	pull := stages.Pulls(r.Opcode)
	switch {
	case to == stages.Acknowledged && r.Done && r.Status != verbs.WCSuccess && !placed(r) && (!pull || r.Served == 0):
		return refusedWay
	case pull:
		return pullWays[to]
	}
	return pushWays[to]
}

// placed reports whether the data came to its destination.
func placed(r *stages.Request) bool { return r.Step(stages.Placed).Happened() }

// token returns the lane and the place on it, from 0 at its left end to 1, of a request that has done a part of its way
// to a stage. The lane is none for a stage that the NIC reaches without moving anything.
func token(r *stages.Request, to stages.Stage, fraction float64) (on lane, at float64) {
	hops := way(r, to)
	if len(hops) == 0 || fraction <= 0 {
		return none, 0
	}
	if st := r.Step(to); to == stages.Acknowledged && r.Served > 0 && st.Source == stages.Measured && len(hops) == 4 {
		fraction = halves(fraction,
			float64(r.Served-r.Step(stages.Sent).After)/float64(max(st.After-r.Step(stages.Sent).After, 1)))
	}
	total := 0.0
	for _, h := range hops {
		total += weight(h.on)
	}
	left := fraction * total
	for _, h := range hops {
		w := weight(h.on)
		if left <= w {
			return h.on, turned(left/w, h.left)
		}
		left -= w
	}
	last := hops[len(hops)-1]
	return last.on, turned(1, last.left)
}

// halves makes the first half of a way end at a known part of its time: when the peer executed the request.
func halves(fraction, at float64) float64 {
	at = min(max(at, 0.01), 0.99)
	if fraction < at {
		return fraction / at / 2
	}
	return 0.5 + (fraction-at)/(1-at)/2
}

// weight is the length of a lane, compared with others.
func weight(l lane) float64 {
	if l == wireOut || l == wireBack {
		return 3
	}
	return 1
}

func turned(at float64, left bool) float64 {
	if left {
		return 1 - at
	}
	return at
}

// stopped returns the lane, and the place on it, where a failed request stopped before a stage.
func stopped(r *stages.Request, before stages.Stage) (on lane, at float64) {
	switch before {
	case stages.Fetched:
		return nearSQ, 0.5
	case stages.Built, stages.Sent:
		return nearMemory, 0.5
	case stages.Placed:
		if stages.Pulls(r.Opcode) && r.Served > 0 {
			return nearMemory, 0.5
		}
		return farMemory, 0.5
	case stages.Acknowledged:
		return wireBack, 0.5
	case stages.CQE:
		return nearCQ, 0.5
	}
	return none, 0
}

// does says what happens in each stage: of a request that pushes its data, and of one that pulls it where that differs.
var does = [stages.Stages][2]string{
	stages.Posted:  {"The program wrote the request (WQE) into the send queue and rang the doorbell."},
	stages.Fetched: {"The NIC read the WQE from the send queue."},
	stages.Built: {"The NIC read the data from memory and built the packet.",
		"The NIC built the request packet. It carries no data."},
	stages.Sent: {"The first packet left the NIC."},
	stages.Placed: {"The peer's NIC wrote the data into memory. No program there took part.",
		"The NIC wrote the data of the response into local memory."},
	stages.Acknowledged: {"The acknowledgement reached the NIC.",
		"The response reached the NIC. It carries the data from there."},
	stages.CQE:    {"The NIC wrote a completion (CQE) into the completion queue."},
	stages.Polled: {"The program polled the completion queue and took the completion."},
}

// Does says what happens in a stage of a request.
func Does(r *stages.Request, s stages.Stage) string {
	t := r.Opcode.Traits()
	switch {
	case s == stages.Acknowledged && r.Done && r.Status != verbs.WCSuccess && !placed(r):
		return "A negative acknowledgement (NAK) reached the NIC."
	case s == stages.Placed && t.NeedRecv && !t.Remote:
		return "The peer's NIC took a RECV and wrote the data into its buffer."
	case s == stages.Placed && t.NeedRecv:
		return "The peer's NIC wrote the data into memory and took a RECV for the immediate value."
	case s == stages.Placed && t.Atomic && t.Receives:
		return "The NIC wrote the old value of the word into local memory."
	case stages.Pulls(r.Opcode) && does[s][1] != "":
		return does[s][1]
	}
	return does[s][0]
}
