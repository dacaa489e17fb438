package tour

import (
	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// sendRecv posts a SEND before its RECV, and after it.
var sendRecv = &Tour{
	ID: "send-recv", Name: "SEND, RECV and RNR",
	About: "A SEND without a RECV waits: RNR. A RECV lets it through.",
	Steps: []*Step{&bench, &connected, &sentEarly, &receivedLate, &receiveFirst, &sentInTime},
	Learned: [3]string{
		"A SEND names no remote address: the peer's oldest RECV has the memory.",
		"Without a RECV the peer answers RNR NAK; the sender waits and tries again.",
		"Both ends get a completion: the RECV's says how many bytes came.",
	},
	Next: "6 shows the RNR NAKs, and d on Post the steps of a request.",
}

var sentEarly = Step{
	Name:  "post a SEND without a RECV",
	Why:   "A SEND needs a RECV at the peer. The check warns that there is none.",
	Needs: []*Step{&bench, &connected},
	Parts: []Part{
		{Name: "posted", Event: func(w *World, e *timeline.Event) bool {
			return did(e, "post_send", "SEND") || sent(w, e)
		}},
		{Name: "waits: the peer has no RECV (RNR)", Once: true, State: func(w *World) bool {
			return stalled(&w.Session)
		}},
	},
	Moves: list([]Move{
		{When: func(w *World) bool { return stalled(&w.Session) }, On: screen.Post,
			Does: "wait: the SEND is being tried"},
		toConnected,
	}, chooseSend, setField(screen.Post, fieldOf("spoilt"), atFirst(fieldOf("spoilt"))), []Move{
		{When: outstanding, On: screen.Post, Does: "wait: the SEND is being tried"},
		submit,
	}),
}

var receivedLate = Step{
	Name:  "post the RECV",
	Why:   "The SEND is tried until the peer has a RECV: rnr_retry 7 has no limit.",
	Needs: []*Step{&bench, &connected},
	Parts: []Part{
		{Name: "RECV posted at the peer", Event: func(_ *World, e *timeline.Event) bool { return did(e, "post_recv") }},
		{Name: "SEND completed", Event: sent},
		{Name: "RECV completed", Event: received},
	},
	Moves: list([]Move{
		toConnected,
		{When: waitsForOther, On: screen.Post, Key: &keymap.Post.Other, Does: "go to the queue pair whose SEND waits"},
		{When: outstanding, On: screen.Post, Key: &keymap.Post.RecvPeer, Does: "post a RECV at the peer"},
	}, chooseSend, []Move{submit}),
}

var receiveFirst = Step{
	Name:  "post a RECV first",
	Why:   "A program posts its RECVs before the peer sends, so that no SEND waits.",
	Needs: []*Step{&bench, &connected},
	Parts: []Part{{Name: "a RECV waits at the peer", Once: true, State: recvPosted, Event: received}},
	Moves: []Move{
		toConnected,
		{On: screen.Post, Key: &keymap.Post.RecvPeer, Does: "post a RECV at the peer"},
	},
}

var sentInTime = Step{
	Name:  "post the SEND",
	Why:   "The bytes go into the memory that the RECV names, and both ends complete.",
	Needs: []*Step{&bench, &connected},
	Parts: []Part{{Name: "SEND completed", Event: sent}, {Name: "RECV completed", Event: received}},
	Moves: list(chooseSend, ready("unmend"), []Move{submit}),
}

// chooseSend is the move that chooses the opcode SEND.
var chooseSend = []Move{{When: not(field("opcode", "SEND")), On: screen.Post, Key: &keymap.Post.Opcode,
	Does: "choose the opcode SEND"}}

// stalled reports whether a request is known to wait.
func stalled(s *session.Snapshot) bool {
	for i := range s.QPs {
		if _, ok := preflight.Stalled(s, &s.QPs[i]); ok {
			return true
		}
	}
	return false
}

// outstanding reports whether the queue pair of the form has a request without a completion.
func outstanding(w *World) bool {
	q := w.Session.QP(w.Field("qp"))
	return q != nil && q.SendOutstanding > 0
}

// waitsForOther reports whether another queue pair than that of the form has a request without a completion.
func waitsForOther(w *World) bool {
	for i := range w.Session.QPs {
		if w.Session.QPs[i].SendOutstanding > 0 && !outstanding(w) {
			return true
		}
	}
	return false
}

// recvPosted reports whether the peer of the queue pair in the form has a RECV.
func recvPosted(w *World) bool {
	q := w.Session.QP(w.Field("qp"))
	if q == nil {
		return false
	}
	name, _ := w.Session.LikelyPeer(q)
	peer := w.Session.QP(name)
	return peer != nil && peer.RecvPosted > 0
}

// sent reports whether an event is the completion of a SEND.
func sent(_ *World, e *timeline.Event) bool {
	return e.Kind == timeline.KindWC && e.WC.Matched && !e.WC.Recv && e.WC.WC.Status == verbs.WCSuccess &&
		(e.WC.Opcode == verbs.WRSend || e.WC.Opcode == verbs.WRSendWithImm)
}

// received reports whether an event is the completion of a RECV.
func received(_ *World, e *timeline.Event) bool {
	return e.Kind == timeline.KindWC && e.WC.Recv && e.WC.WC.Status == verbs.WCSuccess
}
