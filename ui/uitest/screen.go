package uitest

import (
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
)

// ScreenDriver plays root for one screen: keys go in, commands run until nothing is
// left to do, frames follow.
type ScreenDriver struct {
	Screen    screen.Screen
	Flashes   []string
	Edits     []string
	Copied    []string
	Asked     []string // texts of questions; the key y answers the last one
	Explained []string // names of what a screen wanted explained
	Away      bool     // another screen is in front: there are no frames
	Started   int      // how much work the screen has asked for

	t       testing.TB
	env     *screen.Env
	yes     func() tea.Cmd // of the question that waits for an answer
	results chan tea.Msg
	running int
}

// NewScreen shows a screen.
func NewScreen(t testing.TB, env *screen.Env, scr screen.Screen) *ScreenDriver {
	d := &ScreenDriver{Screen: scr, t: t, env: env, results: make(chan tea.Msg, 100)}
	d.Frame()
	if s, ok := scr.(screen.Starter); ok {
		d.start(s.Start())
	}
	d.start(scr.Show())
	d.settle()
	return d
}

// Frame hands the screen what a new frame shows, and reports whether it changed.
func (d *ScreenDriver) Frame() bool {
	st := screen.State{Session: d.env.Session.Snapshot(), Counts: d.env.Session.Timeline().Counts()}
	changed, work := d.Screen.Refresh(&st)
	d.start(work)
	return changed
}

// Keys presses keys by the names bindings use.
func (d *ScreenDriver) Keys(names ...string) {
	for _, n := range names {
		d.Send(Key(n))
	}
}

// Type presses one key a character.
func (d *ScreenDriver) Type(text string) {
	for _, r := range text {
		d.Send(Key(string(r)))
	}
}

// Send updates the screen, once it has done what a frame before asked for, and waits
// until all that follows from it is done.
func (d *ScreenDriver) Send(msg tea.Msg) {
	d.settle()
	if k, ok := msg.(tea.KeyPressMsg); ok && d.yes != nil {
		if k.String() == "y" {
			d.start(d.yes())
		}
		d.yes = nil
	} else {
		d.take(msg)
	}
	d.settle()
}

// Settle does what a frame asked for.
func (d *ScreenDriver) Settle() { d.settle() }

func (d *ScreenDriver) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.start(c)
		}
	case screen.FlashMsg:
		d.Flashes = append(d.Flashes, msg.Text)
	case screen.AskMsg:
		d.Asked, d.yes = append(d.Asked, msg.Text), msg.Yes
	case screen.EditMsg:
		d.Edits = append(d.Edits, msg.Line)
	case screen.ExplainMsg:
		for i := range msg.Entries {
			d.Explained = append(d.Explained, msg.Entries[i].Name)
		}
	default:
		if t, copied := clipboard(msg); copied {
			d.Copied = append(d.Copied, t)
			return
		}
		d.update(msg)
	}
}

// clipboard is the text of a message of tea.SetClipboard, which is of a private type.
func clipboard(msg tea.Msg) (text string, ok bool) {
	v := reflect.ValueOf(msg)
	if v.Type() != reflect.TypeOf(tea.SetClipboard("")()) {
		return "", false
	}
	return v.String(), true
}

func (d *ScreenDriver) update(msg tea.Msg) {
	d.start(d.Screen.Update(msg))
	if !d.Away {
		d.Frame()
	}
}

// Back brings the screen to the front again.
func (d *ScreenDriver) Back() {
	d.Away = false
	d.start(d.Screen.Show())
	d.Frame()
	d.settle()
}

func (d *ScreenDriver) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	d.running++
	d.Started++
	results := d.results
	go func() { results <- cmd() }()
}

// settle takes answers until nothing runs.
func (d *ScreenDriver) settle() {
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
func (d *ScreenDriver) View(w, h int) string {
	d.t.Helper()
	v := widget.Render(d.env.Theme, d.Screen, w, h)
	Exact(d.t, v, w, h)
	return Text(v)
}

// Shows fails unless the view has all the texts.
func (d *ScreenDriver) Shows(w, h int, texts ...string) {
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
func (d *ScreenDriver) Await(w, h int, texts ...string) {
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
