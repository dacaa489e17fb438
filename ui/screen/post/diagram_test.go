package post

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// readNow waits a second, so that the screen reads memory and the last request, and draws.
func readNow(d *uitest.ScreenDriver, now *time.Time) string {
	*now = now.Add(time.Second)
	d.Frame()
	d.Settle()
	return d.View(120, 40)
}

// TestDiagram plays the steps of the last request, stops by itself, and plays the next one.
func TestDiagram(t *testing.T) {
	d, _, s, now := startOn(uitest.NewSession(t, session.Options{}, benchWith()...), theme.New("none", true), t)
	shows := func(want ...string) {
		t.Helper()
		v := d.View(120, 40)
		uitest.Fits(t, v, 120, 40)
		for _, text := range want {
			if !strings.Contains(v, text) {
				t.Fatalf("%q is not shown:\n%s", text, v)
			}
		}
	}
	settled(d, now, 120, 40)
	d.Keys("d")
	readNow(d, now)
	shows("steps of a request", "No send request of a yet. enter posts one.")
	d.Keys("t", "t") // other keys of the screen do nothing here
	if s.req.op != "SEND" {
		t.Error("t changed the operation to", s.req.op)
	}
	d.Keys("R", "d", "R", "enter", "d")
	d.Send(uitest.Key("right")) // nothing to step through yet
	readNow(d, now)
	shows("steps of wr 2 SEND on a", "requester a on soft0", "responder b", "8 polled", "not reached")
	if _, err := s.env.Session.Exec(t.Context(), "poll_cq cq n=2 timeout=10s"); err != nil {
		t.Fatal(err)
	}
	readNow(d, now)
	shows("▸1 posted", "8 polled", "measured", "times slower")
	*now = now.Add(10 * time.Second)
	if !d.Frame() {
		t.Error("the replay does not move")
	}
	d.Settle()
	readNow(d, now)
	shows("▸8 polled", "CQE OK", "The program polled the completion queue")
	for range 3 {
		if *now = now.Add(time.Millisecond); d.Frame() {
			t.Error("it moves after its end")
		}
	}
	d.Keys("left")
	shows("▸7 CQE written")
	d.Keys("h", "l", "space")
	d.Keys("p")
	shows("▸1 posted") // played again, from the start
	d.Keys("E", "esc")
	if !slices.Contains(d.Explained, "SEND") {
		t.Errorf("explained %q", d.Explained)
	}
	shows("will it work?")
}

// TestDiagramOfFailure shows where a request stopped, not those flushed after it, and explains the status.
func TestDiagramOfFailure(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{}, append(benchWith(),
		"post_send a RDMA_WRITE wr_id=1 sge=src:0:8 remote_addr=dst.addr rkey=0x1",
		"post_send a SEND wr_id=2 sge=src:0:8", "poll_cq cq n=2 timeout=10s")...)
	d, _, _, now := startOn(sess, theme.New("none", true), t)
	settled(d, now, 80, 24)
	d.Keys("d")
	readNow(d, now)
	*now = now.Add(time.Minute)
	d.Frame()
	v := d.View(80, 24)
	uitest.Fits(t, v, 80, 24)
	for _, text := range []string{"steps of wr 1 RDMA_WRITE on a", "✗5 placed", "✗▸ [", "NAK",
		`REM_ACCESS_ERR: stopped before "placed"`} {
		if !strings.Contains(v, text) {
			t.Errorf("%q is not shown:\n%s", text, v)
		}
	}
	d.Keys("E")
	if !slices.Contains(d.Explained, "REM_ACCESS_ERR") {
		t.Errorf("explained %q", d.Explained)
	}
}

// TestDiagramAgain: the diagram starts from the first step each time it is opened.
func TestDiagramAgain(t *testing.T) {
	d, _, s, now := start(t, theme.New("none", true), append(benchWith(),
		"post_send a RDMA_WRITE wr_id=1 sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey", "poll_cq cq timeout=10s")...)
	settled(d, now, 120, 40)
	for range 2 {
		d.Keys("d")
		d.Shows(120, 40, "▸1 posted")
		d.Keys("right", "right")
		d.Shows(120, 40, "▸3 ")
		if at, n := s.steps.Request(); !n || at.WRID != 1 {
			t.Errorf("steps of %+v", at)
		}
		d.Keys("d")
	}
}

// TestDiagramKeys: the diagram has its own keys, and needs a queue pair.
func TestDiagramKeys(t *testing.T) {
	d, _, s, now := start(t, theme.New("none", true))
	settled(d, now, 80, 24)
	d.Keys("d")
	if got, want := fmt.Sprint(s.Context()), fmt.Sprint(screen.ContextNow(s, keymap.PostSteps,
		diagramActions)); got != want {
		t.Errorf("the keys are %s", got)
	}
	d.Keys("z", "esc")
	if !s.diagram {
		t.Error("the first esc does not end the zoom")
	}
	if d.Keys("d"); s.diagram || s.Focus != paneForm {
		t.Error("d does not close it")
	}
	d, _, s, now = start(t, theme.New("none", true), "open_device soft0")
	settled(d, now, 80, 24)
	if d.Keys("d"); s.diagram || !slices.ContainsFunc(d.Flashes, func(f string) bool {
		return strings.HasPrefix(f, "no queue pair yet")
	}) {
		t.Errorf("without a queue pair: %q", d.Flashes)
	}
}
