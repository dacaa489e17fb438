package session

import (
	"context"
	"errors"
	"fmt"

	"rdmatui/session/command"
	"rdmatui/session/oob"
)

// queuePairsOn are those that take their RECVs from a shared receive queue, the
// oldest first.
func queuePairsOn(s *base, srq *sharedQueue) (qps []*queuePair) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, n := range s.graph.nodes {
		if q, ok := n.res.(*queuePair); ok && q.srq == srq {
			qps = append(qps, q)
		}
	}
	return qps
}

// queuePairsOf are the queue pairs that a line is about: that of qp=, or those
// of srq=.
func queuePairsOf(c *call) ([]*queuePair, error) {
	if !c.cmd.Has("srq") {
		q, err := argAs[*queuePair](c, "qp", nil)
		return []*queuePair{q}, err
	}
	if c.cmd.Has("qp") {
		return nil, errors.New("qp and srq do not go together: one queue pair, or all that take from a shared receive queue")
	}
	srq, err := argAs[*sharedQueue](c, "srq", nil)
	if err != nil {
		return nil, err
	}
	qps := queuePairsOn(c.s, srq)
	if len(qps) == 0 {
		return nil, fmt.Errorf("no queue pair takes its RECVs from %s", srq.name)
	}
	return qps, nil
}

// exchanged are the queue pairs whose addresses are told.
func exchanged(c *call) ([]*queuePair, error) {
	qps, err := queuePairsOf(c)
	switch {
	case err != nil:
		return nil, err
	case c.cmd.Has("srq") && c.cmd.Has("psn"):
		return nil, errors.New("psn is of one queue pair, and each of these has its own")
	case len(qps) >= oob.MaxShared:
		return nil, oob.ErrTooMany
	}
	return qps, nil
}

// peerNames are the names of so many peers, none of which is taken.
func peerNames(c *call, shared bool, n int) ([]string, error) {
	name, err := c.newName(command.KindPeer)
	if err != nil || !shared {
		return []string{name}, err
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", name, i+1)
		if c.s.taken(names[i]) {
			return nil, fmt.Errorf("the name %s is taken", names[i])
		}
	}
	return names, nil
}

// send tells the own records.
func (p *peer) send(ctx context.Context) error {
	if p.shared {
		return p.conn.SendAll(ctx, p.own)
	}
	return p.conn.Send(ctx, p.own[0])
}

// receive learns the peer's, as many as are told.
func (p *peer) receive(ctx context.Context, conn *oob.Conn) ([]oob.Record, error) {
	if !p.shared {
		r, err := conn.Receive(ctx)
		return []oob.Record{r}, err
	}
	theirs, err := conn.ReceiveAll(ctx)
	if err == nil && len(theirs) != len(p.own) {
		return nil, fmt.Errorf("the peer has %d queue pairs, this end %d: both must have as many", len(theirs), len(p.own))
	}
	return theirs, err
}
