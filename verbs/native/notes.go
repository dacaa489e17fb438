package native

import (
	"slices"
	"sync"

	"rdmatui/verbs"
)

// notes collects remarks for the user about the devices.
type notes struct {
	mu    sync.Mutex
	lines []verbs.Note
}

func (l *library) note(device, text string) {
	l.notes.mu.Lock()
	defer l.notes.mu.Unlock()
	if !slices.ContainsFunc(l.notes.lines, func(n verbs.Note) bool { return n.Text == text }) {
		l.notes.lines = append(l.notes.lines, verbs.Note{Devices: []string{device}, Text: text})
	}
}

var _ verbs.Noter = (*Provider)(nil)

// Notes implements verbs.Noter.
func (p *Provider) Notes() []verbs.Note {
	p.mu.Lock()
	lib := p.lib
	p.mu.Unlock()
	if lib == nil {
		return nil
	}
	lib.notes.mu.Lock()
	defer lib.notes.mu.Unlock()
	return slices.Clone(lib.notes.lines)
}
