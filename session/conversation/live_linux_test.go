package conversation_test

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"golang.org/x/net/ipv6"
	"golang.org/x/sys/unix"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/verbs/wire"
)

// liveRate is how many packets a second the sender of BenchmarkLive sends.
const liveRate = 200_000

// BenchmarkLive captures WRITEs on the loopback interface of a network namespace while they are sent at liveRate, and
// joins them into requests. What was read and what the kernel counted as dropped must add up to what was sent. The
// sender leaves it to the interface to segment what it sends, or sends packet by packet, which takes most of the time.
// A minute is -benchtime 12000000x.
func BenchmarkLive(b *testing.B) {
	b.Run("segmented", func(b *testing.B) { live(b, true) })
	b.Run("packets", func(b *testing.B) { live(b, false) })
}

func live(b *testing.B, segmented bool) {
	runtime.LockOSThread() // the thread ends with the benchmark, and its namespace with it
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		b.Skipf("a network namespace needs CAP_SYS_ADMIN: %v", err)
	}
	if err := loopbackUp(); err != nil {
		b.Fatal(err)
	}
	to := &net.UDPAddr{IP: net.IPv6loopback, Port: 4791}
	sink, err := net.ListenUDP("udp6", to) // without it each packet is answered by ICMP
	if err != nil {
		b.Fatal(err)
	}
	defer sink.Close()
	from, err := net.ListenUDP("udp6", &net.UDPAddr{IP: to.IP})
	if err != nil {
		b.Fatal(err)
	}
	defer from.Close()
	if err := options(sink, from, segmented); err != nil {
		b.Fatal(err)
	}
	r, err := capture.Live("lo")
	if err != nil {
		b.Fatal(err)
	}
	read := make(chan uint64)
	table := conversation.New()
	go func() {
		var f capture.Frame
		n := uint64(0)
		for ; r.Next(&f) == nil; n++ {
			table.Add(&f)
		}
		read <- n
	}()

	b.ResetTimer()
	begin := time.Now()
	sendWrites(b, from, to, segmented)
	took := time.Since(begin)
	time.Sleep(10 * time.Millisecond) // the kernel begins to stamp arrivals a little after the first socket asks for it
	r.Stop()
	n := <-read
	b.StopTimer()
	table.End()
	if err := r.Close(); err != nil {
		b.Error(err)
	}
	if n+r.Dropped != uint64(b.N) {
		b.Errorf("%d read, %d dropped of %d", n, r.Dropped, b.N)
	}
	if len(table.List) != 1 {
		b.Fatalf("%d conversations in %d packets", len(table.List), n)
	}
	if s := table.List[0].Sides[0]; s.Packets != n || s.Missing != 0 && r.Dropped == 0 {
		b.Errorf("%d packets of requests, %d missing", s.Packets, s.Missing)
	}
	b.ReportMetric(float64(b.N)/took.Seconds(), "sent/s")
	b.ReportMetric(float64(r.Dropped), "dropped")
}

// loopbackUp switches on the loopback interface of the thread's network namespace.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}

// writeLen is the length of a WRITE of 64 bytes from BTH to ICRC.
const writeLen = wire.BTHLen + wire.RETHLen + 64 + wire.ICRCLen

// options lets the sender leave segmentation to the interface, and the sink take what is not segmented.
func options(sink, from *net.UDPConn, segmented bool) error {
	set := func(on *net.UDPConn, name, value int) error {
		raw, err := on.SyscallConn()
		if err != nil {
			return err
		}
		var failed error
		err = raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, name, value) })
		return errors.Join(err, failed)
	}
	if !segmented {
		return nil
	}
	return errors.Join(set(sink, unix.UDP_GRO, 1), set(from, unix.UDP_SEGMENT, writeLen))
}

// sendWrites sends b.N WRITEs of one packet.
func sendWrites(b *testing.B, from *net.UDPConn, to *net.UDPAddr, segmented bool) {
	b.Helper()
	const batch = 64
	src, dst := from.LocalAddr().(*net.UDPAddr), netip.IPv6Loopback()
	// IPv6: the kernel chooses an identification with IPv4
	icrc, err := wire.NewICRC(wire.Path{
		Src: netip.AddrPortFrom(dst, uint16(src.Port)), Dst: netip.AddrPortFrom(dst, uint16(to.Port)),
	})
	if err != nil {
		b.Fatal(err)
	}
	conn, msgs := ipv6.NewPacketConn(from), make([]ipv6.Message, batch)
	payload := make([]byte, 64)
	begin := time.Now()
	for sent := 0; sent < b.N; {
		n := min(batch, b.N-sent)
		for i := range n {
			p := wire.Packet{
				BTH:  wire.BTH{Opcode: wire.RCWriteOnly, DestQP: 9, PSN: wire.PSN(sent+i) & wire.PSNMask},
				RETH: wire.RETH{DMALen: 64}, Payload: payload,
			}
			msgs[i] = ipv6.Message{Buffers: [][]byte{icrc.Append(0, p.Append(nil))}, Addr: to}
		}
		if segmented {
			for i := 1; i < n; i++ {
				msgs[0].Buffers[0] = append(msgs[0].Buffers[0], msgs[i].Buffers[0]...)
			}
			if _, err := from.WriteToUDP(msgs[0].Buffers[0], to); err != nil {
				b.Fatal(err)
			}
		}
		for done := 0; done < n && !segmented; {
			k, err := conn.WriteBatch(msgs[done:n], 0)
			if err != nil && !errors.Is(err, io.ErrShortWrite) {
				b.Fatal(err)
			}
			done += k
		}
		sent += n
		if ahead := time.Duration(sent)*time.Second/liveRate - time.Since(begin); ahead > time.Millisecond {
			time.Sleep(ahead)
		}
	}
}
