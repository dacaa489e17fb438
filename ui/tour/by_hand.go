package tour

import (
	"slices"
	"strings"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// byHand brings a queue pair to RTS one modify_qp at a time.
var byHand = &Tour{
	ID: "by-hand", Name: "RESET to RTS by hand",
	About: "The three modify_qp, an attribute at a time, and one left out.",
	Steps: []*Step{&fresh, &initAttrs, &initLeftOut, &initDone, &peerAttrs, &receiveAttrs, &rtrLeftOut, &rtrDone,
		&rtsAttrs, &rtsDone, &peerUp},
	Learned: [3]string{
		"INIT: port and rights. RTR: who the peer is. RTS: how long to wait for it.",
		"The mask names the attributes of a call. Without a required one: EINVAL.",
		"What one end sends with (sq_psn), the other must expect (rq_psn).",
	},
	Next: "c does all six calls at once; E on Bring-up explains each attribute.",
}

// choose keeps the queue pair that the user brings up, or picks one: that in hand, or the first that is in RESET.
func (w *World) choose() {
	if w.Session.QP(w.walked) != nil {
		return
	}
	w.walked = w.Hand
	if q := w.Session.QP(w.Hand); q == nil || q.State == verbs.QPReset {
		return
	}
	for i := range w.Session.QPs {
		if q := &w.Session.QPs[i]; isEnd(q) && q.State == verbs.QPReset {
			w.walked = q.Name
			return
		}
	}
}

// reached returns the condition that the queue pair has come to a state on the way to RTS.
func reached(state verbs.QPState) func(*World) bool {
	return func(w *World) bool {
		q := w.Session.QP(w.walked)
		return q != nil && q.State >= state && q.State <= verbs.QPSQD
	}
}

var fresh = Step{
	Name: "have a queue pair in RESET",
	Why:  "create_qp makes a queue pair in RESET: it has no port and knows no peer.",
	Parts: append(slices.Clone(bench.Parts), Part{Name: "one in RESET", Once: true, State: func(w *World) bool {
		q := w.Session.QP(w.walked)
		if q != nil && q.State != verbs.QPReset && anyIn(verbs.QPReset)(w) {
			w.walked = "" // another is chosen in the next frame
		}
		return q != nil && q.State == verbs.QPReset
	}}),
	Moves: append(slices.Clone(bench.Moves[:1]),
		Move{When: both(func(w *World) bool { return benchMade(w) },
			not(anyIn(verbs.QPReset))), On: screen.BringUp, Key: &keymap.Bringup.New, Does: "make a new queue pair"},
		bench.Moves[1]),
}

// benchMade reports whether all objects exist that two queue pairs need.
func benchMade(w *World) bool {
	return !slices.ContainsFunc(bench.Parts, func(p Part) bool { return !p.State(w) })
}

// meanings says what each attribute of the way to RTS is for.
var meanings = map[string]string{
	"pkey_index":         "the partition: a row of the port's P_Key table.",
	"port_num":           "the device's port that all packets of this queue pair leave from.",
	"qp_access_flags":    "what the peer may do: WRITE, READ. 0: only SEND.",
	"dest_qp_num":        "the peer's queue pair. If it is wrong, requests time out.",
	"dgid":               "the peer's GID: on RoCE the IP address of its packets.",
	"rq_psn":             "the number expected of the first packet: the peer's sq_psn.",
	"path_mtu":           "the payload of one packet. Longer messages take several.",
	"max_dest_rd_atomic": "how many READs of the peer it answers at once.",
	"min_rnr_timer":      "how long a sender waits if no RECV is posted here.",
	"timeout":            "the wait for an ACK: 4.096 µs × 2 to this power. 0: no limit.",
	"retry_cnt":          "how often to send again without an ACK, then RETRY_EXC_ERR.",
	"rnr_retry":          "how often to try a peer without a RECV. 7: without limit.",
	"sq_psn":             "the number of the first packet it sends: the peer's rq_psn.",
	"max_rd_atomic":      "how many READs and atomics it may have under way.",
}

// look is the step that goes through attributes of a transition.
func look(name, why string, to verbs.QPState, attrs ...string) Step {
	s := Step{Name: name, Why: why, Needs: []*Step{&bench}, Moves: toTransition(to)}
	for _, a := range attrs {
		s.Parts = append(s.Parts, Part{Name: a, Once: true, State: func(w *World) bool {
			return reached(to)(w) || isPlanned(w, to) && w.Field("cursor") == a
		}})
		s.Moves = append(s.Moves, toField(screen.BringUp, ifField(func(w *World) bool { return !w.seen[a] }, a))...)
	}
	s.Moves = append(s.Moves, Move{On: screen.BringUp, Does: "wait: the attributes are being read"})
	s.WhyNow = func(w *World) string {
		at := w.Field("cursor")
		if text := meanings[at]; text != "" && isPlanned(w, to) {
			return at + ": " + text
		}
		return why
	}
	return s
}

// isPlanned reports whether Bring-up shows the transition of the tour's queue pair to a state.
func isPlanned(w *World, to verbs.QPState) bool {
	return w.At == screen.BringUp && w.Field("qp") == w.walked && w.Field("target") == to.String()
}

// toTransition lists the moves that show the transition of the tour's queue pair to a state, from any state.
func toTransition(to verbs.QPState) []Move {
	notAt := func(w *World) bool { return w.Field("qp") != w.walked }
	return list([]Move{
		{When: notAt, On: screen.BringUp, Key: &keymap.Bringup.Other,
			Says: func(w *World) string { return "go to the queue pair " + w.walked }},
		{When: field("target", ""), On: screen.BringUp, Does: "wait: the attributes are being read"},
		{When: both(tooEarly(to), not(field("target", "RESET"))), On: screen.BringUp, Key: &keymap.Bringup.Target,
			Does: "choose the state RESET"},
		{When: tooEarly(to), On: screen.BringUp, Key: &keymap.Form.Submit, Does: "move this queue pair to RESET"},
	}, during(behind(to), goOn), []Move{
		{When: not(field("target", to.String())), On: screen.BringUp, Key: &keymap.Bringup.Target,
			Says: func(*World) string { return "choose the state " + to.String() }},
	})
}

// behind reports whether the tour's queue pair must make another transition before that to a state.
func behind(to verbs.QPState) func(*World) bool {
	return func(w *World) bool {
		q := w.Session.QP(w.walked)
		return q != nil && q.State < to && onward[q.State] != to
	}
}

// during limits moves to when a condition holds.
func during(when func(*World) bool, moves []Move) []Move {
	moves = slices.Clone(moves)
	for i := range moves {
		if at := moves[i].When; at != nil {
			moves[i].When = both(when, at)
		} else {
			moves[i].When = when
		}
	}
	return moves
}

// tooEarly reports whether the tour's queue pair cannot go to a state before it was reset.
func tooEarly(verbs.QPState) func(*World) bool { return shownIn(verbs.QPErr, verbs.QPSQE, verbs.QPSQD) }

// leaveOut is the step that sends a transition without an attribute that it requires.
func leaveOut(to verbs.QPState, attr string) Step {
	return Step{
		Name:  "leave out " + attr,
		Needs: []*Step{&bench},
		Why:   "What does the device say to a call that lacks a required attribute?",
		Parts: []Part{{Name: "refused by the device", State: reached(to), Event: func(w *World,
			e *timeline.Event) bool {
			c := e.Command
			if e.Kind != timeline.KindCommand || c == nil || c.Err == "" || strings.Contains(c.Line, " "+attr+"=") ||
				!strings.HasPrefix(c.Line, "modify_qp "+w.walked+" "+to.String()) {
				return false
			}
			w.said = c.Err
			return true
		}}},
		Moves: list(toTransition(to), toField(screen.BringUp, ifField(filled(attr), attr)), []Move{
			{When: filled(attr), On: screen.BringUp, Key: &keymap.Form.Clear, Does: "unset " + attr},
			{On: screen.BringUp, Key: &keymap.Bringup.AsIs, Does: "send the call as it is"},
		}),
	}
}

// moved is the step that makes a transition.
func moved(to verbs.QPState, why string) Step {
	s := Step{
		Name: "go to " + to.String(), Why: why,
		Needs: []*Step{&bench},
		Parts: []Part{{Name: to.String(), State: reached(to)}},
		Moves: list(toTransition(to), complete),
	}
	s.WhyNow = func(w *World) string {
		if w.said != "" && w.Field("missing") != "" {
			return "The device said: " + w.said + ". " + w.Field("missing") + " is required."
		}
		return why
	}
	return s
}

// complete lists the moves that set what a transition lacks, take out what it does not take, and run it. Rights are
// marked in a list, not typed: those that were spoilt are unset, and what is unset is taken back.
var complete = list(
	[]Move{{When: field("missing", rights), On: screen.BringUp, Key: &keymap.Bringup.Fix,
		Does: "take back what was typed"}},
	toField(screen.BringUp, spoiltRights),
	[]Move{{When: func(w *World) bool { return spoiltRights(w) != "" }, On: screen.BringUp, Key: &keymap.Form.Clear,
		Does: "unset " + rights}},
	setField(screen.BringUp, fieldOf("missing"), proposed(fieldOf("missing"))),
	setField(screen.BringUp, spoiltAttr, proposed(spoiltAttr)),
	toField(screen.BringUp, firstRefused),
	[]Move{
		{When: filled("refused"), On: screen.BringUp, Key: &keymap.Form.Clear,
			Says: func(w *World) string { return "unset " + firstRefused(w) }},
		{On: screen.BringUp, Key: &keymap.Form.Submit, Does: "make the call"},
	})

// spoiltAttr names the first attribute with which a call failed and that has not the proposed value.
func spoiltAttr(w *World) string {
	for name := range strings.SplitSeq(w.Field("spoilt"), ",") {
		if name != "" && w.Field(name) != proposed(fieldName(name))(w) {
			return name
		}
	}
	return ""
}

// rights is the attribute that says what the peer may do.
const rights = "qp_access_flags"

// spoiltRights names that attribute if it is the first with which a call failed.
func spoiltRights(w *World) string {
	if name := spoiltAttr(w); name == rights {
		return name
	}
	return ""
}

func firstRefused(w *World) string {
	name, _, _ := strings.Cut(w.Field("refused"), ",")
	return name
}

// ofPeer names the field of a queue pair that an attribute of its peer is.
var ofPeer = map[string]string{"dest_qp_num": "qp_num", "rq_psn": "psn", "dgid": "gid"}

// proposed gives a value for an attribute: that of the plan, or of another queue pair.
func proposed(attr func(*World) string) func(*World) string {
	return func(w *World) string {
		if v := atFirst(attr)(w); v != "" {
			return v
		}
		of := ofPeer[attr(w)]
		for i := range w.Session.QPs {
			if q := &w.Session.QPs[i]; q.Name != w.Field("qp") && of != "" {
				return q.Name + "." + of
			}
		}
		return "0"
	}
}

var (
	initAttrs = look("see what INIT takes", "The form lists the attributes; a filled circle marks a required one.",
		verbs.QPInit, "pkey_index", "port_num", "qp_access_flags")
	initLeftOut = leaveOut(verbs.QPInit, "port_num")
	initDone    = moved(verbs.QPInit, "In INIT it has a port, and RECVs can be posted. It takes no packets yet.")
	peerAttrs   = look("see who the peer is", "RTR: ready to receive. It must know whose packets to take.",
		verbs.QPRTR, "dest_qp_num", "dgid", "rq_psn")
	receiveAttrs = look("see how it receives", "These three concern packets that come in.",
		verbs.QPRTR, "path_mtu", "max_dest_rd_atomic", "min_rnr_timer")
	rtrLeftOut = leaveOut(verbs.QPRTR, "dest_qp_num")
	rtrDone    = moved(verbs.QPRTR, "In RTR it answers its peer. It cannot send requests yet.")
	rtsAttrs   = look("see how it sends", "RTS: ready to send. How long to wait, and how often to try.",
		verbs.QPRTS, "timeout", "retry_cnt", "rnr_retry", "sq_psn", "max_rd_atomic")
	rtsDone = moved(verbs.QPRTS, "In RTS both queues work. The peer must be in RTR at least.")
)

// peerUp brings the peer up, too.
var peerUp = Step{
	Name:  "bring up the peer",
	Why:   "The peer walks the same way, with the numbers of the first one.",
	Needs: []*Step{&bench},
	Parts: []Part{{Name: "both in RTS, each the other's peer", State: func(w *World) bool { return pair(&w.Session) }}},
	Moves: list(resetLost, []Move{
		{When: shownIn(verbs.QPRTS), On: screen.BringUp, Key: &keymap.Bringup.Other,
			Does: "go to the other queue pair"},
		{When: both(shownIn(stopped...), not(field("target", "RESET"))), On: screen.BringUp,
			Key: &keymap.Bringup.Target, Does: "choose the state RESET"},
	}, goOn),
}

// goOn lists the moves that make the next transition on the way to RTS.
var goOn = list([]Move{
	{When: not(onwardIsPlanned), On: screen.BringUp, Key: &keymap.Bringup.Target, Does: "choose the next state"},
}, complete)

// onward is the next state on the way to RTS.
var onward = map[verbs.QPState]verbs.QPState{
	verbs.QPReset: verbs.QPInit, verbs.QPInit: verbs.QPRTR, verbs.QPRTR: verbs.QPRTS, verbs.QPErr: verbs.QPReset,
	verbs.QPSQE: verbs.QPReset, verbs.QPSQD: verbs.QPReset,
}

// onwardIsPlanned reports whether Bring-up shows the next transition on the way to RTS.
func onwardIsPlanned(w *World) bool {
	q := w.Session.QP(w.Field("qp"))
	return q != nil && w.Field("target") == onward[q.State].String()
}
