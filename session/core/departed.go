package core

import (
	"slices"
	"time"
)

// maxDeparted bounds what is remembered of destroyed objects, for each kind.
const maxDeparted = 64

// Departed is an object that was destroyed, or whose keys were replaced, as it was before.
type Departed[T any] struct {
	View T
	At   time.Duration // since the session began
}

// DepartedObjects are the memory regions, memory windows and queue pairs that were destroyed last, the oldest first.
type DepartedObjects struct {
	MRs []Departed[MRView]
	MWs []Departed[MWView]
	QPs []Departed[QPView]
}

// Departed returns what is remembered of destroyed objects.
func (s *Session) Departed() DepartedObjects {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	d := &s.departed
	return DepartedObjects{slices.Clone(d.MRs), slices.Clone(d.MWs), slices.Clone(d.QPs)}
}

// ViewOf is an object as a snapshot shows it, taken before a call that ends it.
func (s *Session) ViewOf(n *Node) *Snapshot {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	var v Snapshot
	n.Body.View(&v)
	return &v
}

// Depart remembers what ViewOf returned. Mu is held.
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
