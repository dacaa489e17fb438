package incident

import (
	"time"

	"rdmatui/session/core"
	"rdmatui/session/packets"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/ring"
	"rdmatui/verbs/wire"
)

// Limits of what is looked at in packets and counters.
const (
	maxPackets  = 512 // the newest that are looked at
	lastPackets = 8   // of the queue pair that are told
	maxSamples  = 64
	sampleEvery = 5 * time.Millisecond
)

// packetsOf returns the last packets of a queue pair, the oldest first.
func packetsOf(s *core.Session, q *core.QPView) (last []*timeline.Packet) {
	packets.Flush(s)
	all := packets.Since(s, 0, maxPackets, nil)
	for i := len(all) - 1; i >= 0 && len(last) < lastPackets; i-- {
		p := all[i]
		to := uint32(q.Num)
		if p.Outgoing {
			to = uint32(q.Attr.DestQPNum)
		}
		if p.Device == q.Device && p.Wire.BTH.DestQP == to {
			last = append([]*timeline.Packet{p}, last...)
		}
	}
	return last
}

// packetRows are the last packets, with those that carry a NAK marked.
func (x *facts) packetRows() (rows [][]string) {
	row := func(p *timeline.Packet, mark string) {
		rows = append(rows, []string{seconds(p.T), p.Direction(), string(p.Wire.AppendSummary(nil)), mark})
	}
	for _, p := range x.packets {
		mark := ""
		if !p.Outgoing && p.Wire.Headers.Has(wire.HasAETH) && p.Wire.AETH.Syndrome.Kind() != wire.SyndromeACK {
			mark = "NAK"
		}
		row(p, mark)
	}
	return rows
}

// sample is what software devices had counted at a moment, in the order of their counters.
type sample struct {
	at     time.Duration
	counts map[string][]uint64 // by device
}

// samples are kept from before requests are posted, so that what moved since can be told.
type samples struct{ ring.Ring[sample] }

// counted is a counter that has moved.
type counted struct {
	device, name, help string
	by                 uint64
}

// counters reads what software devices count; a NIC's are files, which take too long.
func counters(s *core.Session, devices []string) map[string][]verbs.HWCounter {
	all := map[string][]verbs.HWCounter{}
	for _, device := range devices {
		for _, p := range s.Opts.Providers {
			if r, ok := p.(verbs.HWCounterReader); ok {
				if list, err := r.HWCounters(device); err == nil {
					all[device] = list
				}
			}
		}
	}
	return all
}

// Sample takes note of counters. It is called after each command, so that there are counts from before the next.
func Sample(s *core.Session) {
	b, now := core.Part[book](s, nil), time.Since(s.Start)
	b.mu.Lock()
	due := b.samples.Len() == 0 || now-b.samples.At(b.samples.Len()-1).at >= sampleEvery
	b.mu.Unlock()
	if !due {
		return
	}
	devices := s.DeviceNames() // not a snapshot, which grows with all objects
	if len(devices) == 0 {
		return
	}
	taken := sample{now, map[string][]uint64{}}
	for device, list := range counters(s, devices) {
		counts := make([]uint64, len(list))
		for i := range list {
			counts[i] = list[i].Value
		}
		taken.counts[device] = counts
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	*b.samples.Keep(maxSamples) = taken
}

// movedSince are the counters that have moved since the newest sample before a moment.
func (b *book) movedSince(at time.Duration, now map[string][]verbs.HWCounter, devices []core.DeviceView) (moves []counted) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var base *sample
	for i := range b.samples.Len() {
		if s := b.samples.At(i); base == nil || s.at <= at {
			base = s
		}
	}
	if base == nil {
		return nil
	}
	for i := range devices {
		name := devices[i].Name
		was := base.counts[name]
		for j, c := range now[name] {
			if j < len(was) && c.Value > was[j] {
				moves = append(moves, counted{name, c.Name, c.Help, c.Value - was[j]})
			}
		}
	}
	return moves
}
