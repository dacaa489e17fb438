package verbstest

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

const (
	windowed  = verbs.LocalWrite | verbs.MWBind // the rights of a region that only windows expose
	windowAt  = 1024                            // offset of the tests' windows in a region of regionLen
	windowLen = 2048
	regionLen = 4096
)

// newMW allocates a window. Create the regions and queue pairs of its bindings before it, so
// that they are closed after it.
func (b *bench) newMW(typ verbs.MWType) verbs.MW {
	b.t.Helper()
	mw, err := b.pd.AllocMW(typ)
	b.must(err)
	b.closeAtEnd(mw)
	return mw
}

// window returns the binding that the tests use: the middle of a region.
func window(mr verbs.MR, access verbs.Access) verbs.MWBinding {
	return verbs.MWBinding{MR: mr, Addr: mr.Addr() + windowAt, Length: windowLen, Access: access}
}

// bind2 returns a BIND_MW request with the next key of a type 2 window.
func bind2(wrID uint64, mw verbs.MW, what verbs.MWBinding) verbs.SendWR {
	return verbs.SendWR{WRID: wrID, Opcode: verbs.WRBindMW, SendFlags: verbs.SendSignaled,
		Bind: &verbs.BindWR{MW: mw, RKey: verbs.NextRKey(mw.RKey()), MWBinding: what}}
}

// mustBind binds a window of either type and waits for the completion.
func (b *bench) mustBind(qp verbs.QP, mw verbs.MW, what verbs.MWBinding) {
	b.t.Helper()
	if wc := b.bind(qp, mw, what); wc.Status != verbs.WCSuccess || wc.Opcode != verbs.WCBindMW || wc.QPNum != qp.Num() {
		b.t.Fatalf("binding: %s", describe(wc))
	}
}

func (b *bench) bind(qp verbs.QP, mw verbs.MW, what verbs.MWBinding) verbs.WC {
	b.t.Helper()
	const id = 900
	want := mw.RKey()&^0xff | (mw.RKey()+1)&0xff // infiniband/verbs.h: ibv_inc_rkey
	if mw.Type() == verbs.MWType1 {
		b.must(qp.BindMW(mw, id, verbs.SendSignaled, what))
	} else {
		b.postSend(qp, bind2(id, mw, what))
	}
	if got := mw.RKey(); got != want {
		b.t.Errorf("the rkey is 0x%x, want 0x%x", got, want)
	}
	return b.completions(1)[id]
}

// reach returns a request by a for the memory that b exposes under a key.
func reach(op verbs.WROpcode, local verbs.MR, n uint32, addr uint64, key uint32) verbs.SendWR {
	return verbs.SendWR{WRID: 1, Opcode: op, SGList: sge(local, 0, n), RemoteAddr: addr, RKey: key}
}

// testWindowTypes accesses memory through windows of both types, by READ and WRITE of
// several packets and by atomics: they reach exactly the window, although the region
// itself grants a peer no access. IBA 10.6.7.2.
func testWindowTypes(t *testing.T, b *bench) {
	for _, typ := range []verbs.MWType{verbs.MWType1, verbs.MWType2} {
		b.part(typ.String(), func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{access: everyRemote})
			local, mr := b.newMR(regionLen, verbs.LocalWrite), b.newMR(regionLen, windowed)
			mw := b.newMW(typ)
			if mw.Type() != typ {
				t.Errorf("type %s", mw.Type())
			}
			fill(t, mr, pattern(regionLen, 1), 0)
			b.mustBind(p.b, mw, window(mr, everyRemote))
			first := mr.Addr() + windowAt
			b.wantComplete(p.a, reach(verbs.WRRDMARead, local, windowLen, first, mw.RKey()), verbs.WCSuccess)
			wantBytes(t, local, pattern(regionLen, 1)[windowAt:windowAt+windowLen], 0)
			fill(t, local, pattern(windowLen, 2), 0)
			b.wantComplete(p.a, reach(verbs.WRRDMAWrite, local, windowLen, first, mw.RKey()), verbs.WCSuccess)
			wantBytes(t, mr, pattern(regionLen, 1)[:windowAt], 0)
			wantBytes(t, mr, pattern(windowLen, 2), windowAt)
			wantBytes(t, mr, pattern(regionLen, 1)[windowAt+windowLen:], windowAt+windowLen)
			was := readWord(t, mr, windowAt+8)
			add := reach(verbs.WRAtomicFetchAndAdd, local, word, first+8, mw.RKey())
			add.CompareAdd = 5
			b.wantComplete(p.a, add, verbs.WCSuccess)
			if got := readWord(t, mr, windowAt+8); got != was+5 {
				t.Errorf("FETCH_AND_ADD left 0x%x, want 0x%x", got, was+5)
			}
		})
	}
	b.part("zero based", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		local, mr := b.newMR(regionLen, verbs.LocalWrite), b.newMR(regionLen, windowed)
		mw := b.newMW(verbs.MWType2)
		fill(t, mr, pattern(regionLen, 1), 0)
		b.mustBind(p.b, mw, window(mr, allRemote|verbs.ZeroBased))
		b.wantComplete(p.a, reach(verbs.WRRDMARead, local, windowLen, 0, mw.RKey()), verbs.WCSuccess)
		wantBytes(t, local, pattern(regionLen, 1)[windowAt:windowAt+windowLen], 0)
		fill(t, local, pattern(64, 3), 0)
		b.wantComplete(p.a, reach(verbs.WRRDMAWrite, local, 64, 100, mw.RKey()), verbs.WCSuccess)
		wantBytes(t, mr, pattern(64, 3), windowAt+100)
	})
	b.part("UC", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote, typ: verbs.UC})
		local, mr := b.newMR(64, verbs.LocalWrite), b.newMR(regionLen, windowed)
		mw := b.newMW(verbs.MWType1)
		b.mustBind(p.b, mw, window(mr, verbs.RemoteWrite))
		fill(t, local, pattern(64, 3), 0)
		b.postRecv(p.b, verbs.RecvWR{WRID: 2})
		b.postSend(p.a, reach(verbs.WRRDMAWriteWithImm, local, 64, mr.Addr()+windowAt, mw.RKey()))
		wantStatus(t, b.completions(1), 2, verbs.WCSuccess)
		wantBytes(t, mr, pattern(64, 3), windowAt)
	})
}

// testWindowRights tries operations that a window does not grant; each one breaks its
// connection.
func testWindowRights(t *testing.T, b *bench) {
	end := uint64(windowAt + windowLen)
	cases := []struct {
		name   string
		op     verbs.WROpcode
		access verbs.Access
		at     uint64 // in the region
		inside bool   // of the region, so that only the window's bounds forbid the access
	}{
		{"WRITE without the right", verbs.WRRDMAWrite, verbs.RemoteRead, windowAt, false},
		{"READ without the right", verbs.WRRDMARead, verbs.RemoteWrite, windowAt, false},
		{"atomic without the right", verbs.WRAtomicFetchAndAdd, allRemote, windowAt, false},
		{"no right at all", verbs.WRRDMARead, 0, windowAt, false},
		{"before the window", verbs.WRRDMAWrite, everyRemote, windowAt - 8, true},
		{"across the end", verbs.WRRDMAWrite, everyRemote, end - 7, true},
		{"READ across the end", verbs.WRRDMARead, everyRemote, end - 7, true},
		{"atomic behind the end", verbs.WRAtomicFetchAndAdd, everyRemote, end, true},
		{"behind the region", verbs.WRRDMAWrite, everyRemote, regionLen, false},
		{"before the region", verbs.WRRDMARead, everyRemote, ^uint64(7), false},
	}
	for _, typ := range []verbs.MWType{verbs.MWType1, verbs.MWType2} {
		for _, c := range cases {
			b.part(fmt.Sprintf("%s %s", typ, c.name), func(t *testing.T, b *bench) {
				p := b.newPair(pairOptions{access: everyRemote})
				local, mr := b.newMR(word, verbs.LocalWrite), b.newMR(regionLen, windowed)
				mw := b.newMW(typ)
				fill(t, local, pattern(word, 9), 0)
				b.mustBind(p.b, mw, window(mr, c.access))
				want := verbs.WCRemAccessErr
				if c.inside {
					want = expect(b.env, WindowShowsRegion, want, verbs.WCSuccess)
				}
				b.wantComplete(p.a, reach(c.op, local, word, mr.Addr()+c.at, mw.RKey()), want)
				if want != verbs.WCSuccess {
					wantBytes(t, mr, make([]byte, regionLen), 0)
					wantState(t, p.b, verbs.QPErr)
				}
			})
		}
	}
}

// testWindowKeys uses keys that are invalid, or invalid on this queue pair.
func testWindowKeys(t *testing.T, b *bench) {
	type stage struct {
		p  *pair
		mr verbs.MR
		mw verbs.MW
	}
	for name, key := range map[string]func(t *testing.T, b *bench, s *stage) uint32{
		"a window that is not bound": func(_ *testing.T, _ *bench, s *stage) uint32 { return s.mw.RKey() },
		"before it was bound anew": func(_ *testing.T, b *bench, s *stage) uint32 {
			b.mustBind(s.p.b, s.mw, window(s.mr, everyRemote))
			old := s.mw.RKey()
			b.mustBind(s.p.b, s.mw, window(s.mr, everyRemote))
			return old
		},
		"the binding taken away": func(_ *testing.T, b *bench, s *stage) uint32 {
			b.mustBind(s.p.b, s.mw, window(s.mr, everyRemote))
			b.mustBind(s.p.b, s.mw, verbs.MWBinding{})
			return s.mw.RKey()
		},
		"before the binding was taken away": func(_ *testing.T, b *bench, s *stage) uint32 {
			b.mustBind(s.p.b, s.mw, window(s.mr, everyRemote))
			old := s.mw.RKey()
			b.mustBind(s.p.b, s.mw, verbs.MWBinding{})
			return old
		},
		"a window that is gone": func(_ *testing.T, b *bench, s *stage) uint32 {
			b.mustBind(s.p.b, s.mw, window(s.mr, everyRemote))
			b.must(s.mw.Close())
			return s.mw.RKey()
		},
		"a window of another PD": func(t *testing.T, b *bench, s *stage) uint32 {
			pd := b.newPD()
			mr := b.newMRIn(pd, regionLen, windowed)
			qp := b.newPairIn(pd)
			mw, err := pd.AllocMW(verbs.MWType1)
			b.must(err)
			b.closeAtEnd(mw)
			b.mustBind(qp.b, mw, window(mr, everyRemote))
			s.mr = mr
			return mw.RKey()
		},
		"a type 2 window of another queue pair": func(_ *testing.T, b *bench, s *stage) uint32 {
			other := b.newPair(pairOptions{access: everyRemote})
			mw := b.newMW(verbs.MWType2)
			b.mustBind(other.b, mw, window(s.mr, everyRemote))
			return mw.RKey()
		},
	} {
		b.part("the key of "+name, func(t *testing.T, b *bench) {
			s := &stage{p: b.newPair(pairOptions{access: everyRemote}), mr: b.newMR(regionLen, windowed)}
			local := b.newMR(word, verbs.LocalWrite)
			fill(t, local, pattern(word, 9), 0)
			s.mw = b.newMW(verbs.MWType1)
			rkey := key(t, b, s)
			b.wantComplete(s.p.a, reach(verbs.WRRDMAWrite, local, word, s.mr.Addr()+windowAt, rkey),
				verbs.WCRemAccessErr)
			wantBytes(t, s.mr, make([]byte, regionLen), 0)
		})
	}
}

// newPairIn is newPair in another protection domain.
func (b *bench) newPairIn(pd verbs.PD) *pair {
	b.t.Helper()
	in := *b
	in.pd = pd
	p := in.newPair(pairOptions{access: everyRemote})
	p.bench = b
	return p
}

// testWindowOfRegion binds windows one after the other and closes the region of a
// bound window, which must fail with an error that names the window.
func testWindowOfRegion(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{access: everyRemote})
	mr := b.newMR(regionLen, windowed)
	for _, typ := range []verbs.MWType{verbs.MWType1, verbs.MWType2} {
		mw := b.newMW(typ)
		b.mustBind(p.b, mw, window(mr, allRemote))
		err := mr.Close()
		var busy *verbs.BusyError
		if !errors.Is(err, expect(b.env, BoundIsEINVAL, syscall.EBUSY, syscall.EINVAL)) || !errors.As(err, &busy) ||
			len(busy.UsedBy) != 1 {
			t.Errorf("closing a region with a bound window of type %s: %v", typ, err)
		}
		if _, err := mr.ReadAt(make([]byte, 1), 0); err != nil {
			t.Errorf("the region is gone: %v", err)
		}
		if err := b.pd.Close(); !errors.Is(err, syscall.EBUSY) {
			t.Errorf("closing the PD of a window: %v", err)
		}
		b.must(mw.Close())
		b.must(mw.Close())
	}
	b.must(mr.Close())
}

// testWindowRefusals makes invalid bindings: some fail at the post, the others move the queue
// pair to ERR. IBA 10.6.7.2.3.
func testWindowRefusals(t *testing.T, b *bench) {
	qp := b.newPair(pairOptions{access: everyRemote})
	mr := b.newMR(regionLen, windowed)
	one, two := b.newMW(verbs.MWType1), b.newMW(verbs.MWType2)
	foreign := b.newMRIn(b.newPD(), regionLen, windowed)
	datagrams := b.newTalkers(verbs.UD)
	what := window(mr, allRemote)
	for name, err := range map[string]error{
		"ibv_bind_mw of type 2":       qp.a.BindMW(two, 1, 0, what),
		"type 1 that is zero based":   qp.a.BindMW(one, 1, 0, window(mr, allRemote|verbs.ZeroBased)),
		"an address without a region": qp.a.BindMW(one, 1, 0, verbs.MWBinding{Addr: 1}),
		"a length without a region":   qp.a.BindMW(one, 1, 0, verbs.MWBinding{Length: 1}),
		"a region of another PD":      qp.a.BindMW(one, 1, 0, window(foreign, allRemote)),
		"no window":                   qp.a.BindMW(nil, 1, 0, what),
		"a queue pair of datagrams":   datagrams.a.BindMW(one, 1, 0, what),
		"BIND_MW without a binding":   postOne(qp.a, verbs.SendWR{Opcode: verbs.WRBindMW}),
		"BIND_MW of type 1":           postOne(qp.a, bind2(1, one, what)),
		"BIND_MW without a window": postOne(qp.a,
			verbs.SendWR{Opcode: verbs.WRBindMW, Bind: &verbs.BindWR{MWBinding: what}}),
		"a window of a type there is no": func() error { _, err := b.pd.AllocMW(3); return err }(),
	} {
		if err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	b.noCompletion()
	wantState(t, qp.a, verbs.QPRTS)

	plain := b.newMR(regionLen, verbs.LocalWrite)
	readOnly := b.newMR(regionLen, verbs.MWBind)
	for name, bad := range map[string]verbs.MWBinding{
		"a region without MW_BIND":                window(plain, allRemote),
		"REMOTE_WRITE of one without LOCAL_WRITE": window(readOnly, verbs.RemoteWrite),
		"atomics of one without LOCAL_WRITE":      window(readOnly, verbs.RemoteAtomic),
		"more than the region":                    {MR: mr, Addr: mr.Addr(), Length: regionLen + 1, Access: allRemote},
		"what begins before the region":           {MR: mr, Addr: mr.Addr() - 1, Length: 8, Access: allRemote},
	} {
		for _, typ := range []verbs.MWType{verbs.MWType1, verbs.MWType2} {
			b.part(fmt.Sprintf("%s %s", typ, name), func(t *testing.T, b *bench) {
				p := b.newPair(pairOptions{access: everyRemote})
				if wc := b.bind(p.a, b.newMW(typ), bad); wc.Status != requesterStatus(b.env, verbs.WCMWBindErr) {
					t.Error(describe(wc))
				}
				wantState(t, p.a, verbs.QPErr)
			})
		}
	}
	b.part("TYPE_2 a region of another PD", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		wc := b.bind(p.a, b.newMW(verbs.MWType2), window(foreign, allRemote))
		refused := requesterStatus(b.env, verbs.WCMWBindErr)
		if want := expect(b.env, BindsForeignRegion, refused, verbs.WCSuccess); wc.Status != want {
			t.Error(describe(wc))
		}
	})
	b.part("READ of one without LOCAL_WRITE", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		b.mustBind(p.a, b.newMW(verbs.MWType1), window(readOnly, verbs.RemoteRead))
	})
	b.part("a type 2 window that is bound", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		mw := b.newMW(verbs.MWType2)
		b.mustBind(p.a, mw, window(mr, allRemote))
		if wc := b.bind(p.a, mw, window(mr, allRemote)); wc.Status != requesterStatus(b.env, verbs.WCMWBindErr) {
			t.Error(describe(wc))
		}
	})
}

func postOne(qp verbs.QP, wr verbs.SendWR) error {
	_, err := qp.PostSend(wr)
	return err
}
