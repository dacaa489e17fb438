package transport

import (
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/mem"
)

// SRQ is a shared receive queue. Only the engine removes requests, and posting calls add them: both under the ring's
// lock, so that it can be resized.
type SRQ struct {
	pd           *PD
	object.Users // guarded by pd.dev.mu

	mem   mem.View // of the queue's own domain, which may differ from that of a queue pair that takes its requests
	ring  recvRing
	limit uint32 // 0: disarmed; ring.mu guards it and dead
	dead  bool
}

var _ verbs.SRQ = (*SRQ)(nil)

// CreateSRQ creates a shared receive queue of exactly spec.MaxWR requests.
func (p *PD) CreateSRQ(spec verbs.SRQSpec) (verbs.SRQ, error) {
	s, err := p.createSRQ(spec)
	if err != nil {
		return nil, verbs.NewOpError("ibv_create_srq", "", err)
	}
	return s, nil
}

func (p *PD) createSRQ(spec verbs.SRQSpec) (*SRQ, error) {
	if spec.MaxWR < 1 || spec.MaxWR > MaxSRQWR || spec.MaxSGE > MaxSRQSGE {
		return nil, syscall.EINVAL
	}
	p.dev.Mu.Lock()
	defer p.dev.Mu.Unlock()
	if err := p.Live(); err != nil {
		return nil, err
	}
	if err := p.dev.adapter.Quota.Take(&p.dev.adapter.Quota.SRQ, MaxSRQ,
		recvQueueBytes(spec.MaxWR, spec.MaxSGE)); err != nil {
		return nil, err
	}
	s := &SRQ{pd: p}
	s.mem.Init(&p.Domain)
	s.ring.init(spec.MaxWR, spec.MaxSGE)
	p.Add(s, s.name())
	return s, nil
}

// name returns the queue's name for messages; ring.mu is held, or no other goroutine knows the queue yet.
func (s *SRQ) name() string { return "SRQ of " + format.Counted(s.ring.depth, "request") }

// fail wraps an error, like [QP.fail]; ring.mu is held.
func (s *SRQ) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return verbs.NewOpError(op, s.name(), err)
}

// sharedQueue returns the shared queue for a new queue pair, nil if there is none, and removes from spec what the
// shared queue replaces. The two may be in different protection domains.
func (p *PD) sharedQueue(spec *verbs.QPSpec) (*SRQ, error) {
	if spec.SRQ == nil {
		return nil, nil
	}
	s, isOurs := spec.SRQ.(*SRQ)
	if !isOurs || s.pd.dev != p.dev {
		return nil, verbs.ErrForeignObject
	}
	spec.Cap.MaxRecvWR, spec.Cap.MaxRecvSGE = 0, 0
	return s, nil
}

// newHeld creates room for one request outside the ring.
func (s *SRQ) newHeld() recvWQE { return recvWQE{list: make([]verbs.SGE, 0, s.ring.sge)} }

// take moves the oldest request to w and keeps w's list buffer in exchange. It returns false if none is posted.
func (s *SRQ) take(w *recvWQE) bool {
	r := &s.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	from := r.oldest()
	if from == nil {
		return false
	}
	w.wrID, w.length = from.wrID, from.length
	w.list, from.list = from.list, w.list[:0]
	r.pop()
	if r.waiting() < s.limit {
		s.limit = 0
		s.pd.dev.Events.Put(verbs.AsyncEvent{Type: verbs.EventSRQLimitReached, SRQ: s})
	}
	return true
}

// PostRecv posts receive requests. It need not wake the engine: a sender that found no request retries.
func (s *SRQ) PostRecv(wrs ...verbs.RecvWR) (posted int, err error) {
	r := &s.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	for posted < len(wrs) && err == nil {
		if s.dead {
			err = verbs.ErrClosed
		} else if err = r.post(&wrs[posted]); err == nil {
			posted++
		}
	}
	return posted, s.fail("ibv_post_srq_recv", err)
}

// Modify changes the attributes. It checks the whole call before it changes anything. The limit is compared when the
// next request is taken, not before.
func (s *SRQ) Modify(attr verbs.SRQAttr) error {
	s.ring.mu.Lock()
	defer s.ring.mu.Unlock()
	return s.fail("ibv_modify_srq", s.modify(&attr))
}

func (s *SRQ) modify(attr *verbs.SRQAttr) error {
	if s.dead {
		return verbs.ErrClosed
	}
	depth, limit := s.ring.depth, s.limit
	if attr.Mask&verbs.SRQMaxWR != 0 {
		depth = attr.MaxWR
	}
	if attr.Mask&verbs.SRQLimit != 0 {
		limit = attr.Limit
	}
	known := attr.Mask&^(verbs.SRQMaxWR|verbs.SRQLimit) == 0
	if !known || depth < 1 || depth > MaxSRQWR || depth < s.ring.waiting() || limit > depth {
		return syscall.EINVAL
	}
	if depth != s.ring.depth {
		m, sge := s.pd.dev.adapter.Quota.Memory, uint32(s.ring.sge)
		if err := m.Take(recvQueueBytes(depth, sge)); err != nil {
			return err
		}
		m.Give(recvQueueBytes(s.ring.depth, sge))
		s.ring.resize(depth)
	}
	s.limit = limit
	return nil
}

// Query reads the current attributes.
func (s *SRQ) Query() (verbs.SRQAttr, error) {
	r := &s.ring
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.dead {
		return verbs.SRQAttr{}, s.fail("ibv_query_srq", verbs.ErrClosed)
	}
	return verbs.SRQAttr{
		Mask: verbs.SRQMaxWR | verbs.SRQLimit, MaxWR: r.depth, MaxSGE: uint32(r.sge), Limit: s.limit,
	}, nil
}

// Close destroys the queue. It fails while queue pairs use it. Posted requests vanish without a completion.
func (s *SRQ) Close() error {
	d := s.pd.dev
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if s.Closed {
		return nil
	}
	s.ring.mu.Lock()
	defer s.ring.mu.Unlock()
	if err := s.Busy("SRQ"); err != nil {
		return s.fail("ibv_destroy_srq", err)
	}
	s.Closed, s.dead = true, true
	d.Events.Drop(func(ev verbs.AsyncEvent) bool { return ev.SRQ == verbs.SRQ(s) })
	s.pd.Remove(s)
	d.adapter.Quota.Give(&d.adapter.Quota.SRQ, recvQueueBytes(s.ring.depth, uint32(s.ring.sge)))
	return nil
}
