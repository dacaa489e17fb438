//go:build !race

// One goroutine runs these tests: the race detector would find nothing and take 40 times as long.

package link

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"rdmatui/verbs/wire"
)

// idStream generates packets from one address for a peer table, and owns the clock of the table.
type idStream struct {
	t     testing.TB
	peers *peerTable
	r     *rand.Rand
	buf   []byte
	paths map[netip.AddrPort]*Path
}

func newIDStream(t testing.TB) *idStream {
	return &idStream{
		t: t, r: rand.New(rand.NewPCG(14, 7)), paths: map[netip.AddrPort]*Path{},
		peers: &peerTable{local: netip.AddrPortFrom(addrB, wire.Port), now: time.Unix(1e9, 0)},
	}
}

// packet makes a valid packet.
func (s *idStream) packet(from netip.AddrPort, id uint16) []byte {
	way := s.paths[from]
	if way == nil {
		var err error
		if way, err = NewPath(from, s.peers.local); err != nil {
			s.t.Fatal(err)
		}
		s.paths[from] = way
	}
	h := wire.Packet{
		BTH:     wire.BTH{Opcode: wire.RCSendOnly, PSN: wire.PSN(s.r.Uint32N(1 << 24))},
		Payload: make([]byte, 4*s.r.IntN(20)),
	}
	s.buf = way.icrc.Append(id, h.Append(s.buf[:0]))
	return s.buf
}

func (s *idStream) put(from netip.AddrPort, id uint16) verdict {
	_, v := s.peers.check(from, s.packet(from, id))
	return v
}

// spoil sends a damaged packet: bits flipped, bytes overwritten or a burst.
func (s *idStream) spoil(from netip.AddrPort, id uint16) verdict {
	b := s.packet(from, id)
	at := func() int { return (wire.BTHLen - 4) + s.r.IntN(len(b)-wire.BTHLen+4) } // not the byte that the ICRC ignores
	switch s.r.IntN(3) {
	case 0:
		for range 1 + s.r.IntN(3) {
			b[at()] ^= 1 << s.r.IntN(8)
		}
	case 1:
		for range 1 + s.r.IntN(8) {
			b[at()] ^= byte(1 + s.r.IntN(255))
		}
	case 2:
		for i := at(); i < len(b); i++ {
			b[i] ^= byte(1 + s.r.IntN(255))
		}
	}
	if way := s.paths[from]; way.icrc.Verify(id, b) {
		return damaged // flipped back
	}
	_, v := s.peers.check(from, b)
	return v
}

// port returns one of the source ports of the address.
func port(n int) netip.AddrPort { return netip.AddrPortFrom(addrA, uint16(0xc000+n)) }

// idPattern is a way in which a sender chooses identifications.
type idPattern struct {
	name string
	next func(r *rand.Rand) func(i int) (from netip.AddrPort, id uint16, pause time.Duration)
}

// counted makes a pattern from a function of the packet's number.
func counted(id func(i int) uint16) func(*rand.Rand) func(int) (netip.AddrPort, uint16, time.Duration) {
	return func(*rand.Rand) func(int) (netip.AddrPort, uint16, time.Duration) {
		return func(i int) (netip.AddrPort, uint16, time.Duration) { return port(0), id(i), time.Microsecond }
	}
}

// idPatterns lists what software, the kernel's RoCE and cards may do. No good packet of any pattern may be lost.
var idPatterns = []idPattern{
	{"0", counted(func(int) uint16 { return 0 })},
	{"constant", counted(func(int) uint16 { return 0x1234 })},
	{"segments", counted(func(i int) uint16 { return uint16(i % maxSegments) })},
	{"singles, then segments", counted(func(i int) uint16 {
		if i/500%2 == 0 {
			return 0
		}
		return uint16(i % 15)
	})},
	{"counter that wraps", counted(func(i int) uint16 { return uint16(40000 + i) })},
	{"by 3", counted(func(i int) uint16 { return uint16(3 * i) })},
	{"a counter, requests and answers out of order",
		func(r *rand.Rand) func(int) (netip.AddrPort, uint16, time.Duration) {
			return func(i int) (netip.AddrPort, uint16, time.Duration) {
				return port(i % 2), uint16(7000 + i + r.IntN(9) - 4), time.Microsecond
			}
		}},
	{"lost and late", func(r *rand.Rand) func(int) (netip.AddrPort, uint16, time.Duration) {
		n := uint16(60000)
		return func(i int) (netip.AddrPort, uint16, time.Duration) {
			n++
			if r.IntN(20) == 0 {
				n += uint16(r.IntN(window / 3))
			}
			return port(0), n - uint16(r.IntN(window/3)*(r.IntN(10)/9)), time.Microsecond
		}
	}},
	{"the kernel's counter over stalls, its packets late",
		func(r *rand.Rand) func(int) (netip.AddrPort, uint16, time.Duration) {
			n := uint16(5)
			return func(i int) (netip.AddrPort, uint16, time.Duration) {
				n++
				if r.IntN(100) == 0 {
					n += uint16(r.IntN(500)) // half a second of packets waited together
				}
				return port(i % 4), n, time.Microsecond
			}
		}},
	{"a counter, half its packets delayed", func(*rand.Rand) func(int) (netip.AddrPort, uint16, time.Duration) {
		return func(i int) (netip.AddrPort, uint16, time.Duration) {
			n := i / 800 * 800
			if i -= n; i%2 == 0 {
				return port(0), uint16(n + i/2), time.Microsecond
			}
			return port(0), uint16(n + 400 + i/2), time.Microsecond
		}
	}},
	{"a counter for a hundred queue pairs", func(r *rand.Rand) func(int) (netip.AddrPort, uint16, time.Duration) {
		return func(i int) (netip.AddrPort, uint16, time.Duration) {
			return port(r.IntN(100)), uint16(i), time.Microsecond
		}
	}},
	{"a counter for each of a hundred queue pairs",
		func(r *rand.Rand) func(int) (netip.AddrPort, uint16, time.Duration) {
			var of [100]uint16
			for i := range of {
				of[i] = uint16(r.Uint32())
			}
			return func(i int) (netip.AddrPort, uint16, time.Duration) {
				n := r.IntN(100)
				of[n]++
				return port(n), of[n], time.Microsecond
			}
		}},
	{"several sockets, one of them with segments",
		func(r *rand.Rand) func(int) (netip.AddrPort, uint16, time.Duration) {
			return func(i int) (netip.AddrPort, uint16, time.Duration) {
				if i%3 == 0 {
					return netip.AddrPortFrom(addrA, wire.Port), uint16(i / 3 % maxSegments), time.Microsecond
				}
				return port(i % 3), uint16(i), time.Microsecond
			}
		}},
	{"the kernel's counter over pauses", func(r *rand.Rand) func(int) (netip.AddrPort, uint16, time.Duration) {
		n := uint16(5)
		return func(i int) (netip.AddrPort, uint16, time.Duration) {
			var pause time.Duration
			if r.IntN(10) == 0 {
				pause = time.Duration(r.IntN(100_000)) * time.Millisecond
			}
			n += 1 + uint16(r.Int64N(pause.Milliseconds()+1)) // at most one per tick, as ip_idents_reserve does
			return port(i % 4), n, pause
		}
	}},
	{"random", func(r *rand.Rand) func(int) (netip.AddrPort, uint16, time.Duration) {
		return func(int) (netip.AddrPort, uint16, time.Duration) {
			return port(0), uint16(r.Uint32()), time.Microsecond
		}
	}},
}

// TestIdentificationPatterns sends 50,000 good packets of each pattern: all are accepted.
func TestIdentificationPatterns(t *testing.T) {
	for _, p := range idPatterns {
		t.Run(p.name, func(t *testing.T) {
			s := newIDStream(t)
			next := p.next(s.r)
			for i := range 50_000 {
				from, id, pause := next(i)
				s.peers.now = s.peers.now.Add(pause)
				if v := s.put(from, id); v != accepted {
					t.Fatalf("packet %d from %s with identification %d: verdict %d", i, from, id, v)
				}
			}
		})
	}
}

// TestIdentificationOfDamaged sends 3,000,000 damaged packets among good ones: none is accepted.
//
// A damaged packet passes if its CRC is right for one of the 2·window+1 = 129 identifications near the last, with a
// probability of 129/2^32: of 3,000,000 packets, 0.09 are expected to pass. If any identification were accepted, 46
// would pass.
func TestIdentificationOfDamaged(t *testing.T) {
	for _, p := range []struct {
		name string
		id   func(i int) uint16
	}{
		{"0", func(int) uint16 { return 0 }},
		{"segments", func(i int) uint16 { return uint16(i % maxSegments) }},
		{"counter", func(i int) uint16 { return uint16(i) }},
	} {
		t.Run(p.name, func(t *testing.T) {
			s := newIDStream(t)
			var count [accepted + 1]int
			for i := range 1_000_000 {
				s.peers.now = s.peers.now.Add(time.Microsecond)
				if v := s.put(port(0), p.id(i)); v != accepted {
					t.Fatalf("good packet %d: verdict %d", i, v)
				}
				if i >= steadyAfter {
					count[s.spoil(port(0), p.id(i))]++
				}
			}
			if count[accepted] != 0 {
				t.Errorf("%d damaged packets were accepted", count[accepted])
			}
			if count[implausible] == 0 {
				t.Error("no damaged packet had a CRC that fits any identification: the test proves nothing")
			}
		})
	}
}

// TestIdentificationOfDamagedOnly sends only damaged packets: from strangers, and from a known peer. Each of the first
// suspectAfter packets may pass with a probability of 2^-16, 0.004 in all.
func TestIdentificationOfDamagedOnly(t *testing.T) {
	for _, good := range []int{0, 3, 100} {
		s := newIDStream(t)
		for i := range good {
			s.put(port(0), uint16(500+i))
		}
		for i := range 300_000 {
			s.peers.now = s.peers.now.Add(time.Microsecond)
			from := port(0)
			if good == 0 {
				from = port(i % 1000)
			}
			if s.spoil(from, 501) == accepted {
				t.Fatalf("damaged packet %d after %d good ones was accepted", i, good)
			}
		}
	}
}

// TestIdentificationOdd sends one packet with an identification that does not fit its sender's others: it is refused,
// and the sender's next packet is accepted.
func TestIdentificationOdd(t *testing.T) {
	for name, id := range map[string]func(i int) uint16{
		"constant": func(int) uint16 { return 0x1234 },
		"segments": func(i int) uint16 { return uint16(i % maxSegments) },
		"counter":  func(i int) uint16 { return uint16(1000 + i) },
	} {
		s := newIDStream(t)
		for i := range steadyAfter + 1 {
			s.put(port(0), id(i))
		}
		if got := s.put(port(0), id(steadyAfter+1)+20000); got != implausible {
			t.Errorf("%s: verdict %d on the odd packet", name, got)
		}
		if got := s.put(port(0), id(steadyAfter+1)); got != accepted {
			t.Errorf("%s: verdict %d on the next packet", name, got)
		}
	}
}

// TestIdentificationNewPort: a queue pair of a known peer sends its first packet, with a counter of its own, while
// strangers send only damaged packets: the peer's packet is accepted.
func TestIdentificationNewPort(t *testing.T) {
	s := newIDStream(t)
	s.put(port(0), 1000)
	for i := range 4 * suspectAfter {
		s.spoil(netip.AddrPortFrom(addrB, uint16(1+i)), 0)
	}
	if got := s.put(netip.AddrPortFrom(addrB, 1), 30000); got != implausible {
		t.Fatalf("verdict %d on a stranger's packet", got)
	}
	if got := s.put(port(1), 30000); got != accepted {
		t.Errorf("verdict %d", got)
	}
}

// TestIdentificationJump: a counter jumps in the middle of a stream, as it does when another machine takes over the
// address. The packet that does not fit is refused, and the next confirms the jump.
func TestIdentificationJump(t *testing.T) {
	s := newIDStream(t)
	for i := range 100 {
		s.put(port(0), uint16(1000+i))
	}
	for i, want := range []verdict{implausible, accepted, accepted} {
		if got := s.put(port(0), uint16(30000+i)); got != want {
			t.Errorf("packet %d after the jump: verdict %d, want %d", i, got, want)
		}
	}
	if got := s.put(port(0), 1100); got != implausible {
		t.Errorf("a packet from before the jump: verdict %d", got)
	}
	if got := s.put(port(1), 50000); got != accepted {
		t.Errorf("the first packet of another port: verdict %d", got)
	}
}

// TestIdentificationJumpOnce: the packet that confirms a jump uses up the one that was refused. Another far from all,
// but near that one, must be confirmed again.
func TestIdentificationJumpOnce(t *testing.T) {
	s := newIDStream(t)
	for i := range 100 {
		s.put(port(0), uint16(1000+i))
	}
	id := uint16(30000)
	for i := range 3 * ahead / window {
		if got, want := s.put(port(0), id), accepted; got != want && i > 0 {
			t.Fatalf("identification %d: verdict %d", id, got)
		}
		id += window
	}
	for i, want := range []verdict{implausible, accepted} {
		if got := s.put(port(0), uint16(30000+i)); got != want {
			t.Errorf("packet %d after the way back: verdict %d, want %d", i, got, want)
		}
	}
}

// TestIdentificationNoPattern: a sender switches to random identifications. Few packets are lost until the table
// notices.
func TestIdentificationNoPattern(t *testing.T) {
	s := newIDStream(t)
	for i := range 100 {
		s.put(port(0), uint16(i))
	}
	lost := 0
	for range 1000 {
		if s.put(port(0), uint16(s.r.Uint32())) != accepted {
			lost++
		}
	}
	if lost > lawlessAfter {
		t.Errorf("%d packets lost", lost)
	}
}

// TestIdentificationSpoofed: an attacker sends in the name of a peer: valid packets with identifications far off or
// leading away from the peer's, and garbage. The peer's packets get through.
func TestIdentificationSpoofed(t *testing.T) {
	stranger := map[string]func(s *idStream, i int){
		"far off":   func(s *idStream, _ int) { s.put(port(0), uint16(s.r.Uint32())) },
		"confirmed": func(s *idStream, i int) { s.put(port(0), uint16(30000+i)) },
		"pulled away": func(s *idStream, _ int) {
			s.put(port(0), s.peers.sourceOf(addrA).last+window)
		},
		"garbage": func(s *idStream, _ int) {
			for range 50 {
				s.peers.check(port(0), make([]byte, 64))
			}
		},
	}
	for name, disturb := range stranger {
		t.Run(name, func(t *testing.T) {
			s := newIDStream(t)
			lost := 0
			for i := range 10_000 {
				s.peers.now = s.peers.now.Add(time.Microsecond)
				if s.put(port(0), uint16(i)) != accepted {
					lost++
				}
				if i > 100 {
					disturb(s, i)
				}
			}
			if lost > 1000 {
				t.Errorf("%d of the peer's 10,000 packets lost", lost)
			}
		})
	}
}

func (t *peerTable) sourceOf(a netip.Addr) *source { s, _ := t.sources.get(a); return s }

// TestSourcesAreBounded: strangers send from many addresses while a peer is active. The table keeps the peer and stays
// within its limit.
func TestSourcesAreBounded(t *testing.T) {
	s := newIDStream(t)
	for i := range 20 * generation {
		s.put(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, byte(i >> 8), byte(i)}), 1), 9)
		if s.put(port(0), uint16(i)) != accepted {
			t.Fatalf("packet %d of the peer was refused", i)
		}
		s.paths = map[netip.AddrPort]*Path{}
	}
	if n := len(s.peers.sources.young) + len(s.peers.sources.old); n > 2*generation {
		t.Errorf("the table has %d addresses", n)
	}
	if p, _ := s.peers.peers.get(port(0)); p == nil || p.source.steady != steadyAfter {
		t.Error("the peer was forgotten")
	}
}

// TestPeersKeepTheirPaths alternates between two ports: each keeps the path of its first packet.
func TestPeersKeepTheirPaths(t *testing.T) {
	s := newIDStream(t)
	var paths [2]*Path
	for i := range 8 {
		p, v := s.peers.check(port(i%2), s.packet(port(i%2), uint16(i)))
		if v != accepted || i >= 2 && p != paths[i%2] {
			t.Errorf("packet %d: verdict %d, path %p, not %p", i, v, p, paths[i%2])
		}
		paths[i%2] = p
	}
}

// TestEvidenceFades: earlier evidence counts half after each half-life.
func TestEvidenceFades(t *testing.T) {
	start := time.Unix(1000, 0)
	for _, tt := range []struct {
		after      time.Duration
		bad, leaps uint32
		since      time.Duration
	}{{0, 40, 8, 0}, {halfLife - 1, 40, 8, 0}, {halfLife, 20, 4, halfLife}, {2*halfLife - 1, 20, 4, 2*halfLife - 1},
		{3 * halfLife, 5, 1, 3 * halfLife}, {100 * halfLife, 0, 0, 100 * halfLife}} {
		for _, bad := range []bool{true, false} {
			e, want := evidence{bad: 40, leaps: 8, since: start},
				evidence{bad: tt.bad, leaps: tt.leaps, since: start.Add(tt.since)}
			if bad {
				e.damage(start.Add(tt.after))
				want.bad++
			} else {
				e.leap(start.Add(tt.after))
				want.leaps++
			}
			if e != want {
				t.Errorf("after %s: %+v, want %+v", tt.after, e, want)
			}
		}
	}
	for _, tt := range []struct {
		bad, leaps uint32
		want       bool
	}{{suspectAfter - 1, 0, false}, {suspectAfter, 0, true}, {suspectAfter, 1, false}, {2*suspectAfter - 1, 1, false},
		{2 * suspectAfter, 1, true}} {
		if e := (evidence{bad: tt.bad, leaps: tt.leaps}); e.suspect() != tt.want {
			t.Errorf("%+v: %t", e, e.suspect())
		}
	}
}

// BenchmarkCheck checks packets as our own device sends them, with and without segmentation offload, and as the kernel
// does: their CRC alone, for whichever identification fits it, and with the rules about identifications. The difference
// is the cost of the rules; BenchmarkUDPStream's 64-byte messages show its share.
func BenchmarkCheck(b *testing.B) {
	for _, p := range idPatterns[:5] {
		s, next := newIDStream(b), p.next(nil)
		h := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly}, Payload: make([]byte, 64)}
		way, _ := NewPath(port(0), s.peers.local)
		var sealed [6000][]byte
		for i := range sealed {
			_, id, _ := next(i)
			sealed[i] = way.icrc.Append(id, h.Append(nil))
		}
		for _, bm := range []struct {
			name  string
			check func(data []byte)
		}{
			{"CRC", func(data []byte) { way.icrc.RecoverID(0, data) }},
			{"CRC and identification", func(data []byte) { s.peers.check(port(0), data) }},
		} {
			b.Run(p.name+"/"+bm.name, func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					bm.check(sealed[i%len(sealed)])
				}
			})
		}
	}
}
