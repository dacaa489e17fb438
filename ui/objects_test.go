package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/objects"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// objectLines make an object of each kind.
var objectLines = append(fullLines[:len(fullLines):len(fullLines)],
	"create_srq srq pd=pd", "create_comp_channel ch device=soft0", "create_cq cq2 device=soft0 channel=ch cqe=16",
	"create_qp e pd=pd send_cq=cq2 recv_cq=cq srq=srq", "create_ah ah pd=pd dgid=127.0.0.2 sgid_index=1",
	"alloc_mw mw pd=pd", "modify_qp a ERR",
)

// newObjects is the whole window with an object of each kind.
func newObjects(t *testing.T, th *theme.Theme, w, h int) (*guided, *screen.Env) {
	sess := uitest.NewSession(t, session.Options{Live: true, Providers: []verbs.Provider{late{uitest.Soft(nil)}}})
	env := sess.Env(th)
	env.Inventory = uitest.Still{Inventory: env.Inventory}
	g := newWhole(t, env, w, h)
	t.Cleanup(g.End)
	g.typed(objectLines...)
	env.Hand.Take("a")
	return g, env
}

// TestObjectsGolden compares the picture of the objects, over a screen and on Home, in the usual widths, without
// colours and in ASCII.
func TestObjectsGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		for _, name := range []string{"unicode", "ascii"} {
			th := theme.New("none", name == "unicode")
			t.Run(fmt.Sprintf("%dx%d-%s", size[0], size[1], name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g, _ := newObjects(t, th, size[0], size[1])
					if name == "unicode" && size[1] > 30 {
						g.Keys("0")
						time.Sleep(idleTime)
						g.Send(nil)
						uitest.Golden(t, "home", withoutCPU(g.View()))
					}
					g.Keys("8", "M")
					view := g.Raw()
					uitest.Fits(t, view, size[0], size[1])
					uitest.Golden(t, "over", withoutCPU(uitest.Text(view)))
				})
			})
		}
	}
}

// TestObjectsLead: enter on an object leads to its screen, with a queue pair in hand that uses it.
func TestObjectsLead(t *testing.T) {
	g, env := newObjects(t, theme.New("none", true), 120, 40)
	for _, tt := range []struct {
		object string
		to     screen.ID
		hand   string
	}{
		{"dev soft0", screen.Devices, "a"}, {"PD pd", screen.BringUp, "a"}, {"PD pd-id", screen.BringUp, "c"},
		{"QP b", screen.BringUp, "b"}, {"MR dst", screen.Post, "b"}, {"CQ cq", screen.Completions, "b"},
		{"CQ cq2", screen.Completions, "e"}, {"channel ch", screen.Completions, "e"}, {"SRQ srq", screen.Post, "e"},
		{"AH ah", screen.Post, "e"}, {"MW mw", screen.Post, "e"}, {"CQ cq-id", screen.Completions, "c"},
		{"cm_id listen-1", screen.Connections, "d"}, {"cm_id listen", screen.Connections, "d"},
		{"events events", screen.Connections, "d"}, {"peer 127.0.0.1:7471", screen.BringUp, "c"},
	} {
		g.Keys("8", "M")
		rows := strings.Split(g.View(), "\n")
		found := false
		for y, row := range rows {
			if x := strings.Index(row, tt.object+" "); x >= 0 && y < 35 && !found {
				g.Click(len([]rune(row[:x])), y)
				found = true
			}
		}
		if !found {
			t.Fatalf("%s is not drawn:\n%s", tt.object, g.View())
		}
		g.Keys("enter")
		snap := env.Session.Snapshot()
		if hand := env.Hand.In(&snap); g.app.at != tt.to || hand != tt.hand || g.app.help != nil {
			t.Errorf("%s leads to %s with %s in hand, want %s with %s", tt.object, screen.Names[g.app.at], hand,
				screen.Names[tt.to], tt.hand)
		}
	}
}

// TestObjectsGrow: while the picture is shown it follows the session, and its keys close it.
func TestObjectsGrow(t *testing.T) {
	for _, key := range []string{"esc", "q", "M"} {
		g := newGuided(t, 100, 30, "")
		g.Keys("9", "M")
		if c := g.app.context(); c.Name != keymap.MapOpen.Name || !g.Contains("No objects yet.") {
			t.Fatalf("%s:\n%s", c.Name, g.View())
		}
		g.sess.Do("open_device soft0", "alloc_pd pd")
		g.Until(func() bool { return g.Contains("PD pd") })
		if !g.Contains("PD pd") {
			t.Errorf("a new object is not drawn:\n%s", g.View())
		}
		g.sess.Do("dealloc_pd pd")
		g.Until(func() bool { return !g.Contains("PD pd") })
		if g.Contains("PD pd") {
			t.Errorf("an object that is gone is drawn:\n%s", g.View())
		}
		if g.Keys(key); g.app.help != nil || g.Quit || g.app.at != screen.Measure {
			t.Errorf("%s does not close the picture alone", key)
		}
	}
}

// BenchmarkObjects presses a key and draws the window with the picture of 1,000 objects, one of which has just changed.
func BenchmarkObjects(b *testing.B) {
	lines := append([]string{}, uitest.BenchLines...)
	for i := range 330 {
		lines = append(lines, fmt.Sprintf("create_cq q%d cqe=1", i),
			fmt.Sprintf("create_qp p%d pd=pd send_cq=q%d recv_cq=cq max_send_wr=1 max_recv_wr=1", i, i),
			fmt.Sprintf("create_ah h%d pd=pd dgid=127.0.0.2 sgid_index=1", i))
	}
	sess := uitest.NewSession(b, session.Options{Providers: []verbs.Provider{uitest.Soft(nil)}}, lines...)
	env := sess.Env(theme.New("dark", true))
	v := &objectMap{objects.New(env)}
	buf := line.New(env.Theme)
	keys := []string{"down", "down", "right", "pgdown", "left", "up"}
	b.ResetTimer()
	for i := range b.N {
		if i%2 == 0 {
			b.StopTimer()
			sess.Do(fmt.Sprintf("create_cq new%d cqe=1", i), fmt.Sprintf("destroy_cq new%d", i))
			b.StartTimer()
		}
		v.Update(keymap.Press(keys[i%len(keys)]))
		buf.Reset()
		widget.Draw(buf, v, 200, 55)
	}
	b.StopTimer()
	if per := b.Elapsed() / time.Duration(b.N); b.N > 20 && per > 33*time.Millisecond {
		b.Errorf("a key takes %v", per)
	}
}
