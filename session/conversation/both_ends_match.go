package conversation

import (
	"cmp"
	"slices"
	"time"
)

// Reports tells what became of the packets, way by way.
func (j *Join) Reports() (all []WayReport) {
	spread := j.differences()
	byWay := map[Way]*WayReport{}
	for _, w := range j.ways {
		r := &WayReport{Way: w}
		r.Offset, r.From, r.Measured = clockOffset(spread[w], spread[Way{w.Dst, w.Src}])
		r.grace = spread[w].most - spread[w].least
		byWay[w] = r
	}
	sent := map[Way][]Crossing{}
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
			s = spread{least: d, most: d}
		}
		all[k.way] = spread{min(s.least, d), max(s.most, d), true}
	}
	return all
}

// clockOffset returns what the second clock is ahead of the first, and which capture is near
// the sender of the way there. Going away from the first capture the difference is the
// offset plus the delay, coming towards it the offset minus the delay: so the way with
// the larger differences goes away from the first capture.
func clockOffset(there, back spread) (ahead time.Duration, from int, measured bool) {
	switch {
	case !there.known && !back.known:
		return 0, 0, false
	case !back.known:
		return 0, laterCapture(there.least < 0), false
	case !there.known:
		return 0, laterCapture(back.least >= 0), false
	case there.least+there.most >= back.least+back.most:
		return (there.least + back.most) / 2, 0, true
	}
	return (there.most + back.least) / 2, 1, true
}

func laterCapture(second bool) int {
	if second {
		return 1
	}
	return 0
}

// clock returns a time of a capture by the first clock.
func (r *WayReport) clock(at int, t time.Time) time.Time {
	if at == 1 {
		return t.Add(-r.Offset)
	}
	return t
}

// match finds which of some identical packets arrived: each arrival belongs to the last
// one that was sent before it; to the first one that is left, if the clocks are not that
// exact. Packets that the sender's capture does not have are counted.
func (r *WayReport) match(j *Join, sent, arrived []SentPacket) []Crossing {
	to := 1 - r.From
	first, last := r.clock(to, j.span[to].first), r.clock(to, j.span[to].last)
	all := make([]Crossing, len(sent))
	for i, p := range sent {
		at := r.clock(r.From, p.At)
		all[i] = Crossing{SentPacket: p, Sent: at, Fate: PacketLost}
		if at.Before(first) || at.Add(r.grace).After(last) {
			all[i].Fate = PacketOutside
		}
	}
	if len(sent) == 0 {
		r.Unsent += uint64(len(arrived))
		return nil
	}
	slices.SortStableFunc(all, func(a, b Crossing) int { return a.Sent.Compare(b.Sent) })
	slices.SortStableFunc(arrived, func(a, b SentPacket) int { return a.At.Compare(b.At) })
	next := 0         // of all: sent later than the arrivals so far
	var waiting []int // of all: sent before, without an arrival
	for _, p := range arrived {
		at := r.clock(to, p.At)
		for next < len(all) && (len(waiting) == 0 || !all[next].Sent.After(at)) {
			waiting = append(waiting, next)
			next++
		}
		n := len(waiting)
		if n == 0 {
			r.Copied++
			continue
		}
		c := &all[waiting[n-1]]
		c.Fate, c.Arrived, c.As = PacketArrived, at, p.Seq
		waiting = waiting[:n-1]
	}
	return all
}

// tell counts what became of the packets of a way.
func (r *WayReport) tell(all []Crossing) {
	slices.SortFunc(all, func(a, b Crossing) int { return cmp.Compare(a.Seq, b.Seq) })
	r.Packets = all
	for i := range all {
		c := &all[i]
		r.Sent++
		switch c.Fate {
		case PacketOutside:
			r.Outside++
			continue
		case PacketLost:
			r.Lost = append(r.Lost, c.SentPacket)
			continue
		}
		r.Arrived++
		r.Delays = append(r.Delays, c.Arrived.Sub(c.Sent))
	}
	var soonest time.Time // of the arrivals of those sent later
	for i := range slices.Backward(all) {
		c := &all[i]
		switch {
		case c.Arrived.IsZero():
		case soonest.IsZero() || !c.Arrived.After(soonest):
			soonest = c.Arrived
		default:
			c.Fate = PacketLate
			r.Late++
		}
	}
}
