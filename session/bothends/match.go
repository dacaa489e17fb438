package bothends

import (
	"cmp"
	"slices"
	"time"
)

// Reports tells what became of the packets, way by way.
func (j *Join) Reports() (all []Report) {
	spread := j.differences()
	byWay := map[Way]*Report{}
	for _, w := range j.ways {
		r := &Report{Way: w}
		r.Offset, r.From, r.Measured = offset(spread[w], spread[Way{w.Dst, w.Src}])
		r.grace = spread[w].most - spread[w].least
		byWay[w] = r
	}
	sent := map[Way][]crossing{}
	for k, both := range j.seen {
		r := byWay[k.way]
		sent[k.way] = append(sent[k.way], r.match(j, both[r.From], both[1-r.From])...)
	}
	for _, w := range j.ways {
		r := byWay[w]
		r.tell(sent[w])
		all = append(all, *r)
	}
	return all
}

// spread is how far the times of the same packets in the two captures lie apart, the
// second's minus the first's.
type spread struct {
	least, most time.Duration
	known       bool
}

// differences measures each way by the packets that both captures have once.
func (j *Join) differences() map[Way]spread {
	all := map[Way]spread{}
	for k, both := range j.seen {
		if len(both[0]) != 1 || len(both[1]) != 1 {
			continue
		}
		d := both[1][0].At.Sub(both[0][0].At)
		s := all[k.way]
		if !s.known {
			s = spread{d, d, true}
		}
		all[k.way] = spread{min(s.least, d), max(s.most, d), true}
	}
	return all
}

// offset returns what the second clock is ahead of the first, and which capture is near
// the sender of the way there. Going away from the first capture the difference is the
// offset plus the delay, coming towards it the offset minus the delay: so the way with
// the larger differences goes away from the first capture.
func offset(there, back spread) (ahead time.Duration, from int, measured bool) {
	switch {
	case !there.known && !back.known:
		return 0, 0, false
	case !back.known:
		return 0, side(there.least < 0), false
	case !there.known:
		return 0, side(back.least >= 0), false
	case there.least+there.most >= back.least+back.most:
		return (there.least + back.most) / 2, 0, true
	}
	return (there.most + back.least) / 2, 1, true
}

func side(second bool) int {
	if second {
		return 1
	}
	return 0
}

// crossing is a sent packet with its arrival; or, without one, lost or out of the other
// capture's time.
type crossing struct {
	Packet
	sent, arrived time.Time // by the first clock; arrived is zero if it did not arrive
	outside       bool
}

// clock returns a time of a capture by the first clock.
func (r *Report) clock(at int, t time.Time) time.Time {
	if at == 1 {
		return t.Add(-r.Offset)
	}
	return t
}

// match finds which of some identical packets arrived: each arrival belongs to the last
// one that was sent before it. Packets that the sender's capture does not have are
// counted.
func (r *Report) match(j *Join, sent, arrived []Packet) []crossing {
	to := 1 - r.From
	first, last := r.clock(to, j.span[to].first), r.clock(to, j.span[to].last)
	all := make([]crossing, len(sent))
	for i, p := range sent {
		at := r.clock(r.From, p.At)
		all[i] = crossing{Packet: p, sent: at, outside: at.Before(first) || at.Add(r.grace).After(last)}
	}
	for _, p := range arrived {
		at := r.clock(to, p.At)
		switch i := lastBefore(all, at); {
		case len(sent) == 0:
			r.Unsent++
		case i < 0:
			r.Copied++
		default:
			all[i].arrived, all[i].outside = at, false
		}
	}
	return all
}

// lastBefore returns the last packet without an arrival that was sent before a time; the
// first one without, if the clocks are not that exact; -1 if all have arrived.
func lastBefore(all []crossing, at time.Time) int {
	found := -1
	for i := range all {
		if !all[i].arrived.IsZero() {
			continue
		}
		if found >= 0 && all[i].sent.After(at) {
			break
		}
		found = i
	}
	return found
}

// tell counts what became of the packets of a way.
func (r *Report) tell(all []crossing) {
	slices.SortFunc(all, func(a, b crossing) int { return cmp.Compare(a.Seq, b.Seq) })
	var newest time.Time // of the arrivals of those sent before
	for i := range all {
		c := &all[i]
		r.Sent++
		switch {
		case c.outside:
			r.Outside++
			continue
		case c.arrived.IsZero():
			r.Lost = append(r.Lost, c.Packet)
			continue
		}
		r.Arrived++
		r.Delays = append(r.Delays, c.arrived.Sub(c.sent))
		if c.arrived.Before(newest) {
			r.Late++
		} else {
			newest = c.arrived
		}
	}
}
