package core

import "reflect"

// Part returns the session's T, of which there is one: what a group of commands keeps
// for each session. fresh makes it when it is first asked for; nil: the zero value.
func Part[T any](s *Session, fresh func() *T) *T {
	key := reflect.TypeFor[T]()
	if p, ok := s.parts.Load(key); ok {
		return p.(*T)
	}
	s.making.Lock()
	defer s.making.Unlock()
	if p, ok := s.parts.Load(key); ok {
		return p.(*T)
	}
	if fresh == nil {
		fresh = func() *T { return new(T) }
	}
	p := fresh()
	s.parts.Store(key, p)
	return p
}
