// Package screen is what the root model and the screens agree on: what a screen
// is, what it may see of the session, and how it asks for work to be done.
//
// Rules: no I/O in Update or DrawLine; work runs in a tea.Cmd that [Env] makes;
// a screen never keeps verbs objects; what came from outside is drawn through
// line.Buf, which escapes it.
package screen

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/store"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// ID numbers the screens: it is the number key.
type ID int

// The screens.
const (
	Home ID = iota
	Devices
	BringUp
	Post
	Completions
	Connections
	Wire
	Scenarios
	Journal
	Count
)

// Names are what the bar of screens calls them, ShortNames what it calls them
// on 80 columns.
var (
	Names      = [Count]string{"Home", "Devices", "Bring-up", "Post", "Completions", "Connections", "Wire", "Scenarios", "Journal"}
	ShortNames = [Count]string{"Home", "Dev", "Bring", "Post", "Cmpl", "Conn", "Wire", "Scen", "Jrnl"}
)

// DeviceView is an open device as the session shows it.
type DeviceView = session.DeviceView

// Inventory is what the Devices screen uses of the host's inventory.
type Inventory interface {
	List() []devices.Summary                          // all devices
	Detail(name string) (devices.Detail, error)       // of one device, opened to be read
	Counters(name string) ([]devices.Counter, error)  // of one device
	Resources(name string) (devices.Resources, error) // who uses one device
	Watch(ctx context.Context) <-chan struct{}        // a value when the list may have changed
}

// Env is what all screens share. It does not change while the program runs.
type Env struct {
	Ctx       context.Context // ends when the program leaves
	Theme     *theme.Theme
	Session   *session.Session
	Inventory Inventory
	Diagnose  func(ctx context.Context) []devices.Finding
	Scenarios ScenarioStarter
	Asks      *script.Asker // what commands of the session ask a person by
	Store     *store.Store  // choices, and what is remembered between runs; nil: nothing is
	Crashed   verbs.CrashHook
}

// Exec returns the work of running one command line; a [DoneMsg] reports it.
func (e *Env) Exec(line string) tea.Cmd {
	return func() tea.Msg {
		done, err := e.Session.Exec(e.Ctx, line)
		return DoneMsg{Line: line, Done: done, Err: err}
	}
}

// Save returns the work of writing what the store has to keep. A file that cannot be
// written is told of in the journal and at the bottom.
func (e *Env) Save() tea.Cmd {
	return func() tea.Msg {
		err := e.Store.Save()
		if err == nil {
			return nil
		}
		text := strings.ReplaceAll(err.Error(), "\n", "; ")
		e.Session.Timeline().Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Level: timeline.LevelWarn, Text: text}})
		return FlashMsg{Level: timeline.LevelWarn, Text: text}
	}
}

// DoneMsg is what became of a command line. It goes to the screen that ran the
// line, or over which it was typed; root shows a failure wherever one is.
type DoneMsg struct {
	Line  string
	Done  timeline.CommandDone
	Err   error
	Typed bool // into the command line: no key of the screen ran it
}

// GotoMsg asks root to show another screen, and there an item such as a device, if
// it is not "" and the screen is a [Picker].
type GotoMsg struct {
	To   ID
	Item string
}

// Starter is a screen with work from the start of the program, before it first comes
// to the front.
type Starter interface{ Start() tea.Cmd }

// Answerer is a screen that shows what became of its lines itself. Answers reports
// whether it does in the frame at hand: root need not tell of a failure then.
type Answerer interface{ Answers() bool }

// Picker is a screen that can be told which of its items to show.
type Picker interface{ Pick(item string) tea.Cmd }

// EditMsg asks root to open the console with a line to edit.
type EditMsg struct{ Line string }

// FlashMsg asks root to show a line at the bottom for a while.
type FlashMsg struct {
	Level timeline.Level
	Text  string
}

// Fielder is a screen whose form can be looked at, so that a tour knows what is to be
// done there. Field returns the value of a field by its name, "" where there is none.
type Fielder interface{ Field(name string) string }

// Fields makes a function a Fielder, for embedding.
type Fields func(name string) string

// Field implements Fielder.
func (f Fields) Field(name string) string { return f(name) }

// AskMsg asks root to put a question; Yes is called on the event loop when it is
// answered with yes, and returns work of the screen that asked.
type AskMsg struct {
	Title, Text string
	Yes         func() tea.Cmd
}

// Send makes a message into the work of sending it.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// State is what one frame shows of the session: values, copied by root at
// frame rate, the same for all screens.
type State struct {
	Session session.Snapshot
	Counts  timeline.Counts
}

// Screen is one of the numbered screens. All methods run on the event loop.
type Screen interface {
	widget.Block
	widget.Mouser
	// Context is what can be pressed now, for help and the bottom line.
	Context() keymap.Context
	// Typing reports that a field is being edited: then even digits, ':' and q
	// belong to the screen.
	Typing() bool
	// Show tells the screen that it comes to the front.
	Show() tea.Cmd
	// Refresh hands over the state of a new frame; it is called while the screen
	// is in front. It reports whether something on it changed, and returns the work
	// that the new state asks for.
	Refresh(st *State) (changed bool, work tea.Cmd)
	// Update takes a key that root did not want, or what the screen's own work
	// brought: that comes whichever screen is in front. The messages that ask root
	// for something ([GotoMsg], [EditMsg], [FlashMsg], [AskMsg], [ExplainMsg]) go to root.
	Update(msg tea.Msg) tea.Cmd
}
