// Package screen is what the root model and the screens share: what a screen is, what
// it may read of the session, and how it requests work; and what the numbered screens
// are built from: the panes and their focus, the line below them for typing a filter or
// a file name, the table of keys and actions, the notes of a frame, and reading off the
// event loop.
//
// What only one screen shows or does is not here: its columns, its layout, its command
// lines. Neither are widgets, which know nothing of screens, nor what root owns: the
// bar, the strip, the console. Package steps runs command lines.
//
// Rules: no I/O in Update or DrawLine; work runs in a tea.Cmd made by [Env]; a screen
// never keeps verbs objects; text from outside is drawn through line.Buf, which
// escapes it.
package screen

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/conversation"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/store"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// ID numbers the screens by their number keys.
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
	Measure
	Count
)

// Names are the screens' names in the bar, ShortNames those on 80 columns.
var (
	Names = [Count]string{"Home", "Devices", "Bring-up", "Post", "Completions", "Connections", "Wire",
		"Scenarios", "Journal", "Measure"}
	ShortNames = [Count]string{"Home", "Dev", "Bring", "Post", "Cmpl", "Conn", "Wire", "Scen", "Jrnl", "Meas"}
)

// DeviceView is an open device as the session shows it.
type DeviceView = session.DeviceView

// HasActive reports whether a port of a device is ACTIVE.
func HasActive(d *devices.Summary) bool {
	return slices.ContainsFunc(d.Ports, func(p devices.PortSummary) bool { return p.State == verbs.PortActive })
}

// ReachedAt returns the first routable address of the usual port, or else of any port; "" for none.
func ReachedAt(ports []devices.Port, usual uint8) (address string) {
	for i := range ports {
		for _, g := range ports[i].GIDs {
			a := g.GID.Addr()
			switch {
			case g.Type != verbs.GIDTypeRoCEv2 || a.IsLinkLocalUnicast():
			case ports[i].PortNum == usual:
				return a.String()
			case address == "":
				address = a.String()
			}
		}
	}
	return address
}

// Inventory is what the Devices screen uses of the host's inventory.
type Inventory interface {
	List() []devices.Summary                          // all devices
	Detail(name string) (devices.Detail, error)       // of one device, opened to be read
	Counters(name string) ([]devices.Counter, error)  // of one device
	Resources(name string) (devices.Resources, error) // who uses one device
	Watch(ctx context.Context) <-chan struct{}        // a value when the list may have changed
}

// Env is shared by all screens. But for what is in hand it does not change while the program runs.
type Env struct {
	Hand      Hand
	Ctx       context.Context // ends when the program leaves
	Theme     *theme.Theme
	Session   *session.Session
	Inventory Inventory
	Diagnose  func(ctx context.Context) []devices.Finding
	Asks      *script.Asker // asks the user for input that commands need
	Store     *store.Store  // settings, and what is remembered between runs; nil: nothing is
	Crashed   verbs.CrashHook
	Trace     *conversation.Trace // a capture that the Wire screen shows; nil: the session's packets
}

// Exec is Run for a line.
func (e *Env) Exec(line string) tea.Cmd { return e.Run(command.Read(line)) }

// Run returns the work of running a command; a [DoneMsg] reports its outcome.
func (e *Env) Run(cmd command.Command) tea.Cmd {
	return func() tea.Msg {
		done, err := e.Session.Run(e.Ctx, cmd)
		return DoneMsg{Line: cmd.Text, Done: done, Err: err}
	}
}

// Save returns the work of writing the store's changes. A failed write is reported in
// the journal and on the bottom line.
func (e *Env) Save() tea.Cmd {
	return func() tea.Msg {
		err := e.Store.Save()
		if err == nil {
			return nil
		}
		text := strings.ReplaceAll(err.Error(), "\n", "; ")
		e.Session.Timeline().
			Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Level: timeline.LevelWarn, Text: text}})
		return FlashMsg{Level: timeline.LevelWarn, Text: text}
	}
}

// DoneMsg is the outcome of a command line. It goes to the screen that ran the line,
// or over which it was typed; root shows a failure on any screen.
type DoneMsg struct {
	Line  string
	Done  timeline.CommandDone
	Err   error
	Typed bool // typed in the console, not run by a key of the screen
}

// GotoMsg asks root to show another screen, and, if Item is not "" and the screen is
// a [Picker], an item there such as a device.
type GotoMsg struct {
	To   ID
	Item string
}

// Starter is a screen with work to do from the start of the program, before it first
// comes to the front.
type Starter interface{ Start() tea.Cmd }

// Keeper is a screen that takes what the session keeps for a while only, in each frame in which another is in front.
type Keeper interface{ Keep() }

// Answerer is a screen that shows the outcome of its lines itself. Answers reports
// whether the current frame does: root then need not report a failure.
type Answerer interface{ Answers() bool }

// Leaver is a screen that may offer a choice. Leave closes it if a message is none of its
// keys, and reports whether it did: then the message does what it does without the choice.
type Leaver interface{ Leave(msg tea.Msg) bool }

// Picker is a screen that can show a named item.
type Picker interface{ Pick(item string) tea.Cmd }

// Picks makes a function a Picker, for embedding.
type Picks func(item string) tea.Cmd

// Pick implements Picker.
func (p Picks) Pick(item string) tea.Cmd { return p(item) }

// EditMsg asks root to open the console with a line to edit.
type EditMsg struct{ Line string }

// FlashMsg asks root to show a message on the bottom line for a while.
type FlashMsg struct {
	Level timeline.Level
	Text  string
}

// Fielder is a screen whose form a tour can read, to know what is left to do there.
// Field returns the value of a named field, "" if there is none.
type Fielder interface{ Field(name string) string }

// Fields makes a function a Fielder, for embedding.
type Fields func(name string) string

// Field implements Fielder.
func (f Fields) Field(name string) string { return f(name) }

// AskMsg asks root to put a question; if it is answered with yes, Yes is called on
// the event loop and returns work of the screen that asked.
type AskMsg struct {
	Title, Text string
	Yes         func() tea.Cmd
}

// Send returns the work of sending a message.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// State is the session's state in one frame: values, copied by root at frame rate,
// the same for all screens.
type State struct {
	Session session.Snapshot
	Counts  timeline.Counts
}

// Screen is one of the numbered screens. All methods run on the event loop.
type Screen interface {
	widget.Block
	widget.Mouser
	// Context returns the keys that work now, for help and the bottom line.
	Context() keymap.Context
	// Typing reports that a field is being edited: then the screen also gets digits, ':'
	// and q.
	Typing() bool
	// Show tells the screen that it comes to the front.
	Show() tea.Cmd
	// Refresh passes the state of a new frame to the screen in front. It reports whether
	// something on the screen changed, and returns the work that the new state requires.
	Refresh(st *State) (changed bool, work tea.Cmd)
	// Update takes a key that root did not use, or the result of the screen's own work,
	// which arrives whichever screen is in front. The messages that request something of
	// root ([GotoMsg], [EditMsg], [FlashMsg], [AskMsg], [ExplainMsg]) go to root.
	Update(msg tea.Msg) tea.Cmd
}
