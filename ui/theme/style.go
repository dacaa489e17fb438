package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Style is the SGR prefix that switches a semantic style on. It is made once from a
// Lip Gloss style, because rendering through Lip Gloss costs microseconds per cell.
// The zero Style is the terminal's default text. A copy of a theme's style follows
// the theme: see [Theme.Become].
type Style struct{ sgr *string }

// Make extracts the prefix of a Lip Gloss style: what it writes before its text.
func Make(s lipgloss.Style) Style {
	prefix, _, _ := strings.Cut(s.Render("x"), "x")
	return Style{&prefix}
}

// SGR returns the escape sequence that switches the style on; empty for none.
func (s Style) SGR() string {
	if s.sgr == nil {
		return ""
	}
	return *s.sgr
}

// Reset is the escape sequence that switches every style off.
const Reset = "\x1b[m"
