package native

import (
	"cmp"
	"slices"
	"sync"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/dl"
)

// regionSet holds the address ranges of a device's regions. The driver copies inline
// data at post time from whatever address it is given; an unmapped one would kill the
// process.
type regionSet struct {
	mu     sync.RWMutex
	ranges []addressRange // sorted by start; they do not overlap
}

type addressRange struct {
	start, end uint64
	fragile    *dl.Mem // the memory of the range, if it can become inaccessible
}

func (s *regionSet) search(start uint64) (int, bool) {
	return slices.BinarySearchFunc(s.ranges, start, func(r addressRange, start uint64) int {
		return cmp.Compare(r.start, start)
	})
}

// add adds the memory of a region that starts at the given address.
func (s *regionSet) add(start uint64, mem *dl.Mem) {
	r := addressRange{start: start, end: start + uint64(mem.Len())}
	if mem.Mapping() != nil {
		r.fragile = mem
	}
	s.insert(r)
}

func (s *regionSet) insert(r addressRange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := s.search(r.start)
	s.ranges = slices.Insert(s.ranges, i, r)
}

func (s *regionSet) remove(start uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, ok := s.search(start); ok {
		s.ranges = slices.Delete(s.ranges, i, i+1)
	}
}

// holds reports whether all elements lie inside live regions.
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
	return length == 0 || s.of(addr, length) != nil
}

// of returns the region that contains a range, nil if there is none.
func (s *regionSet) of(addr, length uint64) *addressRange {
	i, exact := s.search(addr)
	if !exact {
		i-- // the last one that starts before addr
	}
	if i < 0 || addr >= s.ranges[i].end || length > s.ranges[i].end-addr {
		return nil
	}
	return &s.ranges[i]
}

// safe returns a list from which a driver can copy inline data: elements in memory that
// can become inaccessible are replaced by copies. It also returns the copies, which the
// caller keeps until the post is done. The list lies inside live regions.
func (s *regionSet) safe(list []verbs.SGE) (safe []verbs.SGE, copies [][]byte, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i, e := range list {
		r := s.of(e.Addr, uint64(e.Length))
		if e.Length == 0 || r.fragile == nil {
			continue
		}
		if copies == nil {
			list = slices.Clone(list)
		}
		p := make([]byte, e.Length)
		if _, err := r.fragile.ReadAt(p, int64(e.Addr-r.start)); err != nil {
			return nil, nil, err
		}
		list[i].Addr = dl.AddrOf(p)
		copies = append(copies, p)
	}
	return list, copies, nil
}
