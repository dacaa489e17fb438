package mmsg

import (
	"net"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHeadersComeAndGo sends datagrams to the same socket, each with or without a header of its own, and receives each
// with and without its header: nothing stays from the call before.
func TestHeadersComeAndGo(t *testing.T) {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	own := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	in, out := new(Receiver), new(Sender)
	err = raw.Control(func(fd uintptr) {
		for _, name := range []int{unix.IP_RECVTOS, unix.IP_RECVTTL} {
			if err := unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, name, 1); err != nil {
				t.Fatal(err)
			}
		}
		if err := unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_TTL, 64); err != nil {
			t.Fatal(err)
		}
		given, usual := Header{TrafficClass: 0xb8, HopLimit: 3}, Header{HopLimit: 64}
		for _, tt := range []struct {
			sent  Header // zero: the socket's own
			shown bool
			want  Header
		}{
			{given, true, given}, {given, false, Header{}}, {Header{}, true, usual}, {Header{}, false, Header{}},
			{given, true, given}, {Header{}, true, usual},
		} {
			out.Reset()
			out.Message(own, 0)
			if tt.sent != (Header{}) {
				out.SetHeader(tt.sent)
			}
			out.AddBuffer([]byte("hello"))
			if n, err := out.Send(fd); n != 1 || err != nil {
				t.Fatalf("%d sent, %v", n, err)
			}
			buf := make([]byte, 16)
			in.SetBuffer(0, buf)
			in.Headers = tt.shown
			if n, err := in.Receive(fd, 1); n != 1 || err != nil {
				t.Fatalf("%d received, %v", n, err)
			}
			if size, cut, from := in.Datagram(0); string(buf[:size]) != "hello" || cut || from != own {
				t.Errorf("%q, cut %v, from %s", buf[:size], cut, from)
			}
			if got := in.Header(0); got != tt.want {
				t.Errorf("%+v: got %+v", tt, got)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
