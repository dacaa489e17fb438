package conversation

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

func TestOffset(t *testing.T) {
	for _, c := range []struct {
		name        string
		there, back spread
		ahead       time.Duration
		from        int
		measured    bool
	}{
		{"nothing was seen twice", spread{}, spread{}, 0, 0, false},
		{"one way, the second capture later", spread{5, 9, true}, spread{}, 0, 0, false},
		{"one way, at the same time", spread{0, 9, true}, spread{}, 0, 0, false},
		{"one way, the second capture earlier", spread{-1, 9, true}, spread{}, 0, 1, false},
		{"the way back, the second capture later", spread{}, spread{5, 9, true}, 0, 1, false},
		{"the way back, at the same time", spread{}, spread{0, 9, true}, 0, 1, false},
		{"the way back, the second capture earlier", spread{}, spread{-1, 9, true}, 0, 0, false},
		{"away", spread{130, 190, true}, spread{40, 70, true}, 100, 0, true},
		{"towards", spread{40, 70, true}, spread{130, 190, true}, 100, 1, true},
		{"no delay that can be told", spread{8, 8, true}, spread{4, 12, true}, 10, 0, true},
	} {
		ahead, from, measured := clockOffset(c.there, c.back)
		if ahead != c.ahead || from != c.from || measured != c.measured {
			t.Errorf("%s: %v, from %d, measured %v", c.name, ahead, from, measured)
		}
	}
}

// seen is a packet that aliceEnd sends, in one capture.
type seen struct {
	psn wire.PSN
	at  time.Duration
}

func (s seen) frame(seq int) *capture.Frame {
	p := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: 9, PSN: s.psn}}
	f := &capture.Frame{}
	f.Src, f.Dst, f.Data = aliceEnd, netip.AddrPortFrom(bobEnd.Addr(), 4791), append(p.Append(nil), 0, 0, 0, 0)
	f.Seq, f.Len, f.At = uint64(seq), len(f.Data), begin.Add(s.at)
	f.Decode()
	return f
}

func TestReport(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second []seen
		want          WayReport
		lost          []uint64 // by their numbers in the first capture
	}{
		{"identical packets, the first arrives", []seen{{1, 0}, {1, 100}, {2, 200}}, []seen{{1, 10}, {2, 210}},
			WayReport{Sent: 3, Arrived: 2, Delays: []time.Duration{10, 10}}, []uint64{2}},
		{"identical packets, the middle one arrives", []seen{{9, 0}, {1, 50}, {1, 100}, {1, 200}, {2, 300}},
			[]seen{{9, 10}, {1, 110}, {2, 310}},
			WayReport{Sent: 5, Arrived: 3, Delays: []time.Duration{10, 10, 10}}, []uint64{2, 4}},
		{"identical packets, one arrives too early for the clocks", []seen{{9, 0}, {1, 50}, {1, 100}, {2, 200}},
			[]seen{{9, 10}, {1, 45}, {2, 210}},
			WayReport{Sent: 4, Arrived: 3, Delays: []time.Duration{10, -5, 10}}, []uint64{3}},
		{"twice on the way", []seen{{1, 0}, {2, 100}}, []seen{{1, 10}, {1, 20}, {1, 30}, {2, 110}},
			WayReport{Sent: 2, Arrived: 2, Copied: 2, Delays: []time.Duration{10, 10}}, nil},
		{"never sent", []seen{{1, 0}}, []seen{{1, 10}, {2, 20}, {3, 30}},
			WayReport{Sent: 1, Arrived: 1, Unsent: 2, Delays: []time.Duration{10}}, nil},
		{"overtaken by two", []seen{{1, 0}, {2, 10}, {3, 20}, {4, 30}}, []seen{{2, 20}, {3, 24}, {1, 25}, {4, 40}},
			WayReport{Sent: 4, Arrived: 4, Late: 1, Delays: []time.Duration{25, 10, 4, 10}}, nil},
		{"at the same time", []seen{{1, 0}, {2, 10}}, []seen{{1, 20}, {2, 20}},
			WayReport{Sent: 2, Arrived: 2, Delays: []time.Duration{20, 10}}, nil},
		{"two overtaken", []seen{{1, 0}, {2, 10}, {3, 20}}, []seen{{3, 30}, {1, 31}, {2, 32}},
			WayReport{Sent: 3, Arrived: 3, Late: 2, Delays: []time.Duration{31, 22, 10}}, nil},
		{"the second capture begins later", []seen{{1, 0}, {2, 100}, {3, 200}}, []seen{{2, 105}, {3, 205}},
			WayReport{Sent: 3, Arrived: 2, Outside: 1, Delays: []time.Duration{5, 5}}, nil},
		{"the second capture ends while packets are on their way",
			[]seen{{1, 0}, {2, 100}, {3, 150}, {4, 160}, {5, 200}}, []seen{{1, 10}, {2, 160}, {4, 200}},
			WayReport{Sent: 5, Arrived: 3, Outside: 1, Delays: []time.Duration{10, 60, 40}}, []uint64{3}},
	} {
		j := NewJoin()
		for end, list := range [][]seen{c.first, c.second} {
			for i, s := range list {
				j.Add(end, s.frame(i+1))
			}
		}
		got := j.Reports()[0]
		var lost []uint64
		for _, p := range got.Lost {
			lost = append(lost, p.Seq)
		}
		if got.Sent != c.want.Sent || got.Arrived != c.want.Arrived || got.Late != c.want.Late ||
			got.Copied != c.want.Copied ||
			got.Unsent != c.want.Unsent || got.Outside != c.want.Outside || !slices.Equal(got.Delays, c.want.Delays) ||
			!slices.Equal(lost, c.lost) {
			t.Errorf("%s: %+v\nwant %+v, lost %v", c.name, got, c.want, c.lost)
		}
	}
}

// TestSamePacket: a packet is the same in both captures if all but the congestion bits is.
func TestSamePacket(t *testing.T) {
	port := func(p uint16) func(*capture.Frame) {
		return func(f *capture.Frame) { f.Src = netip.AddrPortFrom(aliceEnd.Addr(), p) }
	}
	flip := func(i int) func(*capture.Frame) { return func(f *capture.Frame) { f.Data[i] ^= 0xff } }
	for _, c := range []struct {
		name   string
		change func(*capture.Frame)
		want   bool
	}{
		{"nothing", func(*capture.Frame) {}, true},
		{"time to live", func(f *capture.Frame) { f.IP.HopLimit-- }, true},
		{"congestion bits", flip(4), true},
		{"opcode", flip(0), false},
		{"partition key", flip(3), false},
		{"queue pair", flip(5), false},
		{"ICRC", flip(wire.BTHLen), false},
		{"source port, low byte", port(50001), false},
		{"source port, high byte", port(50000 ^ 0x100), false},
		{"source address", func(f *capture.Frame) { f.Src = netip.AddrPortFrom(bobEnd.Addr(), f.Src.Port()) }, false},
		{"destination port, low byte", func(f *capture.Frame) {
			f.Dst = netip.AddrPortFrom(bobEnd.Addr(), 4790)
		}, false},
		{"destination port, high byte", func(f *capture.Frame) {
			f.Dst = netip.AddrPortFrom(bobEnd.Addr(), 4791^0x100)
		}, false},
	} {
		j := NewJoin()
		one, other := seen{1, 0}.frame(1), seen{1, 0}.frame(1)
		c.change(other)
		j.Add(0, one)
		j.Add(1, other)
		if got := len(j.seen) == 1; got != c.want {
			t.Errorf("%s: the same %v", c.name, got)
		}
	}
}
