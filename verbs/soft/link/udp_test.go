package link

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs/wire"
)

// freeLoopback binds an address of 127.0.0.0/8 that nobody else is likely to try at the moment; the test is skipped where the port cannot
// be had on any.
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
		t.Skipf("UDP port %d cannot be had here: %v", wire.Port, err)
	}
	t.Fatal(err)
	return nil
}

// udpEnd is a link with a channel that tells when it was woken.
type udpEnd struct {
	*UDP
	woken chan struct{}
}

func attachUDP(t testing.TB, e *Endpoint) *udpEnd {
	t.Helper()
	end := &udpEnd{woken: make(chan struct{}, 1)}
	u, err := e.Attach(func() {
		select {
		case end.woken <- struct{}{}:
		default:
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	end.UDP = u
	t.Cleanup(func() { u.Close() })
	return end
}

// await receives n packets. Its patience is only for a broken link.
func (e *udpEnd) await(t testing.TB, n int) (got []*Packet) {
	t.Helper()
	patience := time.After(time.Minute)
	for {
		if got = e.Receive(got, n-len(got)); len(got) == n {
			return got
		}
		select {
		case <-e.woken:
		case <-patience:
			t.Fatalf("%d of %d packets came: %+v", len(got), n, e.Counters())
		}
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
	if c := a.Counters(); c != (Counters{Sent: 100}) {
		t.Errorf("%+v", c)
	}
	if c := b.Counters(); c != (Counters{Received: 100}) {
		t.Errorf("%+v", c)
	}
}
