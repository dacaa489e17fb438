package ui

import (
	"strings"
	"testing"
	"time"

	"rdmatui/ui/keymap"
	"rdmatui/ui/uitest"
)

// clickOn clicks twice on a text of the view, the second time so much later.
func (g *guided) clickOn(text string, later time.Duration) {
	g.t.Helper()
	for y, l := range strings.Split(g.View(), "\n") {
		if i := strings.Index(l, text); i >= 0 {
			x, now := len([]rune(l[:i])), time.Now()
			g.app.now = func() time.Time { return now }
			g.Click(x, y)
			now = now.Add(later)
			g.Click(x, y)
			return
		}
	}
	g.t.Fatalf("no %q to click on:\n%s", text, g.View())
}

// TestDoubleClick: a double click opens a row as enter does, edits a field, and takes what the palette found; it runs
// nothing.
func TestDoubleClick(t *testing.T) {
	g := newGuided(t, 120, 40, "", append(append([]string{}, uitest.BenchLines...), "connect_qps a b",
		"post_send a RDMA_WRITE wr_id=7 sge=src:0:8 remote_addr=dst.addr rkey=1 send_flags=SIGNALED")...)
	g.press("4")
	g.WaitFor("REM_ACCESS_ERR")
	g.clickOn("REM_ACCESS_ERR", doubleTime)
	if g.Contains("incident 1") {
		t.Error("two clicks open the incident")
	}
	g.clickOn("REM_ACCESS_ERR", doubleTime-1)
	if !g.Contains("incident 1") {
		t.Errorf("a double click does not open the incident:\n%s", g.View())
	}
	g.press("esc", "3")
	g.sess.Lines()
	g.clickOn("wr_id", time.Millisecond)
	if name := g.app.current().Context().Name; name == keymap.PostScreen.Name {
		t.Errorf("a double click does not edit a field:\n%s", g.View())
	}
	g.press("esc")
	if got := g.sess.Lines(); len(got) > 0 {
		t.Errorf("it ran %q", got)
	}
	g.Keys("ctrl+p")
	g.Type("journal")
	g.clickOn("screen     Journal", time.Millisecond)
	if g.app.finder != nil {
		t.Errorf("a double click does not take what the palette found:\n%s", g.View())
	}
}
