package program

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rdmatui/verbs"
	"rdmatui/verbs/route"
	"rdmatui/verbs/soft"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// The benchmarks of this file compare the software device, over a veth pair to rxe0,
// with rxe's own loopback. Loopback skips the network, so it is the harder goal.

// softPairs is how often both run for one result.
const softPairs = 7

// Messages of a stream, and how many of them are outstanding.
const (
	streamSize  = 64 << 10
	streamCount = 400
	streamDepth = 16
)

// BenchmarkSoftPingpongBesideStock times 64-byte messages: the software device with the stock server on rxe0, both
// polling and both with completion events, compared with two stock programs using events.
func BenchmarkSoftPingpongBesideStock(b *testing.B) {
	vmtest.Need(b)
	stock := []string{vmtest.Program(b, "ibv_rc_pingpong"), "-d", device, "-g", "1"}
	us := softSide(b, peerAddress)
	ours := slices.Concat(us.command, []string{"-d", us.device, "scenario", "rc-pingpong"})
	run := func(client []string, args ...string) float64 {
		port := freePort()
		common := append([]string{"-s", "64", "-n", "3000", "-p", port}, args...)
		s := start(b, stock[0], slices.Concat(stock[1:], common)...)
		s.listening(port)
		c := start(b, client[0], slices.Concat(client[1:], common, []string{address})...)
		bothDone(b, c, s)
		return figure(b, usecPerIter, c.out.String())
	}
	for _, way := range []struct {
		name string
		args []string
	}{{"polling", nil}, {"events", []string{"-e"}}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				var a, s []float64
				for range softPairs {
					a = append(a, run(ours, way.args...))
					s = append(s, run(stock, "-e"))
				}
				report(b, a, s, "us/iter")
			}
		})
	}
}

// BenchmarkSoftWriteBesideKernel streams WRITEs of 64 KiB.
func BenchmarkSoftWriteBesideKernel(b *testing.B) {
	streams(b, "ib_write_bw", verbs.WRRDMAWrite)
}

// BenchmarkSoftReadBesideKernel streams READs of 64 KiB.
func BenchmarkSoftReadBesideKernel(b *testing.B) { streams(b, "ib_read_bw", verbs.WRRDMARead) }

// streams reports the MiB/s of one opcode between the software device and rxe0, and
// of the stock program with both ends on rxe0.
func streams(b *testing.B, program string, opcode verbs.WROpcode) {
	vmtest.Need(b)
	perftest := vmtest.Program(b, program)
	averages := regexp.MustCompile(fmt.Sprintf(`(?m)^ *%d +%d +[0-9.]+ +([0-9.]+)`, streamSize, streamCount))
	stock := func() float64 {
		port := freePort()
		args := []string{"-d", device, "-x", "1", "-F", "-s", strconv.Itoa(streamSize), "-n", strconv.Itoa(streamCount),
			"-t", strconv.Itoa(streamDepth), "-p", port}
		s := start(b, perftest, args...)
		s.listening(port)
		c := start(b, perftest, append(args, address)...)
		bothDone(b, c, s)
		return figure(b, averages, c.out.String())
	}
	for b.Loop() {
		var ours, theirs []float64
		for range softPairs {
			ours = append(ours, softStream(b, opcode))
			theirs = append(theirs, stock())
		}
		report(b, ours, theirs, "MiB/s")
	}
}

// softStream runs one stream from this process to an rdmatui on rxe0.
func softStream(b *testing.B, opcode verbs.WROpcode) float64 {
	kernel := kernelSide(b).console(b)
	kernel.do("open_device "+device, "alloc_pd pd", "create_cq cq")
	reg := regMRResult.FindStringSubmatch(
		kernel.do(fmt.Sprintf("reg_mr mr length=%d access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ", streamSize)))
	qp, _, _ := strings.Cut(kernel.do("create_qp qp"), ",")
	var remoteAddr, rkey, qpn uint64
	fmt.Sscan(reg[1], &remoteAddr)
	fmt.Sscan(reg[2], &rkey)
	fmt.Sscan(strings.TrimPrefix(qp, "qp_num "), &qpn)

	s := openStream(b)
	defer s.close()
	kernel.do("modify_qp qp INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE|REMOTE_READ",
		fmt.Sprintf(
			"modify_qp qp RTR path_mtu=1024 dest_qp_num=%d rq_psn=0x111 max_dest_rd_atomic=16 min_rnr_timer=12 dgid=%s",
			uint32(s.qp.Num()), peerAddress),
		"modify_qp qp RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=0x222 max_rd_atomic=1")
	s.connect(verbs.QPN(qpn))
	rate := s.run(verbs.SendWR{
		Opcode: opcode, SendFlags: verbs.SendSignaled, RemoteAddr: remoteAddr, RKey: uint32(rkey),
	})
	kernel.leave()
	return rate
}

// stream is a queue pair of a software device in the namespace "peer".
type stream struct {
	b    *testing.B
	dev  verbs.Device
	pd   verbs.PD
	mr   verbs.MR
	ch   verbs.CompChannel
	cq   verbs.CQ
	qp   verbs.QP
	done []func() error
}

// streamProvider is made once, because it holds its port.
var streamProvider = sync.OnceValue(func() *soft.Provider {
	return soft.New(soft.Options{UDP: &soft.UDPOptions{Addrs: []netip.Addr{netip.MustParseAddr(peerAddress)}}})
})

func openStream(b *testing.B) *stream {
	s := &stream{b: b}
	inPeer(b, func() (err error) {
		s.dev, err = streamProvider().Open("soft0")
		return err
	})
	var err error
	must := func(close func() error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
		s.done = append(s.done, close)
	}
	s.done = append(s.done, s.dev.Close)
	s.pd, err = s.dev.AllocPD()
	must(func() error { return s.pd.Close() })
	s.mr, err = s.pd.RegMR(verbs.MRSpec{Length: streamSize, Access: verbs.LocalWrite})
	must(func() error { return s.mr.Close() })
	s.ch, err = s.dev.CreateCompChannel()
	must(func() error { return s.ch.Close() })
	s.cq, err = s.dev.CreateCQ(verbs.CQSpec{CQE: 2 * streamDepth, Channel: s.ch})
	must(func() error { return s.cq.Close() })
	s.qp, err = s.pd.CreateQP(verbs.QPSpec{
		QPType: verbs.RC, SendCQ: s.cq,
		RecvCQ: s.cq, Cap: verbs.QPCap{MaxSendWR: streamDepth, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1},
	})
	must(func() error { return s.qp.Close() })
	return s
}

func (s *stream) close() {
	for _, f := range slices.Backward(s.done) {
		if err := f(); err != nil {
			s.b.Error(err)
		}
	}
}

// inPeer calls f with the network namespace "peer" as its own.
func inPeer(b *testing.B, f func() error) {
	b.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // not unlocked: the thread ends with this goroutine
		ns, err := os.Open("/run/netns/peer")
		if err == nil {
			if err = unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err == nil {
				err = f()
			}
			ns.Close()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

// connect brings the queue pair up against rxe0.
func (s *stream) connect(peer verbs.QPN) {
	s.b.Helper()
	gid := verbs.GIDFromAddr(netip.MustParseAddr(address))
	table, err := s.dev.QueryGIDTable()
	if err != nil {
		s.b.Fatal(err)
	}
	own, err := route.GID(table, 1, gid)
	if err != nil || own.GID != verbs.GIDFromAddr(netip.MustParseAddr(peerAddress)) {
		s.b.Fatal(own, err, streamProvider().Notes())
	}
	path := verbs.AHAttr{
		IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: gid, SGIDIndex: uint8(own.Index), HopLimit: 64},
	}
	for _, a := range []verbs.QPAttr{
		{Mask: verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags,
			QPState: verbs.QPInit, PortNum: 1},
		{
			Mask: verbs.AttrState | verbs.AttrAV | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN |
				verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer,
			QPState: verbs.QPRTR, AH: path, PathMTU: verbs.MTU1024, DestQPNum: peer, RQPSN: 0x222,
			MinRNRTimer: 12, MaxDestRDAtomic: 1,
		},
		{
			Mask: verbs.AttrState | verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrSQPSN |
				verbs.AttrMaxQPRDAtomic,
			QPState: verbs.QPRTS, Timeout: 14, RetryCnt: 7, RNRRetry: 7, SQPSN: 0x111, MaxRDAtomic: streamDepth,
		},
	} {
		if err := s.qp.Modify(a); err != nil {
			s.b.Fatal(err)
		}
	}
}

// run keeps streamDepth requests outstanding until streamCount are complete, and
// returns MiB/s. It sleeps until something completes: both processors are busy with
// the packets.
func (s *stream) run(wr verbs.SendWR) float64 {
	s.b.Helper()
	ctx, cancel := context.WithTimeout(s.b.Context(), patience)
	defer cancel()
	wr.SGList = []verbs.SGE{{Addr: s.mr.Addr(), Length: streamSize, LKey: s.mr.LKey()}}
	begin := time.Now()
	for posted, completed := 0, 0; completed < streamCount; {
		for ; posted < streamCount && posted-completed < streamDepth; posted++ {
			if _, err := s.qp.PostSend(wr); err != nil {
				s.b.Fatal(err)
			}
		}
		n, err := s.completions(ctx)
		if err != nil {
			s.b.Fatalf("%d of %d came: %v", completed, streamCount, err)
		}
		completed += n
	}
	return streamSize * streamCount / time.Since(begin).Seconds() / (1 << 20)
}

// completions waits for completions and returns how many there were.
func (s *stream) completions(ctx context.Context) (n int, err error) {
	var wcs [streamDepth]verbs.WC
	for {
		if err := s.cq.ReqNotify(false); err != nil {
			return 0, err
		}
		if n, err = s.cq.Poll(wcs[:]); n > 0 || err != nil {
			break
		}
		if _, err := s.ch.GetCQEvent(ctx); err != nil {
			return 0, err
		}
		s.cq.AckEvents(1)
	}
	for i := range wcs[:n] {
		if wcs[i].Failed() {
			return n, errors.New(wcs[i].Status.String())
		}
	}
	return n, err
}
