package core

import (
	"slices"

	"rdmatui/session/command"
)

// Destroyed is an object that a command has destroyed.
type Destroyed struct {
	Name     string
	Kind     command.ObjectKind
	Uses     []string  // the objects that it was made from
	View     *Snapshot // as it was
	Line     string    // makes it again; "" if no line does
	Cannot   string    // why no line does
	Contents []byte    // of a memory region; nil if they are not kept
	Lost     []string  // what the line does not bring back
}

// Bounds of what is kept of destroyed objects.
const (
	maxDestroyed = 64
	MaxContents  = 16 << 20 // bytes of all
)

// LostBytes says that the bytes of a memory region are not kept.
const LostBytes = "its bytes"

// KeepDestroyed keeps an object that was destroyed, for undo.
func (s *Session) KeepDestroyed(d *Destroyed) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.destroyed = append(s.destroyed, d)
	if over := len(s.destroyed) - maxDestroyed; over > 0 {
		s.destroyed = slices.Delete(s.destroyed, 0, over)
	}
	room := MaxContents
	for _, d := range slices.Backward(s.destroyed) {
		if room -= len(d.Contents); room < 0 && d.Contents != nil {
			d.Contents, d.Lost = nil, append(d.Lost, LostBytes)
		}
	}
	s.Changed()
}

// LastDestroyed returns the object destroyed last of those that could be there again: its name is free, and what it
// was made from is there. It is nil if there is none.
func (s *Session) LastDestroyed() *Destroyed {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return s.lastDestroyed()
}

// lastDestroyed is LastDestroyed with Mu held.
func (s *Session) lastDestroyed() *Destroyed {
	gone := func(used string) bool { return s.Graph.ByName[used] == nil }
	for _, d := range slices.Backward(s.destroyed) {
		if s.Graph.ByName[d.Name] == nil && !slices.ContainsFunc(d.Uses, gone) {
			return d
		}
	}
	return nil
}

// ForgetDestroyed forgets an object.
func (s *Session) ForgetDestroyed(d *Destroyed) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.destroyed = slices.DeleteFunc(s.destroyed, func(o *Destroyed) bool { return o == d })
	s.Changed()
}
