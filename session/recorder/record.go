package recorder

import (
	"cmp"
	"context"
	"slices"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/incident"
	"rdmatui/session/packets"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
)

// aftermath is how long after a failure the record ends: flushes, state changes and the last acknowledgements follow
// it.
const aftermath = time.Second

// record is what a session has kept of a stretch of time.
type record struct {
	from, to time.Duration
	start    time.Time          // of the session
	incident *incident.Incident // nil: none
	snap     core.Snapshot      // at the end
	counters incident.Part      // what changed since the beginning
	events   []timeline.Event   // without packets
	packets  []*timeline.Packet
	messages []queue.Message // of the session, not only of these minutes
	taps     []packets.Tap

	links    []link                           // by packet
	inferred map[*queue.Message]bool          // their packet sequence numbers were inferred
	done     map[request]*timeline.Completion // of send requests
}

// newRecord collects what a session has kept of the time before an incident, or before now if in is nil. It calls no
// verb but queries of counters and of the destinations of queue pairs.
func newRecord(ctx context.Context, s *core.Session, in *incident.Incident, before time.Duration) *record {
	packets.Flush(s)
	r := &record{incident: in, start: s.Start, to: time.Since(s.Start), snap: s.Snapshot(), taps: packets.Taps(s)}
	r.from = max(0, r.to-before)
	if in != nil {
		r.from, r.to = max(0, in.T-before), min(r.to, in.T+aftermath)
	}
	for _, e := range s.Log.Snapshot() {
		if e.T >= r.from && e.T <= r.to && e.Kind != timeline.KindPacket {
			r.events = append(r.events, e)
		}
	}
	kept := packets.Since(s, 0, 0, nil)
	for _, p := range append(packets.Heads(s, kept), kept...) {
		if p.T >= r.from && p.T <= r.to {
			r.packets = append(r.packets, p)
		}
	}
	slices.SortStableFunc(r.packets, func(a, b *timeline.Packet) int { return cmp.Compare(a.T, b.T) })
	queue.Locate(ctx, s)
	r.messages = queue.Messages(s)
	r.counters = incident.Changed(s, r.from)
	r.link()
	return r
}
