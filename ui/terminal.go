package ui

import (
	"fmt"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"rdmatui/ui/sequence"
)

// terminal restores the user's terminal if the screen can no longer do it. The zero
// value holds nothing.
type terminal struct {
	in, out *os.File
	state   *term.State
}

// saveTerminal saves the terminal's settings before the screen changes them.
func saveTerminal(in, out *os.File) (t terminal) {
	if !term.IsTerminal(in.Fd()) || !term.IsTerminal(out.Fd()) {
		return terminal{}
	}
	t = terminal{in: in, out: out}
	t.state, _ = term.GetState(in.Fd()) // without it the modes can still be reset
	return t
}

// ownTerminal is what keys are read from if standard input is not a terminal.
const ownTerminal = "/dev/tty"

// keyboard opens what keys are read from.
func keyboard() (*sequence.Reader, error) {
	if term.IsTerminal(os.Stdin.Fd()) {
		return sequence.NewReader(os.Stdin), nil
	}
	f, err := os.OpenFile(ownTerminal, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	return sequence.NewReader(f), nil
}

// Frames larger than any real screen are not drawn: a size is only what the other end of a connection has told, and
// each cell takes memory.
const (
	maxColumns = 2000
	maxRows    = 1000
)

// checkSize refuses a terminal that is larger, before the screen opens. No terminal at all is for the screen to refuse.
func checkSize(out *os.File) error {
	w, h, err := term.GetSize(out.Fd())
	if err != nil || w <= maxColumns && h <= maxRows {
		return nil
	}
	return fmt.Errorf("the terminal's size is %d columns by %d rows, and the screen draws at most %d by %d: set the size, "+
		"for example with 'stty cols 120 rows 40'", w, h, maxColumns, maxRows)
}

// checkKind refuses a terminal that cannot draw a screen, by its TERM.
func checkKind(getenv func(string) string) error {
	if kind := getenv("TERM"); kind == "" || kind == "dumb" {
		return fmt.Errorf("TERM=%s names no terminal that can draw a screen: set it, for example with 'TERM=xterm-256color rdmatui', "+
			"or use a command that needs none: rdmatui help", kind)
	}
	return nil
}

// boundSize limits the size that a terminal takes while the screen is open.
func boundSize(_ tea.Model, msg tea.Msg) tea.Msg {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		return tea.WindowSizeMsg{Width: min(size.Width, maxColumns), Height: min(size.Height, maxRows)}
	}
	return msg
}

// screenModes resets the modes in this order: the alternate screen last, so that the
// others do not affect the normal screen.
var screenModes = ansi.ResetModeSynchronizedOutput + ansi.ResetModeMouseNormal + ansi.ResetModeMouseButtonEvent +
	ansi.ResetModeMouseAnyEvent +
	ansi.ResetModeMouseExtSgr + ansi.ResetModeFocusEvent + ansi.ResetModeBracketedPaste + ansi.ResetModeUnicodeCore +
	ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1) + ansi.ResetStyle + ansi.ResetBackgroundColor +
	ansi.SetWindowTitle("") +
	ansi.SetModeTextCursorEnable + ansi.ResetModeAltScreenSaveCursor

// restore resets everything that a screen may have set.
func (t terminal) restore() {
	if t.out == nil {
		return
	}
	_, _ = io.WriteString(t.out, screenModes) // nobody is left to report an error to
	if t.state != nil {
		_ = term.Restore(t.in.Fd(), t.state)
	}
}
