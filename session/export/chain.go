package export

import (
	"rdmatui/session/ccall"
	"rdmatui/session/command"
)

// Chain posts the requests of several lines in one call: each request is the next
// of the one before it.
func Chain(t *line) {
	links := t.links()
	if chainExtended(links) {
		return
	}
	var requests []*ccall.Struct
	var queue *object
	verb, bad := "", "bad_recv_wr"
	for _, l := range links {
		var wr *ccall.Struct
		switch verb = l.cmd.Spec.Verb; l.cmd.Spec {
		case command.PostSend:
			bad, queue = "bad_wr", l.object("qp")
			wr = l.sendWR(queue, "")
		case command.PostRecv, command.PostSRQRecv:
			queue, wr = l.object(receiver(l.cmd.Spec)), l.recvWR()
		default:
			panic(leftOut(l.cmd.Spec.Name + " is in no chain"))
		}
		requests = append(requests, wr)
	}
	t.errorCall(ccall.Post(verb, queue.expr, bad, requests...).Long(), label(verb, queue.expr))
}

// links returns the lines of a chain.
func (t *line) links() []*line {
	var links []*line
	for i, cmd := range t.full.Nested() {
		if cmd.Spec == nil {
			panic(leftOut("one of its lines cannot be read"))
		}
		l := *t
		l.cmd, l.full = cmd, cmd
		if i < len(t.step.Inner) && t.step.Inner[i].Full.Spec != nil {
			l.full = t.step.Inner[i].Full
		}
		links = append(links, &l)
	}
	return links
}

// chainExtended posts a chain of requests with ibv_wr_*; done is false if the queue
// pair does not use it.
func chainExtended(links []*line) (done bool) {
	first := links[0]
	if first.cmd.Spec != command.PostSend {
		return false
	}
	qp := first.object("qp")
	if !qp.sendOps.Has(first.full.Opcode("opcode")) {
		return false
	}
	postExtended(first, qp, label("ibv_wr_complete", qp.expr), func() {
		for _, l := range links {
			l.build(qp, "")
		}
	})
	return true
}
