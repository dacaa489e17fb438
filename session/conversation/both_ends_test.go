package conversation

import (
	"cmp"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

var (
	aliceEnd = netip.MustParseAddrPort("10.0.0.1:50000")
	bobEnd   = netip.MustParseAddrPort("10.0.0.2:50000")
)

// network delivers packets between aliceEnd, near capture 0, and bobEnd, near capture 1.
type network struct {
	*rand.Rand
	offset     time.Duration // of bobEnd's clock
	lose, copy float64
	jitter     time.Duration
	lost       map[Way][]uint64 // by the PSN
	at         [2][]*capture.Frame
}

func newNetwork(seed uint64) *network {
	return &network{Rand: rand.New(rand.NewPCG(seed, 1)), lost: map[Way][]uint64{}}
}

const shortest = 50 * time.Microsecond

// send sends a packet from one end at a time of aliceEnd's clock.
func (n *network) send(from int, at time.Duration, psn wire.PSN) {
	src, dst := aliceEnd, bobEnd
	if from == 1 {
		src, dst = bobEnd, aliceEnd
	}
	p := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: 9, PSN: psn}}
	seen := func(end int, at time.Duration) {
		f := &capture.Frame{}
		f.Src, f.Dst, f.Data = src, netip.AddrPortFrom(dst.Addr(), 4791), append(p.Append(nil), 0, 0, 0, 0)
		f.Len, f.At = len(f.Data), begin.Add(at)
		if end == 1 {
			f.At = f.At.Add(n.offset)
		}
		f.Decode()
		n.at[end] = append(n.at[end], f)
	}
	seen(from, at)
	if n.Float64() < n.lose {
		way := Way{src.Addr(), dst.Addr()}
		n.lost[way] = append(n.lost[way], uint64(psn))
		return
	}
	delay := shortest + time.Duration(n.Int64N(int64(n.jitter)+1))
	seen(1-from, at+delay)
	if n.Float64() < n.copy {
		seen(1-from, at+delay+time.Microsecond)
	}
}

// reports joins what was captured.
func (n *network) reports() map[Way]WayReport {
	j := NewJoin()
	for end := range n.at {
		slices.SortStableFunc(n.at[end], func(a, b *capture.Frame) int {
			return cmp.Compare(a.At.UnixNano(), b.At.UnixNano())
		})
		for i, f := range n.at[end] {
			f.Seq = uint64(i + 1)
			j.Add(end, f)
		}
	}
	all := map[Way]WayReport{}
	for _, r := range j.Reports() {
		all[r.Way] = r
	}
	return all
}

// TestLosses: exactly those packets are called lost that were lost, whatever the clocks
// and the order of the captures.
func TestLosses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*network)
	}{
		{"no loss", func(*network) {}},
		{"loss", func(n *network) { n.lose = 0.05 }},
		{"loss and jitter", func(n *network) { n.lose, n.jitter = 0.05, time.Millisecond }},
		{"clock ahead", func(n *network) { n.lose, n.offset = 0.05, time.Hour }},
		{"clock behind", func(n *network) { n.lose, n.offset = 0.05, -3*time.Second }},
		{"copies", func(n *network) { n.lose, n.copy = 0.05, 0.1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				n := newNetwork(seed)
				c.change(n)
				for i := range 500 {
					n.send(i%2, time.Duration(i)*100*time.Microsecond, wire.PSN(i))
				}
				lose := n.lose
				n.lose = 0 // the last ones arrive: the captures cover all before them
				for i := range 40 {
					n.send(i%2, 60*time.Millisecond+time.Duration(i)*time.Millisecond, wire.PSN(1000+i))
				}
				for way, r := range n.reports() {
					var got []uint64
					for _, p := range r.Lost {
						got = append(got, uint64(p.PSN))
					}
					if !slices.Equal(got, n.lost[way]) {
						t.Errorf("seed %d, %v: lost %v, want %v (loss %v)", seed, way, got, n.lost[way], lose)
					}
					if off := r.Offset - n.offset; !r.Measured || off > 30*time.Microsecond ||
						off < -30*time.Microsecond {
						t.Errorf("seed %d: offset %v, want %v", seed, r.Offset, n.offset)
					}
					if r.Sent != r.Arrived+uint64(len(r.Lost))+r.Outside || r.Unsent != 0 ||
						(n.copy > 0) != (r.Copied > 0) || (n.jitter > 0) != (r.Late > 0) {
						t.Errorf("seed %d: %+v", seed, r)
					}
				}
			}
		})
	}
}

// TestSentAgain: of identical packets the one that was lost is told from the one that
// arrived.
func TestSentAgain(t *testing.T) {
	n := newNetwork(1)
	n.send(0, 0, 1)
	n.send(1, time.Millisecond, 2)
	n.lose = 1
	n.send(0, 2*time.Millisecond, 3)
	n.lose = 0
	n.send(0, 10*time.Millisecond, 3)
	n.send(1, 20*time.Millisecond, 4)
	r := n.reports()[Way{aliceEnd.Addr(), bobEnd.Addr()}]
	if len(r.Lost) != 1 || r.Lost[0].Seq != 3 || r.Arrived != 2 {
		t.Errorf("%+v", r)
	}
}

// TestCoverage: what one capture cannot have seen is not called lost.
func TestCoverage(t *testing.T) {
	n := newNetwork(1)
	for i := range 100 {
		n.send(i%2, time.Duration(i)*time.Millisecond, wire.PSN(i))
	}
	n.at[1] = slices.DeleteFunc(n.at[1], func(f *capture.Frame) bool {
		at := f.At.Sub(begin)
		return at < 20*time.Millisecond || at > 80*time.Millisecond
	})
	for way, r := range n.reports() {
		if len(r.Lost) != 0 {
			t.Errorf("%v: %+v", way, r)
		}
	}
}

// TestSkipped: packets that a capture has cut are counted, not joined.
func TestSkipped(t *testing.T) {
	n := newNetwork(1)
	for psn := range wire.PSN(4) {
		n.send(0, time.Duration(psn)*time.Millisecond, psn)
	}
	n.at[0][1].Data = n.at[0][1].Data[:len(n.at[0][1].Data)-1]
	n.at[1][2].Data, n.at[1][2].Len = n.at[1][2].Data[:wire.BTHLen-1], wire.BTHLen-1
	bare := n.at[0][3]
	bare.Data, bare.Len = bare.Data[:wire.BTHLen], wire.BTHLen
	n.at[1][3].Data, n.at[1][3].Len = bare.Data, bare.Len // no byte more than the BTH is enough
	j := NewJoin()
	for end, frames := range n.at {
		for _, f := range frames {
			j.Add(end, f)
		}
	}
	joined := 0
	for _, both := range j.seen {
		if len(both[0]) == 1 && len(both[1]) == 1 {
			joined++
		}
	}
	if j.Skipped != 2 || joined != 2 {
		t.Errorf("%d skipped, %d joined", j.Skipped, joined)
	}
}

// TestIdentical: many identical packets are matched in their order.
func TestIdentical(t *testing.T) {
	const packets = 1 << 16
	n := newNetwork(1)
	n.send(1, 0, 1)
	for i := range packets {
		n.lose = float64(i % 2)
		n.send(0, time.Duration(i+1)*time.Millisecond, 7)
	}
	n.lose = 0
	n.send(1, (packets+1)*time.Millisecond, 2)
	n.send(0, (packets+2)*time.Millisecond, 3)
	r := n.reports()[Way{aliceEnd.Addr(), bobEnd.Addr()}]
	if r.Arrived != packets/2+1 || len(r.Lost) != packets/2 || r.Late != 0 || r.Lost[0].Seq != 3 {
		t.Errorf("%d arrived, %d lost, %d late", r.Arrived, len(r.Lost), r.Late)
	}
}
