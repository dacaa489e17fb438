package scenario

import (
	"slices"

	"rdmatui/session/core"
	"rdmatui/session/stages"
	"rdmatui/session/timeline"
)

// LastRequest returns the last send request of the scenario that succeeded or failed first; ok is false if there was
// none, or a traffic runner polls by itself.
func (r *Run) LastRequest() (t stages.Request, ok bool) { return r.last, r.timed }

// watchRequests reads the completions since the last call.
func (r *Run) watchRequests() {
	s := r.s
	var last *timeline.Event
	status := r.last.Status
	for s.Log.Last() > r.seen {
		var dropped uint64
		r.events, dropped = s.Log.Since(r.seen, r.events[:0])
		r.seen += dropped + uint64(len(r.events))
		for i := range r.events {
			if e := &r.events[i]; e.Kind == timeline.KindWC && e.WC.Matched && !e.WC.Recv &&
				stages.Counts(&e.WC, status) && r.owns(e.WC.QP) {
				copied := *e
				last, status = &copied, e.WC.WC.Status
			}
		}
	}
	if last != nil {
		r.last, r.timed = stages.Of(s, last), true
	}
}

func (r *Run) owns(qp string) bool {
	return slices.ContainsFunc(r.made, func(n *core.Node) bool { return n.Name == qp })
}
