package native

import (
	"slices"
	"sync"

	"rdmatui/verbs"
)

// notes are lines for the user about what the devices do.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (l *library) note(text string) {
	l.notes.mu.Lock()
	defer l.notes.mu.Unlock()
	if !slices.Contains(l.notes.lines, text) {
		l.notes.lines = append(l.notes.lines, text)
	}
}

var _ verbs.Noter = (*Provider)(nil)

// Notes implements verbs.Noter.
func (p *Provider) Notes() []string {
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
