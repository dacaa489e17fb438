package world

import (
	"net/netip"
	"slices"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// ledger records the packets of one queue pair of a reliable connection.
type ledger struct {
	mtu    int      // bytes; 0: not known
	last   wire.PSN // of the last request packet sent to it, or of the end of its answer
	asked  bool     // last is valid
	back   wire.PSN // PSN to which the peer last went back
	rounds int      // consecutive times that the peer went back to that PSN, at different instants
	copies int      // all such times: each of two answers that arrive at once may cause a repetition
	since  time.Duration

	notReady map[wire.PSN]int           // RNR NAKs that it received, by PSN
	heard    time.Duration              // time of the last answer that it received
	paused   time.Duration              // end of its wait after RNR NAKs for packets not known to have arrived
	passed   wire.PSN                   // the last PSN acknowledged to it
	passes   bool                       // passed is valid
	fetches  bool                       // it has sent a READ or an atomic
	sentAt   map[wire.PSN]time.Duration // time at which each request packet was last sent to it
	acked    wire.PSN                   // the last PSN that it has acknowledged
	acks     bool                       // acked is valid
	owes     bool                       // it received a duplicate and has not answered it
}

// address identifies a queue pair on the network.
type address struct {
	host netip.Addr
	qp   uint32
}

func (e *end) address() address {
	_, addr := e.dom.gid(e.gidIndex)
	return address{addr, uint32(e.num)}
}

func newLedger() *ledger {
	return &ledger{notReady: map[wire.PSN]int{}, sentAt: map[wire.PSN]time.Duration{}, heard: -1}
}

func (w *world) ledger(at address) *ledger {
	l := w.ledgers[at]
	if l == nil {
		l = newLedger()
		w.ledgers[at] = l
	}
	return l
}

// fetching lists the operations whose response has data.
var fetching = []wire.Operation{wire.OpRead, wire.OpCompareSwap, wire.OpFetchAdd, wire.OpFlush, wire.OpAtomicWrite}

// endAt returns the queue pair at an address; nil if there is none.
func (w *world) endAt(at address) *end {
	for _, e := range w.ends {
		if uint32(e.num) == at.qp && e.address() == at {
			return e
		}
	}
	return nil
}

// parseRC decodes a packet of a reliable connection.
func parseRC(p *packet) (h wire.Packet, info wire.OpcodeInfo, ok bool) {
	h, err := wire.Parse(p.Data)
	if err != nil {
		return h, info, false
	}
	info, ok = h.BTH.Opcode.Info()
	return h, info, ok && info.Transport == wire.RC
}

// record records a packet that a device has sent.
func (w *world) record(p *packet) {
	h, info, ok := parseRC(p)
	if !ok {
		return
	}
	to := address{p.Path.Dst.Addr(), h.BTH.DestQP}
	if !info.Response {
		l, n := w.ledger(to), 1
		if e := w.endAt(to); e != nil && e.peer != nil && slices.Contains(fetching, info.Operation) {
			w.ledger(e.peer.address()).fetches = true
		}
		if info.Operation == wire.OpRead && l.mtu > 0 {
			n = packetsOf(int(h.RETH.DMALen), l.mtu)
		}
		if l.request(h.BTH.PSN, n, w.Now()) {
			w.checkCause(to, l, h.BTH.PSN)
		}
		l.sentAt[h.BTH.PSN] = w.Now()
		return
	}
	e := w.endAt(to)
	if e == nil || e.peer == nil {
		return
	}
	from := w.ledger(e.peer.address())
	from.owes = false
	if info.Operation == wire.OpAcknowledge && h.AETH.Syndrome.Kind() == wire.SyndromeACK {
		from.acked, from.acks = h.BTH.PSN, true
	}
}

// packetsOf returns the number of packets for n bytes.
func packetsOf(n, mtu int) int { return max((n+mtu-1)/mtu, 1) }

// request counts how often the peer goes back to one packet; n is the number of PSNs of the request. Copies that are
// record at the same time count as one round.
func (l *ledger) request(psn wire.PSN, n int, now time.Duration) (begun bool) {
	if l.asked && psn.Sub(l.last) <= 0 {
		if psn != l.back {
			l.back, l.rounds, l.copies, l.since = psn, 0, 0, -1
		}
		l.copies++
		if begun = now != l.since; begun {
			l.rounds++
			l.since = now
		}
	}
	l.last, l.asked = psn.Add(n-1), true
	return begun
}

// given records a packet that reaches a device intact.
func (w *world) given(p *packet) {
	h, info, ok := parseRC(p)
	if !ok {
		return
	}
	at := address{p.Path.Dst.Addr(), h.BTH.DestQP}
	e := w.endAt(at)
	if e == nil || e.peer == nil || p.Path.Src.Addr() != e.peer.address().host {
		return
	}
	l := w.ledger(at)
	if info.Response {
		l.answered(&h, info.Operation == wire.OpAcknowledge, w.Now())
	}
	// A packet that an earlier connection of the queue pair sent is no duplicate of a request of this one.
	_, own := l.sentAt[h.BTH.PSN]
	if !info.Response && info.Payload && own && l.acks && !e.peer.gone && h.BTH.PSN.Sub(l.acked) <= 0 {
		l.owes = true
	}
}

// answered records an answer that the queue pair received.
func (l *ledger) answered(h *wire.Packet, bare bool, now time.Duration) {
	psn := h.BTH.PSN
	l.heard = now
	if !bare {
		return
	}
	switch s := h.AETH.Syndrome; s.Kind() {
	case wire.SyndromeRNR:
		l.notReady[psn]++
		// An acknowledgement has no effect if answers before it are missing.
		if !l.passes || l.fetches || psn.Sub(l.passed) > 0 {
			l.paused = max(l.paused, now+s.RNRTimer().Duration())
		}
	case wire.SyndromeACK:
		if !l.passes || psn.Sub(l.passed) > 0 {
			l.passed, l.passes = psn, true
		}
	}
}

// checkCause fails if a queue pair goes back to a packet although it received no answer, its timeout has not passed,
// and no RNR NAK delayed it. The cause may be an RNR NAK for a packet that had already arrived.
func (w *world) checkCause(to address, l *ledger, psn wire.PSN) {
	peer := w.endAt(to)
	if w.insecure() || peer == nil || peer.peer == nil || peer.peer.gone {
		return
	}
	e := peer.peer
	own := w.ledger(e.address())
	if own.heard == w.Now() || w.Now() <= own.paused || w.Now()-l.sentAt[psn] >= verbs.AckTimeout(e.timeout) {
		return
	}
	w.Fail("QP %s of %s goes back to PSN %s without a cause", e.num, e.dom.host.name, psn)
}

// checkDuplicates fails if a repeated request got no answer: its sender would continue to repeat it.
func (w *world) checkDuplicates() {
	if w.insecure() {
		return
	}
	for _, e := range w.ends {
		l := w.ledgers[e.address()]
		if l == nil || !l.owes {
			continue
		}
		l.owes = false
		if s := e.state(); s >= verbs.QPRTR && s < verbs.QPSQE && !e.peer.gone {
			w.Fail("QP %s of %s has not acknowledged a duplicate request", e.num, e.dom.host.name)
		}
	}
}

// checkGivenUp compares the failure of a request after its retries with the packets on the network.
func (r *request) checkGivenUp(status verbs.WCStatus) {
	w, e := r.end.w, r.end
	if w.insecure() || e.peer == nil {
		return
	}
	switch status {
	case verbs.WCRetryExcErr:
		l, own := w.ledger(e.peer.address()), w.ledger(e.address())
		most := int(e.retry)
		if !w.perfect {
			most++ // packets that arrived in between may have moved the PSN to which it went back
		}
		if l.mtu > 0 && own.notReady[l.back] == 0 && (l.copies < int(e.retry) || l.rounds > most) {
			w.Fail("%s: wr_id %d failed with %s after it was sent again %d times, with retry_cnt %d", e.dom.host.name,
				r.id, status, l.rounds, e.retry)
		}
	case verbs.WCRNRRetryExcErr:
		if r.packets == 0 {
			return
		}
		times := 0
		for i := range r.packets {
			times = max(times, w.ledger(e.address()).notReady[r.first.Add(i)])
		}
		if times <= int(e.rnr) {
			w.Fail("%s: wr_id %d failed with %s after %d RNR NAKs, with rnr_retry %d", e.dom.host.name, r.id,
				status, times, e.rnr)
		}
	}
}

// number assigns a request the PSNs that it will have. Those of a queue pair that a connection manager has moved are
// unknown.
func (r *request) number(wr *verbs.SendWR) {
	e := r.end
	if e.typ != verbs.RC || e.byManager || r.op == verbs.WRBindMW || r.op == verbs.WRLocalInv {
		return
	}
	n := 0
	for _, s := range wr.SGList {
		n += int(s.Length)
	}
	if r.isAtomic() {
		n = 8
	}
	r.first, r.packets = e.next, packetsOf(n, e.mtu.Bytes())
	e.next = e.next.Add(r.packets)
}
