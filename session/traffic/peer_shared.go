package traffic

import (
	"context"
	"errors"
	"fmt"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/oob"
	"rdmatui/session/queue"
	"rdmatui/verbs/format"
)

// queuePairsOn returns the queue pairs that use a shared receive queue, oldest first.
func queuePairsOn(s *core.Session, srq *queue.SRQ) (qps []*queue.QP) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.Nodes {
		if q, ok := n.Body.(*queue.QP); ok && q.SRQ == srq {
			qps = append(qps, q)
		}
	}
	return qps
}

// queuePairsOf returns the queue pairs that the line names: that of qp=, or those of
// srq=.
func queuePairsOf(c *core.Call) ([]*queue.QP, error) {
	if !c.Cmd.Has("srq") {
		q, err := core.ArgAs[*queue.QP](c, "qp", nil)
		return []*queue.QP{q}, err
	}
	if c.Cmd.Has("qp") {
		return nil,
			errors.New("qp and srq exclude each other: give one queue pair, or the shared receive queue of several")
	}
	srq, err := core.ArgAs[*queue.SRQ](c, "srq", nil)
	if err != nil {
		return nil, err
	}
	qps := queuePairsOn(c.S, srq)
	if len(qps) == 0 {
		return nil, fmt.Errorf("no queue pair takes its RECVs from %s", srq.Name)
	}
	return qps, nil
}

// exchanged returns the queue pairs whose addresses are exchanged.
func exchanged(c *core.Call) ([]*queue.QP, error) {
	qps, err := queuePairsOf(c)
	switch {
	case err != nil:
		return nil, err
	case c.Cmd.Has("srq") && c.Cmd.Has("psn"):
		return nil, errors.New("psn applies to one queue pair only; with srq= each has its own")
	case len(qps) >= oob.MaxShared:
		return nil, oob.ErrTooMany
	}
	return qps, nil
}

// peerNames returns free names for n peers.
func peerNames(c *core.Call, shared bool, n int) ([]string, error) {
	name, err := c.NewName(command.KindPeer)
	if err != nil || !shared {
		return []string{name}, err
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", name, i+1)
		if c.S.Taken(names[i]) {
			return nil, fmt.Errorf("the name %s is taken", names[i])
		}
	}
	return names, nil
}

// send sends the own records.
func (p *peer) send(ctx context.Context) error {
	if p.shared {
		return p.conn.SendAll(ctx, p.own)
	}
	return p.conn.Send(ctx, p.own[0])
}

// receive reads the peer's records, as many as were sent.
func (p *peer) receive(ctx context.Context, conn *oob.Conn) ([]oob.Record, error) {
	if !p.shared {
		r, err := conn.Receive(ctx)
		return []oob.Record{r}, err
	}
	theirs, err := conn.ReceiveAll(ctx)
	if err == nil && len(theirs) != len(p.own) {
		return nil, fmt.Errorf("the peer has %s, this end %d: both need the same number",
			format.Counted(len(theirs), "queue pair"), len(p.own))
	}
	return theirs, err
}
