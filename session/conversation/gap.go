package conversation

import (
	"slices"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

// hole is a range of PSNs that were not captured.
type hole struct{ from, to wire.PSN } // both belong to it

// leave takes a range of PSNs that was passed over.
func (s *Side) leave(h hole) {
	s.Missing += uint64(h.to.Sub(h.from) + 1)
	s.holes = append(s.holes, h)
	if len(s.holes) > maxHoles {
		s.holes = s.holes[1:]
	}
}

// fill removes a PSN from the gaps, with those of the same gap up to another. It returns the last one that it removed,
// and false if the first is in no gap.
func (s *Side) fill(psn, last wire.PSN) (wire.PSN, bool) {
	for i, h := range s.holes {
		if psn.Sub(h.from) < 0 || psn.Sub(h.to) > 0 {
			continue
		}
		if last.Sub(h.to) > 0 {
			last = h.to
		}
		s.Missing -= uint64(last.Sub(psn) + 1)
		rest := s.holes[i+1:]
		s.holes = s.holes[:i:i]
		if psn != h.from {
			s.holes = append(s.holes, hole{h.from, psn.Add(-1)})
		}
		if last != h.to {
			s.holes = append(s.holes, hole{last.Add(1), h.to})
		}
		s.holes = append(s.holes, rest...)
		return last, true
	}
	return psn, false
}

// old takes a packet with a PSN that has been passed: it fills a gap, or is sent again.
func (s *Side) old(t *Table, f *capture.Frame, info *wire.OpcodeInfo) Marks {
	psn := f.Wire.BTH.PSN
	r := s.find(psn)
	if r != nil && r.Operation == wire.OpRead && info.Operation != wire.OpRead && psn != r.First {
		s.shorten(r, psn.Add(-1)) // the PSN was taken for that of an answer
	}
	_, filled := s.fill(psn, psn)
	switch {
	case filled:
		r = s.place(t, f, info)
	case r != nil:
		r.Sent = f.At
		if info.Operation != wire.OpRead {
			r.Packets++
		}
	}
	t.Touched = r
	if filled && s.reason == AfterTimeout && !s.repeating { // nobody asked for it: it was overtaken
		s.Late++
		return Late
	}
	why := s.reason
	if why == AfterTimeout && f.Way == capture.Unknown && s.recent.since(sight(f)) < soon {
		why = Soon
	}
	s.Again[why]++
	s.repeating = true
	if r != nil {
		r.Again[why]++
	}
	return Again
}

// place adds a packet that was missing to the request that it belongs to: one of which other packets were captured, or
// one of its own. It returns nil where an unreliable transport has ended the request already.
func (s *Side) place(t *Table, f *capture.Frame, info *wire.OpcodeInfo) *Request {
	psn := f.Wire.BTH.PSN
	i, _ := slices.BinarySearchFunc(s.open, psn, func(r *Request, psn wire.PSN) int {
		if r.First.Sub(psn) <= 0 {
			return -1
		}
		return 1
	})
	var r *Request
	switch starts, ends := info.Position&wire.Starts != 0, info.Position&wire.Ends != 0; {
	case i > 0 && s.open[i-1].Operation == info.Operation && s.open[i-1].Last.Sub(psn) >= 0:
		r = s.open[i-1]
	case i > 0 && s.open[i-1].Operation == info.Operation && !s.open[i-1].ends && !starts:
		r = s.open[i-1]
		r.Last = psn
	case i < len(s.open) && s.open[i].Operation == info.Operation && !s.open[i].begins && !ends:
		r = s.open[i]
		r.First = psn
	case info.Transport != wire.RC:
		return nil
	default:
		r = &Request{Operation: info.Operation, First: psn, Last: psn, Begin: f.At}
		s.open = slices.Insert(s.open, i, r)
		i++
	}
	r.take(f, info)
	if info.Operation == wire.OpRead {
		s.claim(t, r)
	}
	if i < len(s.open) && s.open[i] != r && s.open[i].continues(r) {
		r.join(s.open[i])
		s.open = slices.Delete(s.open, i, i+1)
	}
	if info.Transport != wire.RC && r.ends {
		s.drop(r)
		s.finish(t, r, Unreliable)
	}
	s.bound(t)
	return r
}

// claim gives a READ in a gap the PSNs of its answers; all up to the next request if their number is not known.
func (s *Side) claim(t *Table, r *Request) {
	n, known := r.answers(t.mtus[s.talk])
	if r.loose = !known; r.loose {
		n = maxAnswers
	}
	last := r.First.Add(n - 1)
	if last != r.First {
		if to, filled := s.fill(r.First.Add(1), last); filled {
			r.Last = to
		}
	}
}

// shorten ends the PSNs of a READ's answers earlier; those behind them were not captured.
func (s *Side) shorten(r *Request, last wire.PSN) {
	if rest := (hole{last.Add(1), r.Last}); rest.to.Sub(rest.from) >= 0 {
		s.leave(rest)
		r.Last = last
	}
}

// continues reports whether the packets of a request are the rest of one before it.
func (r *Request) continues(before *Request) bool {
	return !r.begins && !before.ends && r.Operation == before.Operation && before.Last.Add(1) == r.First
}

// join adds the rest of a request, which was taken for one of its own.
func (r *Request) join(rest *Request) {
	r.Last, r.ends, r.Sent = rest.Last, rest.ends, rest.Sent
	r.Packets, r.Bytes, r.RNR = r.Packets+rest.Packets, r.Bytes+rest.Bytes, r.RNR+rest.RNR
	for why, n := range rest.Again {
		r.Again[why] += n
	}
}
