package incident

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// facts is what the session knows of a failure. The rules read it.
type facts struct {
	c       *timeline.Completion
	request queue.Request
	known   bool           // request is the failed one
	wr      *verbs.SendWR  // nil: a RECV, or unknown
	own     *core.QPView   // nil: not in this session
	peer    *core.QPView   // the peer; nil: not in this session
	snap    *core.Snapshot // when the completion was taken
	gone    core.DepartedObjects
	history []moment
	tries   *verbs.Tries // nil: the device does not tell
	packets []packet     // the last of the queue pair, the oldest first
	moves   []moves
	now     time.Duration

	call    *core.Call // that the provider refused, with errno; nil: the facts are of a failed completion
	errno   syscall.Errno
	wait    *core.Awaited  // what did not come; nil: the facts are of a failed completion
	waiting []*core.QPView // of a wait: the queue pairs that it is about

	otherCause func(*facts) *finding                                 // that of the facts of another request
	filled     func(cq string) int                                   // completions in a queue, -1 if unknown
	triesOf    func(qp string) *verbs.Tries                          // nil: the device does not tell
	failure    func(qp string) *Incident                             // of another queue pair
	oldest     func(qp string, recv bool) (r queue.Request, ok bool) // request of another queue pair
}

// newFacts gathers the facts of a failure; batch holds the failures polled with it.
func newFacts(b *book, f *queue.Failure, batch []queue.Failure) *facts {
	snap := b.s.Snapshot()
	x := &facts{c: f.Completion, request: f.Request, known: f.Known, snap: &snap, gone: b.s.Departed(),
		history: b.before(), now: time.Since(b.s.Start),
		failure: b.failureOf, oldest: func(qp string, recv bool) (queue.Request, bool) {
			return oldest(b.s, batch, qp, recv)
		}}
	if f.QP == nil {
		return x
	}
	x.own = snap.QP(f.QP.Name)
	if by := f.Request.Posted; by != nil {
		x.wr = by.WR
	}
	x.peer = x.receiver()
	if x.own != nil {
		x.packets = packetsOf(b.s, snap.Provided(x.own.Device), x.own)
		x.moves = x.counterMoves(b)
	}
	if q, ok := f.QP.QP.(verbs.TryTeller); ok && !f.Completion.Recv {
		tries := q.Tries()
		x.tries = &tries
	}
	return x
}

// oldest returns the request of a queue pair that completes next, or that failed in the
// same batch.
func oldest(s *core.Session, batch []queue.Failure, qp string, recv bool) (queue.Request, bool) {
	for i := range batch {
		if f := &batch[i]; f.Known && f.Completion.QP == qp && f.Completion.Recv == recv {
			return f.Request, true
		}
	}
	s.Mu.RLock()
	n := s.Graph.ByName[qp]
	s.Mu.RUnlock()
	if n == nil {
		return queue.Request{}, false
	}
	q, ok := n.Body.(*queue.QP)
	switch {
	case !ok:
		return queue.Request{}, false
	case recv:
		return q.Receives().Oldest()
	}
	return q.Sends.Oldest()
}

// receiver returns the peer's queue pair; nil if it is not in this session. For a RECV it
// is the connected one; the sender of a datagram is unknown.
func (x *facts) receiver() *core.QPView {
	if x.own == nil {
		return nil
	}
	if x.own.Type != verbs.UD {
		return x.snap.Receiver(x.own)
	}
	if x.wr == nil || x.c.Recv {
		return nil
	}
	a := x.snap.AH(x.request.Posted.AH)
	if a == nil {
		return nil
	}
	to := core.QPView{Attr: verbs.QPAttr{Mask: verbs.AttrDestQPN, DestQPNum: x.wr.RemoteQPN, AH: a.Attr}}
	return x.snap.Receiver(&to)
}

// peerName returns the peer's name, or "the peer" if it is not in this session.
func (x *facts) peerName() string {
	if x.peer != nil {
		return x.peer.Name
	}
	return "the peer"
}

// ownName returns the name of this end, or "the queue pair" if it is unknown.
func (x *facts) ownName() string {
	if x.own != nil {
		return x.own.Name
	}
	return "the queue pair"
}

// length is the message's length in bytes.
func (x *facts) length() uint64 { return verbs.TotalLength(x.request.List) }

// posted returns when the request was posted.
func (x *facts) posted() time.Duration { return time.Duration(x.request.At) }

// moved returns a queue pair's newest state change if it led to the state; nil otherwise.
func (x *facts) moved(qp string, to verbs.QPState) *moment {
	for i := len(x.history) - 1; i >= 0; i-- {
		if m := &x.history[i]; m.state != nil && m.state.QP == qp {
			if m.state.To != to {
				return nil
			}
			return m
		}
	}
	return nil
}

// by says what changed a queue pair's state.
func (m *moment) by() string {
	if m.line != "" {
		words := strings.Fields(m.line)
		return strings.Join(words[:min(len(words), 3)], " ") // the attributes are shown elsewhere
	}
	return m.state.Cause
}

// region finds a region of a device; it prefers one of the protection domain.
func (x *facts) region(device, pd string, fits func(*core.MRView) bool) (found *core.MRView) {
	for i := range x.snap.MRs {
		m := &x.snap.MRs[i]
		if m.Device == device && fits(m) && (found == nil || m.PD == pd && found.PD != pd) {
			found = m
		}
	}
	return found
}

// holds reports whether an address lies in a region.
func holds(m *core.MRView, addr uint64) bool { return addr >= m.Addr && addr-m.Addr < m.Length }

// deregistered returns the deregistered region that had a key; nil if none is remembered.
func (x *facts) deregistered(device string, had func(*core.MRView) bool) *core.Departed[core.MRView] {
	for i := len(x.gone.MRs) - 1; i >= 0; i-- {
		if d := &x.gone.MRs[i]; d.View.Device == device && had(&d.View) {
			return d
		}
	}
	return nil
}

// outside says how n bytes at an address exceed a region; "" if they are inside.
func outside(name string, start, length, addr, n uint64) string {
	switch {
	case addr < start && addr < length:
		return fmt.Sprintf("0x%x looks like an offset, not an address: %s begins at 0x%x", addr, name, start)
	case addr < start || addr-start > length:
		return fmt.Sprintf("address 0x%x is outside %s, which spans 0x%x to 0x%x", addr, name, start, start+length-1)
	case n > length-(addr-start):
		return fmt.Sprintf("%s at %s+%d end %s past the end of %s, which is %s long", bytes(n), name, addr-start,
			bytes(n-(length-(addr-start))), name, bytes(length))
	}
	return ""
}

// bytes formats a length: "1 byte", "4,096 bytes".
func bytes(n uint64) string { return format.Counted(n, "byte") }

// seconds formats a time since the session's start as the time line does.
func seconds(at time.Duration) string { return fmt.Sprintf("%.6f s", at.Seconds()) }
