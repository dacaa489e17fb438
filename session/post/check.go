package post

import (
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/preflight"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// The checks below warn of problems that the session knows of; the call is made in
// any case.

// warn adds a report's findings to the command's warnings.
func warn(c *core.Call, report preflight.Report) {
	for _, f := range report {
		if f.Verdict == preflight.Missing {
			c.WarnOf(f.Errnos, f.Text)
		}
	}
}

// around returns a snapshot of what a request can depend on: devices, memory, address
// handles, the queue itself, and the queue pairs that may receive the request; to is
// the destination of a datagram.
func around(s *core.Session, own *core.Node, to verbs.QPN) core.Snapshot {
	sender, _ := own.Body.(*queue.QP)
	return s.SnapshotOf(func(n *core.Node) bool {
		if q, ok := n.Body.(*queue.QP); ok {
			return q == sender || q.Num == to || sender != nil && q.Num == sender.Attr.DestQPNum
		}
		return n == own || beside[n.Kind]
	})
}

var beside = map[command.ObjectKind]bool{
	command.KindDevice: true, command.KindPD: true, command.KindMR: true, command.KindMW: true, command.KindAH: true,
}

// checkPostSend checks a request that is posted times times at once, after ahead
// others of its chain.
func checkPostSend(c *core.Call, q *queue.QP, wr *sendWR, times uint64, ahead int) {
	queue.NotePortDown(c.S, q)
	queue.Refresh(c.S, q)
	snap := around(c.S, q.Node, wr.RemoteQPN)
	req := preflight.Request{Snapshot: &snap, WR: wr.SendWR, Times: times, Ahead: ahead}
	if wr.mw != nil {
		req.Bind = bindingOf(wr.mw, &wr.shows)
	}
	if wr.ah != nil {
		req.AH = snap.AH(wr.ah.Name)
	}
	warn(c, req.Send(snap.QP(q.Name)))
}

func checkPostRecv(c *core.Call, q *queue.QP, list []verbs.SGE, times uint64, ahead int) {
	snap := around(c.S, q.Node, 0)
	req := preflight.Request{Snapshot: &snap, WR: verbs.SendWR{SGList: list}, Times: times, Ahead: ahead}
	warn(c, req.Recv(snap.QP(q.Name), nil))
}

func checkPostSRQRecv(c *core.Call, q *queue.SRQ, list []verbs.SGE, times uint64, ahead int) {
	snap := around(c.S, q.Node, 0)
	req := preflight.Request{Snapshot: &snap, WR: verbs.SendWR{SGList: list}, Times: times, Ahead: ahead}
	warn(c, req.Recv(nil, snap.SRQ(q.Name)))
}

func checkBind(c *core.Call, q *queue.QP, w *region.MW, b *region.Binding) {
	snap := around(c.S, q.Node, 0)
	warn(c, bindingOf(w, b).Check(&snap, snap.QP(q.Name)))
}

func bindingOf(w *region.MW, b *region.Binding) *preflight.Binding {
	to := &preflight.Binding{Window: w.Name, First: b.Addr, Length: b.Length, Access: b.Access, RKey: b.RKey}
	if b.MR != nil {
		to.Region = b.MR.Name
	}
	return to
}
