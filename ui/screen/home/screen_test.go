package home

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/tour"
	"rdmatui/ui/uitest"
)

// findings are those of a host whose library is missing.
var findings = []devices.Finding{
	{Check: "platform", Status: devices.OK, Looked: "/sys", Meaning: "a Linux kernel"},
	{Check: "soft_roce", Status: devices.Warn, Looked: "/sys/class/net/eth0", Meaning: "a Soft-RoCE link can be made",
		Next: "rdma link add"},
	{Check: "providers", Status: devices.Fail, Looked: "provider ibverbs",
		Meaning: "the host's RDMA library cannot be loaded", Next: "apt install libibverbs1"},
	{Check: "modules", Status: devices.Fail, Looked: "/proc/modules", Meaning: "no program can reach any device",
		Next: "modprobe ib_uverbs"},
}

func newHome(t *testing.T, found []devices.Finding, lines ...string) (*uitest.ScreenDriver, *Screen) {
	t.Helper()
	return newHomeOf(t, uitest.NewSession(t, session.Options{Live: true}, lines...), found)
}

func newHomeOf(t *testing.T, sess *uitest.Session, found []devices.Finding) (*uitest.ScreenDriver, *Screen) {
	t.Helper()
	env := sess.Env(theme.New("none", true))
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	env.Ctx, env.Inventory = ctx, uitest.Still{Inventory: env.Inventory}
	env.Diagnose = func(context.Context) []devices.Finding { return found }
	s := New(env, tour.NewBook(nil))
	return uitest.NewScreen(t, env, s), s
}

// Each device has two lines; the findings that block the host's own take one while these work.
func TestWhatIsHere(t *testing.T) {
	d, _ := newHome(t, findings, "open_device soft1")
	d.Shows(80, 20, "soft0     software device · port 1 ACTIVE", "RoCE v2 GID 1 127.",
		"○ doctor: 2 things to mend: the host's RDMA library cannot be loaded; no p… │")
	for _, l := range strings.Split(d.View(80, 20), "\n") {
		if strings.Contains(l, "port 1") && strings.Contains(l, "· open") != strings.Contains(l, "soft1") {
			t.Errorf("the wrong device is marked as open: %s", l)
		}
	}
	if d, _ := newHome(t, findings[:2]); strings.Contains(d.View(80, 20), "Soft-RoCE") {
		t.Errorf("a warning is told as what blocks the host's devices:\n%s", d.View(80, 20))
	}
}

// enter leads from each item to the screen with its details.
func TestEnter(t *testing.T) {
	d, s := newHome(t, findings)
	d.Keys("[")
	for _, want := range []string{"soft0", "soft1", "!"} {
		d.View(80, 20)
		msg := s.Update(uitest.Key("enter"))()
		if got, ok := msg.(screen.GotoMsg); !ok || got != (screen.GotoMsg{To: screen.Devices, Item: want}) {
			t.Errorf("%v, want %s", msg, want)
		}
		d.Keys("down")
	}
}

// Hostile device names and texts stay in their line.
func TestHostile(t *testing.T) {
	d, s := newHome(t, nil)
	s.take([]device{{problem: "bad\x1b]0;x\x07\nnews"}})
	s.here.devices[0].Name = "evil\x1b[2J"
	d.Shows(80, 20, `evil\x1b[2J`, `bad\x1b]0;x`)
	s.take([]devices.Finding{{Status: devices.Fail, Meaning: "\x1b[31m", Next: "a\nb"}})
	d.Shows(80, 20, `\x1b[31m`)
}

func TestReadAgain(t *testing.T) {
	d, s := newHome(t, nil)
	s.take([]device{})
	d.Shows(80, 20, "No RDMA device.")
	d.Keys("r")
	d.Shows(80, 20, "soft0", "soft1")
	var none tea.Msg = tea.PasteMsg{Content: "x"}
	if d.Send(none); s.Typing() {
		t.Error("a paste is taken for typing")
	}
}

// r says what it has changed, or that nothing has changed.
func TestRefreshIsAnswered(t *testing.T) {
	d, s := newHome(t, findings)
	for _, tt := range []struct {
		before func()
		want   string
	}{
		{func() {}, "refreshed: nothing changed"},
		{func() { s.here.devices[0].Ports[0].Rate++ }, "refreshed: 1 value changed: soft0"},
		{func() { s.here.findings = nil }, "refreshed: 4 values changed: modules, platform, providers and 1 more"},
	} {
		tt.before()
		d.Flashes = nil
		if d.Keys("r"); !slices.Equal(d.Flashes, []string{tt.want}) {
			t.Errorf("r says %q, want %q", d.Flashes, tt.want)
		}
	}
}

func TestGolden(t *testing.T) {
	for _, size := range [][2]int{{80, 20}, {120, 30}, {40, 6}} {
		d, _ := newHome(t, findings, "open_device soft0")
		uitest.Golden(t, fmt.Sprintf("%dx%d", size[0], size[1]), d.View(size[0], size[1]))
	}
}

// The list keeps the cursor on its item, and the item visible.
func TestList(t *testing.T) {
	th := theme.New("none", true)
	l := &list{th: th}
	var items []item
	for _, n := range []string{"a", "b", "c", "d"} {
		items = append(items, item{name: n, lines: [][]span{{{n, &th.Value, 0}}, {{n + n, &th.Dim, 0}}}})
	}
	l.set(items)
	l.SetSize(20, 3)
	for _, k := range []string{"down", "down"} {
		l.Update(uitest.Key(k))
	}
	if l.at().name != "c" || l.top != 3 {
		t.Errorf("on %s, first line %d", l.at().name, l.top)
	}
	items = slices.Clone(items)
	slices.Reverse(items)
	l.set(items)
	if l.at().name != "c" {
		t.Errorf("the cursor went to %s", l.at().name)
	}
	l.Update(uitest.Key("end"))
	if l.Update(uitest.Key("home")); l.at().name != "d" || l.top != 0 {
		t.Errorf("on %s, first line %d", l.at().name, l.top)
	}
	l.set(nil)
	if l.Update(uitest.Key("down")); l.at() != nil {
		t.Error("an empty list has an item")
	}
}

// The address of a device can be copied, and any row under the cursor.
func TestCopy(t *testing.T) {
	d, s := newHome(t, nil)
	d.Shows(80, 20, "soft0")
	d.Keys("[", "y")
	d.Shows(80, 20, "copy:  1 address   2 name   3 row")
	if c := s.Context(); c.Name != keymap.PickOpen.Name {
		t.Errorf("the hints are those of %s", c.Name)
	}
	d.Keys("1", "y", "3", "]", "y")
	if len(d.Copied) != 3 || !strings.HasPrefix(d.Copied[0], "::ffff:127.") &&
		!strings.HasPrefix(d.Copied[0], "127.") ||
		!strings.HasPrefix(d.Copied[1], "soft0 software device · port 1 ACTIVE") ||
		!strings.Contains(d.Copied[2], "First WRITE in 60 seconds") {
		t.Errorf("copied %q", d.Copied)
	}
}
