package uitest

import (
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
)

const (
	settle  = 20 // how many steps Send waits for commands that answer at once
	step    = time.Millisecond
	patient = 10 * time.Second // how long WaitFor waits before the test fails
	maxMsgs = 1000             // messages one Send may cause; more is a loop
)

// Driver runs a model as the program would: messages in, commands run, views out.
// Every view is checked against the size of the window.
type Driver struct {
	Model tea.Model
	Quit  bool // the model asked to leave

	t       testing.TB
	w, h    int
	results chan tea.Msg
	running int
}

// New starts a model in a window of w times h cells.
func New(t testing.TB, m tea.Model, w, h int) *Driver {
	t.Helper()
	d := &Driver{Model: m, t: t, w: w, h: h, results: make(chan tea.Msg, maxMsgs)}
	_ = m.View() // the program draws once before it knows the size
	d.start(m.Init())
	d.Resize(w, h)
	return d
}

// Resize changes the window.
func (d *Driver) Resize(w, h int) {
	d.t.Helper()
	d.w, d.h = w, h
	d.Send(tea.WindowSizeMsg{Width: w, Height: h})
}

// Send updates the model, runs the commands that answer at once, and checks the
// view. Slower answers are taken by later calls or by WaitFor.
func (d *Driver) Send(msgs ...tea.Msg) {
	d.t.Helper()
	for _, msg := range msgs {
		d.update(msg)
		d.drain(settle)
	}
	Fits(d.t, d.Raw(), d.w, d.h)
}

// Keys presses keys by the names bindings use: "down", "ctrl+c", "shift+tab", "a".
func (d *Driver) Keys(names ...string) {
	d.t.Helper()
	for _, n := range names {
		d.Send(Key(n))
	}
}

// Press presses keys without waiting for their effects, which later calls take.
func (d *Driver) Press(names ...string) {
	for _, n := range names {
		d.update(Key(n))
	}
}

// Point presses and releases the left button, and turns the wheel, without waiting as Press does.
func (d *Driver) Point(x, y int, wheel tea.MouseButton) {
	m := tea.Mouse{X: x, Y: y, Button: tea.MouseLeft}
	d.update(tea.MouseClickMsg(m))
	d.update(tea.MouseReleaseMsg(m))
	d.update(tea.MouseWheelMsg{X: x, Y: y, Button: wheel})
}

// Type presses one key for each character.
func (d *Driver) Type(text string) {
	d.t.Helper()
	for _, r := range text {
		d.Send(Key(string(r)))
	}
}

// Click presses and releases the left button.
func (d *Driver) Click(x, y int) {
	d.t.Helper()
	m := tea.Mouse{X: x, Y: y, Button: tea.MouseLeft}
	d.Send(tea.MouseClickMsg(m), tea.MouseReleaseMsg(m))
}

// Raw returns the view as sent to the terminal.
func (d *Driver) Raw() string { return d.Model.View().Content }

// View returns the view without styles.
func (d *Driver) View() string { return Text(d.Raw()) }

// Contains reports whether the view shows a text.
func (d *Driver) Contains(text string) bool { return strings.Contains(d.View(), text) }

// WaitFor takes answers of commands until the view shows a text.
func (d *Driver) WaitFor(text string) {
	d.t.Helper()
	if !d.Until(func() bool { return d.Contains(text) }) {
		d.t.Fatalf("%q never came up; the view is\n%s", text, d.View())
	}
	Fits(d.t, d.Raw(), d.w, d.h)
}

// Until takes answers of commands until a condition holds. It reports false if that
// takes too long.
func (d *Driver) Until(holds func() bool) bool {
	limit := time.After(patient)
	for !holds() {
		select {
		case msg := <-d.results:
			d.running--
			d.update(msg)
		case <-limit:
			return false
		}
	}
	return true
}

func (d *Driver) update(msg tea.Msg) {
	if cmds, ok := many(msg); ok {
		for _, c := range cmds {
			d.start(c)
		}
		return
	}
	switch msg.(type) {
	case nil:
		return
	case tea.QuitMsg, tea.InterruptMsg:
		d.Quit = true
		return
	}
	var cmd tea.Cmd
	d.Model, cmd = d.Model.Update(msg)
	d.start(cmd)
}

func (d *Driver) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	d.running++
	results := d.results
	go func() { results <- cmd() }()
}

// drain takes answers for a number of steps. It counts steps instead of looking at the
// clock: a loaded machine that stops the test also stops the commands, and skips steps.
func (d *Driver) drain(steps int) {
	d.t.Helper()
	tick := time.NewTicker(step)
	defer tick.Stop()
	for n := 0; d.running > 0; {
		select {
		case msg := <-d.results:
			if n++; n == maxMsgs {
				d.t.Fatalf("one message caused %d more", n)
			}
			d.running--
			d.update(msg)
		case <-tick.C:
			if steps--; steps == 0 {
				return
			}
		}
	}
}

// End waits for running commands and drops their messages: no goroutine may outlive a synctest bubble.
func (d *Driver) End() {
	for ; d.running > 0; d.running-- {
		<-d.results
	}
}

// many unpacks batches and sequences; the type of sequences is private.
func many(msg tea.Msg) ([]tea.Cmd, bool) {
	v := reflect.ValueOf(msg)
	want := reflect.TypeFor[[]tea.Cmd]()
	if !v.IsValid() || v.Kind() != reflect.Slice || !v.CanConvert(want) {
		return nil, false
	}
	return v.Convert(want).Interface().([]tea.Cmd), true
}

// Key makes the message of a key from its name.
func Key(name string) tea.KeyPressMsg { return keymap.Press(name) }
