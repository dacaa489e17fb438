package tour

import (
	"strings"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// breakFix breaks a connection on purpose.
var breakFix = &Tour{
	ID: "break-fix", Name: "Break it and fix it",
	About: "A WRITE with a wrong rkey, the cause, and the way back to RTS.",
	Steps: []*Step{&bench, &connected, &broken, &cause, &repaired, &writeRight},
	Learned: [3]string{
		"The peer checks the rkey before anything is placed: a wrong one is a NAK.",
		"The request fails with REM_ACCESS_ERR, and both queue pairs go to ERR.",
		"ERR leads to RESET alone: each end walks INIT, RTR, RTS again.",
	},
	Next: "7 has the error lab: more failures, beside what the standard says.",
}

// wrongKey is an rkey of no region.
const wrongKey = "0xbad00"

var broken = Step{
	Name:  "post a WRITE with a wrong rkey",
	Why:   "The rkey is the peer's permission. This one belongs to none of its regions.",
	Needs: []*Step{&bench, &connected},
	Parts: []Part{
		{Name: "posted", Event: func(w *World, e *timeline.Event) bool {
			return did(e, "post_send", "RDMA_WRITE") || failed(w, e)
		}},
		{Name: "failed with REM_ACCESS_ERR", Event: failed},
		{Name: "queue pair in ERR", State: anyIn(verbs.QPErr), Event: func(_ *World, e *timeline.Event) bool {
			return e.Kind == timeline.KindState && e.State != nil && e.State.To == verbs.QPErr
		}},
	},
	Moves: []Move{
		chooseWrite, turnEnd,
		{Typing: true, On: screen.Post, Does: "type " + wrongKey + ", then enter"},
		{When: both(rightKey, field("cursor", "rkey")), On: screen.Post, Key: &keymap.Form.Edit, Does: "edit the rkey"},
		{When: rightKey, On: screen.Post, Key: &keymap.List.Down, Does: "go down to the field rkey"},
		{On: screen.Post, Key: &keymap.Form.Submit, Does: "post the request with the wrong rkey"},
	},
}

var cause = Step{
	Name: "read the cause",
	Why:  "A failed completion has a status; opcode and byte_len are undefined in it.",
	Parts: []Part{{Name: "the cause of REM_ACCESS_ERR read", State: func(w *World) bool {
		return w.explained[verbs.WCRemAccessErr.String()] || w.Field("incident") == verbs.WCRemAccessErr.String()
	}}},
	Moves: []Move{{On: screen.Completions, Key: &keymap.OpenIncident,
		Does: "open the incident of the failed completion"}},
}

var repaired = Step{
	Name:  "bring both queue pairs back to RTS",
	Why:   "Only RESET leads out of ERR. Both ends must go there, and begin anew.",
	Needs: []*Step{&bench},
	Parts: connected.Parts,
	Moves: connect,
}

var writeRight = Step{
	Name:  "repeat the WRITE with the right rkey",
	Why:   "The same request with the peer's own key: dst.rkey is read from the region.",
	Needs: []*Step{&bench, &repaired},
	Parts: written,
	Moves: []Move{
		chooseWrite, turnEnd,
		{Typing: true, On: screen.Post, Says: typeKey},
		{When: both(not(rightKey), field("cursor", "rkey")), On: screen.Post, Key: &keymap.Form.Edit,
			Does: "edit the rkey"},
		{When: not(rightKey), On: screen.Post, Key: &keymap.List.Down, Does: "go down to the field rkey"},
		submit,
	},
}

// failed reports whether an event is a WRITE that the peer refused.
func failed(_ *World, e *timeline.Event) bool { return wrote(e, verbs.WCRemAccessErr) }

// rightKey reports whether the form's rkey is read from a region.
func rightKey(w *World) bool { return strings.HasSuffix(w.Field("rkey"), ".rkey") }

// typeKey says which rkey is correct: that of the region of remote_addr.
func typeKey(w *World) string {
	region, _, known := strings.Cut(w.Field("remote_addr"), ".addr")
	if !known {
		region = "dst"
	}
	return "type " + region + ".rkey, then enter"
}

func both(a, b func(*World) bool) func(*World) bool {
	return func(w *World) bool { return a(w) && b(w) }
}
