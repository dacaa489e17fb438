package ui

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/bringup"
	"rdmatui/ui/screen/completions"
	devscreen "rdmatui/ui/screen/devices"
	"rdmatui/ui/screen/post"
	"rdmatui/ui/screen/wire"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// Post runs a slow call while Bring-up is in front. The result appears on Post only,
// although Bring-up shows results too.
func TestResultOfPostStaysOnPost(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{Live: true},
		append(slices.Clone(uitest.BenchLines), "connect_qps a b", "post_recv b sge=src:64:64")...)
	env := sess.Env(theme.New("none", true))
	app := NewApp(env, map[screen.ID]screen.Screen{
		screen.Devices: devscreen.New(env), screen.BringUp: bringup.New(env), screen.Post: post.New(env),
	})
	d := uitest.New(t, app, 120, 40)
	d.Keys("2", "r")
	d.WaitFor("ibv_query_qp(")
	release := sess.Hold()
	d.Keys("3", "enter")
	d.Keys("2")
	release()
	d.WaitFor("2 ok") // the SEND and the RECV, on the strip
	if v := d.View(); strings.Contains(v, "ibv_post_send(") || !strings.Contains(v, "ibv_query_qp(") {
		t.Errorf("Bring-up shows what was posted elsewhere:\n%s", v)
	}
	d.Keys("3")
	d.WaitFor("ibv_post_send(a")
}

// Packets are recorded before Wire comes to the front for the first time, and a
// completion shows its own.
func TestPacketsBeforeTheFirstVisit(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{Live: true})
	env := sess.Env(theme.New("none", true))
	app := NewApp(env, map[screen.ID]screen.Screen{
		screen.Devices: devscreen.New(env), screen.Completions: completions.New(env), screen.Wire: wire.New(env),
	})
	d := uitest.New(t, app, 120, 40)
	sess.Do(append(slices.Clone(uitest.BenchLines), "connect_qps a b", "post_recv b sge=dst:0:64",
		"post_send a SEND wr_id=7 sge=src:0:5 send_flags=SIGNALED")...)
	d.Keys("4")
	d.WaitFor("packets: 1 sent, 1 received")
	d.Keys("6")
	d.WaitFor("SEND_ONLY")
	d.WaitFor("2 sent  2 received")
}

// A failure is reported once on a screen that shows its results; the strip has the
// errno, and the keys stay. E explains the failure until another line is prepared.
func TestFailureIsToldOnce(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{Live: true}, uitest.BenchLines...)
	env := sess.Env(theme.New("none", true))
	app := NewApp(env, map[screen.ID]screen.Screen{
		screen.Devices: devscreen.New(env), screen.BringUp: bringup.New(env), screen.Wire: wire.New(env),
	})
	const failure = "not a valid transition"
	d := uitest.New(t, app, 120, 40)
	d.Keys("2", "t", "t")
	d.WaitFor("RESET → RTS")
	d.Keys("x")
	d.WaitFor("events: modify_qp a RTS ✗ EINVAL")
	if v := d.View(); strings.Count(v, failure) != 1 || !strings.Contains(v, "? help") {
		t.Errorf("told %d times:\n%s", strings.Count(v, failure), v)
	}
	d.Keys("E")
	d.WaitFor("ibv_modify_qp EINVAL, errno of a verb")
	if !strings.Contains(d.View(), "cause   RC RESET → RTS is not a valid transition") {
		t.Errorf("not the cause first:\n%s", d.View())
	}
	d.Keys("esc", "T")
	d.WaitFor("RESET → RTR")
	d.Keys("E")
	if v := d.View(); strings.Contains(v, "ibv_modify_qp EINVAL, errno of a verb") {
		t.Errorf("explained although another line is prepared:\n%s", v)
	}
	d.Keys("esc", "t", "x", "z") // zoomed, the result is hidden
	d.WaitFor("EINVAL")
	if v := d.View(); !strings.Contains(v, failure) {
		t.Errorf("zoomed, it is told nowhere:\n%s", v)
	}
	d.Keys("6")
	if v := d.View(); strings.Contains(v, failure) {
		t.Errorf("the result follows to another screen:\n%s", v)
	}
}
