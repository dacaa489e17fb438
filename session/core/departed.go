package core

import (
	"slices"
	"time"
)

// maxDeparted bounds the destroyed objects kept, for each kind.
const maxDeparted = 64

// Departed is the last view of an object that was destroyed, or whose keys were replaced.
type Departed[T any] struct {
	View T
	At   time.Duration // since the session started
}

// DepartedObjects holds the memory regions, memory windows and queue pairs destroyed last, oldest first.
type DepartedObjects struct {
	MRs []Departed[MRView]
	MWs []Departed[MWView]
	QPs []Departed[QPView]
}

// Departed returns the destroyed objects that are kept.
func (s *Session) Departed() DepartedObjects {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	d := &s.departed
	return DepartedObjects{slices.Clone(d.MRs), slices.Clone(d.MWs), slices.Clone(d.QPs)}
}

// ViewOf returns an object as a snapshot shows it, before a call that destroys it.
func (s *Session) ViewOf(n *Node) *Snapshot {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	var v Snapshot
	n.Body.View(&v)
	return &v
}

// Depart stores what ViewOf returned. Mu is held.
func (s *Session) Depart(v *Snapshot) {
	at, d := time.Since(s.Start), &s.departed
	d.MRs = depart(d.MRs, v.MRs, at)
	d.MWs = depart(d.MWs, v.MWs, at)
	d.QPs = depart(d.QPs, v.QPs, at)
}

func depart[T any](list []Departed[T], views []T, at time.Duration) []Departed[T] {
	for _, v := range views {
		list = append(list, Departed[T]{v, at})
	}
	if over := len(list) - maxDeparted; over > 0 {
		list = slices.Delete(list, 0, over)
	}
	return list
}
