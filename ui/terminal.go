package ui

import (
	"io"
	"os"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// terminal puts the user's terminal back where the screen cannot do it itself
// any more. The zero value holds nothing.
type terminal struct {
	in, out *os.File
	state   *term.State
}

// saveTerminal keeps the settings of the line before the screen changes them.
func saveTerminal(in, out *os.File) (t terminal) {
	if !term.IsTerminal(in.Fd()) || !term.IsTerminal(out.Fd()) {
		return terminal{}
	}
	t = terminal{in: in, out: out}
	t.state, _ = term.GetState(in.Fd()) // without it the modes can be reset at least
	return t
}

// screenModes are undone in this order: the alternate screen goes last, so that
// the ordinary screen is not touched by the others.
var screenModes = ansi.ResetModeSynchronizedOutput + ansi.ResetModeMouseNormal + ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent +
	ansi.ResetModeMouseExtSgr + ansi.ResetModeFocusEvent + ansi.ResetModeBracketedPaste + ansi.ResetModeUnicodeCore +
	ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1) + ansi.ResetStyle + ansi.ResetBackgroundColor + ansi.SetWindowTitle("") +
	ansi.SetModeTextCursorEnable + ansi.ResetModeAltScreenSaveCursor

// restore resets everything that a screen may have set.
func (t terminal) restore() {
	if t.out == nil {
		return
	}
	_, _ = io.WriteString(t.out, screenModes) // there is nobody left to tell
	if t.state != nil {
		_ = term.Restore(t.in.Fd(), t.state)
	}
}
