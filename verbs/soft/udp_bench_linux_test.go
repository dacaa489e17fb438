package soft

import (
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/mmsg"
	"rdmatui/verbs/wire"
)

// BenchmarkUDPPingPong sends a 64-byte message each way: over RC, and between bare sockets.
func BenchmarkUDPPingPong(b *testing.B) {
	b.Run("RC", func(b *testing.B) {
		x, y := connect(b, loopbackProvider(b), "soft0", "soft1", pairOptions{GIDIndex: -1, Timeout: 14})
		mx, my := x.NewMR(64, verbs.LocalWrite), y.NewMR(64, verbs.LocalWrite)
		wcs := make([]verbs.WC, 4)
		turn := func(from, to *side, src, dst verbs.MR) {
			to.Recv(verbs.RecvWR{SGList: sge(dst, 0, 64)})
			from.Send(verbs.SendWR{Opcode: verbs.WRSend, SGList: sge(src, 0, 64)})
			for got := 0; got == 0; {
				count(b, to.CQ, wcs, &got)
			}
		}
		b.ReportAllocs()
		b.ResetTimer()
		for range b.N {
			turn(x, y, mx, my)
			turn(y, x, my, mx)
		}
	})
	b.Run("bare", bareEcho)
}

// bareSocket is a socket on a free port.
func bareSocket(b *testing.B) *net.UDPConn {
	c := must(net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0"))))(b)
	b.Cleanup(func() { c.Close() })
	c.SetReadBuffer(4 << 20)
	return c
}

func addrOf(c *net.UDPConn) netip.AddrPort { return c.LocalAddr().(*net.UDPAddr).AddrPort() }

func bareEcho(b *testing.B) {
	x, y := bareSocket(b), bareSocket(b)
	to := addrOf(y)
	go func() {
		var buf [2048]byte
		for {
			n, from, err := y.ReadFromUDPAddrPort(buf[:])
			if err != nil {
				return
			}
			y.WriteToUDPAddrPort(buf[:n], from)
		}
	}()
	var buf [2048]byte
	for b.Loop() {
		must(x.WriteToUDPAddrPort(buf[:64], to))(b)
		if _, _, err := x.ReadFromUDPAddrPort(buf[:]); err != nil {
			b.Fatal(err)
		}
	}
}

// udpStreams are the message sizes measured: small messages and full packets.
var udpStreams = []struct {
	op   verbs.WROpcode
	size int
}{{verbs.WRSend, 64}, {verbs.WRRDMAWrite, 64 << 10}}

// BenchmarkUDPStream measures one-way traffic over sockets: RC, including making and checking the ICRC, and bare
// sockets with datagrams of the same size, segmentation offload and many datagrams per call.
func BenchmarkUDPStream(b *testing.B) {
	for _, bm := range udpStreams {
		b.Run(fmt.Sprintf("RC/%s/%dB", bm.op, bm.size), func(b *testing.B) {
			p := loopbackProvider(b)
			from, to := connect(b, p, "soft0", "soft1", pairOptions{
				MTU: verbs.MTU4096, Depth: 1024, Timeout: 18, GIDIndex: -1,
			})
			src, dst := from.NewMR(bm.size, everything), to.NewMR(bm.size, everything)
			wr := verbs.SendWR{
				Opcode: bm.op, SendFlags: verbs.SendSignaled, SGList: sge(src, 0, uint32(bm.size)),
				RemoteAddr: dst.Addr(), RKey: dst.RKey(),
			}
			b.SetBytes(int64(bm.size))
			b.ReportAllocs()
			b.ResetTimer()
			stream(b, from, to, wr, verbs.RecvWR{SGList: sge(dst, 0, uint32(bm.size))}, b.N)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
			reportLosses(b, p)
		})
		b.Run(fmt.Sprintf("bare/%dB", bm.size), func(b *testing.B) { bareStream(b, bm.size) })
	}
}

// bareStream sends messages as datagrams of an RC packet's length and counts those that arrive; lost ones are not
// counted.
func bareStream(b *testing.B, size int) {
	const segments = 60
	payload := min(size, 4096)
	datagram := payload + wire.BTHLen + wire.ICRCLen
	n := min(segments, 65000/datagram)
	x, y := bareSocket(b), bareSocket(b)
	done := make(chan int)
	go func() { done <- bareReceive(y, b.N*size/payload) }()
	var s mmsg.Sender
	buf := make([]byte, n*datagram)
	s.Message(addrOf(y), datagram)
	s.AddBuffer(buf)
	raw := must(x.SyscallConn())(b)
	send := func(fd uintptr) bool { _, err := s.Send(fd); return err != syscall.EAGAIN }
	b.SetBytes(int64(size))
	b.ResetTimer()
	for {
		select {
		case got := <-done:
			if got < b.N*size/payload {
				b.Fatal(got)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "msg/s")
			return
		default:
			raw.Write(send)
		}
	}
}

// bareReceive receives n datagrams.
func bareReceive(c *net.UDPConn, n int) (got int) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	c.SetReadDeadline(time.Now().Add(time.Minute))
	var r mmsg.Receiver
	for i := range mmsg.ReceiveBatch {
		r.SetBuffer(i, make([]byte, wire.MaxLen))
	}
	for got < n {
		raw.Read(func(fd uintptr) bool {
			k, err := r.Receive(fd, mmsg.ReceiveBatch)
			got += k
			return err != syscall.EAGAIN
		})
	}
	return got
}
