package traffic

import (
	"errors"
	"fmt"
	"sync/atomic"

	"rdmatui/session/cm"
	"rdmatui/session/core"
	"rdmatui/session/post"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// LastPingpong holds the figures of the session's last ping-pong.
func LastPingpong(s *core.Session) *atomic.Pointer[PingpongResult] {
	return core.Part[atomic.Pointer[PingpongResult]](s, nil)
}

// lane is one queue pair of a ping-pong. Its messages are independent of those of the
// other lanes.
type lane struct {
	q              *queue.QP
	send           []verbs.SendWR // one
	sending        bool           // posted and not completed
	sent, received int            // completed
}

// mayspeak reports whether it is this end's turn: a client sends first, then after
// each reply.
func (l *lane) mayspeak(client bool) bool {
	return !l.sending && (l.received > l.sent || client && l.received == l.sent)
}

// choose finds the queue pairs that the line names.
func (p *pinger) choose(c *core.Call) error {
	qps, err := queuePairsOf(c)
	if err != nil {
		return err
	}
	p.lanes = make([]lane, len(qps))
	for i, q := range qps {
		p.lanes[i].q = q
	}
	if c.Cmd.Has("srq") {
		p.srq = qps[0].SRQ
	} else {
		c.About = qps[0]
	}
	return nil
}

// laneOf returns the lane of a queue pair, nil if there is none.
func (p *pinger) laneOf(num verbs.QPN) *lane {
	for i := range p.lanes {
		if p.lanes[i].q.Num == num {
			return &p.lanes[i]
		}
	}
	return nil
}

func (p *pinger) sendCQ() *queue.CQ { return p.lanes[0].q.SendCQ }

func (p *pinger) recvCQ() *queue.CQ { return p.lanes[0].q.RecvCQ }

func (p *pinger) queues() []*queue.CQ {
	if p.sendCQ() == p.recvCQ() {
		return []*queue.CQ{p.sendCQ()}
	}
	return []*queue.CQ{p.sendCQ(), p.recvCQ()}
}

// receiver returns the queue that RECVs are posted to.
func (p *pinger) receiver() post.Receiver {
	if p.srq != nil {
		return p.srq.SRQ
	}
	return p.lanes[0].q.QP
}

// account returns the list of outstanding RECVs.
func (p *pinger) account() *queue.Requests { return p.lanes[0].q.Receives() }

// mostRecvs returns how many RECVs can be outstanding.
func (p *pinger) mostRecvs() uint32 {
	if p.srq == nil {
		return p.lanes[0].q.Limits.MaxRecvWR
	}
	p.s.Mu.RLock()
	defer p.s.Mu.RUnlock()
	return p.srq.Attr.MaxWR
}

// Check reports options and queues that the run cannot use.
func (p *pinger) Check() error {
	for i := range p.lanes {
		if err := p.checkLane(p.lanes[i].q); err != nil {
			return err
		}
	}
	switch {
	case p.n < 1:
		return errors.New("n must be at least 1")
	case p.Nonblock && !p.Events:
		return errors.New("nonblock needs event=1")
	}
	for _, cq := range p.Queues {
		if p.Events && cq.Channel == nil {
			return fmt.Errorf("%s has no completion channel: create it with create_cq channel=", cq.Name)
		}
	}
	return nil
}

func (p *pinger) checkLane(q *queue.QP) error {
	first := p.lanes[0].q
	switch st := q.StateNow(); {
	case st != verbs.QPRTS:
		return fmt.Errorf("%s is in %s: connect it first", q.Name, st)
	case q.Sends.Len() > 0:
		return fmt.Errorf("%s has SENDs outstanding: poll_cq them first", q.Name)
	case p.srq == nil && q.SRQ != nil:
		return fmt.Errorf("pingpong posts its own RECVs, but %s takes them from %s: give srq=%s", q.Name,
			q.SRQ.Name, q.SRQ.Name)
	case p.srq != nil && q.Spec.QPType == verbs.UD:
		return fmt.Errorf("%s is UD: pingpong with srq= needs connected queue pairs", q.Name)
	case q.SendCQ != first.SendCQ || q.RecvCQ != first.RecvCQ || q.PD != first.PD:
		return fmt.Errorf("%s and %s must have the same protection domain and completion queues", first.Name, q.Name)
	}
	return nil
}

// id returns the identifier whose connection carries the messages, nil if there is
// none.
func (p *pinger) id() *cm.ID {
	id, _ := p.lanes[0].q.ID.(*cm.ID)
	return id
}
