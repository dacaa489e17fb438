package ui

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"sync"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/widget/line"
)

// guard makes a panic in any goroutine leave the program the ordinary way: the
// terminal is restored and the objects are destroyed before the panic is reported. It
// keeps the first panic and ends the program. If no screen is open, the panic
// continues.
type guard struct {
	mu     sync.Mutex
	end    context.CancelFunc // nil while no screen is open
	tty    terminal           // the terminal's state before the screen opened
	fallen chan struct{}      // closed on the first panic
	what   string
	stack  []byte
}

// open starts catching panics, until shut.
func (g *guard) open(end context.CancelFunc, tty terminal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end, g.tty, g.fallen, g.what, g.stack = end, tty, make(chan struct{}), "", nil
}

func (g *guard) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.end, g.tty = nil, terminal{}
}

// restore restores the terminal while a screen is open.
func (g *guard) restore() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tty.restore()
}

func (g *guard) caught(reason any, stack []byte) {
	if !g.keep(reason, stack) {
		panic(reason)
	}
}

func (g *guard) keep(reason any, stack []byte) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.end == nil {
		return false
	}
	if g.stack == nil {
		g.what, g.stack = fmt.Sprint(reason), stack
		close(g.fallen)
	}
	g.end()
	return true
}

// catch recovers a panic; it must be deferred.
func (g *guard) catch() {
	if r := recover(); r != nil {
		g.caught(r, debug.Stack())
	}
}

// tell writes the stack of the panic and returns the panic as an error; nil if there
// was none. The terminal must have been restored.
func (g *guard) tell(w io.Writer) error {
	g.mu.Lock()
	what, stack := g.what, g.stack
	g.mu.Unlock() // writing to a terminal may block
	if stack == nil {
		return nil
	}
	line.WriteTrace(w, stack)
	return fmt.Errorf("a bug in rdmatui: %s; please report it with the lines above", what)
}

// guarded is a model whose panics, and those of its commands, go to a guard.
type guarded struct {
	tea.Model
	*guard
}

// Init implements tea.Model; a panic in it is reported.
func (m guarded) Init() (cmd tea.Cmd) {
	defer m.catch()
	return m.command(m.Model.Init())
}

// Update implements tea.Model; a panic in it is reported.
func (m guarded) Update(msg tea.Msg) (next tea.Model, cmd tea.Cmd) {
	next = m
	defer m.catch()
	inner, cmd := m.Model.Update(msg)
	return guarded{inner, m.guard}, m.command(cmd)
}

// View implements tea.Model; a panic in it is reported.
func (m guarded) View() (v tea.View) {
	v.AltScreen = true // a panic's output must not reach the normal screen
	defer m.catch()
	return m.Model.View()
}

func (m guarded) command(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer m.catch()
		msg = cmd()
		for i, cmds := 0, commandsIn(msg); i < len(cmds); i++ {
			cmds[i] = m.command(cmds[i])
		}
		return msg
	}
}
