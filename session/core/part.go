package core

import "reflect"

// Part returns the session's only T: the state that a group of commands keeps per
// session. fresh makes it on first use; nil: the zero value.
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
