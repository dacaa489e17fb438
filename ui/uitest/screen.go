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

// ScreenDriver takes the place of the root model for one screen: it passes keys on, runs commands until
// none is left, and then draws frames.
type ScreenDriver struct {
	Screen    screen.Screen
	Flashes   []string
	Edits     []string
	Copied    []string
	Asked     []string // texts of questions; the key y answers the last one
	Explained []string // names that the screen asked to explain
	Away      bool     // another screen is in front: there are no frames
	Started   int      // number of commands that the screen has started

	t       testing.TB
	env     *screen.Env
	yes     func() tea.Cmd // action of the open question
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

// Frame gives the screen a new frame and reports whether the view changed.
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

// Type presses one key for each character.
func (d *ScreenDriver) Type(text string) {
	for _, r := range text {
		d.Send(Key(string(r)))
	}
}

// Send completes the commands of the frame before, updates the screen, and waits until all
// resulting commands have ended.
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

// Settle runs the commands that a frame returned.
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

// clipboard returns the text of a message of tea.SetClipboard, whose type is private.
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

// settle takes answers until no command runs.
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

// Shows fails unless the view contains all the texts.
func (d *ScreenDriver) Shows(w, h int, texts ...string) {
	d.t.Helper()
	v := d.View(w, h)
	for _, t := range texts {
		if !strings.Contains(v, t) {
			d.t.Errorf("%q is not shown:\n%s", t, v)
		}
	}
}

// Await draws frames until the view contains all the texts, for results whose time depends on a
// real device.
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
