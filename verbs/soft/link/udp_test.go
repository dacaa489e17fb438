package link

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs/wire"
)

// freeLoopback binds an address of 127.0.0.0/8 that no other test is likely to try at the moment; the test is skipped
// if the port is in use on all of them.
func freeLoopback(t testing.TB, opts Options) *Endpoint {
	t.Helper()
	var err error
	for range 20 {
		var e *Endpoint
		addr := netip.AddrFrom4([4]byte{127, byte(1 + rand.N(250)), byte(rand.N(250)), byte(1 + rand.N(250))})
		if e, err = Bind(addr, opts); err == nil {
			t.Cleanup(func() { e.Close() })
			return e
		}
	}
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EADDRNOTAVAIL) {
		t.Skipf("UDP port %d is not available here: %v", wire.Port, err)
	}
	t.Fatal(err)
	return nil
}

// udpEnd is a link with a channel that reports wakeups of the link or its watch.
type udpEnd struct {
	*UDP
	woken chan struct{}
	watch *Watch
}

func attachUDP(t testing.TB, e *Endpoint) *udpEnd {
	t.Helper()
	end := &udpEnd{woken: make(chan struct{}, 1)}
	wake := func() {
		select {
		case end.woken <- struct{}{}:
		default:
		}
	}
	u, err := e.Attach(wake)
	if err != nil {
		t.Fatal(err)
	}
	end.UDP = u
	t.Cleanup(func() { u.Close() })
	if watches {
		if end.watch, err = u.Watch(wake); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(end.watch.Close)
	}
	return end
}

func (e *udpEnd) Close() error {
	if watches {
		e.watch.Close()
	}
	return e.UDP.Close()
}

// await receives n packets. Its time limit matters only if the link is broken.
func (e *udpEnd) await(t testing.TB, n int) (got []*Packet) {
	t.Helper()
	patience := time.After(time.Minute)
	for {
		if got = e.Receive(got, n-len(got)); len(got) == n {
			return got
		}
		if watches {
			if err := e.watch.Arm(); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case <-e.woken:
		case <-patience:
			t.Fatalf("got %d of %d packets: %+v", len(got), n, e.Counters())
		}
	}
}

// awaitWake waits until the link is woken.
func (e *udpEnd) awaitWake(t testing.TB) {
	t.Helper()
	select {
	case <-e.woken:
	case <-time.After(time.Minute):
		t.Fatalf("not woken: %+v", e.Counters())
	}
}

func pathUDP(t testing.TB, from, to *Endpoint) *Path {
	t.Helper()
	p, err := NewPath(netip.AddrPortFrom(from.Addr(), wire.Port), netip.AddrPortFrom(to.Addr(), wire.Port))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestUDPDelivery(t *testing.T) {
	a, b := attachUDP(t, freeLoopback(t, Options{})), attachUDP(t, freeLoopback(t, Options{}))
	a.Send(packets(a, pathUDP(t, a.Endpoint, b.Endpoint), 100))
	got := b.await(t, 100)
	for i, psn := range psns(t, got) {
		if psn != wire.PSN(i) {
			t.Fatalf("packet %d has PSN %d", i, psn)
		}
	}
	if p := got[0].Path; p.Src.Addr() != a.Addr() || p.Dst.Addr() != b.Addr() || got[99].Path != p {
		t.Errorf("path %+v", p)
	}
	if !slices.Equal(a.Addrs(), []netip.Addr{a.Addr()}) {
		t.Errorf("addresses %s, bound to %s", a.Addrs(), a.Addr())
	}
	if c := a.Counters(); c != (Counters{Sent: 100}) {
		t.Errorf("%+v", c)
	}
	if c := b.Counters(); c != (Counters{Received: 100}) {
		t.Errorf("%+v", c)
	}
}

// TestUDPHostile sends a link invalid packets, and then a valid one.
func TestUDPHostile(t *testing.T) {
	a, b := attachUDP(t, freeLoopback(t, Options{})), attachUDP(t, freeLoopback(t, Options{}))
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(b.Addr(), wire.Port)))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r := rand.New(rand.NewPCG(1, 2))
	const each = 20
	for range each {
		for _, n := range []int{0, 1, wire.BTHLen + wire.ICRCLen - 1, 64, wire.MaxLen + 1, 60000} {
			junk := make([]byte, n)
			for i := range junk {
				junk[i] = byte(r.Uint32())
			}
			if _, err := conn.Write(junk); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.Receive(nil, 64); len(got) != 0 { // the socket may hold only a few
			t.Fatalf("%d packets", len(got))
		}
	}
	a.Send(packets(a, pathUDP(t, a.Endpoint, b.Endpoint), 1))
	if got := b.await(t, 1); got[0].Path.Src.Addr() != a.Addr() {
		t.Errorf("from %s", got[0].Path.Src)
	}
	if c := b.Counters(); c.Received != 6*each+1 || c.BadICRC+c.OddID != 6*each {
		t.Errorf("%+v", c)
	}
}

// TestUDPOddID sends a valid packet with an identification far from the peer's others: it is refused, and counted as
// such.
func TestUDPOddID(t *testing.T) {
	a, b := attachUDP(t, freeLoopback(t, Options{})), attachUDP(t, freeLoopback(t, Options{}))
	way := pathUDP(t, a.Endpoint, b.Endpoint)
	a.Send(packets(a, way, steadyAfter+1))
	b.await(t, steadyAfter+1)
	odd := packets(a, way, 1)
	odd[0].sealAs(20000) // the kernel gives it identification 0
	if sent, err := a.sock.send(odd, []message{{1, len(odd[0].Data)}}); sent != 1 || err != nil {
		t.Fatalf("sent %d: %v", sent, err)
	}
	a.Send(packets(a, way, 1))
	b.await(t, 1)
	if c := b.Counters(); c != (Counters{Received: steadyAfter + 3, OddID: 1}) {
		t.Errorf("%+v", c)
	}
}

// TestUDPPeersAreBounded receives valid packets from more addresses than the table keeps.
func TestUDPPeersAreBounded(t *testing.T) {
	peers := peerTable{local: netip.AddrPortFrom(addrB, wire.Port)}
	for i := range 6 * generation {
		from := netip.AddrPortFrom(addrA, uint16(1+i))
		way, err := NewPath(from, peers.local)
		if err != nil {
			t.Fatal(err)
		}
		h := wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge}}
		data := way.icrc.Append(uint16(i), h.Append(nil))
		p, v := peers.check(from, data)
		if v != accepted || p.Src != from || p.Dst != peers.local {
			t.Fatalf("packet %d: path %+v, %d", i, p, v)
		}
		if again, _ := peers.check(from, data); again != p {
			t.Fatalf("packet %d: path %+v, then %+v", i, p, again)
		}
		if n := len(peers.peers.young) + len(peers.peers.old); n > 2*generation {
			t.Fatalf("the table has %d peers", n)
		}
	}
}

// TestUDPPeersOfIPv6: only a packet with a right CRC makes its sender known, and wrong ones are refused afterwards.
func TestUDPPeersOfIPv6(t *testing.T) {
	peers := peerTable{local: netip.AddrPortFrom(addr6, wire.Port)}
	from := netip.MustParseAddrPort("[2001:db8::9]:50000")
	way, err := NewPath(from, peers.local)
	if err != nil {
		t.Fatal(err)
	}
	h := wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge}}
	right := way.icrc.Append(0, h.Append(nil))
	wrong := slices.Clone(right)
	wrong[0] ^= 1
	for i, tt := range []struct {
		from  netip.AddrPort
		data  []byte
		want  verdict
		known int
	}{
		{from, wrong, damaged, 0}, {netip.AddrPortFrom(addrA, 1), right, damaged, 0}, // of the other family
		{from, right, accepted, 1}, {from, wrong, damaged, 1}, {from, right, accepted, 1},
	} {
		p, v := peers.check(tt.from, tt.data)
		if v != tt.want || (p != nil) != (v == accepted) || p != nil && p.Src != from ||
			len(peers.peers.young) != tt.known {
			t.Errorf("packet %d: %d, path %+v, %d peers", i, v, p, len(peers.peers.young))
		}
	}
}

// TestUDPSegments sends runs that segmentation offload takes and runs that it does not take, with and without offload.
func TestUDPSegments(t *testing.T) {
	for _, opts := range []Options{{}, {NoGSO: true}} {
		t.Run(fmt.Sprintf("%+v", opts.NoGSO), func(t *testing.T) {
			a, b, c := attachUDP(t, freeLoopback(t, opts)), attachUDP(t, freeLoopback(t, opts)),
				attachUDP(t, freeLoopback(t, opts))
			toB, toC := pathUDP(t, a.Endpoint, b.Endpoint), pathUDP(t, a.Endpoint, c.Endpoint)
			var batch []*Packet
			add := func(way *Path, payload, n int) {
				for range n {
					p := a.Pool().Get(nil, 1)[0]
					h := wire.Packet{
						BTH:     wire.BTH{Opcode: wire.RCSendOnly, PSN: wire.PSN(len(batch))},
						Payload: make([]byte, payload),
					}
					p.Path, p.Data = way, h.Append(p.Data)
					batch = append(batch, p)
				}
			}
			add(toB, 4096, 20) // more than fits into one message, but less than a small socket buffer
			add(toB, 64, 130)
			add(toC, 64, 3)
			add(toB, 1024, 5)
			add(toB, 1000, 1) // a shorter last packet
			add(toB, 1024, 2)
			add(toC, 0, 1)
			a.Send(slices.Clone(batch))
			last := wire.PSN(0)
			for i, psn := range psns(t, b.await(t, 158)) {
				if i > 0 && psn <= last {
					t.Errorf("PSN %d after %d", psn, last)
				}
				last = psn
			}
			c.await(t, 4)
			for _, l := range []*udpEnd{a, b, c} {
				if n := l.Counters(); n.BadICRC+n.Unreachable+n.NoRoom != 0 {
					t.Errorf("%+v", n)
				}
			}
		})
	}
}

// TestSegmentRuns checks the rules by which batches are cut into segments.
func TestSegmentRuns(t *testing.T) {
	way, other, group := path(t, addrA, addrB), path(t, addrA, addrA), path(t, addrA, group4)
	for _, tt := range []struct {
		sizes []int
		to    []*Path // of the last packets; the others have one path
		want  int
	}{
		{[]int{80}, nil, 1},
		{[]int{80, 80, 80}, nil, 3},
		{[]int{80, 80, 20, 80}, nil, 3},
		{[]int{80, 80, 84}, nil, 2},
		{[]int{80, 80, 80}, []*Path{other}, 2},
		{[]int{80, 80}, []*Path{path(t, addrA, addrB)}, 2}, // another queue pair's path to the same destination
		{[]int{80, 80}, []*Path{way.With(Header{TrafficClass: 1, HopLimit: DefaultHopLimit})}, 1},
		{[]int{80, 80}, []*Path{group, group}, 1},
		{slices.Repeat([]int{80}, 100), nil, maxSegments},
		{slices.Repeat([]int{4108}, 100), nil, maxSegmented / 4112},
	} {
		var batch []*Packet
		for i, n := range tt.sizes {
			p := &Packet{Path: way, Data: make([]byte, n)}
			if k := i - (len(tt.sizes) - len(tt.to)); k >= 0 {
				p.Path = tt.to[k]
			}
			batch = append(batch, p)
		}
		if got := segments(batch); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.sizes, got, tt.want)
		}
	}
}

// TestUDPRefused makes the kernel refuse segmented messages only.
func TestUDPRefused(t *testing.T) {
	a, b := attachUDP(t, freeLoopback(t, Options{})), attachUDP(t, freeLoopback(t, Options{}))
	o := &a.out
	o.mu.Lock()
	o.add(packets(a, pathUDP(t, a.Endpoint, b.Endpoint), 5))
	if len(o.messages) == 1 { // with segmentation offload
		o.refuse(o.packets, syscall.EIO)
		if len(o.messages) != 5 || len(o.packets) != 5 || !o.segment {
			t.Errorf("%d messages of %d packets", len(o.messages), len(o.packets))
		}
	}
	o.push()
	if o.segment {
		t.Error("segmentation stays on although single packets pass")
	}
	o.mu.Unlock()
	b.await(t, 5)
	if c := b.Counters(); c.BadICRC != 0 {
		t.Errorf("%+v", c)
	}
}

// TestUDPUnreachable sends to an unreachable address: the packet is counted as lost, and later ones are sent.
func TestUDPUnreachable(t *testing.T) {
	a := attachUDP(t, freeLoopback(t, Options{}))
	nowhere, err := NewPath(netip.AddrPortFrom(a.Addr(), wire.Port), netip.MustParseAddrPort("192.0.2.200:4791"))
	if err != nil {
		t.Fatal(err)
	}
	batch := append(packets(a, nowhere, 2), packets(a, pathUDP(t, a.Endpoint, a.Endpoint), 2)...)
	a.Send(batch)
	a.await(t, 2)
	if c := a.Counters(); c.Unreachable != 2 || c.Sent != 4 {
		t.Errorf("%+v", c)
	}
}

// TestUDPClose closes a link during traffic, attaches another to the same port, and checks that no goroutine is left.
func TestUDPClose(t *testing.T) {
	a, port := attachUDP(t, freeLoopback(t, Options{})), freeLoopback(t, Options{})
	way := pathUDP(t, a.Endpoint, port)
	before := runtime.NumGoroutine()
	for range 20 {
		b := attachUDP(t, port)
		if _, err := port.Attach(func() {}); !errors.Is(err, syscall.EBUSY) {
			t.Fatalf("a second link: %v", err)
		}
		stop := make(chan struct{})
		var sender sync.WaitGroup
		sender.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					a.Send(packets(a, way, 8))
				}
			}
		})
		b.Pool().Put(b.await(t, 8))
		b.Close()
		b.Close()
		if got := b.Receive(nil, 8); len(got) != 0 {
			t.Errorf("%d packets from a closed link", len(got))
		}
		if err := b.Join(group4); !errors.Is(err, net.ErrClosed) {
			t.Fatalf("joining after Close: %v", err)
		}
		b.Send(packets(b, pathUDP(t, port, a.Endpoint), 1))
		close(stop)
		sender.Wait()
	}
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines before, %d now", before, runtime.NumGoroutine())
		}
	}
}

// TestUDPAllocations counts allocations of sending and receiving.
func TestUDPAllocations(t *testing.T) {
	a := attachUDP(t, freeLoopback(t, Options{}))
	way := pathUDP(t, a.Endpoint, a.Endpoint)
	ps := packets(a, way, 32)
	round := func() {
		a.Send(ps)
		ps = ps[:0]
		for len(ps) < 32 {
			ps = a.Receive(ps, 32-len(ps))
		}
		for _, p := range ps {
			p.Path, p.Data = way, p.Data[:len(p.Data)-wire.ICRCLen]
		}
	}
	round()
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations for 32 packets", n)
	}
}

func TestBind(t *testing.T) {
	e := freeLoopback(t, Options{})
	if name, mtu := e.Netdev(); name == "" || mtu < 1280 {
		t.Errorf("interface %q with an MTU of %d", name, mtu)
	}
	if n := e.ReceiveBuffer(); n < 1<<16 {
		t.Errorf("receive buffer of %d bytes", n)
	}
	for _, tt := range []struct {
		addr netip.Addr
		want error
	}{
		{e.Addr(), syscall.EADDRINUSE},
		{addrA, syscall.EADDRNOTAVAIL},
		{addr6, syscall.EADDRNOTAVAIL},
		{netip.IPv4Unspecified(), syscall.EADDRNOTAVAIL},
		{netip.MustParseAddr("224.0.0.1"), syscall.EADDRNOTAVAIL},
		{netip.Addr{}, syscall.EADDRNOTAVAIL},
	} {
		if _, err := Bind(tt.addr, Options{}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.addr, err, tt.want)
		}
	}
	e.Close()
	again, err := Bind(e.Addr(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
