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
	Moves: list([]Move{toConnected, chooseWrite, turnEnd},
		setField(screen.Post, ifField(refers, "rkey"), fieldName(wrongKey)),
		setField(screen.Post, fieldOf("spoilt"), func(w *World) string {
			if w.Field("spoilt") == "rkey" {
				return wrongKey
			}
			return atFirst(fieldOf("spoilt"))(w)
		}), []Move{
			{When: filled("mend"), On: screen.Post, Key: &keymap.Post.Fix,
				Says: func(w *World) string { return "fix: " + w.Field("mend") }},
			{On: screen.Post, Key: &keymap.Form.Submit, Does: "post the request with the wrong rkey"},
		}),
}

// towardCause is the field that tells where the completion of the WRITE is.
var towardCause = "toward " + verbs.WCRemAccessErr.String()

var cause = Step{
	Name: "read the cause",
	Why:  "A failed completion has a status; opcode and byte_len are undefined in it.",
	Parts: []Part{{Name: "the cause of REM_ACCESS_ERR read", State: func(w *World) bool {
		return w.explained[verbs.WCRemAccessErr.String()] || w.Field("incident") == verbs.WCRemAccessErr.String()
	}}},
	Moves: []Move{
		{When: filled("incident"), On: screen.Completions, Key: &keymap.Incident.Back,
			Does: "leave this incident: another status is the cause"},
		{When: field(towardCause, "up"), On: screen.Completions, Key: &keymap.List.Up, Does: "go to the failed WRITE"},
		{When: field(towardCause, "down"), On: screen.Completions, Key: &keymap.List.Down,
			Does: "go to the failed WRITE"},
		{On: screen.Completions, Key: &keymap.OpenIncident, Does: "open the incident of the failed completion"},
	},
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
	Moves: list([]Move{toConnected, chooseWrite, turnEnd},
		setField(screen.Post, ifField(not(rightKey), "rkey"), targetKey), ready("unmend"), []Move{submit}),
}

// failed reports whether an event is a WRITE that the peer refused.
func failed(_ *World, e *timeline.Event) bool { return wrote(e, verbs.WCRemAccessErr) }

// refers reports whether the form's rkey is read from an object.
func refers(w *World) bool { return strings.Contains(w.Field("rkey"), ".") }

// rightKey reports whether the form's rkey is that of the region of remote_addr.
func rightKey(w *World) bool { return w.Field("rkey") == targetKey(w) }

// targetKey is the correct rkey: that of the region of remote_addr.
func targetKey(w *World) string {
	region, _, known := strings.Cut(w.Field("remote_addr"), ".addr")
	if !known {
		region = "dst"
	}
	return region + ".rkey"
}

// ifField gives the name of a field under a condition, else "".
func ifField(when func(*World) bool, name string) func(*World) string {
	return func(w *World) string {
		if !when(w) {
			return ""
		}
		return name
	}
}
