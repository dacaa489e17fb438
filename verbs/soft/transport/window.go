package transport

import (
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// Going back to a lost packet sends all later packets again. So the window follows the losses: it halves with each loss
// and grows with each arrival, and settles near the number of packets that get through in a row.
const (
	// MaxWindow is several receive batches, so that sender and receiver work in parallel.
	MaxWindow = 256
	minWindow = 4
	// asksPerWindow is how many packets of a window request an acknowledgement.
	asksPerWindow = 8
)

func (r *requester) grow(arrived int) { r.window = min(r.window+arrived, MaxWindow) }

func (r *requester) shrink() { r.window = max(r.window/2, minWindow) }

// askedUpTo returns the PSN at which the response to a READ requested from the next PSN on should end. The first
// request asks for everything. Later ones ask for less while packets are being lost, because a response is useful only
// up to its first gap. A part keeps its end once requested: the peer may have taken it for a separate request, and then
// a longer one would be neither new nor a duplicate.
func (r *requester) askedUpTo(w *sendWQE) wire.PSN {
	if w.split && w.part.Sub(r.psn) > 0 {
		return w.part
	}
	all := w.last.Add(1)
	n := max(r.window/asksPerWindow, minWindow)
	if r.psn == r.top || r.window == MaxWindow || all.Sub(r.psn) <= n {
		return all
	}
	w.split, w.part = true, r.psn.Add(n)
	return w.part
}

// asksACK reports whether the next packet requests an acknowledgement. The last packet of a message always does, and so
// does the first that is sent again.
func (r *requester) asksACK(last bool) bool {
	if r.unasked++; !last && r.unasked < r.window/asksPerWindow {
		return false
	}
	r.unasked = 0
	return true
}

// later returns the later of two PSNs.
func later(a, b wire.PSN) wire.PSN {
	if a.Sub(b) > 0 {
		return a
	}
	return b
}

// goBack makes psn, which lies between una and top, the next one to send.
func (r *requester) goBack(psn wire.PSN) {
	q := r.q
	r.psn, r.reads, r.unasked = psn, 0, MaxWindow
	r.next = q.sq.head.Load()
	for r.next != r.started {
		w := q.sq.at(r.next)
		if psn.Sub(w.last) <= 0 || w.op.Traits().Local() && !w.done {
			break
		}
		if w.fetches() {
			r.reads++
		}
		r.next++
	}
	r.off, r.cursor = 0, mem.Cursor{}
	if r.next == r.started {
		return
	}
	w := q.sq.at(r.next)
	r.off = uint32(psn.Sub(w.first) * q.mtu)
	r.cursor = mem.Seek(w.list, r.off)
}
