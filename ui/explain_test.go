package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/ui/screen"
)

// typed opens the console, types a line and runs it.
func (r *rig) typed(text string) {
	r.Keys(":", "ctrl+a", "ctrl+k")
	r.Type(text)
	r.Keys("enter")
}

// The console explains without asking the session; esc returns to the screen.
func TestExplainInConsole(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		r := newRig(t, size[0], size[1])
		r.typed("explain status 12")
		if !r.Contains("RETRY_EXC_ERR") || !r.Contains("the peer never answered") {
			t.Errorf("%v: status 12 is not explained:\n%s", size, r.View())
		}
		r.Keys("esc")
		if r.Contains("never answered") || len(r.sess.Lines()) > 0 {
			t.Errorf("%v: it stays, or the session was asked: %q\n%s", size, r.sess.Lines(), r.View())
		}
	}
}

func TestExplainOfWhatIsUnknown(t *testing.T) {
	r := newRig(t, 120, 40)
	for text, want := range map[string]string{
		"explain retyr_exc_err": `"retyr_exc_err" is unknown; did you mean RETRY_EXC_ERR?`,
		"explain":               "explain WORD",
	} {
		r.typed(text)
		if !r.Contains(want) || len(r.sess.Lines()) > 0 {
			t.Errorf("%s: %q is not shown, or the session was asked: %q\n%s", text, want, r.sess.Lines(), r.View())
		}
	}
}

// Many entries take one line each; an explanation that a screen asks for covers it.
func TestExplainOverlay(t *testing.T) {
	r := newRig(t, 120, 40)
	r.typed("explain mtu")
	if !r.Contains("mtu 4096: code 5") {
		t.Errorf("the codes are not listed:\n%s", r.View())
	}
	r.Keys("esc")
	e, _ := explain.Find("async_event", "PORT_ERR")
	r.Send(screen.ExplainMsg{Entries: []explain.Entry{e}})
	if !r.Contains("a port went down") || !r.Contains("source") {
		t.Errorf("the event is not explained:\n%s", r.View())
	}
}

// In a text over a screen / searches, and n and N move between matches; while typing,
// the closing keys are letters.
func TestSearchInOverlay(t *testing.T) {
	r := newRig(t, 80, 14)
	r.Send(screen.ExplainMsg{Entries: explain.Lookup("mtu")})
	if !r.Contains("/ search  n next match  N previous match") {
		t.Errorf("the keys are not told:\n%s", r.View())
	}
	r.Keys("/")
	r.Type("4096q?")
	if r.app.help == nil || !r.Contains("/ 4096q?") {
		t.Fatalf("what is typed closes the text:\n%s", r.View())
	}
	r.Keys("backspace", "backspace", "enter")
	if !r.Contains("4096") {
		t.Errorf("not found:\n%s", r.View())
	}
	first := r.View()
	if r.Keys("n", "N"); r.View() != first {
		t.Errorf("N does not lead back:\n%s\nfrom\n%s", r.View(), first)
	}
	if r.Keys("q"); r.app.help != nil {
		t.Error("q does not close it")
	}
}

func TestExplainCandidates(t *testing.T) {
	for text, want := range map[string]string{"explain RETRY_E": "RETRY_EXC_ERR", "explain retry_e": "RETRY_EXC_ERR",
		"explain status rnr": "RNR"} {
		found := false
		for _, c := range explainCandidates(text, len(text)) {
			found = found || c.Text == want
			if c.Help == "" || c.To != len(text) || !strings.EqualFold(c.Text[:c.To-c.From], text[c.From:c.To]) {
				t.Errorf("%q: candidate %+v", text, c)
			}
		}
		if !found {
			t.Errorf("%q is not completed to %s", text, want)
		}
	}
	for _, text := range []string{"", "ex", "modify", "explained x"} {
		if c := explainCandidates(text, len(text)); c != nil {
			t.Errorf("%q: %v", text, c)
		}
	}
}

// Log lines pasted after explain are read line by line; the cause is explained in full, the rest in one line each.
func TestExplainPastedLog(t *testing.T) {
	const log = "NET/IB : Got completion with error 5, opcode 0, len 0, vendor err 249\r\n" +
		"\x1b[31mNET/IB : Got completion with error 12, opcode 0, len 0, vendor err 129\r\n"
	for _, size := range [][2]int{{120, 40}, {80, 24}} {
		r := newRig(t, size[0], size[1])
		r.Keys(":")
		r.Type("explain ")
		r.Send(tea.PasteMsg{Content: log})
		r.WaitFor("line 2")
		if !r.Contains("line 2: RETRY_EXC_ERR") || !r.Contains("the peer never answered") || len(r.sess.Lines()) > 0 {
			t.Errorf("%v: the log is not explained, or the session was asked: %q\n%s", size, r.sess.Lines(), r.View())
		}
		if strings.ContainsAny(r.View(), "\x1b\r") {
			t.Errorf("%v: raw control characters", size)
		}
		r.Keys("esc")
		if r.Contains("never answered") {
			t.Errorf("%v: it stays:\n%s", size, r.View())
		}
	}
}

// Log lines pasted into an empty line are explained; lines of the session among them are run as before. A log line
// that is entered by itself is offered explain.
func TestLogAtThePrompt(t *testing.T) {
	const log = "NET/IB : Got completion with error 12, opcode 0, len 0, vendor err 129\n"
	r := newRig(t, 120, 40)
	r.Keys(":")
	r.Send(tea.PasteMsg{Content: log + "node1 NCCL INFO the next line\n"})
	r.WaitFor("RETRY_EXC_ERR")
	if !r.Contains("RETRY_EXC_ERR") || len(r.sess.Lines()) > 0 {
		t.Errorf("not explained, or the session was asked: %q\n%s", r.sess.Lines(), r.View())
	}
	r = newRig(t, 120, 40)
	r.Keys(":")
	r.Send(tea.PasteMsg{Content: "open_device soft0\n" + log})
	r.WaitFor("paste stopped at line 2 of 2")
	r = newRig(t, 120, 40)
	r.Keys(":")
	r.Send(tea.PasteMsg{Content: strings.TrimSpace(log)})
	r.Keys("enter")
	r.WaitFor("a line of a log? put explain before it")
	r.Keys("tab", "enter")
	r.WaitFor("RETRY_EXC_ERR")
}

// A log that would hold up the screen is refused, with what to do.
func TestHugeLogPasted(t *testing.T) {
	r := newRig(t, 160, 40)
	r.Keys(":")
	r.Type("explain ")
	r.Send(tea.PasteMsg{Content: strings.Repeat("mlx5_0: it failed\n", maxPaste/17)})
	if !r.Contains("save it to a file: rdmatui explain - < FILE") || r.app.console.Value() != "explain " {
		t.Errorf("not told:\n%s", r.View())
	}
}

// A long log is not read on the event loop, which would hold up the screen.
func TestLongLogPasted(t *testing.T) {
	r := newRig(t, 120, 40)
	r.Keys(":")
	work, done := r.app.console.pasteLog(strings.Repeat("step of a job\n", shortLog/8) +
		"mlx5_0: completion with error: transport retry counter exceeded\n")
	if !done || work == nil || r.Contains("RETRY_EXC_ERR") {
		t.Fatalf("done %v, work %v\n%s", done, work != nil, r.View())
	}
	r.Send(work())
	if !r.Contains("explain (513 lines)") || !r.Contains("RETRY_EXC_ERR") {
		t.Errorf("the answer does not show:\n%s", r.View())
	}
	work, _ = r.app.console.pasteLog(strings.Repeat("step of a job\n", shortLog/8))
	if r.Send(work()); !r.Contains("nothing in this log is known") {
		t.Errorf("no reason:\n%s", r.View())
	}
}

// A paste of a single line goes into the line.
func TestPasteIntoOtherCommands(t *testing.T) {
	for _, tt := range []struct{ typed, pasted, line string }{
		{"explain ", "status 12", "explain status 12"},
		{"explain ", "status 12\n", "explain status 12"},
	} {
		r := newRig(t, 120, 40)
		r.Keys(":")
		r.Type(tt.typed)
		r.Send(tea.PasteMsg{Content: tt.pasted})
		if !r.app.console.IsOpen() || !strings.HasPrefix(r.app.console.Value(), tt.line) {
			t.Errorf("%q + %q: open %v, %q", tt.typed, tt.pasted, r.app.console.IsOpen(), r.app.console.Value())
		}
	}
}

func TestExplainOfLogThatSaysNothing(t *testing.T) {
	r := newRig(t, 120, 40)
	r.typed("explain this is a long line of some log that tells nothing")
	if !r.Contains("nothing in this log is known") {
		t.Error(r.View())
	}
}
