package ui

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/screen/objects"
	"rdmatui/ui/widget"
)

// objectMap is the picture of the objects, laid over a screen.
type objectMap struct{ *objects.View }

// layObjects lays the picture over the screen, with the cursor on the queue pair in hand.
func layObjects(a *App) {
	a.lay("objects", &objectMap{objects.New(a.env)})
	a.helpFull = true
}

// context implements keyed.
func (m *objectMap) context() keymap.Context { return keymap.MapOpen }

// key implements keyed.
func (m *objectMap) key(a *App, k tea.KeyPressMsg) tea.Cmd {
	switch {
	case keymap.Matches(k, keymap.Map.Open):
		a.help, a.helpBox = nil, nil
		return m.Open()
	case keymap.Matches(k, keymap.Map.Close):
		a.help, a.helpBox = nil, nil
	default:
		m.Update(k)
	}
	return nil
}

// Update implements overlay.
func (m *objectMap) Update(msg tea.Msg) bool {
	k, ok := msg.(tea.KeyPressMsg)
	return ok && m.View.Update(k)
}

// Len implements overlay: the picture is as high as it can be, since it grows.
func (m *objectMap) Len() int { return 1 << 16 }

// Typing implements overlay.
func (m *objectMap) Typing() bool { return false }

// point takes the mouse while the picture is shown: a double click goes to the object.
func (m *objectMap) point(a *App, at widget.Mouse) tea.Cmd {
	w, h := helpSize(a)
	in := at.In((a.w-w)/2+1, (a.h-h)/2+1)
	m.SetSize(w-2, h-2)
	if m.Mouse(in) && isDouble(a, at) {
		return m.key(a, keymap.Press(keymap.Map.Open.Keys()[0]))
	}
	return nil
}
