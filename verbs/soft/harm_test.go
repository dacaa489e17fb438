package soft

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/race"
)

// heavy is far worse than any working network, but of a kind that 7 retries nearly always survive: one retry in ten
// makes no progress (lost, corrupted, overtaken, or its answer lost), so that of 2,700 second retries in 1 GiB of
// WRITE and READ about 0.003 are followed by six more in vain.
var heavy = verbs.Faults{Loss: 0.05, Reorder: 0.1, Duplicate: 0.05, Corrupt: 0.01}

// unreliable are the faults for services without retries.
var unreliable = verbs.Faults{Loss: 0.2, Reorder: 0.1, Duplicate: 0.05, Corrupt: 0.01}

// harm sets the faults of both devices, each with a seed of its own.
func harm(t testing.TB, p *Provider, v verbs.Faults, seed uint64) {
	t.Helper()
	for i, device := range []string{"soft0", "soft1"} {
		v.Seed = 2*seed + uint64(i)
		ok(t, p.SetFaults(device, v))
	}
}

// sleeper waits for completion events: virtual time stands still while anything polls.
type sleeper struct {
	*side
	channel verbs.CompChannel
}

func newSleeper(t testing.TB, p *Provider, device string, o pairOptions) *sleeper {
	t.Helper()
	s := &sleeper{side: &side{T: t}}
	s.Dev = must(p.Open(device))(t)
	closeAtEnd(t, s.Dev)
	s.PD = must(s.Dev.AllocPD())(t)
	closeAtEnd(t, s.PD)
	s.channel = must(s.Dev.CreateCompChannel())(t)
	closeAtEnd(t, s.channel)
	s.CQ = must(s.Dev.CreateCQ(verbs.CQSpec{CQE: o.CQE, Channel: s.channel}))(t)
	closeAtEnd(t, s.CQ)
	s.QP = s.NewQP(o)
	s.GID = must(s.Dev.QueryGID(1, o.GIDIndex))(t)
	return s
}

// take waits for completions. In virtual time its limit costs nothing.
func (s *sleeper) take(wcs []verbs.WC, patience time.Duration) []verbs.WC {
	s.T.Helper()
	for {
		if n := must(s.CQ.Poll(wcs))(s.T); n > 0 {
			return wcs[:n]
		}
		ok(s.T, s.CQ.ReqNotify(false))
		if n := must(s.CQ.Poll(wcs))(s.T); n > 0 {
			return wcs[:n]
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		_, err := s.channel.GetCQEvent(ctx)
		cancel()
		if err != nil {
			return nil
		}
		s.CQ.AckEvents(1)
	}
}

// harmed is a connection whose regions are filled, written and read back again and again.
type harmed struct {
	t              *testing.T
	a, b           *sleeper
	src, dst, back verbs.MR
	content        *rand.ChaCha8
	posted, done   uint64
	gaveUp         bool // all retries of a request were in vain
	size           int
	chunk          uint32
	depth          uint64
}

func newHarmed(t *testing.T, p *Provider, o pairOptions, size, chunk int) *harmed {
	t.Helper()
	o = o.WithDefaults()
	h := &harmed{
		t: t, a: newSleeper(t, p, "soft0", o), b: newSleeper(t, p, "soft1", o), content: rand.NewChaCha8([32]byte{1}),
	}
	bringUp(t, h.a.side, h.b.side, o)
	h.src, h.back, h.dst = h.a.NewMR(size, everything), h.a.NewMR(size, everything), h.b.NewMR(size, everything)
	h.size, h.chunk, h.depth = size, uint32(chunk), uint64(o.Depth)
	return h
}

// round writes the region and reads it back, in many pieces at once, and checks every byte. It stops when all retries
// of a request were in vain.
func (h *harmed) round() {
	h.t.Helper()
	buf := make([]byte, h.size)
	h.content.Read(buf)
	fill(h.t, h.src, buf, 0)
	want := sha256.Sum256(buf)
	for off := uint64(0); off < uint64(h.size); off += uint64(h.chunk) {
		n := min(h.chunk, uint32(uint64(h.size)-off))
		h.post(verbs.SendWR{Opcode: verbs.WRRDMAWrite, SGList: sge(h.src, off, n), RemoteAddr: h.dst.Addr() + off})
		h.post(verbs.SendWR{Opcode: verbs.WRRDMARead, SGList: sge(h.back, off, n), RemoteAddr: h.dst.Addr() + off})
	}
	h.drain(0)
	if h.gaveUp {
		return
	}
	for name, mr := range map[string]verbs.MR{"what was written": h.dst, "what was read": h.back} {
		must(mr.ReadAt(buf, 0))(h.t)
		if sha256.Sum256(buf) != want {
			h.t.Fatalf("%s differs from the data sent", name)
		}
	}
}

func (h *harmed) post(wr verbs.SendWR) {
	h.t.Helper()
	h.drain(h.depth - 1)
	if h.gaveUp {
		return
	}
	wr.WRID, wr.RKey, wr.SendFlags = h.posted, h.dst.RKey(), verbs.SendSignaled
	h.posted++
	h.a.Send(wr)
}

// drain takes completions until at most left are outstanding: each once, in order and successful, up to one whose
// retries are used up.
func (h *harmed) drain(left uint64) {
	h.t.Helper()
	var wcs [16]verbs.WC
	for h.posted-h.done > left && !h.gaveUp {
		got := h.a.take(wcs[:], 10*time.Minute)
		if got == nil {
			h.t.Fatalf("request %d of %d never ended", h.done, h.posted)
		}
		for _, wc := range got {
			if h.gaveUp = wc.WRID == h.done && wc.Status == verbs.WCRetryExcErr; h.gaveUp {
				return
			}
			if wc.WRID != h.done || wc.Status != verbs.WCSuccess {
				h.t.Fatalf("completion %d %s, want %d SUCCESS", wc.WRID, wc.Status, h.done)
			}
			h.done++
		}
	}
}

// TestHeavyHarm moves 1 GiB by WRITE and READ through heavy faults in both directions: 45 minutes of virtual time,
// which take some seconds. One connection may end with its retries in vain, see [heavy]; two would mean that retries
// are used up without a fault, or that a packet that has come is not answered.
func TestHeavyHarm(t *testing.T) {
	const region, mayGiveUp = 4 << 20, 1
	virtual(t, func(t *testing.T, p *Provider) {
		o := pairOptions{MTU: verbs.MTU4096, Depth: 16, RDAtomic: 4, PSNA: 0xfffff0}
		h := newHarmed(t, p, o, region, 64<<10)
		harm(t, p, heavy, 1)
		begin, total, gaveUp := time.Now(), harmTotal(), 0
		for moved := 0; moved < total; moved += 2 * region {
			if h.round(); h.gaveUp {
				if gaveUp++; gaveUp > mayGiveUp {
					t.Fatalf("retries of %d requests were in vain, the last of request %d", gaveUp, h.done)
				}
				h = newHarmed(t, p, o, region, 64<<10)
			}
		}
		t.Logf("%d MiB in %v of virtual time", total>>20, time.Since(begin))
		struck(t, p)
	})
}

// harmTotal returns how many bytes are moved: fewer with -short and with the race detector, which is slow.
func harmTotal() int {
	if testing.Short() || race.Enabled {
		return 32 << 20
	}
	return 1 << 30
}

// struck fails unless every kind of fault has occurred in both directions.
func struck(t *testing.T, p *Provider) {
	t.Helper()
	for i, device := range []string{"soft0", "soft1"} {
		for _, name := range []string{"fault_lost", "fault_duplicated", "fault_reordered", "fault_corrupted"} {
			if counterOf(t, p, device, name) == 0 {
				t.Errorf("%s: %s is 0: the test does not cover it", device, name)
			}
		}
		other := []string{"soft1", "soft0"}[i]
		if bad, damaged := counterOf(t, p, other, "bad_icrc"),
			counterOf(t, p, device, "fault_corrupted"); bad > damaged || damaged-bad > 64 {
			t.Errorf("%s corrupted %d packets, %s saw %d", device, damaged, other, bad) // some may be in flight
		}
	}
}

// TestHeavyHarmOnce mixes operations that must be executed once and in order: SENDs and WRITEs with immediate take a
// RECV each, and atomics return the value that all earlier ones have left.
func TestHeavyHarmOnce(t *testing.T) {
	const count, size = 4000, 3000
	virtual(t, func(t *testing.T, p *Provider) {
		o := pairOptions{Depth: 2 * count, Access: everything | verbs.RemoteAtomic, PSNA: 0xfffff0}.WithDefaults()
		a, b := newSleeper(t, p, "soft0", o), newSleeper(t, p, "soft1", o)
		bringUp(t, a.side, b.side, o)
		src, old := a.NewMR(count*size, everything), a.NewMR(8*count, everything)
		dst, word := b.NewMR(count*size, everything), b.NewMR(8, everything|verbs.RemoteAtomic)
		harm(t, p, heavy, 9)
		for i := range uint64(count) {
			fill(t, src, letter(uint32(i), size), int64(i*size))
			wr := verbs.SendWR{
				WRID: i, SGList: sge(src, i*size, size), ImmData: uint32(i), SendFlags: verbs.SendSignaled,
			}
			switch i % 4 {
			case 0:
				wr.Opcode = verbs.WRSendWithImm
				b.Recv(verbs.RecvWR{WRID: i, SGList: sge(dst, i*size, size)})
			case 1:
				wr.Opcode, wr.RemoteAddr, wr.RKey = verbs.WRRDMAWriteWithImm, dst.Addr()+i*size, dst.RKey()
				b.Recv(verbs.RecvWR{WRID: i})
			case 2:
				wr.Opcode, wr.CompareAdd = verbs.WRAtomicFetchAndAdd, 1
			case 3: // the two atomics of a round add 1 each
				wr.Opcode, wr.CompareAdd, wr.Swap = verbs.WRAtomicCmpAndSwp, i/4*2+1, i/4*2+2
			}
			if i%4 >= 2 {
				wr.SGList, wr.RemoteAddr, wr.RKey = sge(old, 8*i, 8), word.Addr(), word.RKey()
			}
			a.Send(wr)
		}
		inOrder(t, a, count, func(n uint64) uint64 { return n })
		inOrder(t, b, count/2, func(n uint64) uint64 { return n/2*4 + n%2 })
		for i := range uint64(count) {
			if i%4 < 2 {
				wantBytes(t, dst, letter(uint32(i), size), int64(i*size))
			} else if got := wordAt(t, old, 8*i); got != i/4*2+i%4-2 {
				t.Fatalf("atomic %d found %d, want %d", i, got, i/4*2+i%4-2)
			}
		}
		if got := wordAt(t, word, 0); got != count/2 {
			t.Errorf("%d atomics were executed, want %d", got, count/2)
		}
		struck(t, p)
	})
}

// inOrder takes exactly n completions: each successful, with the next wr_id.
func inOrder(t *testing.T, s *sleeper, n uint64, due func(uint64) uint64) {
	t.Helper()
	var wcs [64]verbs.WC
	for i := uint64(0); i < n; {
		got := s.take(wcs[:], 10*time.Minute)
		if got == nil {
			t.Fatalf("got %d of %d completions", i, n)
		}
		for _, wc := range got {
			if wc.WRID != due(i) || wc.Status != verbs.WCSuccess || wc.WCFlags&verbs.WCWithImm != 0 &&
				wc.ImmData != uint32(wc.WRID) {
				t.Fatalf("%+v, want wr_id %d", wc, due(i))
			}
			i++
		}
	}
	if got := s.take(wcs[:], time.Minute); got != nil {
		t.Fatalf("%d completions too many", len(got))
	}
}

// wordAt reads 8 bytes as atomics see them.
func wordAt(t *testing.T, mr verbs.MR, off uint64) uint64 {
	t.Helper()
	var b [8]byte
	must(mr.ReadAt(b[:], int64(off)))(t)
	return binary.NativeEndian.Uint64(b[:])
}

// TestFaultsStay sets faults on a device that is not open: they survive opening and closing it.
func TestFaultsStay(t *testing.T) {
	p := New(Options{})
	want := verbs.Faults{Loss: 1, Seed: 5}
	ok(t, p.SetFaults("soft0", want))
	for round := range uint64(2) {
		dev := must(p.Open("soft0"))(t)
		if got := must(p.Faults("soft0"))(t); got != want {
			t.Errorf("%v", got)
		}
		p.adapters[0].faulty.Send(p.adapters[0].faulty.Pool().Get(nil, 3))
		ok(t, dev.Close())
		if n := counterOf(t, p, "soft0", "fault_lost"); n != 3*(round+1) {
			t.Errorf("%d packets lost", n)
		}
	}
	if got := must(p.Faults("soft1"))(t); got != (verbs.Faults{}) {
		t.Errorf("the other device: %v", got)
	}
	if err := p.SetFaults("soft0", verbs.Faults{Loss: 2}); err == nil || must(p.Faults("soft0"))(t) != want {
		t.Errorf("a share of 2: %v", err)
	}
	if err := p.SetFaults("mlx5_0", want); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("%v", err)
	}
}

// TestCloseWhileHeld closes everything while packets are delayed; the bubble fails if a goroutine is left.
func TestCloseWhileHeld(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		harm(t, p, verbs.Faults{Delay: time.Second, Reorder: 0.5}, 1)
		t.Cleanup(func() { // once the devices are closed
			time.Sleep(2 * time.Second)
			if n := counterOf(t, p, "soft1", "rcvd_pkts"); n != 0 {
				t.Errorf("%d packets arrived after the close", n)
			}
		})
		a, b := connect(t, p, "soft0", "soft1", pairOptions{})
		src, dst := a.NewMR(1<<16, everything), b.NewMR(1<<16, everything)
		a.Send(verbs.SendWR{Opcode: verbs.WRRDMAWrite, SGList: sge(src, 0, 1<<16), RemoteAddr: dst.Addr(),
			RKey: dst.RKey(), SendFlags: verbs.SendSignaled})
		synctest.Wait()
		if n := counterOf(t, p, "soft0", "fault_delayed"); n == 0 {
			t.Error("no packet is delayed")
		}
	})
}
