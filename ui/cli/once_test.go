package cli

import (
	"bytes"
	"strings"
	"testing"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestToldOnce: what explains an event is not said again by the next completion, or by the command that took it.
func TestToldOnce(t *testing.T) {
	failed := func(wrID uint64, status verbs.WCStatus, why string) timeline.Event {
		return timeline.Event{
			Kind: timeline.KindWC, WC: timeline.Completion{WC: verbs.WC{WRID: wrID, Status: status},
				Cause: &timeline.Cause{Text: why, Sure: true}},
		}
	}
	command := func(hint string) timeline.Event {
		return timeline.Event{Command: &timeline.CommandDone{Line: "poll_cq", Err: "it failed", Hint: hint}}
	}
	var out bytes.Buffer
	p := &eventPrinter{out: &out}
	kept := command("the one cause")
	for _, e := range []timeline.Event{failed(1, verbs.WCRemAccessErr, "the one cause"), kept,
		command("the one cause"), command("another"),
		failed(6, verbs.WCRemAccessErr, "a cause"), command("a cause: do this"), command("a causeway"),
		failed(2, verbs.WCWRFlushErr, "after 1"), failed(3, verbs.WCWRFlushErr, "after 1"),
		failed(4, verbs.WCWRFlushErr, ""), failed(5, verbs.WCWRFlushErr, "")} {
		p.print(e)
	}
	for text, want := range map[string]int{"the one cause": 1, "a cause\n": 1, "hint: do this\n": 1, "a causeway": 1,
		"another": 1, "after 1": 1, "a consequence": 1,
		"wr_id=": 6, "it failed": 5} {
		if got := strings.Count(out.String(), text); got != want {
			t.Errorf("%q is told %d times, want %d:\n%s", text, got, want, out.String())
		}
	}
	if kept.Command.Hint == "" {
		t.Error("the event of the time line has changed")
	}
}
