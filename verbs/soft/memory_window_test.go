package soft

import (
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/mem"
)

const windowed = verbs.LocalWrite | verbs.MWBind

// show returns a BIND_MW of a whole region.
func show(id uint64, w verbs.MW, key uint32, m verbs.MR, access verbs.Access) verbs.SendWR {
	bind := verbs.MWBinding{MR: m, Addr: m.Addr(), Length: m.Spec().Length, Access: access}
	return verbs.SendWR{
		WRID: id, Opcode: verbs.WRBindMW,
		SendFlags: verbs.SendSignaled, Bind: &verbs.BindWR{MW: w, RKey: key, MWBinding: bind},
	}
}

// TestWindowsOverABadNetwork posts rounds of WRITE, READ, BIND_MW, SEND, LOCAL_INV and so on at once, over a network
// that loses and reorders packets. Many are retransmitted; local operations must be executed once, in their turn, and
// complete in order.
func TestWindowsOverABadNetwork(t *testing.T) {
	for seed := range uint64(4) {
		virtual(t, func(t *testing.T, p *Provider) {
			const rounds, perRound = 8, 8
			o := pairOptions{Depth: rounds * perRound, CQE: 256, Retry: 7, Timeout: 12,
				MTU: verbs.MTU256}.WithDefaults()
			a, b := newSleeper(t, p, "soft0", o), newSleeper(t, p, "soft1", o)
			bringUp(t, a.side, b.side, o)
			near, far, shown := a.NewMR(4096, everything), b.NewMR(4096, everything), a.NewMR(4096, windowed)
			w := a.NewMW(verbs.MWType2)
			harm(t, p, verbs.Faults{Loss: 0.1, Reorder: 0.1, Duplicate: 0.05}, seed)
			var wrs []verbs.SendWR
			key := w.RKey()
			for i := range uint64(rounds) {
				key = verbs.NextRKey(key)
				wr := verbs.SendWR{
					SendFlags: verbs.SendSignaled, SGList: sge(near, 0, 1500), RemoteAddr: far.Addr(), RKey: far.RKey(),
				}
				write, read, inv := wr, wr, verbs.SendWR{
					Opcode: verbs.WRLocalInv, SendFlags: verbs.SendSignaled, InvalidateKey: key,
				}
				write.Opcode, read.Opcode = verbs.WRRDMAWrite, verbs.WRRDMARead
				fenced := inv
				if i%2 == 0 {
					fenced.SendFlags |= verbs.SendFence
				}
				send := verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}
				wrs = append(wrs, write, read, show(0, w, key, shown, verbs.RemoteRead), send, fenced, read)
				key = verbs.NextRKey(key)
				inv.InvalidateKey = key
				wrs = append(wrs, show(0, w, key, shown, verbs.RemoteRead), inv)
				b.Recv(verbs.RecvWR{WRID: i})
			}
			for i := range wrs {
				wrs[i].WRID = uint64(i)
			}
			a.Send(wrs...)
			for next := uint64(0); next < uint64(len(wrs)); {
				got := a.take(make([]verbs.WC, 16), 100*1e9)
				if len(got) == 0 {
					t.Fatalf("seed %d: %d of %d are complete", seed, next, len(wrs))
				}
				for _, wc := range got {
					if wc.WRID != next || wc.Status != verbs.WCSuccess {
						t.Fatalf("seed %d: wr_id %d %s, want %d", seed, wc.WRID, wc.Status, next)
					}
					next++
				}
			}
			ok(t, shown.Close()) // the last LOCAL_INV was executed
		})
	}
}

// TestWindowFailsInItsTurn posts an invalid BIND_MW behind slow requests: those complete first, those behind
// it are flushed.
func TestWindowFailsInItsTurn(t *testing.T) {
	p := New(Options{})
	a, b := connect(t, p, "soft0", "soft1", pairOptions{Timeout: patient})
	near, far, plain := a.NewMR(1<<16, everything), b.NewMR(1<<16, everything), a.NewMR(64, everything)
	w := a.NewMW(verbs.MWType2)
	wr := verbs.SendWR{
		WRID: 1, Opcode: verbs.WRRDMARead, SendFlags: verbs.SendSignaled, SGList: sge(near, 0, 1<<16),
		RemoteAddr: far.Addr(), RKey: far.RKey(),
	}
	behind := wr
	behind.WRID = 3
	a.Send(wr, show(2, w, verbs.NextRKey(w.RKey()), plain, 0), behind)
	a.Want(1, verbs.WCSuccess)
	if wc := a.Want(2, verbs.WCMWBindErr); wc.Opcode != verbs.WCBindMW {
		t.Error(wc.Opcode)
	}
	a.Want(3, verbs.WCWRFlushErr)
	if plain.Close() != nil {
		t.Error("an unbound window holds the region")
	}
}

// TestWindowGoneIsGone deallocates windows, and closes the queue pair of one, while a peer writes through them as fast
// as it can. The region does not change after the call has returned.
func TestWindowGoneIsGone(t *testing.T) {
	for name, end := range map[string]func(s *side, w verbs.MW) error{
		"deallocated": func(_ *side, w verbs.MW) error { return w.Close() },
		"reset": func(s *side, _ verbs.MW) error {
			return s.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPReset})
		},
		"destroyed": func(s *side, _ verbs.MW) error { return s.QP.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			for range 10 {
				p := New(Options{})
				a, b := connect(t, p, "soft0", "soft1", pairOptions{Timeout: patient, Depth: 256})
				near, shown := a.NewMR(8, everything), b.NewMR(8, windowed)
				w := b.NewMW(verbs.MWType2)
				b.Send(show(1, w, verbs.NextRKey(w.RKey()), shown, verbs.RemoteWrite))
				b.Want(1, verbs.WCSuccess)
				wr := verbs.SendWR{
					Opcode: verbs.WRRDMAWrite, SGList: sge(near, 0, 8), RemoteAddr: shown.Addr(), RKey: w.RKey(),
				}
				var stop atomic.Bool
				var wg sync.WaitGroup
				wg.Go(func() {
					var word [8]byte
					for n := uint64(1); !stop.Load(); n++ {
						binary.NativeEndian.PutUint64(word[:], n)
						_, _ = near.WriteAt(word[:], 0)
						_, _ = a.QP.PostSend(wr) // until it is in ERR or full
					}
				})
				before := counter(t, shown, 0)
				for before < 3 {
					before = counter(t, shown, 0)
				}
				ok(t, end(b, w))
				at := counter(t, shown, 0)
				for range 100 {
					if got := counter(t, shown, 0); got != at {
						t.Fatalf("%d is written after the window is %s at %d", got, name, at)
					}
				}
				stop.Store(true)
				wg.Wait()
			}
		})
	}
}

func counter(t *testing.T, m verbs.MR, off int64) uint64 {
	t.Helper()
	var word [8]byte
	must(m.ReadAt(word[:], off))(t)
	return binary.NativeEndian.Uint64(word[:])
}

// TestWindowsAreCounted allocates as many windows as the device allows, and one more.
func TestWindowsAreCounted(t *testing.T) {
	p := New(Options{})
	s := newSide(t, p, "soft0", pairOptions{}.WithDefaults())
	limit := must(s.Dev.QueryDevice())(t).MaxMW
	all := make([]verbs.MW, limit)
	keys := map[uint32]bool{}
	for i := range all {
		all[i] = must(s.PD.AllocMW(verbs.MWType1))(t)
		keys[mem.WindowIndex(all[i].RKey())] = true
	}
	if len(keys) != int(limit) {
		t.Errorf("%d windows share keys", int(limit)-len(keys))
	}
	if _, err := s.PD.AllocMW(verbs.MWType2); !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("one window more than max_mw: %v, want ENOMEM", err)
	}
	for range 100 { // no region gets the key of a window
		if m := s.NewMR(1, 0); keys[mem.WindowIndex(m.RKey())] {
			t.Fatalf("a region has 0x%x", m.RKey())
		}
	}
	for _, w := range all {
		ok(t, w.Close())
	}
	ok(t, must(s.PD.AllocMW(verbs.MWType2))(t).Close())
}

// TestReregUnderFire changes a region while its owner and a peer use it: every READ returns consistent data.
func TestReregUnderFire(t *testing.T) {
	p := New(Options{})
	a, b := connect(t, p, "soft0", "soft1", pairOptions{Timeout: patient})
	near, m := a.NewMR(8, everything), b.NewMR(64, everything)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 200 {
			_, _ = a.QP.PostSend(verbs.SendWR{
				Opcode: verbs.WRRDMAWrite, SGList: sge(near, 0, 8), RemoteAddr: m.Addr(), RKey: m.RKey(),
			})
			if _, err := m.ReadAt(make([]byte, 64), 0); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range uint64(200) {
		ok(t, m.Rereg(verbs.MRChange{Flags: verbs.ReregTranslation | verbs.ReregAccess, Length: 64 + i,
			Access: everything}))
		if got := m.Spec().Length; got != 64+i {
			t.Fatal(got)
		}
	}
	wg.Wait()
	if n, _ := b.Dev.(*device).adapter.transport.Regions.Keys(); n != 1 {
		t.Errorf("%d regions have keys, want 1", n)
	}
}

// TestWindowThatCannotBeBound uses a window that is deallocated before the request's turn, and a key of another window.
func TestWindowThatCannotBeBound(t *testing.T) {
	p := New(Options{})
	a, _ := connect(t, p, "soft0", "soft1", pairOptions{Timeout: patient})
	shown, w := a.NewMR(64, windowed), a.NewMW(verbs.MWType2)
	if _, err := a.QP.PostSend(show(1, w, w.RKey()^1<<8, shown, 0)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a key of another window: %v, want EINVAL", err)
	}
	ok(t, w.Close())
	a.Send(show(2, w, w.RKey(), shown, 0))
	a.Want(2, verbs.WCMWBindErr)
	ok(t, shown.Close())
}
