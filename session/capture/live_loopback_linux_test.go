package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rdmatui/verbs/verbstest/capturetest"
	"rdmatui/verbs/wire"
)

// TestLiveOnLoopback reads packets of a network interface: those of RoCE, once each.
func TestLiveOnLoopback(t *testing.T) {
	if !capturetest.OwnNetns(t) {
		return
	}
	if _, err := Live("none"); err == nil ||
		!strings.HasPrefix(err.Error(), "no network interface is named none; this host has lo") {
		t.Errorf("no such interface: %v", err)
	}
	before := time.Now()
	r, err := Live("lo")
	if err != nil {
		t.Fatal(err)
	}
	from, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	send := func(psn wire.PSN, port int) {
		p := wire.Packet{BTH: wire.BTH{Opcode: wire.RCSendOnly, DestQP: 17, PSN: psn}}
		if _, err := from.WriteTo(append(p.Append(nil), 0, 0, 0, 0),
			&net.UDPAddr{IP: net.IPv4(127, 0, 0, 2), Port: port}); err != nil {
			t.Fatal(err)
		}
	}
	for psn := range wire.PSN(3) {
		send(90+psn, roceV2Port+1)
		send(psn, roceV2Port)
	}
	var f Frame
	for psn := range wire.PSN(3) {
		if err := r.Next(&f); err != nil || f.Wire.BTH.PSN != psn || f.Way != In || f.Device != "lo" ||
			f.Missed != 0 || f.Cut() ||
			f.At.Before(before) || f.At.After(time.Now()) || f.Src.String() != from.LocalAddr().String() {
			t.Fatalf("packet %d: %v, %+v", psn, err, f)
		}
	}
	r.Stop()
	if err := r.Next(&f); err != io.EOF {
		t.Errorf("after the last: %v, %v", err, &f.Wire)
	}
	if err := r.Close(); err != nil || r.Totals != (Totals{Packets: 3, RoCE: 3}) {
		t.Errorf("%v, %+v", err, r.Totals)
	}
}

// TestLiveNotEthernet: an interface that carries no Ethernet frames is refused, as RoCE packets cannot arrive there.
func TestLiveNotEthernet(t *testing.T) {
	if !capturetest.OwnNetns(t) {
		return
	}
	for name, want := range map[string]struct {
		flags uint16
		err   string
	}{
		"ip0":  {unix.IFF_TUN, "ip0 is not an Ethernet interface; RoCE needs one"},
		"eth0": {unix.IFF_TAP, ""},
	} {
		fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Skip("no interface without Ethernet can be made here: ", err)
		}
		defer unix.Close(fd)
		request, err := unix.NewIfreq(name)
		if err != nil {
			t.Fatal(err)
		}
		request.SetUint16(want.flags | unix.IFF_NO_PI)
		if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
			t.Fatal(err)
		}
		r, err := Live(name)
		if got := fmt.Sprint(err); (err == nil) != (want.err == "") || err != nil && got != want.err {
			t.Errorf("%s: %s, want %q", name, got, want.err)
		}
		if r != nil {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// checkRoom checks that the buffer is as large as intended, whatever net.core.rmem_max is. In a user namespace, where
// the rights of root do not reach that far, it checks nothing.
func checkRoom(t *testing.T) {
	t.Helper()
	fd, err := openPacketSocket(&net.Interface{Index: 1, Flags: net.FlagLoopback})
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	room, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	mayForce := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, liveBuffer) == nil
	if err != nil || mayForce && room < liveBuffer {
		t.Errorf("a buffer of %d bytes, %v; want at least %d", room, err, liveBuffer)
	}
}

// TestLiveRefused: a capture that cannot begin, or that the interface ends, tells why, and leaves no socket.
func TestLiveRefused(t *testing.T) {
	if !capturetest.OwnNetns(t) {
		return
	}
	before := openFiles(t)
	checkRoom(t)
	if fd, err := openPacketSocket(&net.Interface{Index: 1 << 30}); !errors.Is(err, unix.ENODEV) {
		t.Errorf("an interface that is gone: %d, %v", fd, err)
	}
	r, err := Live("lo")
	if err != nil {
		t.Fatal(err)
	}
	capturetest.SetLoopback(t, 0)
	var f Frame
	if err := r.Next(&f); !errors.Is(err, unix.ENETDOWN) || !strings.Contains(err.Error(), "network interface lo: ") {
		t.Errorf("an interface that goes down: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	none := [2]unix.CapUserData{}
	// Of this thread, which ends.
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := Live("lo"); err == nil || !strings.HasPrefix(err.Error(),
		"lo: a packet socket needs the capability CAP_NET_RAW;") {
		t.Errorf("without permission: %v", err)
	}
	if n := openFiles(t); n != before {
		t.Errorf("%d files left open", n-before)
	}
}

// TestLiveTag: a VLAN tag that the kernel removes from a packet before a packet socket sees it is back, with the length
// of the packet as sent.
func TestLiveTag(t *testing.T) {
	if !capturetest.OwnNetns(t) {
		return
	}
	lo, err := net.InterfaceByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Live("lo")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	addresses := make([]byte, ethernetLen-2)
	for _, tags := range [][]byte{{0x81, 0, 0x60, 5}, {0x88, 0xa8, 0, 9, 0x81, 0, 0, 5}, nil} {
		want := join(addresses, tags, []byte{8, 0}, four(t))
		if err := unix.Sendto(fd, want, 0, &unix.SockaddrLinklayer{Ifindex: lo.Index}); err != nil {
			t.Fatal(err)
		}
		var f Frame
		if err := r.Next(&f); err != nil || f.ICRC != Right || f.Cropped != 0 || f.Way != In {
			t.Errorf("% x: %v, %+v", tags, err, f)
		}
		if !bytes.Equal(f.Raw.bytes, want) || f.Raw.n != len(want) {
			t.Errorf("% x: % x, %d bytes as sent", tags, f.Raw.bytes, f.Raw.n)
		}
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/thread-self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}
