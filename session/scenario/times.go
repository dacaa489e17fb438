package scenario

import (
	"fmt"
	"slices"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/packets"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/wire"
)

// RequestTimes is the measured progress of one request.
type RequestTimes struct {
	QP     string
	Opcode verbs.WROpcode
	WRID   uint64
	Stages [8]RequestStage // in the order in which they come; none is known where QP is ""
}

// RequestStage is one stage of a request.
type RequestStage struct {
	Name  string
	After time.Duration // since it was posted; valid if Known
	Known bool
	Note  string // what else was observed, or why nothing is known; "" if nothing
}

// The stages of a request.
const (
	StagePosted = iota
	stageFetched
	stageBuilt
	StageSent
	StagePlaced
	StageAcknowledged
	stageCQE
	StagePolled
)

var stageNames = [...]string{StagePosted: "WQE posted", stageFetched: "fetched", stageBuilt: "packet built", StageSent: "sent", StagePlaced: "placed",
	StageAcknowledged: "acknowledged", stageCQE: "CQE", StagePolled: "polled"}

// Times returns the last successful request of the scenario; ok is false if there was
// none, or a traffic runner polls by itself.
func (r *Run) Times() (t RequestTimes, ok bool) { return r.times, r.times.QP != "" }

// watchRequests reads the completions since the last call.
func (r *Run) watchRequests() {
	s := r.s
	var last *timeline.Event
	for s.Log.Last() > r.seen {
		var dropped uint64
		r.events, dropped = s.Log.Since(r.seen, r.events[:0])
		r.seen += dropped + uint64(len(r.events))
		for i := range r.events {
			if e := &r.events[i]; e.Kind == timeline.KindWC && e.WC.Matched && !e.WC.Recv && !e.WC.WC.Failed() && r.owns(e.WC.QP) {
				copied := *e
				last = &copied
			}
		}
	}
	if last != nil {
		r.times = TimesOf(s, last)
	}
}

func (r *Run) owns(qp string) bool {
	return slices.ContainsFunc(r.made, func(n *core.Node) bool { return n.Name == qp })
}

// TimesOf assembles what is known of the request of a completion.
func TimesOf(s *core.Session, e *timeline.Event) RequestTimes {
	t := RequestTimes{QP: e.WC.QP, Opcode: e.WC.Opcode, WRID: e.WC.WC.WRID}
	for i := range t.Stages {
		t.Stages[i].Name = stageNames[i]
	}
	t.Stages[StagePosted].Known = true
	t.set(StagePolled, e.WC.Latency)
	s.Mu.RLock()
	n := s.Graph.ByName[e.WC.QP]
	s.Mu.RUnlock()
	if n == nil {
		return t
	}
	q, ok := n.Body.(*queue.QP)
	if !ok {
		return t
	}
	from := time.Duration(q.Sent.Load())
	if e.WC.Posted != from {
		return t // another has completed since
	}
	w := onWire{q: q, device: q.PD.Device.Info.Name, from: from, to: e.T}
	packets.Flush(s) // the packets of this request may not have been read yet
	w.look(packets.Since(s, 0, maxLooked, nil))
	w.tell(&t)
	return t
}

func (t *RequestTimes) set(stage int, after time.Duration) {
	t.Stages[stage].After, t.Stages[stage].Known = max(after, 0), true
}

// maxLooked bounds the packets searched for one request.
const maxLooked = 1 << 12

// onWire is what was seen of a request's packets on a software device.
type onWire struct {
	q        *queue.QP
	device   string
	from, to time.Duration // of the session's clock

	sent, arrived, answered *timeline.Packet // first out, the same at the peer, last in
	count                   int              // packets out
}

// look finds the last message sent before the completion was taken.
func (w *onWire) look(packets []*timeline.Packet) {
	for _, p := range packets {
		info, ok := p.Wire.BTH.Opcode.Info()
		if !ok || p.Err != nil || p.T < w.from || p.T > w.to || p.Wire.BTH.DestQP <= 1 {
			continue
		}
		switch own := p.Device == w.device; {
		case own && p.Outgoing && !info.Response && w.isOurs(p):
			if info.Position == wire.First || info.Position == wire.Only || w.sent == nil {
				w.sent, w.arrived, w.answered, w.count = p, nil, nil, 0
			}
			w.count++
		case own && !p.Outgoing && info.Response && p.Wire.BTH.DestQP == uint32(w.q.Num):
			w.answered = p
		case !p.Outgoing && !info.Response && w.sent != nil && w.arrived == nil && same(p, w.sent):
			w.arrived = p
		}
	}
}

// isOurs reports whether a packet belongs to the queue pair, as far as the packet
// shows.
func (w *onWire) isOurs(p *timeline.Packet) bool {
	if p.Wire.Headers.Has(wire.HasDETH) {
		return p.Wire.DETH.SrcQP == uint32(w.q.Num)
	}
	to, known := p.Wire.BTH.DestQP, w.q.Attr.DestQPNum
	return to != uint32(w.q.Num) && (known == 0 || to == uint32(known))
}

func same(p, q *timeline.Packet) bool {
	return p.Wire.BTH.PSN == q.Wire.BTH.PSN && p.Wire.BTH.DestQP == q.Wire.BTH.DestQP && p.Src == q.Src
}

func (w *onWire) tell(t *RequestTimes) {
	if w.sent == nil {
		t.Stages[StageSent].Note = "its packets are not recorded"
		return
	}
	t.set(StageSent, w.sent.T-w.from)
	t.Stages[StageSent].Note = w.sent.Wire.BTH.Opcode.String()
	if w.count > 1 {
		t.Stages[StageSent].Note += fmt.Sprintf(" and %d more", w.count-1)
	}
	if w.arrived != nil {
		t.Stages[StagePlaced].Note = "arrived at the peer after " + format.Span(w.arrived.T-w.from)
	}
	switch {
	case w.answered != nil:
		t.set(StageAcknowledged, w.answered.T-w.from)
		t.Stages[StageAcknowledged].Note = w.answered.Wire.BTH.Opcode.String()
	case w.q.Spec.QPType != verbs.RC:
		t.Stages[StageAcknowledged].Note = "not acknowledged"
	}
}
