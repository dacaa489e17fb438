package export

import (
	"rdmatui/session/ccall"
	"rdmatui/session/command"
)

// Chain posts the requests of several lines in one call: each request is the next
// of the one before it.
func Chain(t *line) error {
	links, err := t.links()
	if err != nil {
		return err
	}
	if done, err := chainExtended(links); done || err != nil {
		return err
	}
	var requests []*ccall.Struct
	var queue *object
	verb, bad := "", "bad_recv_wr"
	for _, l := range links {
		var wr *ccall.Struct
		switch verb = l.cmd.Spec.Verb; l.cmd.Spec {
		case command.PostSend:
			bad = "bad_wr"
			if queue, err = l.object("qp"); err == nil {
				wr, err = l.sendWR(queue, "")
			}
		case command.PostRecv, command.PostSRQRecv:
			if queue, err = l.object(receiver(l.cmd.Spec)); err == nil {
				wr, err = l.recvWR()
			}
		default:
			return t.errorf("%s is in no chain", l.cmd.Spec.Name)
		}
		if err != nil {
			return err
		}
		requests = append(requests, wr)
	}
	t.errorCall(ccall.Post(verb, queue.expr, bad, requests...).Long(), label(verb, queue.expr))
	return nil
}

// links returns the lines of a chain.
func (t *line) links() ([]*line, error) {
	var links []*line
	for i, text := range command.SplitChain(t.full.String("line")) {
		cmd, err := command.Parse(text)
		if err != nil || cmd.Spec == nil {
			return nil, t.errorf("one of its lines cannot be read")
		}
		l := *t
		l.cmd, l.full = cmd, cmd
		if i < len(t.step.Inner) && t.step.Inner[i].Full.Spec != nil {
			l.full = t.step.Inner[i].Full
		}
		links = append(links, &l)
	}
	return links, nil
}

// chainExtended posts a chain of requests with ibv_wr_*; done is false if the queue
// pair does not use it.
func chainExtended(links []*line) (done bool, err error) {
	first := links[0]
	if first.cmd.Spec != command.PostSend {
		return false, nil
	}
	qp, err := first.object("qp")
	if err != nil || !qp.sendOps.Has(first.full.Opcode("opcode")) {
		return false, err
	}
	return true, postExtended(first, qp, label("ibv_wr_complete", qp.expr), func() error {
		for _, l := range links {
			if err := l.build(qp, ""); err != nil {
				return err
			}
		}
		return nil
	})
}
