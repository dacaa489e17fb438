package ui

import (
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/ui/screen"
)

// fakeWaits is a command that waits, or none.
type fakeWaits struct {
	wait  session.Wait
	waits bool
	stops int
}

func (w *fakeWaits) Waiting() (session.Wait, bool) { return w.wait, w.waits }
func (w *fakeWaits) StopWaiting()                  { w.stops++ }

func TestWait(t *testing.T) {
	r := newRig(t, 80, 24)
	w := &fakeWaits{wait: session.Wait{Line: "rdma_get_request listen \x1b[2J timeout=" + strings.Repeat("1", 80), Since: r.now}, waits: true}
	r.app.env.Waits = w
	after := func(d time.Duration) {
		r.now = w.wait.Since.Add(d)
		r.app.Beat()
	}
	if after(waitShown / 2); r.Contains("waiting") {
		t.Error("a short wait is told of")
	}
	if r.Keys("esc"); w.stops != 0 {
		t.Error("esc stopped what is not shown")
	}
	if after(waitShown); !r.Contains("waiting: rdma_get_request listen") {
		t.Errorf("in the first second:\n%s", r.View())
	}
	after(61*time.Second + time.Millisecond)
	if !r.Contains("waiting 61 s: rdma_get_request listen") || !r.Contains("esc stops it") || r.Contains("\x1b[2J") {
		t.Errorf("the wait is not told:\n%s", r.View())
	}
	w.wait.Until = w.wait.Since.Add(90 * time.Second)
	if r.app.Beat(); !r.Contains("waiting 61 s, 28 s left: rdma_get_request listen") {
		t.Errorf("the time that is left is not told:\n%s", r.View())
	}
	w.wait.Until = w.wait.Since
	if r.app.Beat(); !r.Contains("waiting 61 s: rdma_get_request listen") {
		t.Errorf("time is left of a limit that is over:\n%s", r.View())
	}
	if r.app.lookAtWait() {
		t.Error("what has not changed is drawn anew")
	}
	if r.Keys("esc"); w.stops != 1 {
		t.Errorf("esc stopped it %d times", w.stops)
	}
	first := r.screens[screen.Devices]
	first.typing = true
	r.Keys("esc")
	first.typing = false
	if r.Keys(":", "esc", "?", "esc"); w.stops != 1 {
		t.Error("an esc that belongs to who has the keyboard stopped the wait")
	}
	w.waits = false
	if after(time.Hour); r.Contains("waiting") {
		t.Errorf("the end of the wait is not seen:\n%s", r.View())
	}
	before := len(first.keys)
	if r.Keys("esc"); len(first.keys) != before+1 {
		t.Error("esc does not come back to the screen")
	}
}
