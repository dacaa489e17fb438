package link

import (
	"net/netip"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"rdmatui/verbs/wire"
)

// TestUDPReceiveLimit: Receive never returns more packets than its limit, whatever the slice already holds, and however
// many wait at the sockets of the link and of its groups.
func TestUDPReceiveLimit(t *testing.T) {
	a, b := attachUDP(t, freeLoopback(t, Options{})), attachUDP(t, freeLoopback(t, Options{}))
	way := pathUDP(t, a.Endpoint, b.Endpoint)
	must(t, b.Join(group4))
	toGroup, err := NewPath(way.Src, netip.AddrPortFrom(group4, wire.Port))
	must(t, err)
	for _, limit := range []int{1, receiveBatch, receiveBatch + 1, receiveBatch + 30} {
		a.Send(packets(a, way, 2*receiveBatch))
		a.Send(packets(a, toGroup, 8))
		had := make([]*Packet, 3)
		for got := 0; got < 2*receiveBatch+8; {
			n := len(b.Receive(had, limit)) - len(had)
			if n > limit {
				t.Fatalf("%d packets, at most %d were wanted", n, limit)
			}
			if got += n; n == 0 {
				got += len(b.await(t, 1))
			}
		}
	}
}

// TestUDPReceiveEmpties: one Receive takes all packets that wait, if its limit allows, however many calls of the kernel
// that takes. Nothing would tell the engine of packets that are left.
func TestUDPReceiveEmpties(t *testing.T) {
	a, b := attachUDP(t, freeLoopback(t, Options{})), attachUDP(t, freeLoopback(t, Options{}))
	way := pathUDP(t, a.Endpoint, b.Endpoint)
	for _, n := range []int{1, receiveBatch - 1, receiveBatch, receiveBatch + 1, 2*receiveBatch + 9} {
		for tries := 1; ; tries++ {
			a.Send(packets(a, way, n))
			got := len(b.Receive(nil, 10*receiveBatch))
			if got == n {
				break
			}
			if tries == 1000 { // on a loaded machine some packets arrive later
				t.Fatalf("%d of %d packets", got, n)
			}
			b.await(t, n-got)
		}
	}
}

// TestUDPReceiveTooLong: a datagram longer than every packet is dropped, even if it begins with a valid one.
func TestUDPReceiveTooLong(t *testing.T) {
	a, b := attachUDP(t, freeLoopback(t, Options{})), attachUDP(t, freeLoopback(t, Options{}))
	way := pathUDP(t, a.Endpoint, b.Endpoint)
	var to unix.SockaddrInet4
	to.Addr, to.Port = b.Addr().As4(), wire.Port
	p := packets(a, way, 1)[0]
	p.Data = p.room[:wire.MaxLen-wire.ICRCLen]
	p.sealAs(0)
	for _, behind := range []int{1, 0} {
		datagram := append(slices.Clone(p.Data), make([]byte, behind)...)
		if err := a.sock.raw.Control(func(fd uintptr) { must(t, unix.Sendto(int(fd), datagram, 0, &to)) }); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.await(t, 1); len(got[0].Data) != wire.MaxLen {
		t.Errorf("a packet of %d bytes", len(got[0].Data))
	}
	if c := b.Counters(); c.Received != 2 || c.BadICRC != 1 {
		t.Errorf("%+v", c)
	}
}
