package native

import (
	"cmp"
	"slices"
	"sync"

	"rdmatui/verbs"
)

// regionSet is the address ranges of a device's regions. Inline data is copied
// by the driver at post time, from any address it is given: one that is not
// mapped would kill the process.
type regionSet struct {
	mu     sync.RWMutex
	ranges []addressRange // by start; they do not overlap
}

type addressRange struct{ start, end uint64 }

func (s *regionSet) search(start uint64) (int, bool) {
	return slices.BinarySearchFunc(s.ranges, start, func(r addressRange, start uint64) int {
		return cmp.Compare(r.start, start)
	})
}

func (s *regionSet) add(start, length uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := s.search(start)
	s.ranges = slices.Insert(s.ranges, i, addressRange{start, start + length})
}

func (s *regionSet) remove(start uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, ok := s.search(start); ok {
		s.ranges = slices.Delete(s.ranges, i, i+1)
	}
}

// holds tells whether all the elements lie inside live regions.
func (s *regionSet) holds(list []verbs.SGE) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := range list {
		if !s.holdsOne(list[i].Addr, uint64(list[i].Length)) {
			return false
		}
	}
	return true
}

func (s *regionSet) holdsOne(addr, length uint64) bool {
	if length == 0 {
		return true
	}
	i, exact := s.search(addr)
	if !exact {
		i-- // the last one that starts before
	}
	return i >= 0 && addr < s.ranges[i].end && length <= s.ranges[i].end-addr
}
