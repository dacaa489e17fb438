package packets

import (
	"net"
	"os"
	"runtime"
	"slices"
	"testing"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/capturetest"
	"rdmatui/verbs/wire"
)

// TestNetdevTap: the tap of a network interface passes on the RoCE packets that arrive while it is on, to the last
// receiver, and leaves no socket behind.
func TestNetdevTap(t *testing.T) {
	if !capturetest.OwnNetns(t) {
		return
	}
	from := listen(t)
	before := files(t)
	gone := &netdevTap{s: &core.Session{}, netdev: "none"}
	if err := gone.TapPackets("rxe_none", func(verbs.Packet) {}); err == nil || gone.reader != nil {
		t.Errorf("an interface that does not exist: %v", err)
	}
	tap := &netdevTap{s: &core.Session{}, netdev: "lo"}
	for psn := range wire.PSN(3) { // the second and the third receiver replace the one before
		seen := make(chan verbs.Packet, 10)
		if err := tap.TapPackets("rxe_lo", func(p verbs.Packet) {
			p.Data = slices.Clone(p.Data)
			seen <- p
		}); err != nil {
			t.Fatal(err)
		}
		data := send(t, from, psn)
		p := <-seen
		if p.Device != "rxe_lo" || p.Outgoing || p.At.IsZero() || p.Src.String() != from.LocalAddr().String() ||
			p.Dst.String() != "127.0.0.2:4791" || p.IP.HopLimit == 0 || !slices.Equal(p.Data, data) {
			t.Errorf("packet %d: %+v", psn, p)
		}
		if len(seen) > 0 {
			t.Errorf("%d packets more", len(seen))
		}
	}
	if n := files(t); n != before+1 {
		t.Errorf("%d sockets", n-before)
	}
	for range 2 { // switching it off again does nothing
		if err := tap.TapPackets("rxe_lo", nil); err != nil || tap.reader != nil {
			t.Error(err)
		}
		send(t, from, 9)
	}
	if n := files(t); n != before {
		t.Errorf("%d sockets left open", n-before)
	}
}

// TestNetdevTapBehind: a tap is behind as long as a packet that has arrived was not passed on.
func TestNetdevTapBehind(t *testing.T) {
	if !capturetest.OwnNetns(t) {
		return
	}
	from := listen(t)
	tap := &netdevTap{s: &core.Session{}, netdev: "lo"}
	if tap.behind() {
		t.Error("behind while it is off")
	}
	const all = 3
	seen, arrived, pass := 0, make(chan struct{}), make(chan struct{})
	if err := tap.TapPackets("rxe_lo", func(verbs.Packet) {
		arrived <- struct{}{}
		<-pass
		seen++
	}); err != nil {
		t.Fatal(err)
	}
	for psn := range wire.PSN(all) {
		send(t, from, psn)
		<-arrived
		if !tap.behind() {
			t.Error("not behind")
		}
		pass <- struct{}{}
	}
	for tap.behind() {
		runtime.Gosched()
	}
	if seen != all {
		t.Errorf("%d of %d packets", seen, all)
	}
	if err := tap.TapPackets("rxe_lo", nil); err != nil {
		t.Error(err)
	}
}

// listen opens a socket to send from.
func listen(t *testing.T) *net.UDPConn {
	t.Helper()
	from, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { from.Close() })
	return from
}

// send sends a packet of RoCE and returns it from the BTH on.
func send(t *testing.T, from *net.UDPConn, psn wire.PSN) []byte {
	t.Helper()
	p := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: 17, PSN: psn}}
	b := append(p.Append(nil), 0, 0, 0, 0)
	if _, err := from.WriteTo(b, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 2), Port: 4791}); err != nil {
		t.Fatal(err)
	}
	return b
}

// files counts the open sockets and files of the process.
func files(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}
