package steptest

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// NewEnv makes what a screen is given: a fake session and one device, soft0.
func NewEnv(t testing.TB, th *theme.Theme) (*screen.Env, *Session) {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	s := NewSession()
	soft0 := devices.Summary{DeviceInfo: verbs.DeviceInfo{Name: "soft0", Provider: verbs.SoftProvider}}
	soft0.Ports = []devices.PortSummary{{PortNum: 1, State: verbs.PortActive}}
	return &screen.Env{Ctx: ctx, Theme: th, Session: s, Inventory: &Inventory{Devices: []devices.Summary{soft0}}}, s
}

// Bench carries out the lines that set a loopback bench up.
func (s *Session) Bench() {
	for _, l := range BenchLines {
		_, _ = s.Exec(context.Background(), l) // the fake knows no failure but those it was told
	}
	s.Lines()
}

// BenchLines are what a bench on soft0 is made by.
var BenchLines = []string{
	"open_device soft0",
	"alloc_pd pd",
	"reg_mr src pd=pd length=4096 access=LOCAL_WRITE",
	"reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ",
	"create_cq cq cqe=64",
	"create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4",
	"create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4",
}

// Driver plays root for one screen: keys go in, commands run until nothing is
// left to do, frames follow.
type Driver struct {
	Screen    screen.Screen
	Flashes   []string
	Edits     []string
	Explained []string // names of what a screen wanted explained
	Away      bool     // another screen is in front: there are no frames

	t       testing.TB
	env     *screen.Env
	results chan tea.Msg
	running int
}

// NewDriver shows a screen.
func NewDriver(t testing.TB, env *screen.Env, scr screen.Screen) *Driver {
	d := &Driver{Screen: scr, t: t, env: env, results: make(chan tea.Msg, 100)}
	d.Frame()
	d.start(scr.Show())
	d.settle()
	return d
}

// Frame hands the screen what a new frame shows, and reports whether it changed.
func (d *Driver) Frame() bool {
	st := screen.State{Session: d.env.Session.Snapshot(), Counts: d.env.Session.Timeline().Counts()}
	changed, work := d.Screen.Refresh(&st)
	d.start(work)
	return changed
}

// Keys presses keys by the names bindings use.
func (d *Driver) Keys(names ...string) {
	for _, n := range names {
		d.Send(uitest.Key(n))
	}
}

// Type presses one key a character.
func (d *Driver) Type(text string) {
	for _, r := range text {
		d.Send(uitest.Key(string(r)))
	}
}

// Send updates the screen, once it has done what a frame before asked for, and waits until all that follows from it is done.
func (d *Driver) Send(msg tea.Msg) {
	d.settle()
	d.take(msg)
	d.settle()
}

// Settle does what a frame asked for.
func (d *Driver) Settle() { d.settle() }

func (d *Driver) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.start(c)
		}
	case screen.FlashMsg:
		d.Flashes = append(d.Flashes, msg.Text)
	case screen.EditMsg:
		d.Edits = append(d.Edits, msg.Line)
	case screen.ExplainMsg:
		for i := range msg.Entries {
			d.Explained = append(d.Explained, msg.Entries[i].Name)
		}
	default:
		d.update(msg)
	}
}

func (d *Driver) update(msg tea.Msg) {
	d.start(d.Screen.Update(msg))
	if !d.Away {
		d.Frame()
	}
}

// Back brings the screen to the front again.
func (d *Driver) Back() {
	d.Away = false
	d.start(d.Screen.Show())
	d.Frame()
	d.settle()
}

func (d *Driver) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	d.running++
	results := d.results
	go func() { results <- cmd() }()
}

// settle takes answers until nothing runs.
func (d *Driver) settle() {
	d.t.Helper()
	limit := time.After(30 * time.Second)
	for d.running > 0 {
		select {
		case msg := <-d.results:
			d.running--
			d.take(msg)
		case <-limit:
			d.t.Fatal("a command never ended")
		}
	}
}

// View draws the screen, checks that it fits, and returns it without styles.
func (d *Driver) View(w, h int) string {
	d.t.Helper()
	v := widget.Render(d.env.Theme, d.Screen, w, h)
	uitest.Exact(d.t, v, w, h)
	return uitest.Text(v)
}

// Shows fails unless the view has all the texts.
func (d *Driver) Shows(w, h int, texts ...string) {
	d.t.Helper()
	v := d.View(w, h)
	for _, t := range texts {
		if !strings.Contains(v, t) {
			d.t.Errorf("%q is not shown:\n%s", t, v)
		}
	}
}

// Await lets frames pass until the view has all the texts, for what a real device
// does in its own time.
func (d *Driver) Await(w, h int, texts ...string) {
	d.t.Helper()
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		d.Frame()
		d.settle()
		missing := ""
		v := d.View(w, h)
		for _, t := range texts {
			if !strings.Contains(v, t) {
				missing = t
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(limit) {
			d.t.Fatalf("%q never came up:\n%s", missing, v)
		}
	}
}
