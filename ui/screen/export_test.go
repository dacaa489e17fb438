package screen

import "rdmatui/ui/theme"

// SaidOfCopy is how many bytes of a copied text the bottom line repeats.
const SaidOfCopy = saidOfCopy

// Theme returns the theme in which the line below the panes is drawn.
func (e *Entry) Theme() *theme.Theme { return e.th }

// SetTheme sets it.
func (e *Entry) SetTheme(th *theme.Theme) { e.th = th }

// StopPicking closes the choice.
func (e *Entry) StopPicking() { e.pick = nil }
