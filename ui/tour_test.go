package ui

import (
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/scenario"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/bringup"
	"rdmatui/ui/screen/completions"
	"rdmatui/ui/screen/connections"
	"rdmatui/ui/screen/devices"
	"rdmatui/ui/screen/home"
	"rdmatui/ui/screen/journal"
	"rdmatui/ui/screen/measure"
	"rdmatui/ui/screen/post"
	"rdmatui/ui/screen/scenarios"
	"rdmatui/ui/screen/wire"
	"rdmatui/ui/theme"
	"rdmatui/ui/tour"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// guided is the whole program on software devices, on Home with the cursor on a tour.
type guided struct {
	*uitest.Driver
	t       *testing.T
	app     *App
	sess    *uitest.Session
	soft    []verbs.Provider
	pressed int
}

func newGuided(t *testing.T, w, h int, id string, lines ...string) *guided {
	t.Helper()
	soft := []verbs.Provider{uitest.Soft(nil)}
	sess := uitest.NewSession(t, session.Options{Live: true, Providers: soft}, lines...)
	g := newWhole(t, sess.Env(theme.New("none", true)), w, h)
	g.sess, g.soft = sess, soft
	if g.app.at != screen.Home {
		g.Keys("0")
	}
	g.WaitFor("software device")
	for range slices.IndexFunc(tour.All, func(t *tour.Tour) bool { return t.ID == id }) {
		g.Keys("down")
	}
	return g
}

// newWhole is the whole program on its first screen.
func newWhole(t *testing.T, env *screen.Env, w, h int) *guided {
	t.Helper()
	book := tour.NewBook(nil)
	app := NewApp(env, map[screen.ID]screen.Screen{
		screen.Home: home.New(env, book), screen.Devices: devices.New(env), screen.BringUp: bringup.New(env),
		screen.Post: post.New(env), screen.Completions: completions.New(env),
		screen.Connections: connections.New(env), screen.Wire: wire.New(env),
		screen.Scenarios: scenarios.New(env), screen.Journal: journal.New(env),
		screen.Measure: measure.New(env),
	})
	app.tours.book = book
	t.Cleanup(app.tours.leave)
	return &guided{Driver: uitest.New(t, app, w, h), t: t, app: app}
}

// press presses keys, and counts them.
func (g *guided) press(names ...string) {
	g.t.Helper()
	g.pressed += len(names)
	g.Keys(names...)
}

// asks waits until the tour wants a key.
func (g *guided) asks(key, does string) {
	g.t.Helper()
	g.WaitFor("press  " + key + "  " + does)
}

// play is a tour as pairs of the key that it asks for and what that does; whatever is
// between is pressed as it asks.
func (g *guided) play(steps [][2]string) {
	g.t.Helper()
	for _, s := range steps {
		g.asks(s[0], s[1])
		g.press(s[0])
	}
}

// The first WRITE takes at most eight keys from the start of the program until its
// bytes are seen at both ends.
func TestFirstWriteKeys(t *testing.T) {
	g := newGuided(t, 80, 24, "first-write")
	g.press("enter")
	g.play([][2]string{
		{"b", "open the device and make all that is missing"},
		{"c", "connect both queue pairs"},
		{"3", "go to Post"},
		{"t", "choose the opcode RDMA_WRITE"},
		{"t", "choose the opcode RDMA_WRITE"},
		{"enter", "post the request"},
	})
	g.WaitFor("tour: First WRITE in 60 seconds · done")
	if g.pressed > 8 {
		t.Errorf("%d keys until the first WRITE was seen at both ends, want at most 8", g.pressed)
	}
	for _, text := range []string{"RDMA_WRITE needs the peer's address and rkey", "Next: "} {
		if !g.Contains(text) {
			t.Errorf("%q is not told at the end:\n%s", text, g.View())
		}
	}
	g.press("ctrl+t", "0")
	g.WaitFor("✓ done")
	if g.Contains("tour: ") {
		t.Errorf("the tour is still shown:\n%s", g.View())
	}
}

// A click on what the panel tells presses its key: the one to press, its text, and
// the one that leaves.
func TestTourClicks(t *testing.T) {
	g := newGuided(t, 120, 40, "first-write", uitest.BenchLines...)
	g.press("enter", "6")
	g.asks("2", "go to Bring-up")
	at := func(text string) (x, y int) {
		t.Helper()
		for y, l := range strings.Split(g.View(), "\n") {
			if i := strings.Index(l, text); i >= 0 {
				return line.Width(l[:i]), y
			}
		}
		t.Fatalf("%q is not shown:\n%s", text, g.View())
		return 0, 0
	}
	x, y := at("go to Bring-up")
	if g.Click(x+len("go to Bring-up"), y); g.app.at != screen.Wire {
		t.Error("a click beside the key's text pressed it")
	}
	if g.Click(x, y); g.app.at != screen.BringUp {
		t.Errorf("a click on what the key does shows %v", g.app.at)
	}
	g.asks("c", "connect both queue pairs")
	x, y = at("press  c ")
	g.Click(x+len("press "), y)
	g.WaitFor("step 3 of 3")
	x, y = at("ctrl+t leave")
	if g.Click(x, y); g.app.tours.panel != nil {
		t.Errorf("a click on ctrl+t leave left the tour on:\n%s", g.View())
	}
}

// typed types lines into the command line.
func (g *guided) typed(lines ...string) {
	g.t.Helper()
	for _, l := range lines {
		g.Keys(":")
		g.Send(tea.PasteMsg{Content: l})
		g.Keys("enter", "esc")
	}
}

// Steps are done by whatever means, also by commands that are typed on another screen.
func TestTourByTypedCommands(t *testing.T) {
	g := newGuided(t, 120, 40, "first-write")
	g.press("enter", "8")
	g.asks("2", "go to Bring-up")
	g.typed(uitest.BenchLines...)
	g.WaitFor("step 2 of 3")
	g.typed("connect_qps a b")
	g.WaitFor("step 3 of 3")
	g.typed(`write_mem src "typed"`,
		"post_send a RDMA_WRITE sge=src:0:5 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED")
	g.WaitFor("· done")
}

// Who goes to another screen, types, opens the help, destroys an object or breaks the
// connection is told how to come back.
func TestTourAstray(t *testing.T) {
	g := newGuided(t, 120, 40, "first-write", append(slices.Clone(uitest.BenchLines), "connect_qps a b")...)
	g.press("enter")
	g.WaitFor("step 3 of 3")
	g.press("6")
	g.asks("3", "go to Post")
	g.press("3", "?")
	g.WaitFor("keys of Post")
	g.app.Beat()
	if key := g.app.tours.key(); key != "esc" {
		t.Errorf("over the screen lies the help, and the tour wants %q", key)
	}
	g.press("esc", "e")
	g.asks("esc", "end typing")
	g.press("esc")

	g.typed("close b")
	g.WaitFor("This is missing now: 2 queue pairs.")
	g.asks("2", "go to Bring-up")
	g.press("2")
	g.asks("n", "make a second queue pair")
	g.press("n")
	g.WaitFor("This is missing now: its peer in RTS.")
	g.asks(":", "type: modify_qp a RESET") // it was connected with the one that is gone
	g.typed("modify_qp a RESET")
	g.asks("c", "connect both queue pairs")
	g.press("c")
	g.asks("3", "go to Post")
	g.typed("modify_qp b ERR")
	g.asks("enter", "move this queue pair to RESET")
	g.press("enter")
	g.asks("c", "connect both queue pairs")
	g.press("c")
	g.asks("3", "go to Post")
}

// A tour that is left goes on where it was, and one that is done begins anew.
func TestTourLeftAndTakenUp(t *testing.T) {
	g := newGuided(t, 80, 24, "first-write")
	g.press("enter")
	g.asks("b", "open the device")
	g.press("b")
	g.asks("c", "connect both")
	g.press("ctrl+t")
	if g.Contains("tour:") {
		t.Errorf("the tour is not left:\n%s", g.View())
	}
	g.press("0")
	g.WaitFor("step 2 of 3")
	g.WaitFor("enter go on with the tour")
	g.press("enter")
	g.asks("c", "connect both")
	g.press(":")
	g.press("ctrl+t")
	if g.Contains("tour:") || !g.app.console.IsOpen() {
		t.Errorf("the tour cannot be left while one types:\n%s", g.View())
	}
}

func TestTourGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		g := newGuided(t, size[0], size[1], "first-write")
		uitest.Golden(t, fmt.Sprintf("home-%dx%d", size[0], size[1]), g.View())
		g.press("enter")
		g.asks("b", "open the device")
		g.WaitFor("device 1 of 2") // the devices have been read
		uitest.Golden(t, fmt.Sprintf("make-%dx%d", size[0], size[1]), g.View())
		g.typed(uitest.BenchLines...)
		g.typed("connect_qps a b")
		g.press("3")
		g.asks("t", "choose the opcode")
		uitest.Golden(t, fmt.Sprintf("write-%dx%d", size[0], size[1]), g.View())
	}
}

// A WRITE with a wrong key fails; its cause is read, the queue pairs are brought back,
// and the same WRITE with the right key arrives.
func TestBreakAndFix(t *testing.T) {
	g := newGuided(t, 120, 40, "break-fix")
	g.press("enter")
	g.play([][2]string{
		{"b", "open the device"}, {"c", "connect both"},
		{"3", "go to Post"}, {"t", "choose the opcode RDMA_WRITE"}, {"t", "choose the opcode RDMA_WRITE"},
	})
	g.down("rkey", "edit rkey")
	g.press("e")
	g.WaitFor("type 0xbad00, then enter")
	g.Type("0xbad00")
	g.press("enter")
	g.play([][2]string{
		{"enter", "post the request with the wrong rkey"},
		{"4", "go to Completions"}, {"enter", "open the incident of the failed completion"},
	})
	g.WaitFor("step 5 of 6")
	g.play([][2]string{
		{"2", "go to Bring-up"}, {"enter", "move this queue pair to RESET"}, {"o", "go to the other queue pair"},
		{"enter", "move this queue pair to RESET"}, {"c", "connect both"},
		{"3", "go to Post"}, {"o", "go to the other queue pair"},
	})
	g.down("rkey", "edit rkey")
	g.press("e")
	g.WaitFor("type dst.rkey, then enter")
	g.Type("dst.rkey")
	g.press("enter")
	g.play([][2]string{{"enter", "post the request"}})
	g.WaitFor("tour: Break it and fix it · done")
	if n := g.sess.Snapshot().CQs[0]; n.Completed != 1 || n.Failed != 1 {
		t.Errorf("%d completions, %d failed", n.Completed, n.Failed)
	}
}

// down goes down the form to a field, until the tour says what is to be done there.
func (g *guided) down(field, then string) {
	g.t.Helper()
	for g.app.tours.field("cursor") != field {
		g.asks("↓/j", "go to the field "+field)
		g.press("down")
		g.app.Beat()
	}
	g.WaitFor(then)
}

// Both ends of a connection, a WRITE over it, and its end.
func TestConnectWithCM(t *testing.T) {
	g := newGuided(t, 120, 40, "rdma-cm")
	g.press("enter")
	g.play([][2]string{{"l", "listen on a port"}, {"enter", "take port 7471"}, {"b", "run the lines up to rdma_listen"},
		{"c", "make a client"}})
	g.WaitFor("type 127.0.0.1, then enter")
	g.Type("127.0.0.1")
	g.press("enter")
	g.asks("b", "run the lines up to rdma_connect")
	g.press("b")
	g.WaitFor("step 3 of 5")
	g.play([][2]string{{"a", "accept the request"}, {"3", "go to Post"},
		{"t", "choose the opcode RDMA_WRITE"}, {"t", "choose the opcode RDMA_WRITE"},
		{"o", "go to the other queue pair"}, {"enter", "post the request"},
		{"5", "go to Connections"}, {"d", "disconnect"}, {"o", "go to the other end"}})
	for !g.Contains("answer: rdma_disconnect") { // the identifiers come in turn, the listener among them
		g.WaitFor("press  ")
		if g.Contains("go to the other end") {
			g.press("o")
		}
		g.app.Beat()
	}
	g.asks("b", "answer: rdma_disconnect")
	g.press("b")
	g.WaitFor("tour: Connect with rdma_cm · done")
}

// Our end waits; what the panel says to type at the other end does the rest.
func TestTalkToPingpong(t *testing.T) {
	port := freePort(t)
	g := newGuided(t, 120, 40, "rc-pingpong")
	g.press("enter")
	g.asks("b", "have the other end elsewhere")
	g.Keys("]")
	for g.app.tours.field("cursor") != "port" { // another port than the usual one, which others may have
		g.Keys("down")
	}
	g.Keys("e")
	g.Type(fmt.Sprint(port))
	g.Keys("enter", "[")
	g.play([][2]string{{"b", "have the other end elsewhere"}, {"o", "be the server"}, {"enter", "run our end"}})
	if g.pressed > 5 {
		t.Errorf("%d keys, want at most 5", g.pressed)
	}
	g.WaitFor("step 2 of 2")
	if _, err := exec.LookPath("ibv_rc_pingpong"); err != nil {
		g.WaitFor("second terminal: rdmatui scenario rc-pingpong -p " + fmt.Sprint(port) + " 127.0.0.1")
	} else {
		g.WaitFor("other host: ibv_rc_pingpong")
	}
	p := scenario.DefaultParams("rc-pingpong")
	p.Address, p.Port = "127.0.0.1", port
	peer := uitest.NewSession(t, session.Options{Providers: g.soft})
	if err := uitest.RunScenario(t.Context(), peer.Session, p, nil); err != nil {
		t.Error(err)
	}
	g.WaitFor("tour: Talk to ibv_rc_pingpong · done")
}

// freePort is a TCP port that nobody listens on.
func freePort(t *testing.T) uint16 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return uint16(l.Addr().(*net.TCPAddr).Port)
}

// TestPingpongTourDuringExperiment opens the tour while an experiment is halted, which has the keys of the list.
func TestPingpongTourDuringExperiment(t *testing.T) {
	g := newGuided(t, 120, 40, "rc-pingpong")
	g.Keys("7", "end", "s")
	g.WaitFor("step 1 of")
	g.Keys("0", "enter")
	g.play([][2]string{{"esc", "stop what runs here: it is not rc-pingpong"}, {"esc", "go back to the list"}})
	g.WaitFor("choose rc-pingpong")
}
