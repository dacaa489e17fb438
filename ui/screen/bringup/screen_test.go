package bringup

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

var sizes = [][2]int{{80, 24}, {80, 17}, {120, 30}, {120, 40}, {200, 60}, {40, 10}}

// start shows the screen over a session, with or without a bench of two queue pairs.
func start(t *testing.T, th *theme.Theme, bench bool) (*uitest.ScreenDriver, *uitest.Session, *Screen) {
	sess := uitest.NewSession(t, session.Options{})
	if bench {
		sess.Do(uitest.BenchLines...)
	}
	env := sess.Env(th)
	s := New(env)
	return uitest.NewScreen(t, env, s), sess, s
}

func TestGolden(t *testing.T) {
	cases := []struct {
		name  string
		bench bool
		keys  []string
	}{
		{"setup", false, nil},
		{"reset", true, nil},
		{"rtr", true, []string{"enter"}},
		{"rts", true, []string{"enter", "enter", "enter"}},
		{"no_such_move", true, []string{"t", "t"}},
		{"list", true, []string{"]"}},
		{"attributes", true, []string{"enter", "enter", "enter", "[", "[", "r"}},
		{"flags", true, []string{"down", "down", "e", "down"}},
		{"paste", true, []string{"P", "z"}},
	}
	for _, c := range cases {
		for _, size := range sizes {
			synctest.Test(t, func(t *testing.T) { // where calls take no time
				d, _, _ := start(t, theme.New("none", true), c.bench)
				d.Keys(c.keys...)
				uitest.Golden(t, fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1]), d.View(size[0], size[1]))
			})
		}
	}
}

func TestASCIIGolden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, _ := start(t, theme.New("none", false), true)
		d.Keys("enter")
		got := d.View(120, 40)
		if strings.ContainsFunc(got, func(r rune) bool { return r > 0x7e }) {
			t.Error("there is more than ASCII")
		}
		uitest.Golden(t, "rtr", got)
	})
}

// From nothing to two connected queue pairs, with keys alone.
func TestBringUp(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), false)
	d.Keys("enter")
	sess.WantLines("open_device soft0")
	d.Keys("enter")
	sess.WantLines("alloc_pd pd")
	d.Keys("b")
	sess.WantLines(uitest.BenchLines[2:]...)
	d.Keys("enter")
	sess.WantLines("modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
	d.Keys("enter")
	sess.WantLines(
		"modify_qp a RTR path_mtu=1024 dest_qp_num=b.qp_num rq_psn=b.psn max_dest_rd_atomic=1 min_rnr_timer=12" +
			" is_global=1 dgid=b.gid sgid_index=1 hop_limit=64 ah_port_num=1")
	d.Keys("enter")
	sess.WantLines("modify_qp a RTS sq_psn=a.psn timeout=14 retry_cnt=7 rnr_retry=7 max_rd_atomic=1")
	d.Shows(80, 24, "b is still in RESET: o goes")
	d.Keys("o", "enter")
	sess.WantLines("modify_qp b INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
	d.Keys("c")
	sess.WantLines("connect_qps b a")
	d.Keys("r")
	sess.WantLines("query_qp b")
	d.Keys("D")
	sess.WantLines()
	d.Keys("y")
	sess.WantLines("destroy_qp b")
	d.Keys("n")
	sess.WantLines("create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4")
	sess.Do("alloc_pd other", "create_srq x pd=other", "create_srq srq pd=pd")
	d.Frame()
	d.Keys("n")
	sess.WantLines("create_qp c pd=pd send_cq=cq recv_cq=cq srq=srq qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4")
}

// One key makes a whole bench; it stops at the first failure.
func TestBenchStops(t *testing.T) {
	budget := memory.New(1<<20, "the test")
	sess := uitest.NewSession(t, session.Options{Providers: []verbs.Provider{uitest.Soft(budget)}})
	env := sess.Env(theme.New("none", true))
	d := uitest.NewScreen(t, env, New(env))
	d.Keys("enter")                                  // opens the device
	taken := budget.Limit() - budget.Used() - 12_000 // room for one region only
	if err := budget.Take(taken); err != nil {
		t.Fatal(err)
	}
	d.Keys("b")
	sess.WantLines(uitest.BenchLines[:4]...)
	d.Shows(80, 24, "ENOMEM", "memory budget", "hint")
	budget.Give(taken)
	d.Keys("b")
	sess.WantLines(uitest.BenchLines[3:]...)
}

// Lines are made from typed values, in the order of the table.
func TestEdit(t *testing.T) {
	tests := []struct {
		name string
		keys []string
		want string
	}{
		{"a number", []string{"e", "ctrl+u", "3", "enter", "enter"},
			"modify_qp a INIT pkey_index=3 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ"},
		{"flags", []string{"down", "down", "e", "down", "space", "enter", "enter"},
			"modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_READ"},
		{"a blank is quoted", []string{"e", "end", "space", "4", "enter", "x"},
			`modify_qp a INIT pkey_index="0 4" port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ`},
		{"missing as is", []string{"delete", "x"},
			"modify_qp a INIT port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ"},
		{"no such move as is", []string{"t", "t", "x"}, "modify_qp a RTS"},
		{"back with T", []string{"t", "t", "T", "T", "enter"},
			"modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ"},
		{"arrows in the list", []string{"]", "left", "x"}, "modify_qp a RESET"},
	}
	for _, tt := range tests {
		d, sess, _ := start(t, theme.New("none", true), true)
		d.Keys(tt.keys...)
		if got := sess.Lines(); !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

// Enter does not send values that the table forbids; the error names them.
func TestRefused(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), true)
	d.Keys("delete", "enter", "t", "enter", "]", "z", "enter")
	sess.WantLines()
	const none = "Not sent: RC RESET → RTR is not a valid transition; from RESET: RESET, INIT; x sends it as it is"
	want := []string{"Not sent: RC RESET → INIT: missing pkey_index; x sends it as it is", none, none}
	if !slices.Equal(d.Flashes, want) {
		t.Errorf("%q", d.Flashes)
	}
	d.Keys("z")
	d.Shows(120, 40, "no such transition", "RC RESET → RTR is not a valid transition")
}

// The C call is whole where there is room, and no name in it is broken. In less room
// the mask is, before the call and after it.
func TestMaskIsWhole(t *testing.T) {
	d, _, _ := start(t, theme.New("none", true), true)
	d.Keys("enter")
	for _, size := range [][2]int{{120, 40}, {200, 60}} {
		d.Shows(size[0], size[1],
			"IBV_QP_STATE|IBV_QP_AV|IBV_QP_PATH_MTU|IBV_QP_RQ_PSN|IBV_QP_MIN_RNR_TIMER|IBV_QP_MAX_DEST_RD_ATOMIC|",
			"IBV_QP_DEST_QPN)")
	}
	const init, rtr, rts = "STATE|ACCESS_FLAGS|PKEY_INDEX|PORT ",
		"STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|MAX_DEST_RD_ATOMIC|DEST_QPN ",
		"STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC|SQ_PSN "
	for _, size := range [][2]int{{80, 17}, {80, 20}} {
		d, _, _ := start(t, theme.New("none", true), true)
		for _, want := range [][]string{{init}, {init, rtr}, {rtr, rts}} {
			for i := range want {
				want[i] = "IBV_QP_ " + want[i]
			}
			if size[1] < 20 {
				want = want[len(want)-1:] // no room for the mask of the call before
			}
			d.Shows(size[0], size[1], want...)
			d.Keys("enter")
		}
	}
	d, _, _ = start(t, theme.New("none", true), true)
	d.Keys("enter")
	d.Shows(120, 26, "IBV_QP_ "+rtr)
	d.Keys("enter")
	d.Shows(120, 26, "IBV_QP_ "+rtr)
}

// What was typed stays while other states are looked at, and is gone once the
// transition was made.
func TestTypedStays(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), true)
	d.Keys("down", "down", "e", "down", "space", "enter", "t", "T", "enter")
	sess.WantLines("modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_READ")
	sess.Do("modify_qp a RESET")
	d.Frame()
	d.Settle()
	d.Keys("enter")
	sess.WantLines("modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
}

func TestPeer(t *testing.T) {
	const record = "0000:000099:000777:00000000000000000000ffff7f000001"
	d, sess, s := start(t, theme.New("none", true), true)
	d.Keys("enter", "P")
	if !s.Typing() {
		t.Error("a paste must get every key")
	}
	sess.Lines()
	d.Send(tea.PasteMsg{Content: record + "\x00\n"})
	d.Keys("enter")
	sess.WantLines("peer peer " + record)
	d.Keys("enter")
	sess.WantLines(
		"modify_qp a RTR path_mtu=1024 dest_qp_num=peer.qp_num rq_psn=peer.psn max_dest_rd_atomic=1 min_rnr_timer=12" +
			" is_global=1 dgid=peer.gid sgid_index=1 hop_limit=64 ah_port_num=1")
	d.Keys("c")
	sess.WantLines("connect_qps a peer")
}

func TestPeerLine(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0000:000011:6f21a0:fe80000000000000000000000000abcd",
			"peer p 0000:000011:6f21a0:fe80000000000000000000000000abcd"},
		{" 0x12, 0x6f21a0 10.0.0.2 ", "peer p qp_num=0x12 psn=0x6f21a0 gid=10.0.0.2"},
		{"qp_num=0x12 psn=1 gid=::1", "peer p qp_num=0x12 psn=1 gid=::1"},
		{"qp_num=\x1b[2J", `peer p qp_num="\x1b[2J"`},
		{"qp_num 0x12 psn 0x1 gid 10.0.0.2", "peer p qp_num=0x12 psn=0x1 gid=10.0.0.2"},
		{"gid 10.0.0.2 qp_num: 0x12 addr 0x7f00 rkey 0x1f", "peer p qp_num=0x12 gid=10.0.0.2 addr=0x7f00 rkey=0x1f"},
	}
	for _, tt := range tests {
		if got, err := peerLine("p", tt.in); err != nil || got != tt.want {
			t.Errorf("%q: %q %v", tt.in, got, err)
		}
	}
	for _, bad := range []string{"", "12", "1 2", "0000:000011:6f21a0:xx", "a:b:c:d:e:f", "addr 0x7f00 rkey 0x1f",
		"psn 1 gid 10.0.0.2", "qp_num 1 what 2"} {
		if got, err := peerLine("p", bad); err == nil {
			t.Errorf("%q was taken: %q", bad, got)
		}
	}
}

// An unchanged session costs nothing: no call, no redraw.
func TestIdle(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), true)
	sess.Do("connect_qps a b")
	d.Frame()
	d.Settle()
	d.View(120, 40)
	before := d.Started
	for range 50 {
		if d.Frame() {
			t.Fatal("nothing changed, but the screen says so")
		}
		d.View(120, 40)
	}
	sess.Do("post_recv b sge=dst", "post_send a SEND sge=src:0:5")
	if d.Frame() {
		t.Error("traffic does not show here, but the screen says so")
	}
	d.Settle()
	if n := d.Started - before; n != 0 {
		t.Errorf("%d times the screen asked for work", n)
	}
}

// A queue pair that fails by itself is shown without a key.
func TestFollows(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), true)
	sess.Do("connect_qps a b")
	d.Frame()
	sess.Do("post_send a RDMA_WRITE sge=src:0:5 remote_addr=dst.addr rkey=1", "poll_cq cq timeout=10s")
	if !d.Frame() {
		t.Error("the change was not seen")
	}
	d.Settle()
	d.Shows(80, 24, "a: ERR → RESET", "[ERR]", "WR_FLUSH_ERR")
	d.Keys("enter")
	sess.WantLines("modify_qp a RESET")
}

func TestHostile(t *testing.T) {
	const evil = "\x1b]0;x\x07\u202e"
	d, _, _ := start(t, theme.New("none", true), true)
	d.Keys("e", "ctrl+u")
	d.Send(tea.PasteMsg{Content: evil})
	d.Keys("enter", "x")
	for _, size := range sizes {
		if v := d.View(size[0], size[1]); !strings.Contains(v, `]0;x\u202e`) {
			t.Errorf("the value is not shown escaped:\n%s", v)
		}
	}
	env := uitest.NewSession(t, session.Options{}).Env(theme.New("none", true))
	env.Inventory = listed{env.Inventory, []devices.Summary{{DeviceInfo: verbs.DeviceInfo{Name: "dev" + evil}}}}
	uitest.NewScreen(t, env, New(env)).Shows(80, 24, `open_device "dev\x1b]0;x`)
}

// listed is an inventory of a host that has these devices.
type listed struct {
	screen.Inventory
	devices []devices.Summary
}

func (l listed) List() []devices.Summary { return l.devices }

// Every size is drawn without a broken line.
func TestAnySize(t *testing.T) {
	d, _, _ := start(t, theme.New("none", true), true)
	for w := 1; w < 130; w += 7 {
		for h := 1; h < 45; h += 4 {
			d.View(w, h)
		}
	}
}

// Of several devices the one with an active port is proposed; arrows choose another,
// and e opens the line in the console.
func TestDevices(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{})
	env := sess.Env(theme.New("none", true))
	env.Inventory = listed{env.Inventory,
		slices.Insert(env.Inventory.List()[:1], 0, devices.Summary{DeviceInfo: verbs.DeviceInfo{Name: "rxe0"}})}
	d := uitest.NewScreen(t, env, New(env))
	d.Shows(80, 24, "open_device soft0", "device 2 of 2")
	d.Keys("right", "e", "enter")
	if !slices.Equal(d.Edits, []string{"open_device rxe0"}) {
		t.Errorf("edits %q", d.Edits)
	}
	sess.WantLines("open_device rxe0")
}

// Without any device nothing is run, and the screen says why.
func TestNoDevice(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{})
	env := sess.Env(theme.New("none", true))
	env.Inventory = listed{env.Inventory, nil}
	d := uitest.NewScreen(t, env, New(env))
	d.Keys("enter", "b")
	sess.WantLines()
	const why = "no device to open; Devices (1) says why"
	if !slices.Equal(d.Flashes, []string{why, why}) {
		t.Errorf("%q", d.Flashes)
	}
}

// A click on a queue pair shows it; a click into the form focuses the form.
func TestMouse(t *testing.T) {
	d, sess, s := start(t, theme.New("none", true), true)
	d.View(80, 24)
	if !s.Mouse(widget.Mouse{Kind: widget.Click, X: 4, Y: 3}) || s.move.qp != "b" || s.Focus != paneQPs {
		t.Errorf("%s has the screen, pane %d the keys", s.move.qp, s.Focus)
	}
	d.Frame()
	d.Settle()
	if !s.Mouse(widget.Mouse{Kind: widget.Click, X: 40, Y: 2}) || s.Focus != paneForm || s.form.Name() != "port_num" {
		t.Errorf("%s is under the cursor, pane %d has the keys", s.form.Name(), s.Focus)
	}
	d.Keys("enter")
	sess.WantLines("modify_qp b INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
}

// Results that arrive while another screen is in front are not lost, and nothing
// waits for them for ever.
func TestAway(t *testing.T) {
	d, sess, s := start(t, theme.New("none", true), false)
	d.Away = true // the user switches to another screen at once
	d.Keys("b")
	sess.WantLines(uitest.BenchLines...)
	d.Back()
	d.Shows(80, 24, "a: RESET → INIT", "ibv_create_qp(pd", "Ready. enter runs it.")
	d.Away = true
	d.Keys("enter")
	d.Back()
	sess.WantLines("modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
	d.Shows(80, 24, "a: INIT → RTR", "path_mtu")
	if s.runner.Busy() || s.reader.Busy() {
		t.Error("something is waited for that has come already")
	}
}

// A queue pair that reuses the name of a destroyed one starts afresh.
func TestNameAgain(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), true)
	d.Keys("e", "ctrl+u", "5", "enter", "D", "y", "n", "enter")
	sess.WantLines("destroy_qp a", "create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4",
		"modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
}

// A paste with no open field is taken as a peer's address; an invalid one is kept in one line for correction.
func TestPasteWithoutAField(t *testing.T) {
	d, sess, s := start(t, theme.New("none", true), true)
	d.Send(tea.PasteMsg{Content: "qp_num 0x12\npsn 0x1\ngid 127.0.0.9\naddr 0x7f00 rkey 0x1f"})
	sess.WantLines("peer peer qp_num=0x12 psn=0x1 gid=127.0.0.9 addr=0x7f00 rkey=0x1f")
	d.Send(tea.PasteMsg{Content: "what is this here"})
	if sess.WantLines(); !s.pasting || s.problem == "" {
		t.Errorf("%v, %q", s.pasting, s.problem)
	}
	d.Shows(80, 24, "is not a field")
}

// Attributes that a transition does not take are one line until . lists them.
func TestFolded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, _ := start(t, theme.New("none", true), true)
		d.Shows(120, 60, "30 do not apply", ". shows them")
		d.Keys(".")
		d.Shows(200, 60, "not in this transition")
		if view := d.View(200, 60); strings.Contains(view, "✗") {
			t.Errorf("what does not apply is told as wrong:\n%s", view)
		}
		d.Keys(".")
		if view := d.View(200, 60); strings.Contains(view, "not in this transition") {
			t.Error(view)
		}
		d.Keys(".", "G", "e")
		d.Type("RTS")
		d.Keys("enter", ".", "g")
		d.Shows(200, 60, "29 do not apply", "✗ cur_qp_state", "✗ 1 not allowed")
		d.Shows(80, 24, "✗ 1 not allowed")
	})
}

// The values of both ends take the width that they need, or go on in the next line.
func TestValuesAreWhole(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {160, 45}, {200, 60}} {
		d, _, _ := start(t, theme.New("none", true), true)
		d.Keys("c")
		_, after, _ := strings.Cut(d.View(size[0], size[1]), "│ qp_access_flags    ")
		lines := strings.SplitN(after, "\n", 3)
		if got := lines[0] + lines[1]; strings.Count(got, "REMOTE_WRITE|") != 2 ||
			strings.Count(got, "REMOTE_READ") != 2 {
			t.Errorf("%d columns:\n%s", size[0], got)
		}
		if wide := size[0] >= 160; strings.Contains(lines[0],
			"REMOTE_WRITE|REMOTE_READ REMOTE_WRITE|REMOTE_READ") != wide {
			t.Errorf("%d columns:\n%s", size[0], lines[0])
		}
	}
}
