package completions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/incident"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// failedWrite is a bench with a refused WRITE, and a SEND flushed after it.
func failedWrite(t *testing.T) *bench {
	x := newBenchOf(t, theme.New("dark", true), 64, false, "open_device soft0", "alloc_pd pd",
		"reg_mr src length=4096 access=LOCAL_WRITE|REMOTE_WRITE", "create_cq cq",
		"create_qp a", "create_qp b", "connect_qps a b",
		"post_send a RDMA_WRITE wr_id=1 sge=src:0:64 remote_addr=src.addr rkey=0x1234",
		"post_send a SEND wr_id=2 sge=src:0:1", "poll_cq cq n=2 timeout=30s")
	x.refresh()
	x.keys("home")
	return x
}

// TestIncident opens a failed completion, leaves it, and opens the same incident from a flushed one.
func TestIncident(t *testing.T) {
	x := failedWrite(t)
	x.wants("rkey 0x1234 belongs to no region of b")
	x.keys("enter")
	x.wants("incident 1: wr_id 1 of a failed with REM_ACCESS_ERR",
		"rkey 0x1234 belongs to no region of b; src's rkey is 0x", "This is certain.",
		"1 request was flushed after it.",
		"What to do", "post the request with rkey=src.rkey", "64 bytes at src+0", "Queue pairs")
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {40, 10}, {12, 4}} {
		x.view(size[0], size[1])
	}
	x.keys("end")
	if view := x.view(80, 24); !strings.Contains(view, "max_rd_atomic") || strings.Contains(view, "This is certain") {
		t.Errorf("the end is not in\n%s", view)
	}
	x.keys("esc")
	x.wants("completion queues")
	x.keys("down", "enter")
	x.wants("incident 1: wr_id 1 of a failed with REM_ACCESS_ERR")
	x.keys("enter")
	x.wants("wr_id 1 of a failed first, with", "rkey 0x1234 belongs to no region of b")
}

// TestNoIncident: enter says why there is no incident to open.
func TestNoIncident(t *testing.T) {
	x := newBench(t, theme.New("dark", true), 64)
	if msg := x.keys("enter"); msg != nil {
		t.Errorf("without a completion: %v", msg)
	}
	log := x.sess.Timeline()
	log.AppendBatch([]timeline.Completion{recvDone(1)})
	lost := recvDone(2)
	lost.WC.Status = verbs.WCLocLenErr
	gone := lost
	gone.Cause = &timeline.Cause{Incident: 99}
	log.AppendBatch([]timeline.Completion{lost, gone})
	x.refresh()
	x.keys("home")
	for _, want := range []string{"succeeded", "Too many", "not kept any more"} {
		if msg, ok := x.keys("enter").(screen.FlashMsg); !ok || !strings.Contains(msg.Text, want) {
			t.Errorf("%q, want %q", msg.Text, want)
		}
		x.keys("down")
	}
}

// TestWriteIncident writes an incident, and asks before it replaces a file.
func TestWriteIncident(t *testing.T) {
	x := failedWrite(t)
	path := filepath.Join(t.TempDir(), "i.md")
	write := func(name string) tea.Msg {
		x.keys("w", "2", "ctrl+u")
		x.s.Update(tea.PasteMsg{Content: name})
		return x.keys("enter")
	}
	x.keys("enter")
	if msg, ok := write(path).(screen.FlashMsg); !ok || msg.Text != "incident written to "+line.Escape(path) {
		t.Fatalf("%v", msg)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text),
		"# wr\\_id 1 of a failed with REM\\_ACCESS\\_ERR\n\n**Cause:** rkey 0x1234 belongs to no region of b") {
		t.Errorf("%v\n%s", err, text)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ answer, want string }{{"no", "mine"}, {"yes", "# wr"}} {
		x.s.Update(write(path))
		x.wants("exists. Type yes to replace it")
		x.s.Update(tea.PasteMsg{Content: tt.answer})
		x.keys("enter")
		if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), tt.want) {
			t.Errorf("answer %q: %v, %q", tt.answer, err, text)
		}
	}
	if msg, ok := write("").(screen.FlashMsg); !ok || !strings.Contains(msg.Text, "a file name is missing") {
		t.Errorf("%v", msg)
	}
}

// TestWriteRecord writes an incident with its packets and events, from its page and from the list.
func TestWriteRecord(t *testing.T) {
	for _, keys := range [][]string{{"enter", "w", "1"}, {"w", "3"}, {"down", "w", "3"}} {
		x := failedWrite(t)
		name := filepath.Join(t.TempDir(), "i|x")
		x.keys(keys...)
		x.wants("write NAME.pcapng and NAME.md", "incident-1")
		x.keys("ctrl+u")
		x.s.Update(tea.PasteMsg{Content: name})
		done, ok := x.keys("enter").(screen.DoneMsg)
		if !ok || done.Err != nil {
			t.Fatalf("%v: %+v", keys, done)
		}
		if msg, ok := x.s.Update(done)().(screen.FlashMsg); !ok || !strings.HasPrefix(msg.Text, "incident 1, ") {
			t.Errorf("%v", msg)
		}
		for _, ext := range []string{".md", ".pcapng"} {
			if info, err := os.Stat(name + ext); err != nil || info.Size() < 500 {
				t.Errorf("%v: %v, %v", keys, info, err)
			}
		}
	}
}

// TestIncidentEscapes: text from outside is escaped both on the terminal and in the document.
func TestIncidentEscapes(t *testing.T) {
	in := incident.Incident{Number: 1,
		Completion: timeline.Completion{QP: "a\x1b[2J", Cause: &timeline.Cause{Text: "b\x1b]0;|x"}},
		Parts:      []incident.Part{{Head: "h", Rows: [][]string{{"c\x1b", strings.Repeat("d", 300), "e|f"}}}}}
	p := newIncidentPage(theme.New("dark", true), in)
	p.SetSize(40, 10)
	for _, l := range p.lines {
		if strings.Contains(l.text, "\x1b") || line.Width(l.text) > 40 {
			t.Errorf("%q", l.text)
		}
	}
	if text := in.Markdown(); strings.Contains(text, "\x1b") || !strings.Contains(text, `e\|f`) {
		t.Errorf("%q", text)
	}
}
