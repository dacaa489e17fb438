package soft

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/transport"
	"rdmatui/verbs/wire"
)

// TestMSN checks the number of messages completed by the responder in every kind of answer; IBA 9.7.7.1.
func TestMSN(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		mr := r.NewMR(8192, everything)
		r.Recv(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 64)})
		want := func(name string, msn uint32, h *wire.Packet) {
			t.Helper()
			r.put(h)
			got := r.answers()
			if len(got) == 0 {
				t.Fatalf("%s: no answer", name)
			}
			for _, k := range got {
				if k.Headers.Has(wire.HasAETH) && k.AETH.MSN != msn {
					t.Errorf("%s is answered by %s with MSN %d, want %d", name, k.BTH.Opcode, k.AETH.MSN, msn)
				}
			}
		}
		want("a SEND", 1, r.request(wire.RCSendOnly, 100, 8))
		want("it again", 1, r.request(wire.RCSendOnly, 100, 8))
		want("the start of a WRITE", 1, reth(r.request(wire.RCWriteFirst, 101, 1024), mr, 1030))
		want("the end of a WRITE", 2, r.request(wire.RCWriteLast, 102, 6))
		want("a READ", 3, r.read(103, mr, 0, 2500))
		want("it again", 3, r.read(103, mr, 0, 2500))
		want("an atomic", 4, r.add(106, mr))
		want("a SEND too early", 4, r.request(wire.RCSendOnly, 108, 8))
		want("a SEND without a RECV", 4, r.request(wire.RCSendOnly, 107, 8))
	})
}

// TestRNRRetriesStartAnew: rnr_retry starts again with each message, since progress proves that the peer posts RECVs.
// An RNR NAK of a message that is already acknowledged, late or duplicate, does not count.
func TestRNRRetriesStartAnew(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		const retries = 2
		r := newRawPeer(t, p, pairOptions{RNRRetry: retries, Timeout: patient})
		for id := range uint64(3) {
			r.Send(verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		}
		synctest.Wait()
		for id := range uint64(3) {
			psn := wire.PSN(200 + id)
			for range retries + 1 {
				r.put(r.acknowledge(psn.Add(-1), wire.RNRNAK(1)))
				time.Sleep(time.Second)
				r.Nothing()
			}
			for range retries {
				r.put(r.acknowledge(psn, wire.RNRNAK(1)))
				time.Sleep(time.Second)
				r.Nothing()
			}
			r.put(r.acknowledge(psn, wire.ACKUnlimited))
			r.Want(id, verbs.WCSuccess)
		}
		if got := counterOf(t, p, "soft0", "rcvd_rnr_err"); got != 3*retries {
			t.Errorf("%d RNR NAKs were counted, want %d", got, 3*retries)
		}
	})
}

// TestReadCopiesAreBounded sends the same READ many times at once: small requests with a forged source must not cause
// long responses to that source.
func TestReadCopiesAreBounded(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		mr := r.NewMR(1024, everything)
		r.put(r.read(100, mr, 0, 1024))
		if got := r.answers(); len(got) != 1 {
			t.Fatalf("%d answers", len(got))
		}
		again := slices.Repeat([]*wire.Packet{r.read(100, mr, 0, 1024)}, 50)
		r.putTogether(again...)
		if got := r.answers(); len(got) != 1 {
			t.Errorf("%d answers to %d copies of a READ, want 1", len(got), len(again))
		}
	})
}

// TestDuplicatesWithinDepth repeats more READs at once than max_dest_rd_atomic: only that many are answered.
func TestDuplicatesWithinDepth(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		const depth = 2
		r := newRawPeer(t, p, pairOptions{RDAtomic: depth})
		mr := r.NewMR(1024, everything)
		var again []*wire.Packet
		for psn := wire.PSN(100); psn < 105; psn++ {
			r.put(r.read(psn, mr, 0, 4))
			again = append(again, r.read(psn, mr, 0, 4))
		}
		r.answers()
		r.putTogether(again...)
		if got := r.answers(); len(got) != depth {
			t.Errorf("%d answers, want %d", len(got), depth)
		}
	})
}

// TestRecvPastItsRegion sends a SEND into RECVs whose list is invalid after its first bytes: it fails if it has more
// bytes than those, whatever the MTU.
func TestRecvPastItsRegion(t *testing.T) {
	const valid = 2000
	for name, list := range map[string]func(mr verbs.MR) []verbs.SGE{
		"a second element in no region": func(mr verbs.MR) []verbs.SGE {
			return append(sge(mr, 0, valid), verbs.SGE{Addr: mr.Addr(), Length: valid})
		},
		"an element beyond its region": func(mr verbs.MR) []verbs.SGE { return sge(mr, 0, 2*valid) },
	} {
		for _, mtu := range []verbs.MTU{verbs.MTU256, verbs.MTU1024, verbs.MTU4096} {
			for n, want := range map[uint32][2]verbs.WCStatus{
				1: {}, valid: {}, valid + 1: {verbs.WCRemOpErr, verbs.WCLocProtErr},
			} {
				t.Run(fmt.Sprint(name, mtu, n), func(t *testing.T) {
					a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{MTU: mtu})
					src, dst := a.NewMR(2*valid, 0), b.NewMR(valid, verbs.LocalWrite)
					b.Recv(verbs.RecvWR{WRID: 2, SGList: list(dst)})
					a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SGList: sge(src, 0, n),
						SendFlags: verbs.SendSignaled})
					a.Want(1, want[0])
					b.Want(2, want[1])
				})
			}
		}
	}
}

// TestNothingOfABadRecv sends messages whose RECV list is invalid from its first byte: none is placed.
func TestNothingOfABadRecv(t *testing.T) {
	for name, tt := range map[string]struct {
		list func(mr verbs.MR) []verbs.SGE
		op   wire.Opcode
		n    int
	}{
		"an element in no region": {func(mr verbs.MR) []verbs.SGE { return []verbs.SGE{{Addr: mr.Addr(), Length: 8}} },
			wire.RCSendOnly, 8},
		"an element behind its region": {func(mr verbs.MR) []verbs.SGE { return sge(mr, 4096, 5000) },
			wire.RCSendFirst, 1024},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{})
				mr := r.NewMR(4096, everything)
				r.Recv(verbs.RecvWR{WRID: 1, SGList: tt.list(mr)})
				r.put(r.request(tt.op, 100, tt.n))
				r.Want(1, verbs.WCLocProtErr)
				r.wantAETH(100, wire.NAK(wire.NAKRemoteOperational))
				wantBytes(t, mr, make([]byte, 4096), 0)
			})
		})
	}
}

// TestNothingOfABadRequest posts requests whose list is invalid after the part that the first packet needs: no packet
// is sent.
func TestNothingOfABadRequest(t *testing.T) {
	for _, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRRDMAWrite, verbs.WRRDMARead} {
		virtual(t, func(t *testing.T, p *Provider) {
			r := newRawPeer(t, p, pairOptions{})
			mr := r.NewMR(4096, everything)
			list := append(sge(mr, 0, 1024), verbs.SGE{Addr: mr.Addr(), Length: 8})
			r.Send(verbs.SendWR{WRID: 1, Opcode: op, SGList: list, RemoteAddr: 1, RKey: 1})
			r.Want(1, verbs.WCLocProtErr)
			if got := r.answers(); len(got) != 0 {
				t.Errorf("%s: %d packets were sent", op, len(got))
			}
		})
	}
}

// TestOtherDestination sends valid packets of a connection to another address of the device, a group that it has
// joined.
func TestOtherDestination(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		group := netip.MustParseAddr("239.1.2.3")
		r := newRawPeer(t, p, pairOptions{})
		o := pairOptions{Typ: verbs.UD}.WithDefaults()
		member := r.NewQP(o)
		ok(t, member.AttachMcast(verbs.GIDFromAddr(group), 0))
		defer func() { ok(t, member.DetachMcast(verbs.GIDFromAddr(group), 0)) }()
		r.Recv(verbs.RecvWR{WRID: 1})
		way := r.path
		r.path = must(link.NewPath(way.Src, netip.AddrPortFrom(group, wire.Port)))(t)
		r.put(r.request(wire.RCSendOnly, 100, 0))
		r.Nothing()
		if got := counterOf(t, p, "soft0", "wrong_peer"); got != 1 {
			t.Errorf("wrong_peer is %d, want 1", got)
		}
		r.path = way
		r.put(r.request(wire.RCSendOnly, 100, 0))
		r.Want(1, verbs.WCSuccess)
	})
}

// TestSolicitedOnLast sends a solicited message of several packets.
func TestSolicitedOnLast(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		mr := r.NewMR(4096, everything)
		r.Send(verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendSolicited, SGList: sge(mr, 0, 3000)})
		synctest.Wait()
		var got []bool
		for _, h := range r.answers() {
			got = append(got, h.BTH.Solicited)
		}
		if want := []bool{false, false, true}; !slices.Equal(got, want) {
			t.Errorf("SE is %v, want %v", got, want)
		}
	})
}

// TestFenceOfLocalRequests posts BIND_MW and LOCAL_INV with a fence behind a READ: neither is executed before the READ
// is complete.
func TestFenceOfLocalRequests(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		shown, into := r.NewMR(64, windowed), r.NewMR(64, everything)
		w := r.NewMW(verbs.MWType2)
		key := verbs.NextRKey(w.RKey())
		opens := func() bool {
			return r.QP.(*transport.QP).Grants(key, verbs.RemoteRead, shown.Addr(), 64)
		}
		bind := show(0, w, key, shown, verbs.RemoteRead)
		invalidate := verbs.SendWR{Opcode: verbs.WRLocalInv, SendFlags: verbs.SendSignaled, InvalidateKey: key}
		for i, wr := range []verbs.SendWR{bind, invalidate} {
			psn := wire.PSN(200 + i)
			wr.SendFlags |= verbs.SendFence
			r.Send(verbs.SendWR{Opcode: verbs.WRRDMARead, SGList: sge(into, 0, 8)}, wr)
			synctest.Wait()
			if before := i == 1; opens() != before {
				t.Errorf("%s was executed before the READ", wr.Opcode)
			}
			h := r.request(wire.RCReadResponseOnly, psn, 8)
			h.AETH.Syndrome = wire.ACKUnlimited
			r.put(h)
			r.Want(0, verbs.WCSuccess)
			if after := i == 0; opens() != after {
				t.Errorf("%s was not executed", wr.Opcode)
			}
		}
		ok(t, shown.Close())
	})
}

// TestAtomicThroughWindow accesses a word that is aligned in the peer's view but not in the region.
func TestAtomicThroughWindow(t *testing.T) {
	for _, off := range []uint64{0, 4} {
		virtual(t, func(t *testing.T, p *Provider) {
			r := newRawPeer(t, p, pairOptions{})
			mr := r.NewMR(64, windowed)
			w := r.NewMW(verbs.MWType2)
			key := verbs.NextRKey(w.RKey())
			bind := show(5, w, key, mr, verbs.RemoteAtomic|verbs.ZeroBased)
			bind.Bind.Addr, bind.Bind.Length = mr.Addr()+off, 32
			r.Send(bind)
			r.Want(5, verbs.WCSuccess)
			h := r.add(100, mr)
			h.AtomicETH.VA, h.AtomicETH.RKey = 8, key
			r.put(h)
			if off%verbs.AtomicLen != 0 {
				r.wantAETH(100, wire.NAK(wire.NAKRemoteAccess))
				wantBytes(t, mr, make([]byte, 64), 0)
			} else if got := r.answers(); len(got) != 1 || got[0].BTH.Opcode != wire.RCAtomicAcknowledge ||
				word(t, mr, 8) != 1 {
				t.Errorf("%+v, and the word is %d", got, word(t, mr, 8))
			}
			ok(t, w.Close())
		})
	}
}

// TestForeignDomains uses objects of another protection domain of the same context: they are refused (IBA 10.2.3).
func TestForeignDomains(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		other := &side{T: t, Dev: r.Dev, PD: must(r.Dev.AllocPD())(t), CQ: r.CQ, GID: r.GID}
		closeAtEnd(t, other.PD)

		mr := other.NewMR(64, windowed)
		w := other.NewMW(verbs.MWType2)
		r.Send(show(5, w, verbs.NextRKey(w.RKey()), mr, verbs.RemoteRead))
		r.Want(5, verbs.WCMWBindErr)

		o := pairOptions{Typ: verbs.UD}.WithDefaults()
		d := &side{T: t, Dev: r.Dev, PD: r.PD, CQ: r.CQ, GID: r.GID}
		d.QP = d.NewQP(o)
		ok(t, d.ToInit(o))
		ok(t, d.QP.Modify(d.RtrAttr(o, verbs.GID{}, 0, 0)))
		ok(t, d.QP.Modify(rtsAttr(o, 0)))
		av := verbs.AHAttr{
			IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: r.GID.GID, SGIDIndex: uint8(r.GID.Index)},
		}
		ah := must(other.PD.CreateAH(av))(t)
		closeAtEnd(t, ah)
		d.Send(verbs.SendWR{WRID: 6, Opcode: verbs.WRSend, AH: ah, RemoteQPN: d.QP.Num()})
		d.Want(6, verbs.WCLocQPOpErr)
	})
}

// TestInlineOfAnotherContext posts inline data in a region of another context of the device, which is another process's
// memory.
func TestInlineOfAnotherContext(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		there := newSide(t, p, "soft0", pairOptions{}.WithDefaults())
		own, foreign := r.NewMR(64, everything), there.NewMR(64, everything)
		for _, tt := range []struct {
			mr   verbs.MR
			want error
		}{{foreign, syscall.EFAULT}, {own, nil}} {
			n, err := r.QP.PostSend(verbs.SendWR{
				WRID: 1, Opcode: verbs.WRSend,
				SendFlags: verbs.SendInline, SGList: []verbs.SGE{{Addr: tt.mr.Addr(), Length: 8}},
			})
			if !errors.Is(err, tt.want) || (n == 1) != (tt.want == nil) {
				t.Errorf("the post took %d, %v; want %v", n, err, tt.want)
			}
		}
	})
}

// TestRepeatedReadIsChecked: a repeated READ is answered only if it requests no more than before and access is still
// allowed.
func TestRepeatedReadIsChecked(t *testing.T) {
	for _, tt := range []struct {
		name    string
		before  func(r *rawPeer, mr verbs.MR)
		change  func(h *wire.Packet)
		answers int
	}{
		{"as before", nil, nil, 2},
		{"its second packet alone", nil, func(h *wire.Packet) { h.BTH.PSN, h.RETH.DMALen = 101, 1024 }, 1},
		{"more than before", nil, func(h *wire.Packet) { h.RETH.DMALen = 2049 }, 0},
		{"more than the maximum", nil, func(h *wire.Packet) { h.RETH.DMALen = transport.MaxMsg + 1 }, 0},
		{"with data", nil, func(h *wire.Packet) { h.Payload = []byte{1, 2, 3, 4} }, 0},
		{"an unknown rkey", nil, func(h *wire.Packet) { h.RETH.RKey++ }, 0},
		{"no longer allowed", func(r *rawPeer, _ verbs.MR) {
			ok(r.T, r.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrAccessFlags, QPState: verbs.QPRTS,
				QPAccessFlags: verbs.RemoteWrite}))
		}, nil, 0},
		{"of a deregistered region", func(r *rawPeer, mr verbs.MR) { ok(r.T, mr.Close()) }, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{})
				mr := r.NewMR(4096, everything)
				h := r.read(100, mr, 0, 2048)
				if r.put(h); len(r.answers()) != 2 {
					t.Fatal("the READ was not answered")
				}
				if tt.before != nil {
					tt.before(r, mr)
				}
				if tt.change != nil {
					tt.change(h)
				}
				if r.put(h); len(r.answers()) != tt.answers {
					t.Errorf("not %d packets", tt.answers)
				}
			})
		})
	}
}
