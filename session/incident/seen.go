package incident

import (
	"slices"
	"time"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/ring"
	"rdmatui/verbs/wire"
)

// Limits of what is looked at in packets and counters.
const (
	lastPackets = 8 // of the queue pair that are told
	maxSamples  = 64
	sampleEvery = 5 * time.Millisecond
)

// packet is one of a queue pair's last packets.
type packet struct {
	at       time.Duration
	outgoing bool
	mark     string
	wire.Packet
}

// nak reports whether a NAK of any kind has arrived.
func (p *packet) nak() bool {
	return !p.outgoing && p.Headers.Has(wire.HasAETH) && p.AETH.Syndrome.Kind() != wire.SyndromeACK
}

// packetsOf returns the last packets of a queue pair, the oldest first, as its device has recorded them. Before them comes
// the packet that the newest NAK answers, which may be the first of a long message.
func packetsOf(s *core.Session, q *core.QPView) (last []packet) {
	all, naks, answered := recorded(s, q.Device), 0, int64(-1)
	for i := len(all) - 1; i >= 0 && (len(last) < lastPackets || answered >= 0); i-- {
		h, to, bth := &all[i], uint32(q.Num), wire.BTH{}
		if h.Outgoing {
			to = uint32(q.Attr.DestQPNum)
		}
		if bth.Decode(h.Head[:]) != nil || bth.DestQP != to {
			continue
		}
		p := packet{at: h.At.Sub(s.Start), outgoing: h.Outgoing}
		switch found := h.Outgoing && int64(bth.PSN) == answered; {
		case found:
			p.mark, answered = "answered by the NAK", -1
		case len(last) >= lastPackets:
			continue
		}
		whole := make([]byte, h.Len) // a payload is not recorded, but its length is told
		copy(whole, h.Head[:])
		_ = p.Decode(whole) // what cannot be decoded is left out of the summary
		if p.nak() {
			p.mark = "NAK"
			if naks++; naks == 1 && p.AETH.Syndrome != wire.NAK(wire.NAKPSNSequence) { // which asks for a packet that is lost
				answered = int64(bth.PSN)
			}
		}
		last = append(last, p)
	}
	slices.Reverse(last)
	return last
}

// recorded returns the packets that a device has recorded; only software devices do.
func recorded(s *core.Session, device string) []verbs.PacketHead {
	for _, p := range s.Opts.Providers {
		if r, ok := p.(verbs.PacketRecorder); ok {
			if all, err := r.RecordedPackets(device); err == nil {
				return all
			}
		}
	}
	return nil
}

// packetRows are the last packets.
func (x *facts) packetRows() (rows [][]string) {
	for i := range x.packets {
		p, way := &x.packets[i], "in"
		if p.outgoing {
			way = "out"
		}
		rows = append(rows, []string{seconds(p.at), way, string(p.AppendSummary(nil)), p.mark})
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
