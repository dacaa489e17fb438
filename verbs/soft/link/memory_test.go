package link

import (
	"bytes"
	"errors"
	"net/netip"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"rdmatui/verbs/wire"
)

var (
	addrA = netip.MustParseAddr("192.0.2.1")
	addrB = netip.MustParseAddr("192.0.2.2")
	addr6 = netip.MustParseAddr("2001:db8::1")
)

// end is a port that counts its wakeups.
type end struct {
	*Port
	woken atomic.Int32
}

func attach(t *testing.T, f *Fabric, addrs ...netip.Addr) *end {
	t.Helper()
	e := &end{}
	p, err := f.Attach(func() { e.woken.Add(1) }, addrs...)
	if err != nil {
		t.Fatal(err)
	}
	e.Port = p
	return e
}

func path(t *testing.T, src, dst netip.Addr) *Path {
	t.Helper()
	p, err := NewPath(netip.AddrPortFrom(src, 0xc000), netip.AddrPortFrom(dst, wire.Port))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// packets makes n acknowledgements with PSNs from 0.
func packets(l Link, way *Path, n int) []*Packet {
	ps := l.Pool().Get(nil, n)
	for i, p := range ps {
		p.Path = way
		h := wire.Packet{BTH: wire.BTH{Opcode: wire.RCAcknowledge, PSN: wire.PSN(i)}}
		p.Data = h.Append(p.Data)
	}
	return ps
}

func psns(t *testing.T, ps []*Packet) (got []wire.PSN) {
	t.Helper()
	for _, p := range ps {
		h, err := wire.Parse(p.Data)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, h.BTH.PSN)
	}
	return got
}

func TestDeliveryInOrder(t *testing.T) {
	var f Fabric
	a, b := attach(t, &f, addrA), attach(t, &f, addrB, addr6)
	a.Send(packets(a, path(t, addrA, addrB), 3))
	if b.woken.Load() != 1 || a.woken.Load() != 0 {
		t.Errorf("woken %d and %d times", b.woken.Load(), a.woken.Load())
	}
	if got := b.Addrs(); !slices.Equal(got, []netip.Addr{addrB, addr6}) {
		t.Errorf("addresses %s", got)
	}
	first := b.Receive(nil, 2)
	all := b.Receive(first, 2)
	if got := psns(t, all); len(got) != 3 || got[0] != 0 || got[1] != 1 || got[2] != 2 {
		t.Errorf("PSNs %v", got)
	}
	if all[0].Path.Src.Addr() != addrA {
		t.Errorf("from %s", all[0].Path.Src)
	}
	if got := b.Receive(nil, 2); len(got) != 0 {
		t.Errorf("%d more packets", len(got))
	}
	for _, p := range b.queue[:cap(b.queue)] {
		if p != nil {
			t.Error("the queue holds a packet that was received")
		}
	}
	a.Send(packets(a, path(t, addr6, addr6), 1))
	if b.woken.Load() != 2 || len(b.Receive(nil, 9)) != 1 {
		t.Error("the second address, or waking an empty queue, does not work")
	}
	if c := b.Counters(); c != (Counters{Received: 4}) {
		t.Errorf("%+v", c)
	}
}

// TestDestinations sends a batch to several ports in turns: each gets its own packets.
func TestDestinations(t *testing.T) {
	var f Fabric
	a, b := attach(t, &f, addrA), attach(t, &f, addrB)
	toA, toB := path(t, addrA, addrA), path(t, addrA, addrB)
	batch := packets(a, toB, 6)
	for i, to := range []*Path{toB, toA, toA, toB, path(t, addrA, addrB), toA} {
		batch[i].Path = to
	}
	a.Send(batch)
	if got, want := psns(t, a.Receive(nil, 9)), []wire.PSN{1, 2, 5}; !slices.Equal(got, want) {
		t.Errorf("the sender has %d", got)
	}
	if got, want := psns(t, b.Receive(nil, 9)), []wire.PSN{0, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("the other has %d", got)
	}
}

func TestAddresses(t *testing.T) {
	var f Fabric
	a := attach(t, &f, addrA)
	if _, err := f.Attach(nil, addrB, addrA); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("%v", err)
	}
	b := attach(t, &f, addrB) // the failed attempt must not have kept the address
	b.Close()
	b = attach(t, &f, addrB)
	a.Close()
	b.Send(packets(b, path(t, addrB, addrA), 2))
	if c := b.Counters(); c.Unreachable != 2 || c.Sent != 2 {
		t.Errorf("%+v", c)
	}
	if _, err := NewPath(netip.AddrPortFrom(addrA, 1), netip.AddrPortFrom(addr6, 1)); err == nil {
		t.Error("a path between two address families was accepted")
	}
}

// TestDamage flips each bit that the CRC covers, and one that it does not cover.
func TestDamage(t *testing.T) {
	var f Fabric
	a := attach(t, &f, addrA)
	way := path(t, addrA, addrA)
	const masked = 4 // byte of FECN, BECN and reserved bits
	n := wire.BTHLen + wire.AETHLen + wire.ICRCLen
	for bit := range 8 * n {
		hook := func(p *Packet) Verdict { p.Data[bit/8] ^= 1 << (bit % 8); return Deliver }
		f.SetFault(hook)
		a.Send(packets(a, way, 1))
		if got := len(a.Receive(nil, 1)) == 1; got != (bit/8 == masked) {
			t.Errorf("byte %d bit %d: accepted is %v", bit/8, bit%8, got)
		}
	}
	if c := a.Counters(); c.BadICRC != uint64(8*(n-1)) {
		t.Errorf("%+v", c)
	}
	f.SetFault(nil)
	a.Send(packets(a, way, 1))
	if len(a.Receive(nil, 1)) != 1 {
		t.Error("the hook is still set")
	}
}

func TestTapAndFault(t *testing.T) {
	var f Fabric
	a, b := attach(t, &f, addrA), attach(t, &f, addrB)
	var seen [][]byte
	f.SetTap(func(p *Packet) { seen = append(seen, bytes.Clone(p.Data)) })
	n := 0
	f.SetFault(func(*Packet) Verdict {
		n++
		if n%2 == 0 {
			return Drop
		}
		return Deliver
	})
	a.Send(packets(a, path(t, addrA, addrB), 4))
	if got := psns(t, b.Receive(nil, 9)); len(got) != 2 || got[0] != 0 || got[1] != 2 {
		t.Errorf("PSNs %v", got)
	}
	if len(seen) != 4 || len(seen[0]) != wire.BTHLen+wire.AETHLen+wire.ICRCLen {
		t.Errorf("the tap saw %d packets", len(seen))
	}
	f.SetTap(nil)
	a.Send(packets(a, path(t, addrA, addrB), 1))
	if len(seen) != 4 {
		t.Error("the tap is still set")
	}
}

// TestCrowding fills a queue: the sender gets a signal to pause, and to resume at the low water mark, and cannot grow
// the queue without bound.
func TestCrowding(t *testing.T) {
	var f Fabric
	a, b := attach(t, &f, addrA), attach(t, &f, addrB)
	way := path(t, addrA, addrB)
	a.Send(packets(a, way, highWater))
	if !a.Ready() {
		t.Fatal("paused at the mark")
	}
	a.Send(packets(a, way, 1))
	if a.Ready() || a.woken.Load() != 0 {
		t.Fatal("not paused beyond the mark")
	}
	got := b.Receive(nil, highWater-lowWater)
	if a.Ready() {
		t.Error("resumed too early")
	}
	got = b.Receive(got, 1)
	if !a.Ready() || a.woken.Load() != 1 {
		t.Error("not resumed")
	}
	got = append(got, b.Receive(nil, highWater)...)
	if len(got) != highWater+1 {
		t.Errorf("%d packets", len(got))
	}
	a.Send(packets(a, way, queueLimit+5))
	if c := b.Counters(); c.NoRoom != 5 {
		t.Errorf("%+v", c)
	}
	if idle := len(f.pool.idle); idle != 5 {
		t.Errorf("%d of the 5 dropped packets are back in the pool", idle)
	}
	b.Close()
	if a.Counters().Pauses != 2 {
		t.Errorf("%+v", a.Counters())
	}
	if !a.Ready() || a.woken.Load() != 2 {
		t.Error("still paused after the peer was closed")
	}
}

// TestPool takes packets from the pool twice and checks that they are empty and distinct.
func TestPool(t *testing.T) {
	var l Pool
	first := l.Get(nil, 3)
	for _, p := range first {
		p.Data = append(p.Data, 1, 2, 3)
	}
	l.Put(first[:2])
	second := l.Get([]*Packet{first[2]}, 4)
	seen := map[*Packet]bool{}
	for i, p := range second {
		if seen[p] || i > 0 && (len(p.Data) != 0 || cap(p.Data) < wire.MaxLen) {
			t.Errorf("packet %d is not empty or not new", i)
		}
		seen[p] = true
	}
	if !seen[first[0]] || !seen[first[1]] {
		t.Error("returned packets are not reused")
	}
	many := make([]*Packet, maxIdle+10)
	for i := range many {
		many[i] = new(Packet)
	}
	l.Put(many)
	if len(l.idle) != maxIdle {
		t.Errorf("the pool keeps %d", len(l.idle))
	}
}
