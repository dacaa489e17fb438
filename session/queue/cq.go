package queue

import (
	"fmt"
	"sync"
	"sync/atomic"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/ring"
)

// channel is a completion channel.
type channel struct {
	*core.Node
	Ch  verbs.CompChannel
	dev *device.Device
}

// Close destroys the completion channel.
func (ch *channel) Close() error { return ch.Ch.Close() }

// Fields returns nil: a channel has no fields.
func (ch *channel) Fields() []core.Field { return nil }

// CQ is a completion queue.
type CQ struct {
	*core.Node
	CQ       verbs.CQ
	dev      *device.Device
	Channel  *channel // nil: the queue can only be polled
	extended bool     // polled with ibv_start_poll
	unacked  int      // events got but not acknowledged; accessed with the slot held

	armed atomic.Uint32 // core.Armed, as commands have left it

	// Guarded by Session.mu.
	taken verbs.WC // the last that poll_cq returned
	polls uint64   // how many it has returned

	harvester
	look   func([]verbs.SGE, *verbs.WC) *timeline.Arrived // copies received data
	room   func(*QP, []verbs.SGE) uint64                  // size of a RECV, see RoomOf
	taking taking
	Wake   chan struct{} // receives when a request is posted that will complete here
	poller core.Background
}

// Close implements [core.Body].
func (q *CQ) Close() error {
	q.stopPolling()
	return q.CQ.Close()
}

// Fields implements [core.Body].
func (q *CQ) Fields() []core.Field {
	fs := []core.Field{{Name: "cqe", Text: func() (string, error) { return fmt.Sprint(q.CQ.CQE()), nil }}}
	for i := range verbs.WCFields {
		f := &verbs.WCFields[i]
		fs = append(fs, core.Field{Name: f.Name, Text: func() (string, error) {
			if !f.Defined(&q.taken) {
				return "", fmt.Errorf("the last polled completion of %s has no %s", q.Name, f.Name)
			}
			return f.Format(&q.taken), nil
		}})
	}
	return fs
}

// PollClaimed polls the queue, with no more than that, for a command that has claimed it.
func (q *CQ) PollClaimed(wcs []verbs.WC) (int, error) {
	n, err := q.CQ.Poll(wcs)
	q.taking.polledByHand(n)
	return n, err
}

// TakeClaimed takes completions for a command that has claimed the queue, and returns
// how many.
func (q *CQ) TakeClaimed(s *core.Session) (int, error) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	out, err := Harvest(s, q, PollBatch)
	q.taking.polledByHand(len(out))
	return len(out), err
}

func queueOf(s *core.Session, cq verbs.CQ) *CQ {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.Nodes {
		if q, ok := n.Body.(*CQ); ok && q.CQ == cq {
			return q
		}
	}
	return nil
}

// View implements [core.Body].
func (ch *channel) View(v *core.Snapshot) {
	v.Channels = append(v.Channels, core.ChannelView{Name: ch.Name, Device: ch.dev.Name})
}

// View implements [core.Body].
func (q *CQ) View(v *core.Snapshot) {
	c := core.CQView{
		Name: q.Name, Device: q.dev.Name, CQE: q.CQ.CQE(), Completed: q.Completed.Load(), Failed: q.Failed.Load(),
	}
	if q.Channel != nil {
		c.Channel = q.Channel.Name
	}
	c.Mode, c.SolicitedOnly, _ = q.taking.way()
	c.Armed = core.Armed(q.armed.Load())
	c.Stats, c.Overruns = q.taking.Now(), q.taking.overrunsNow()
	v.CQs = append(v.CQs, c)
}

// arm records that a command has asked for an event.
func (q *CQ) arm(solicited bool) {
	to := core.ArmedForAny
	if solicited && core.Armed(q.armed.Load()) != core.ArmedForAny { // the wider request holds until its event
		to = core.ArmedForSolicited
	}
	q.armed.Store(uint32(to))
}

// IsOf reports whether an event is about the queue.
func (q *CQ) IsOf(e *verbs.AsyncEvent) bool { return e.CQ != nil && q.CQ == e.CQ }

// AsyncCame counts an overrun, the only asynchronous event of a CQ.
func (q *CQ) AsyncCame(_ *core.Session, _ *verbs.AsyncEvent, told *timeline.AsyncEvent) (after func()) {
	told.CQ = q.Name
	q.overran()
	return nil
}

// PollBatch bounds the completions taken from a provider in one call. A queue begins with room for
// fewer, since most never hold as many at once.
const (
	PollBatch  = 256
	firstBatch = 16
)

// harvester takes completions from one queue and matches them to their requests. Its
// lock serializes the callers.
type harvester struct {
	Mu       sync.Mutex
	few      bool // few completions in this batch, so the data of each is copied
	wcs      []verbs.WC
	out      []timeline.Completion // as long as wcs
	filled   bool                  // the last call filled them
	Inbox    inbox                 // taken live and not yet returned by poll_cq
	last     *QP                   // queue pair of the last completion
	Claimed  bool                  // a loop polls the queue itself: see Own
	unbidden uint64                // taken live in total
	failed   []Failure             // in this batch

	Completed, Failed atomic.Uint64
}

// batch returns where to poll up to limit completions. It ends the validity of the last ones.
func (h *harvester) batch(limit int) []verbs.WC {
	n := max(len(h.wcs), firstBatch)
	if h.filled {
		n = min(2*n, PollBatch)
	}
	if n > len(h.wcs) {
		h.wcs, h.out = make([]verbs.WC, n), make([]timeline.Completion, n)
	}
	return h.wcs[:min(limit, n)]
}

// inboxCap bounds the completions kept for a poll_cq that may never come.
const inboxCap = 1 << 14

// inbox holds completions taken live; when it is full the oldest are dropped.
type inbox struct{ ring.Ring[timeline.Completion] }

// Push adds completions.
func (b *inbox) Push(cs []timeline.Completion) {
	for i := range cs {
		*b.Keep(inboxCap) = cs[i]
	}
}

// Pop moves up to limit completions to the end of to, oldest first.
func (b *inbox) Pop(to []timeline.Completion, limit int) []timeline.Completion {
	limit = min(limit, b.Len())
	to = b.AppendTo(to, 0, limit)
	b.Drop(limit)
	return to
}

// Failure is a failed completion with what is known of its request.
type Failure struct {
	Completion *timeline.Completion // its Cause may be set
	QP         *QP                  // nil: not of this session
	Request    Request
	Known      bool // Request is the failed request
}

// Fill returns how many entries are in use, and the maximum so far; ok is false if
// the device does not report it: verbs has no such query.
func (q *CQ) Fill() (now, peak int, ok bool) {
	from, ok := q.CQ.(verbs.FillTeller)
	if !ok {
		return 0, 0, false
	}
	now, peak = from.Fill()
	return now, peak, true
}

func (q *CQ) overran() {
	q.taking.mu.Lock()
	q.taking.overruns++
	q.taking.mu.Unlock()
}

// Fill returns how many entries of a completion queue are in use, and the maximum so
// far; ok is false if there is no such queue or its device does not report it.
func Fill(s *core.Session, name string) (now, peak int, ok bool) {
	s.Mu.RLock()
	n, err := s.Graph.Find(name, command.KindCQ)
	s.Mu.RUnlock()
	if err != nil {
		return 0, 0, false
	}
	return n.Body.(*CQ).Fill()
}
