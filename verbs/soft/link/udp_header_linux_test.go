package link

import (
	"errors"
	"net/netip"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"rdmatui/verbs/wire"
)

// headers is a header that a path asks for, and the one that arrives.
var headers = []struct{ asked, v4, v6 Header }{
	{Header{}, Header{0, 64, 0}, Header{0, 64, 0}},
	{Header{TrafficClass: 184, HopLimit: 3}, Header{184, 3, 0}, Header{184, 3, 0}},
	{Header{TrafficClass: 3, HopLimit: 255}, Header{3, 255, 0}, Header{3, 255, 0}},
	{Header{HopLimit: 1}, Header{0, 1, 0}, Header{0, 1, 0}},
	{Header{FlowLabel: 0xfedcb}, Header{0, 64, 0}, Header{0, 64, 0xfedcb}},
	{Header{TrafficClass: 255, FlowLabel: 0x8000001}, Header{255, 64, 0}, Header{255, 64, 1}},
}

// TestUDPHeader sends packets with several IP headers in one batch, singly and in runs that segmentation offload takes,
// and compares the headers that arrive.
func TestUDPHeader(t *testing.T) {
	for name, bind := range map[string]func(testing.TB) *Endpoint{
		"IPv4": func(t testing.TB) *Endpoint { return freeLoopback(t, Options{}) },
		"IPv6": func(t testing.TB) *Endpoint {
			e, err := Bind(netip.IPv6Loopback(), Options{})
			if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EADDRNOTAVAIL) ||
				errors.Is(err, syscall.EAFNOSUPPORT) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { e.Close() })
			return e
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := attachUDP(t, bind(t)) // it sends to its own address
			way := pathUDP(t, a.Endpoint, a.Endpoint)
			var want []Header
			send := func() {
				var batch []*Packet
				want = nil
				for i, h := range headers {
					arrives := h.v4
					if a.Addr().Is6() {
						arrives = h.v6
					}
					batch = append(batch, packets(a, way.With(h.asked), 1+i%3)...)
					for range 1 + i%3 {
						want = append(want, arrives)
					}
				}
				a.Send(batch)
			}
			a.ShowHeaders(true)
			for range 2 { // the second time all headers are known
				send()
				for i, p := range a.await(t, len(want)) {
					if p.Path.Header != want[i] || p.Path.Src.Addr() != a.Addr() || p.Path.Dst.Addr() != a.Addr() {
						t.Errorf("packet %d from %s to %s with %+v; want %+v", i, p.Path.Src, p.Path.Dst, p.Path.Header,
							want[i])
					}
				}
			}
			send()
			a.ShowHeaders(false)
			for i, p := range a.await(t, len(want)) {
				if p.Path.Header != defaultHeader {
					t.Errorf("packet %d has %+v, which nobody asked for", i, p.Path.Header)
				}
			}
		})
	}
}

// TestUDPVariantsAreBounded receives packets with more IP headers than the table keeps.
func TestUDPVariantsAreBounded(t *testing.T) {
	way, err := NewPath(netip.AddrPortFrom(addrA, wire.Port), netip.AddrPortFrom(addrB, wire.Port))
	if err != nil {
		t.Fatal(err)
	}
	var variants variantTable
	for i := range 3 * maxVariants {
		h := Header{TrafficClass: uint8(i), HopLimit: uint8(1 + i>>8)}
		with := variants.of(way, h)
		if with.Header != h || with.Src != way.Src || variants.of(way, h) != with || len(variants) > maxVariants {
			t.Fatalf("%d variants; %+v gives %+v", len(variants), h, with)
		}
	}
}

// TestUDPGroupHops asks the kernel for the hop limit and the interface of packets to groups: the hop limit of other
// packets, and the address's own interface.
func TestUDPGroupHops(t *testing.T) {
	for name, tt := range map[string]struct {
		addr              netip.Addr
		level, hops, face int
	}{
		// the kernel does not report the interface
		"IPv4": {netip.MustParseAddr("127.0.0.1"), unix.IPPROTO_IP, unix.IP_MULTICAST_TTL, 0},
		"IPv6": {netip.IPv6Loopback(), unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_HOPS, unix.IPV6_MULTICAST_IF},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := openSocket(netip.AddrPortFrom(tt.addr, 0))
			if errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT) {
				t.Skip(err)
			}
			must(t, err)
			defer s.conn.Close()
			index := interfaceOf(tt.addr).Index
			s.sendBy(index, tt.addr)
			if got, err := s.getOption(tt.level, tt.hops); got != 64 || err != nil {
				t.Errorf("%d hops, %v, want 64", got, err)
			}
			if tt.face == 0 {
				return
			}
			if got, err := s.getOption(tt.level, tt.face); got != index || err != nil {
				t.Errorf("interface %d, %v, want %d", got, err, index)
			}
		})
	}
}

// TestShowHeaders asks the kernel which header fields it reports: all of the socket's address family, or none, because
// each costs time.
func TestShowHeaders(t *testing.T) {
	for addr, level := range map[string]int{"127.0.0.1": unix.IPPROTO_IP, "::1": unix.IPPROTO_IPV6} {
		s, err := openSocket(netip.AddrPortFrom(netip.MustParseAddr(addr), 0))
		if errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT) {
			t.Log(err)
			continue
		}
		must(t, err)
		defer s.conn.Close()
		for i, on := range []bool{false, true, false, true} {
			if i > 0 {
				s.showHeaders(on)
			}
			for _, o := range headerOptions {
				if o.level != level {
					continue
				}
				if got, err := s.getOption(o.level, o.name); got != 0 != on || err != nil {
					t.Errorf("%s, step %d: option %d is %d, %v", addr, i, o.name, got, err)
				}
			}
		}
	}
}

// TestWithoutSegmentation: where the kernel refuses to cut messages into datagrams, as for a socket without checksums,
// each packet is sent alone.
func TestWithoutSegmentation(t *testing.T) {
	a, b := attachUDP(t, freeLoopback(t, Options{})), attachUDP(t, freeLoopback(t, Options{}))
	must(t, a.sock.raw.Control(func(fd uintptr) {
		must(t, unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_NO_CHECK, 1))
	}))
	a.Send(packets(a, pathUDP(t, a.Endpoint, b.Endpoint), 10))
	if got := psns(t, b.await(t, 10)); len(got) != 10 || got[9] != 9 {
		t.Errorf("%v", got)
	}
	a.out.mu.Lock()
	defer a.out.mu.Unlock()
	if c := a.Counters(); c.Unreachable != 0 || a.out.segment {
		t.Errorf("%+v; further messages are cut: %t", c, a.out.segment)
	}
}
