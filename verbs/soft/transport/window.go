package transport

import "rdmatui/verbs/wire"

// What goes back to a lost packet sends all behind it again. So the window follows the losses: it halves with each and grows by what
// arrives, and settles near the number of packets that get through in a row.
const (
	// MaxWindow is several receive batches, so that sender and receiver overlap.
	MaxWindow = 256
	minWindow = 4
	// smallWindow is where the window gets to on a link that loses every tenth packet or more.
	smallWindow = 16
	// asksPerWindow is how many packets of a window ask for an acknowledgement.
	asksPerWindow = 8
	// MaxCopies is how often one packet is sent, and answered, in a row where it was lost again and again. The receiver takes the first
	// and acknowledges the others as duplicates. Without copies a link that loses every fifth packet uses up 7 retries before long.
	MaxCopies = 4
)

func (r *requester) grow(arrived int) { r.window = min(r.window+arrived, MaxWindow) }

func (r *requester) shrink() { r.window = max(r.window/2, minWindow) }

// askedUpTo is where the answer to a READ is to end that is asked for from the next PSN on: the first time behind all of it, later sooner
// where packets are being lost, since an answer with a hole is of use only up to the hole. A part once asked for keeps its end. The peer
// may have taken it for a request of its own, and then what reaches beyond is neither new to it nor a duplicate.
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

// asksACK decides whether the next packet asks for an acknowledgement. The last of a message always does, and the first that is sent again.
func (r *requester) asksACK(last bool) bool {
	if r.unasked++; !last && r.unasked < r.window/asksPerWindow {
		return false
	}
	r.unasked = 0
	return true
}

// copies is how often more the oldest packet is sent: never in a first retry, which most losses are mended by, unless there are many. A
// packet that is lost twice costs a timeout.
func (c *completer) copies() int {
	n := max(min(int(c.retries), MaxCopies)-1, 0)
	if c.q.req.window < smallWindow {
		n = max(n, 1)
	}
	return n
}

// later is the one of two PSNs that comes later.
func later(a, b wire.PSN) wire.PSN {
	if a.Sub(b) > 0 {
		return a
	}
	return b
}
