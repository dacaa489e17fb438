package ui

import (
	"io"
	"os"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
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
