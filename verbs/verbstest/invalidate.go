package verbstest

import (
	"fmt"
	"slices"
	"testing"

	"rdmatui/verbs"
)

// testSendWithInvalidate names keys that must not be invalidated: those of ordinary
// regions. Only fast registrations and type 2 memory windows can be invalidated. The
// message arrives, its RECV fails, the sender is not told, and the region stays valid.
// IBA 9.4.1.1.3, 9.9.3 (class J).
func testSendWithInvalidate(t *testing.T, b *bench) {
	keys := map[string]func(mr verbs.MR) uint32{
		"of a region": verbs.MR.RKey,
		"of nothing":  func(mr verbs.MR) uint32 { return mr.RKey() ^ 0x5a5a00 },
	}
	for name, key := range keys {
		for _, n := range []uint32{0, 8, 3000} {
			b.part(fmt.Sprintf("a key %s, %d bytes", name, n), func(t *testing.T, b *bench) {
				p := b.newPair(pairOptions{access: allRemote})
				src, dst := b.newMR(4096, verbs.LocalWrite), b.newMR(4096, localAndAll)
				wr := verbs.SendWR{
					WRID: 1, Opcode: verbs.WRSendWithInv, SendFlags: verbs.SendSignaled, InvalidateKey: key(dst),
				}
				if n > 0 {
					wr.SGList = sge(src, 0, n)
				}
				b.postRecv(p.b, verbs.RecvWR{WRID: 2, SGList: sge(dst, 0, 4096)}, verbs.RecvWR{WRID: 3})
				b.postSend(p.a, wr)
				got := b.completions(3)
				if wc := wantStatus(t, got, 1, verbs.WCSuccess); wc.Opcode != verbs.WCSend {
					t.Error(describe(wc))
				}
				wantStatus(t, got, 2, verbs.WCRemInvReqErr)
				wantStatus(t, got, 3, verbs.WCWRFlushErr)
				wantState(t, p.b, verbs.QPErr)
				next := b.newPair(pairOptions{access: allRemote})
				b.wantComplete(next.a, verbs.SendWR{WRID: 4, Opcode: verbs.WRRDMARead, SGList: sge(src, 0, 64),
					RemoteAddr: dst.Addr(), RKey: dst.RKey()}, verbs.WCSuccess)
			})
		}
	}
	for _, typ := range []verbs.QPType{verbs.UC, verbs.UD} {
		b.part(typ.String(), func(t *testing.T, b *bench) {
			tk := b.newTalkers(typ)
			wr := tk.send(1, tk.b, nil)
			wr.Opcode, wr.InvalidateKey = verbs.WRSendWithInv, 1
			b.wantRefusedSend(tk.a, wr)
		})
	}
}

func invalidate(op verbs.WROpcode, wrID uint64, key uint32) verbs.SendWR {
	return verbs.SendWR{WRID: wrID, Opcode: op, SendFlags: verbs.SendSignaled, InvalidateKey: key}
}

// testInvalidate ends bindings of type 2 windows, by LOCAL_INV and by the peer, and
// binds the windows again; IBA 10.6.7.2.6, 9.4.1.1.3.
func testInvalidate(t *testing.T, b *bench) {
	b.part("LOCAL_INV", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		local, mr := b.newMR(64, verbs.LocalWrite), b.newMR(regionLen, windowed)
		mw := b.newMW(verbs.MWType2)
		b.mustBind(p.b, mw, window(mr, allRemote))
		b.wantComplete(p.a, reach(verbs.WRRDMARead, local, 64, mr.Addr()+windowAt, mw.RKey()), verbs.WCSuccess)
		old := mw.RKey()
		if wc := b.wantComplete(p.b, invalidate(verbs.WRLocalInv, 5, old),
			verbs.WCSuccess); wc.Opcode != verbs.WCLocalInv {
			t.Error(describe(wc))
		}
		b.mustBind(p.b, mw, window(mr, verbs.RemoteRead))
		b.wantComplete(p.a, reach(verbs.WRRDMARead, local, 64, mr.Addr()+windowAt, mw.RKey()), verbs.WCSuccess)
		b.wantComplete(p.a, reach(verbs.WRRDMARead, local, 64, mr.Addr()+windowAt, old), verbs.WCRemAccessErr)
	})
	b.part("what was shown before LOCAL_INV", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		local, mr := b.newMR(64, verbs.LocalWrite), b.newMR(regionLen, windowed)
		mw := b.newMW(verbs.MWType2)
		b.mustBind(p.b, mw, window(mr, allRemote))
		b.wantComplete(p.b, invalidate(verbs.WRLocalInv, 5, mw.RKey()), verbs.WCSuccess)
		b.must(mr.Close()) // no window is bound to it any more
		b.wantComplete(p.a, reach(verbs.WRRDMARead, local, 64, mr.Addr()+windowAt, mw.RKey()), verbs.WCRemAccessErr)
	})
	b.part("one post", testBindInOnePost)
	b.part("SEND_WITH_INV", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{access: everyRemote})
		local, mr := b.newMR(regionLen, localAndAll), b.newMR(regionLen, windowed)
		mw := b.newMW(verbs.MWType2)
		for i, n := range []uint32{0, 8, 3000} {
			b.mustBind(p.b, mw, window(mr, allRemote))
			b.postRecv(p.b, verbs.RecvWR{WRID: 2, SGList: sge(local, 0, regionLen)})
			wr := invalidate(verbs.WRSendWithInv, 1, mw.RKey())
			if n > 0 {
				wr.SGList = sge(local, 0, n)
			}
			b.postSend(p.a, wr)
			got := b.completions(2)
			wantStatus(t, got, 1, verbs.WCSuccess)
			wc := wantStatus(t, got, 2, verbs.WCSuccess)
			flag := expect(b.env, InvIsCsumOK, verbs.WCWithInv, verbs.WCIPCsumOK)
			key := expect(b.env, InvIsCsumOK, mw.RKey(), 0)
			if wc.Opcode != verbs.WCRecv || wc.ByteLen != n || wc.WCFlags&^verbs.WCGRH != flag ||
				wc.InvalidatedRKey != key {
				t.Errorf("round %d: %s, flags %s, key 0x%x, want 0x%x", i, describe(wc), wc.WCFlags,
					wc.InvalidatedRKey, key)
			}
		}
		b.must(mr.Close())
	})
	b.part("LOCAL_INV of no window", func(t *testing.T, b *bench) {
		for _, key := range []uint32{0, b.newMR(8, localAndAll).RKey() ^ 0x5a5a00} {
			p := b.newPair(pairOptions{})
			b.wantComplete(p.a, invalidate(verbs.WRLocalInv, 1, key),
				requesterStatus(b.env, expect(b.env, BadLocalInvIsQPErr, verbs.WCMWBindErr, verbs.WCLocQPOpErr)))
			wantState(t, p.a, verbs.QPErr)
		}
	})
	b.part("LOCAL_INV of type 1", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{})
		mr := b.newMR(regionLen, windowed)
		mw := b.newMW(verbs.MWType1)
		b.mustBind(p.a, mw, window(mr, allRemote))
		b.wantComplete(p.a, invalidate(verbs.WRLocalInv, 1, mw.RKey()),
			requesterStatus(b.env, expect(b.env, BadLocalInvIsQPErr, verbs.WCMWBindErr, verbs.WCLocQPOpErr)))
	})
	b.part("SEND_WITH_INV of type 1", func(t *testing.T, b *bench) {
		p := b.newPair(pairOptions{})
		mr := b.newMR(regionLen, windowed)
		mw := b.newMW(verbs.MWType1)
		b.mustBind(p.b, mw, window(mr, allRemote))
		b.postRecv(p.b, verbs.RecvWR{WRID: 2})
		b.postSend(p.a, invalidate(verbs.WRSendWithInv, 1, mw.RKey()))
		wantStatus(t, b.completions(2), 2, verbs.WCRemInvReqErr)
	})
}

// testBindInOnePost posts a binding, the SEND that announces it, and a LOCAL_INV in one call,
// twice. They are executed and complete in that order; the last one waits for a READ before
// them.
func testBindInOnePost(t *testing.T, b *bench) {
	p := b.newPair(pairOptions{access: everyRemote})
	local, mr := b.newMR(regionLen, localAndAll), b.newMR(regionLen, windowed)
	mw := b.newMW(verbs.MWType2)
	bindOne := bind2(2, mw, window(mr, allRemote))
	bindTwo := bindOne
	bindTwo.WRID, bindTwo.Bind = 5, &verbs.BindWR{
		MW: mw, RKey: verbs.NextRKey(bindOne.Bind.RKey), MWBinding: window(mr, allRemote),
	}
	inv := invalidate(verbs.WRLocalInv, 4, bindOne.Bind.RKey)
	inv.SendFlags |= verbs.SendFence
	b.postRecv(p.a, verbs.RecvWR{WRID: 10})
	b.postSend(p.b,
		verbs.SendWR{WRID: 1, Opcode: verbs.WRRDMARead, SendFlags: verbs.SendSignaled, SGList: sge(local, 0, 3000),
			RemoteAddr: local.Addr(), RKey: local.RKey()},
		bindOne,
		verbs.SendWR{WRID: 3, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled},
		inv, bindTwo)
	var order []uint64
	for _, wc := range b.inOrder(6) {
		if wc.Status != verbs.WCSuccess {
			t.Fatal(describe(wc))
		}
		if wc.QPNum == p.b.Num() {
			order = append(order, wc.WRID)
		}
	}
	if !slices.Equal(order, []uint64{1, 2, 3, 4, 5}) {
		t.Errorf("completed in the order %v", order)
	}
	if mw.RKey() != bindTwo.Bind.RKey {
		t.Errorf("rkey 0x%x, want 0x%x", mw.RKey(), bindTwo.Bind.RKey)
	}
	b.wantComplete(p.a, reach(verbs.WRRDMARead, local, 64, mr.Addr()+windowAt, mw.RKey()), verbs.WCSuccess)
}

// testInvalidateUnbound invalidates type 2 windows that are unbound or bound on another queue
// pair.
func testInvalidateUnbound(t *testing.T, b *bench) {
	if b.env.has(InvalidateTwiceCrashes) {
		return
	}
	mr := b.newMR(regionLen, windowed)
	for name, prepare := range map[string]func(b *bench, p *pair, mw verbs.MW){
		"never bound": func(*bench, *pair, verbs.MW) {},
		"invalidated": func(b *bench, p *pair, mw verbs.MW) {
			b.mustBind(p.b, mw, window(mr, allRemote))
			b.wantComplete(p.b, invalidate(verbs.WRLocalInv, 5, mw.RKey()), verbs.WCSuccess)
		},
		"of another queue pair": func(b *bench, _ *pair, mw verbs.MW) {
			b.mustBind(b.newPair(pairOptions{}).b, mw, window(mr, allRemote))
		},
	} {
		b.part("LOCAL_INV "+name, func(t *testing.T, b *bench) {
			p, mw := b.newPair(pairOptions{}), b.newMW(verbs.MWType2)
			prepare(b, p, mw)
			b.wantComplete(p.b, invalidate(verbs.WRLocalInv, 1, mw.RKey()), verbs.WCMWBindErr)
		})
		b.part("SEND_WITH_INV "+name, func(t *testing.T, b *bench) {
			p, mw := b.newPair(pairOptions{}), b.newMW(verbs.MWType2)
			prepare(b, p, mw)
			b.postRecv(p.b, verbs.RecvWR{WRID: 2})
			b.postSend(p.a, invalidate(verbs.WRSendWithInv, 1, mw.RKey()))
			got := b.completions(2)
			wantStatus(t, got, 1, verbs.WCSuccess)
			wantStatus(t, got, 2, verbs.WCRemInvReqErr)
		})
	}
}

// testWindowsOfQP destroys and resets queue pairs on which type 2 windows are
// bound: that ends the binding, so the region can be closed and the window bound
// again.
func testWindowsOfQP(t *testing.T, b *bench) {
	if b.env.has(WindowHoldsQP) {
		return
	}
	for name, end := range map[string]func(qp verbs.QP) error{
		"destroyed": verbs.QP.Close,
		"reset":     func(qp verbs.QP) error { return qp.Modify(toState(verbs.QPReset)) },
	} {
		b.part(name, func(t *testing.T, b *bench) {
			p, next := b.newPair(pairOptions{access: everyRemote}), b.newPair(pairOptions{access: everyRemote})
			local, mr := b.newMR(64, verbs.LocalWrite), b.newMR(regionLen, windowed)
			one, two := b.newMW(verbs.MWType1), b.newMW(verbs.MWType2)
			b.mustBind(p.b, two, window(mr, allRemote))
			b.must(end(p.b))
			b.mustBind(next.b, two, window(mr, allRemote))
			b.wantComplete(next.a, reach(verbs.WRRDMARead, local, 64, mr.Addr()+windowAt, two.RKey()), verbs.WCSuccess)
			b.mustBind(next.a, one, window(mr, allRemote))
			b.must(end(next.a)) // a type 1 window belongs to no queue pair
			if err := mr.Close(); err == nil {
				t.Error("a region was closed while a type 1 window was bound to it")
			}
			b.must(two.Close())
			b.must(one.Close())
			b.must(mr.Close())
		})
	}
}
