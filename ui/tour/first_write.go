package tour

import (
	"slices"
	"strings"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// firstWrite is the shortest tour that writes bytes into a peer's memory.
var firstWrite = &Tour{
	ID: "first-write", Name: "First WRITE in 60 seconds",
	About: "Two queue pairs, one RDMA_WRITE, its completion, its bytes at the peer.",
	Steps: []*Step{&bench, &connected, &write},
	Learned: [3]string{
		"RC: two queue pairs in RTS that know each other's qp_num, PSN and GID.",
		"RDMA_WRITE needs the peer's address and rkey. The peer posts nothing.",
		"SUCCESS says that the peer's device has the bytes; the peer is not told.",
	},
	Next: "4 shows the completion, 6 the packets, 0 the other tours.",
}

// bench creates the objects that two connected queue pairs need.
var bench = Step{
	Name: "make the objects",
	Why:  "A queue pair uses memory of its PD and reports to a completion queue.",
	Parts: []Part{
		{Name: "device", State: func(w *World) bool { return len(w.Session.Devices) > 0 }},
		{Name: "PD", State: func(w *World) bool { return len(w.Session.PDs) > 0 }},
		{Name: "2 regions", State: func(w *World) bool { return len(w.Session.MRs) > 1 }},
		{Name: "CQ", State: func(w *World) bool { return len(w.Session.CQs) > 0 }},
		{Name: "2 queue pairs", State: func(w *World) bool { return ends(w) > 1 }},
	},
	Moves: []Move{
		{When: func(w *World) bool { return ends(w) == 1 }, On: screen.BringUp, Key: &keymap.Bringup.New,
			Does: "make a second queue pair"},
		{On: screen.BringUp, Key: &keymap.Bringup.Bench, Does: "open the device and make all that is missing"},
	},
}

// connected brings both queue pairs to RTS.
var connected = Step{
	Name:  "connect the queue pairs",
	Why:   "Each end must know the other's qp_num, PSN and GID before it can send.",
	Needs: []*Step{&bench},
	Parts: []Part{
		{Name: "a queue pair in RTS", State: func(w *World) bool { return inRTS(&w.Session) > 0 }},
		{Name: "its peer in RTS", State: func(w *World) bool { return pair(&w.Session) }},
	},
	Moves: connect,
}

// stopped are the states in which a queue pair sends nothing until it has been reset or resumed.
var stopped = []verbs.QPState{verbs.QPErr, verbs.QPSQE, verbs.QPSQD}

// connect lists the moves that bring two queue pairs to RTS from any state.
var connect = list(resetLost, []Move{
	{When: both(shownIn(stopped...), not(field("target", "RESET"))), On: screen.BringUp, Key: &keymap.Bringup.Target,
		Does: "choose the state RESET"},
	{When: shownIn(stopped...), On: screen.BringUp, Key: &keymap.Form.Submit, Does: "move this queue pair to RESET"},
	{When: anyIn(stopped...), On: screen.BringUp, Key: &keymap.Bringup.Other, Does: "go to the other queue pair"},
	{When: both(filled("qp"), field("partner", "")), On: screen.BringUp, Key: &keymap.Bringup.Other,
		Does: "go to a queue pair that has a peer"},
	{When: filled("apart"), On: screen.BringUp, Key: &keymap.Bringup.Fix,
		Says: func(w *World) string { return "fix: " + w.Field("apart") }},
	{On: screen.BringUp, Key: &keymap.Bringup.Connect, Does: "connect both queue pairs: connect_qps"},
})

// lost returns a queue pair in RTS whose peer no longer exists, or nil. It must return to RESET
// before it can be connected again.
func lost(s *session.Snapshot) *session.QPView {
	for i := range s.QPs {
		q := &s.QPs[i]
		if name, _ := s.LikelyPeer(q); isConnected(q) && name == "" {
			return q
		}
	}
	return nil
}

// ends counts the queue pairs that can be connected: those of type RC.
func ends(w *World) (n int) {
	for i := range w.Session.QPs {
		if isEnd(&w.Session.QPs[i]) {
			n++
		}
	}
	return n
}

func isEnd(q *session.QPView) bool { return q.Type == verbs.RC }

// isConnected reports whether a queue pair has been told its peer.
func isConnected(q *session.QPView) bool {
	return (q.State == verbs.QPRTR || q.State == verbs.QPRTS) && q.Attr.Mask&verbs.AttrDestQPN != 0
}

func taken(w *World) bool { return lost(&w.Session) != nil }

func typeReset(w *World) string {
	return "type: modify_qp " + lost(&w.Session).Name + " RESET"
}

// resetLost lists the moves that reset a queue pair whose peer no longer exists.
var resetLost = []Move{
	{When: taken, Typing: true, Any: true, Says: typeReset},
	{When: taken, Any: true, Key: &keymap.Global.Console, Says: typeReset},
}

// write posts an RDMA_WRITE that reaches the peer's memory.
var write = Step{
	Name:  "post the RDMA_WRITE",
	Why:   "It names local bytes (sge) and where they go (remote_addr, rkey).",
	Needs: []*Step{&bench, &connected},
	Parts: written,
	Moves: list([]Move{toConnected, chooseWrite, turnEnd}, ready("unmend"), []Move{submit}),
}

// Moves of the steps that post a WRITE.
var (
	toConnected = Move{When: notConnected, On: screen.Post, Key: &keymap.Post.Other,
		Does: "go to a connected queue pair"}
	chooseWrite = Move{When: not(field("opcode", "RDMA_WRITE")), On: screen.Post, Key: &keymap.Post.Opcode,
		Does: "choose the opcode RDMA_WRITE"}
	turnEnd = Move{When: wrongEnd, On: screen.Post, Key: &keymap.Post.Other, Does: "go to the other queue pair"}
	submit  = Move{On: screen.Post, Key: &keymap.Form.Submit, Does: "post the request"}
)

// wrongEnd reports whether the form writes into a region that no peer may write, though there is one that a peer may.
func wrongEnd(w *World) bool {
	name, _, _ := strings.Cut(w.Field("remote_addr"), ".addr")
	at := w.Session.MR(name)
	return at != nil && at.Access&verbs.RemoteWrite == 0 && ends(w) == 2 &&
		slices.ContainsFunc(w.Session.MRs, func(m session.MRView) bool { return m.Access&verbs.RemoteWrite != 0 })
}

// written proves that a WRITE has arrived.
var written = []Part{
	{Name: "posted", Event: posted},
	{Name: "completed with SUCCESS", Event: func(_ *World, e *timeline.Event) bool {
		return wrote(e, verbs.WCSuccess)
	}},
	{Name: "bytes in the peer's region", State: func(w *World) bool { return w.landed }},
}

// posted reports whether an event is the post or the completion of a WRITE.
func posted(_ *World, e *timeline.Event) bool {
	return did(e, "post_send", "RDMA_WRITE") || wrote(e, verbs.WCSuccess)
}

// inRTS counts the queue pairs in RTS.
func inRTS(s *session.Snapshot) (n int) {
	for i := range s.QPs {
		if q := &s.QPs[i]; q.State == verbs.QPRTS && isEnd(q) {
			n++
		}
	}
	return n
}

// pair reports whether two queue pairs in RTS have each other as peer.
func pair(s *session.Snapshot) bool {
	for i := range s.QPs {
		q := &s.QPs[i]
		name, _ := s.LikelyPeer(q)
		if o := s.QP(name); q.State == verbs.QPRTS && o != nil && o.State == verbs.QPRTS {
			return true
		}
	}
	return false
}

// anyIn returns the condition that some queue pair is in one of the states.
func anyIn(states ...verbs.QPState) func(*World) bool {
	return func(w *World) bool {
		for i := range w.Session.QPs {
			if slices.Contains(states, w.Session.QPs[i].State) {
				return true
			}
		}
		return false
	}
}

// shownIn returns the condition that the queue pair of the current screen is in one of the states.
func shownIn(states ...verbs.QPState) func(*World) bool {
	return func(w *World) bool {
		q := w.Session.QP(w.Field("qp"))
		return q != nil && slices.Contains(states, q.State)
	}
}
