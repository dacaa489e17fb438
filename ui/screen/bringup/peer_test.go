package bringup

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/bringup"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// The peer that was pasted last for a queue pair stays its peer, whatever else runs, until another is pasted.
func TestPastedPeerStays(t *testing.T) {
	d, sess, s := start(t, theme.New("none", true), true)
	d.Keys("enter") // INIT: RTR is next
	for _, gid := range []string{"127.0.0.8", "127.0.0.9"} {
		d.Send(tea.PasteMsg{Content: "qp_num 0x12 psn 0x1 gid " + gid})
	}
	if s.peerOf["a"] != "peer2" {
		t.Fatalf("the peer of a is %q", s.peerOf["a"])
	}
	sess.Lines()
	d.Keys("r", "enter")
	sess.WantLines("query_qp a",
		"modify_qp a RTR path_mtu=1024 dest_qp_num=0x000012 rq_psn=0x000001 max_dest_rd_atomic=1 min_rnr_timer=12"+
			" is_global=1 dgid=::ffff:127.0.0.9 sgid_index=1 hop_limit=64 ah_port_num=1")
	d.Send(tea.PasteMsg{Content: "qp_num 0x1 psn 0x1 gid nonsense"}) // the command fails
	if s.peerOf["a"] != "peer2" || s.wantPeer != "" {
		t.Errorf("after a failure the peer of a is %q, wanted is %q", s.peerOf["a"], s.wantPeer)
	}
}

// A click is no paste, and without a queue pair a paste has no peer to name.
func TestNoPaste(t *testing.T) {
	d, sess, s := start(t, theme.New("none", true), true)
	d.Send(tea.MouseClickMsg{X: 1, Y: 1})
	if sess.WantLines(); s.pasting {
		t.Error("a click opens the paste")
	}
	d, sess, s = start(t, theme.New("none", true), false)
	d.Send(tea.PasteMsg{Content: "qp_num 0x12 psn 0x1 gid 127.0.0.9"})
	if sess.WantLines(); s.pasting {
		t.Error("a paste is taken without a queue pair")
	}
}

// A value such as a.psn refers to an object and is read when the line runs; anything else must be a value of the field.
func TestReferencesAreReadLater(t *testing.T) {
	m := &move{typed: map[field]typed{}}
	for text, want := range map[string]bool{"a.psn": true, "a.b": true, "peer.gid": true, "a": false, ".psn": false,
		"a.": false, "10.0.0.2": false, "a.0": false, "a.9x": false, "::1.a": false, "": true, "a./": false,
		"a.:": false} {
		if problem := m.set("rq_psn", text); (problem == "") != want {
			t.Errorf("%q: %s", text, problem)
		}
	}
}

// Attributes that do not apply and have no value are one line of the form, from the first on, unless all are listed.
func TestFoldsFromTheFirst(t *testing.T) {
	for n := range 3 {
		m := &move{qp: "a", to: verbs.QPInit}
		for _, name := range []string{"qkey", "timeout"}[:n] {
			m.plan.Rows = append(m.plan.Rows, bringup.PlanRow{Field: fields.QPNamed(name), Need: bringup.NotAllowed})
		}
		list := m.fields()
		if n == 0 && len(list) > 0 || n > 0 && (len(list) != 1 || list[0].Kind != widget.StaticField) {
			t.Errorf("%d attributes: %+v", n, list)
		}
		m.all = true
		if list = m.fields(); len(list) != n || n > 0 && list[0].Note != "not in this transition" {
			t.Errorf("%d attributes, all listed: %+v", n, list)
		}
	}
}

// Values that do not apply are counted, and the order is: required, optional, not allowed, each with a value first.
func TestOrderOfFields(t *testing.T) {
	row := func(name, value string, need bringup.Need) bringup.PlanRow {
		return bringup.PlanRow{Field: fields.QPNamed(name), Need: need, Value: value}
	}
	m := &move{qp: "a", to: verbs.QPRTS, ready: true}
	m.plan.Valid = true
	m.plan.Rows = []bringup.PlanRow{
		row("qp_state", "RTS", bringup.Required), row("cur_qp_state", "", bringup.Optional),
		row("qkey", "1", bringup.NotAllowed), row("timeout", "", bringup.Required),
		row("sq_psn", "2", bringup.Required), row("retry_cnt", "", bringup.Optional),
		row("rnr_retry", "3", bringup.Optional),
	}
	var names []string
	for _, f := range m.fields() {
		names = append(names, f.Name)
	}
	want := []string{"sq_psn", "timeout", "rnr_retry", "retry_cnt", "cur_qp_state", "qkey"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	g := theme.New("none", true).Glyphs
	if n := m.wrongs(); n != 1 || m.note(&g) != "✗ 1 not allowed" {
		t.Errorf("%d, %q", n, m.note(&g))
	}
	for want, change := range map[string]func(*move){"not known": func(m *move) { m.err = "x" },
		"reading": func(m *move) { m.ready = false }, "no such transition": func(m *move) { m.plan.Valid = false },
		"": func(m *move) { m.plan.Rows = m.plan.Rows[:1] }} {
		other := *m
		if change(&other); other.note(&g) != want {
			t.Errorf("%q, want %q", other.note(&g), want)
		}
	}
}

// In the list, E explains the state, and the transition only if another state is the target.
func TestExplainStates(t *testing.T) {
	d, _, _ := start(t, theme.New("none", true), true)
	d.Keys("c", "]", "E")
	if want := []string{"RTS"}; !slices.Equal(d.Explained, want) {
		t.Errorf("%q, want %q", d.Explained, want)
	}
	d.Explained = nil
	d.Keys("t", "E")
	if want := []string{"RTS", "RTS→SQD"}; !slices.Equal(d.Explained, want) {
		t.Errorf("%q, want %q", d.Explained, want)
	}
}

// Objects on a device that was opened by a command are made although no device is listed.
func TestSetupOnAnOpenDevice(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{}, "open_device soft0")
	env := sess.Env(theme.New("none", true))
	env.Inventory = listed{env.Inventory, nil}
	d := uitest.NewScreen(t, env, New(env))
	d.Keys("enter")
	sess.WantLines("alloc_pd pd")
	d.Keys("b")
	sess.WantLines(uitest.BenchLines[2:]...)
}
