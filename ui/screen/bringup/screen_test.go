package bringup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen/steps/steptest"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

var sizes = [][2]int{{80, 24}, {80, 17}, {120, 30}, {120, 40}, {200, 60}, {40, 10}}

func start(t *testing.T, th *theme.Theme, bench bool) (*uitest.ScreenDriver, *steptest.Session, *Screen) {
	env, sess := steptest.NewEnv(t, th)
	if bench {
		sess.Bench()
	}
	s := New(env)
	return uitest.NewScreen(t, env, s), sess, s
}

func wantLines(t *testing.T, s *steptest.Session, want ...string) {
	t.Helper()
	if got := s.Lines(); !slices.Equal(got, want) {
		t.Errorf("lines\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
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
		{"attributes", true, []string{"enter", "enter", "enter", "[", "[", "u"}},
		{"flags", true, []string{"down", "down", "e", "down"}},
		{"paste", true, []string{"p", "z"}},
	}
	for _, c := range cases {
		for _, size := range sizes {
			d, _, _ := start(t, theme.New("none", true), c.bench)
			d.Keys(c.keys...)
			uitest.Golden(t, fmt.Sprintf("%s-%dx%d", c.name, size[0], size[1]), d.View(size[0], size[1]))
		}
	}
}

func TestASCIIGolden(t *testing.T) {
	d, _, _ := start(t, theme.New("none", false), true)
	d.Keys("enter")
	got := d.View(120, 40)
	if strings.ContainsFunc(got, func(r rune) bool { return r > 0x7e }) {
		t.Error("there is more than ASCII")
	}
	uitest.Golden(t, "rtr", got)
}

// The way from nothing to two connected queue pairs with keys alone.
func TestBringUp(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), false)
	d.Keys("enter")
	wantLines(t, sess, "open_device soft0")
	d.Keys("enter")
	wantLines(t, sess, "alloc_pd pd")
	d.Keys("b")
	wantLines(t, sess, uitest.BenchLines[2:]...)
	d.Keys("enter")
	wantLines(t, sess, "modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
	d.Keys("enter")
	wantLines(t, sess, "modify_qp a RTR path_mtu=1024 dest_qp_num=b.qp_num rq_psn=b.psn max_dest_rd_atomic=1 min_rnr_timer=12"+
		" is_global=1 dgid=b.gid sgid_index=1 hop_limit=64 ah_port_num=1")
	d.Keys("enter")
	wantLines(t, sess, "modify_qp a RTS sq_psn=a.psn timeout=14 retry_cnt=7 rnr_retry=7 max_rd_atomic=1")
	d.Shows(80, 24, "b is still in RESET: o goes")
	d.Keys("o", "enter")
	wantLines(t, sess, "modify_qp b INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
	d.Keys("c")
	wantLines(t, sess, "connect_qps b a")
	d.Keys("u")
	wantLines(t, sess, "query_qp b")
	d.Keys("D")
	wantLines(t, sess)
	d.Keys("D")
	wantLines(t, sess, "destroy_qp b")
	d.Keys("n")
	wantLines(t, sess, "create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4")
	sess.Change(func(s *session.Snapshot) {
		s.SRQs = []session.SRQView{{Name: "x", PD: "other"}, {Name: "srq", PD: "pd"}}
	})
	d.Frame()
	d.Keys("n")
	wantLines(t, sess, "create_qp c pd=pd send_cq=cq recv_cq=cq srq=srq qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4")
}

// A whole bench is one key; it stops at what fails.
func TestBenchStops(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), false)
	sess.Fail["reg_mr dst"] = timeline.CommandDone{Call: "ibv_reg_mr(…)", Err: "cannot allocate memory", Errno: "ENOMEM", Hint: "raise the memlock limit"}
	d.Keys("b")
	wantLines(t, sess, uitest.BenchLines[:4]...)
	d.Shows(80, 24, "ENOMEM", "cannot allocate memory", "raise the memlock limit")
	delete(sess.Fail, "reg_mr dst")
	d.Keys("b")
	wantLines(t, sess, uitest.BenchLines[3:]...)
}

// Lines are made of what the user typed, in the order of the table.
func TestEdit(t *testing.T) {
	tests := []struct {
		name string
		keys []string
		want string
	}{
		{"a number", []string{"e", "ctrl+u", "3", "enter", "enter"}, "modify_qp a INIT pkey_index=3 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ"},
		{"flags", []string{"down", "down", "e", "down", "space", "enter", "enter"}, "modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_READ"},
		{"a blank is quoted", []string{"e", "space", "4", "enter", "x"}, `modify_qp a INIT pkey_index="0 4" port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ`},
		{"missing as is", []string{"delete", "x"}, "modify_qp a INIT port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ"},
		{"no such move as is", []string{"t", "t", "x"}, "modify_qp a RTS"},
		{"back with T", []string{"t", "t", "T", "T", "enter"}, "modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ"},
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

// What the table forbids is not sent by enter, and is named.
func TestRefused(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), true)
	d.Keys("delete", "enter", "t", "enter")
	wantLines(t, sess)
	want := []string{"RC RESET → INIT: missing pkey_index; x sends it as it is", "RC RESET → RTR is no valid transition; from RESET: RESET, INIT; x sends it as it is"}
	if !slices.Equal(d.Flashes, want) {
		t.Errorf("%q", d.Flashes)
	}
	d.Shows(120, 40, "no such transition", "RC RESET → RTR is no valid transition")
}

// What was typed stays while other states are looked at, and is gone once the
// transition was made.
func TestTypedStays(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), true)
	d.Keys("e", "ctrl+u", "5", "enter", "t", "T", "enter")
	wantLines(t, sess, "modify_qp a INIT pkey_index=5 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
	sess.Change(func(s *session.Snapshot) { s.QPs[0].State = verbs.QPReset })
	d.Frame()
	d.Settle()
	d.Keys("enter")
	wantLines(t, sess, "modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
}

func TestPeer(t *testing.T) {
	const record = "0000:000099:000777:00000000000000000000ffff7f000001"
	d, sess, s := start(t, theme.New("none", true), true)
	d.Keys("enter", "p")
	if !s.Typing() {
		t.Error("a paste must get every key")
	}
	sess.Lines()
	d.Send(tea.PasteMsg{Content: record + "\x00\n"})
	d.Keys("enter")
	wantLines(t, sess, "peer peer "+record)
	d.Keys("enter")
	want := "modify_qp a RTR path_mtu=1024 dest_qp_num=0x000099 rq_psn=0x000777 max_dest_rd_atomic=1 min_rnr_timer=12" +
		" is_global=1 dgid=b.gid sgid_index=1 hop_limit=64 ah_port_num=1" // both have the same GID
	wantLines(t, sess, want)
	d.Keys("c")
	wantLines(t, sess, "connect_qps a peer")
}

func TestPeerLine(t *testing.T) {
	tests := []struct{ in, want string }{
		{"0000:000011:6f21a0:fe80000000000000000000000000abcd", "peer p 0000:000011:6f21a0:fe80000000000000000000000000abcd"},
		{" 0x12, 0x6f21a0 10.0.0.2 ", "peer p qp_num=0x12 psn=0x6f21a0 gid=10.0.0.2"},
		{"qp_num=0x12 psn=1 gid=::1", "peer p qp_num=0x12 psn=1 gid=::1"},
		{"qp_num=\x1b[2J", `peer p qp_num="\x1b[2J"`},
	}
	for _, tt := range tests {
		if got, err := peerLine("p", tt.in); err != nil || got != tt.want {
			t.Errorf("%q: %q %v", tt.in, got, err)
		}
	}
	for _, bad := range []string{"", "12", "1 2", "0000:000011:6f21a0:xx", "a:b:c:d:e:f"} {
		if got, err := peerLine("p", bad); err == nil {
			t.Errorf("%q was taken: %q", bad, got)
		}
	}
}

// An unchanged session costs nothing: no call, no redraw.
func TestIdle(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), true)
	d.View(120, 40)
	before := sess.Calls()
	for range 50 {
		if d.Frame() {
			t.Fatal("nothing changed, but the screen says so")
		}
		d.View(120, 40)
	}
	sess.Change(func(s *session.Snapshot) {
		s.QPs = slices.Clone(s.QPs)
		s.QPs[0].SendOutstanding, s.QPs[1].RecvPosted = 7, 9
	})
	if d.Frame() {
		t.Error("traffic does not show here, but the screen says so")
	}
	d.Settle()
	if n := sess.Calls() - before; n != 0 {
		t.Errorf("%d calls of the session", n)
	}
}

// A queue pair that fails of itself is followed without a key.
func TestFollows(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), true)
	sess.Change(func(s *session.Snapshot) {
		s.QPs = slices.Clone(s.QPs)
		s.QPs[0].State = verbs.QPErr
	})
	if !d.Frame() {
		t.Error("the change was not seen")
	}
	d.Settle()
	d.Shows(80, 24, "a: ERR → RESET", "[ERR]", "WR_FLUSH_ERR")
	d.Keys("enter")
	wantLines(t, sess, "modify_qp a RESET")
}

func TestHostile(t *testing.T) {
	const evil = "\x1b]0;x\x07\u202e"
	d, sess, _ := start(t, theme.New("none", true), true)
	sess.Change(func(s *session.Snapshot) {
		s.QPs = slices.Clone(s.QPs)
		s.QPs[0].Name, s.QPs[1].PeerName, s.QPs[0].PeerName = "a"+evil, "a"+evil, "b"
	})
	d.Frame()
	d.Settle()
	sess.Fail["modify_qp"] = timeline.CommandDone{Call: "ibv_" + evil, Err: evil + " refused", Hint: evil, Check: evil}
	d.Keys("enter")
	for _, size := range sizes {
		if v := d.View(size[0], size[1]); !strings.Contains(v, `\x1b]0;x`) {
			t.Errorf("the name is not shown escaped:\n%s", v)
		}
	}
	env, _ := steptest.NewEnv(t, theme.New("none", true))
	env.Inventory.(*steptest.Inventory).Devices[0].Name = "dev" + evil
	s := New(env)
	d = uitest.NewScreen(t, env, s)
	d.Shows(80, 24, `open_device "dev\x1b]0;x`)
}

// No size, however odd, breaks a line.
func TestAnySize(t *testing.T) {
	d, _, _ := start(t, theme.New("none", true), true)
	for w := 1; w < 130; w += 7 {
		for h := 1; h < 45; h += 4 {
			d.View(w, h)
		}
	}
}

// Of several devices the one with an active port is proposed; arrows choose
// another, and e hands the line to the palette.
func TestDevices(t *testing.T) {
	env, sess := steptest.NewEnv(t, theme.New("none", true))
	inv := env.Inventory.(*steptest.Inventory)
	inv.Devices = slices.Concat([]devices.Summary{{DeviceInfo: verbs.DeviceInfo{Name: "rxe0"}}}, inv.Devices)
	s := New(env)
	d := uitest.NewScreen(t, env, s)
	d.Shows(80, 24, "open_device soft0", "device 2 of 2")
	d.Keys("right", "e", "enter")
	if !slices.Equal(d.Edits, []string{"open_device rxe0"}) {
		t.Errorf("edits %q", d.Edits)
	}
	wantLines(t, sess, "open_device rxe0")
}

// Without any device nothing is run, and the screen says why.
func TestNoDevice(t *testing.T) {
	env, sess := steptest.NewEnv(t, theme.New("none", true))
	env.Inventory.(*steptest.Inventory).Devices = nil
	s := New(env)
	d := uitest.NewScreen(t, env, s)
	d.Keys("enter", "b")
	wantLines(t, sess)
	const why = "there is no device to open; screen 1 says what is missing"
	if !slices.Equal(d.Flashes, []string{why, why}) {
		t.Errorf("%q", d.Flashes)
	}
}

// A click on a queue pair shows it; a click into the form takes the keys there.
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
	wantLines(t, sess, "modify_qp b INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
}

// Results that come while another screen is in front are not lost, and nothing
// waits for them for ever.
func TestAway(t *testing.T) {
	d, sess, s := start(t, theme.New("none", true), false)
	d.Away = true // the user goes on to another screen at once
	d.Keys("b")
	wantLines(t, sess, uitest.BenchLines...)
	d.Back()
	d.Shows(80, 24, "a: RESET → INIT", "ibv_create_qp(…)", "nothing is missing")
	d.Away = true
	d.Keys("enter")
	d.Back()
	wantLines(t, sess, "modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
	d.Shows(80, 24, "a: INIT → RTR", "path_mtu")
	if s.runner.Busy() || s.reader.Busy() {
		t.Error("something is waited for that has come already")
	}
}

// A queue pair that takes the name of one that is gone starts afresh.
func TestNameAgain(t *testing.T) {
	d, sess, _ := start(t, theme.New("none", true), true)
	d.Keys("e", "ctrl+u", "5", "enter", "D", "D", "n", "o", "enter")
	wantLines(t, sess, "destroy_qp a", "create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4",
		"modify_qp a INIT pkey_index=0 port_num=1 qp_access_flags=REMOTE_WRITE|REMOTE_READ")
}
