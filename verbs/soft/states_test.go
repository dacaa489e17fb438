package soft

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/transport"
	"rdmatui/verbs/wire"
)

// enter takes a queue pair from RTS to another state.
func (r *rawPeer) enter(o pairOptions, to verbs.QPState) {
	r.T.Helper()
	switch to {
	case verbs.QPRTS:
	case verbs.QPInit, verbs.QPRTR:
		o = o.WithDefaults()
		r.Move(verbs.QPReset)
		ok(r.T, r.ToInit(o))
		if to == verbs.QPRTR {
			ok(r.T, r.QP.Modify(r.RtrAttr(o, verbs.GIDFromAddr(r.path.Src.Addr()), rawQPN, 100)))
		}
	case verbs.QPSQE:
		r.fail()
	default:
		r.Move(to)
	}
	synctest.Wait()
	if got := r.State(); got != to {
		r.T.Fatalf("it is in %s, want %s", got, to)
	}
}

// fail posts a SEND from memory in no region.
func (r *rawPeer) fail() {
	r.T.Helper()
	wr := r.sendWR(99)
	wr.SGList = []verbs.SGE{{Addr: 1, Length: 1, LKey: 1}}
	r.Send(wr)
	r.Want(99, verbs.WCLocProtErr)
}

// sendWR is a SEND to the raw peer.
func (r *rawPeer) sendWR(id uint64) verbs.SendWR {
	r.T.Helper()
	wr := verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}
	if r.QP.Type() == verbs.UD {
		wr.AH = must(r.PD.CreateAH(verbs.AHAttr{IsGlobal: true, PortNum: 1,
			GRH: verbs.GlobalRoute{DGID: verbs.GIDFromAddr(r.path.Src.Addr()), SGIDIndex: 1}}))(r.T)
		closeAtEnd(r.T, wr.AH)
		wr.RemoteQPN = rawQPN
	}
	return wr
}

// only is the SEND ONLY of each type.
var only = map[verbs.QPType]wire.Opcode{verbs.RC: wire.RCSendOnly, verbs.UC: wire.UCSendOnly, verbs.UD: wire.UDSendOnly}

// fate is what happens to a request or packet.
type fate string

const (
	refused fate = "refused" // by EINVAL
	kept    fate = "kept"
	flushed fate = "flushed"
	sent    fate = "sent"
	taken   fate = "taken"
	dropped fate = "dropped"
)

// stateRules is IBA 10.3.1 by state: what happens to a SEND, a RECV and a packet, and the PSNs that a query returns.
var stateRules = []struct {
	state              verbs.QPState
	send, recv, packet fate
	sqPSN, rqPSN       verbs.PSN
}{
	{verbs.QPReset, refused, refused, dropped, 0, 0},
	{verbs.QPInit, refused, kept, dropped, 0, 0},
	{verbs.QPRTR, refused, kept, taken, 0, 100},
	{verbs.QPRTS, sent, kept, taken, 200, 100},
	{verbs.QPSQD, kept, kept, taken, 200, 100},
	{verbs.QPSQE, flushed, kept, taken, 200, 100},
	{verbs.QPErr, flushed, flushed, dropped, 200, 100},
}

func TestStates(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.RC, verbs.UC, verbs.UD} {
		for _, tt := range stateRules {
			if typ == verbs.RC && tt.state == verbs.QPSQE {
				continue // a reliable connection goes to ERR instead
			}
			o := pairOptions{Typ: typ, QKey: 7}
			each := func(what string, body func(t *testing.T, p *Provider, r *rawPeer)) {
				t.Run(fmt.Sprintf("%s/%s/%s", typ, tt.state, what), func(t *testing.T) {
					virtual(t, func(t *testing.T, p *Provider) {
						r := newRawPeer(t, p, o)
						r.enter(o, tt.state)
						body(t, p, r)
					})
				})
			}
			each("SEND", func(t *testing.T, _ *Provider, r *rawPeer) { r.checkSend(tt.send) })
			each("RECV", func(t *testing.T, _ *Provider, r *rawPeer) { r.checkRecv(tt.recv) })
			each("packet", func(t *testing.T, p *Provider, r *rawPeer) { r.checkPacket(p, tt.state, tt.packet) })
			each("query", func(t *testing.T, _ *Provider, r *rawPeer) {
				a, _, err := r.QP.Query(^verbs.AttrMask(0))
				ok(t, err)
				rq := tt.rqPSN
				if typ == verbs.UD {
					rq = 0 // datagrams have no sequence
				}
				if a.QPState != tt.state || a.CurQPState != tt.state || a.SQPSN != tt.sqPSN || a.RQPSN != rq ||
					a.SQDraining {
					t.Errorf("%+v", a)
				}
				if clean := (verbs.QPAttr{Mask: a.Mask, Cap: r.QP.Cap()}); tt.state == verbs.QPReset && a != clean {
					t.Errorf("RESET leaves %+v", a)
				}
			})
		}
	}
}

func (r *rawPeer) checkSend(want fate) {
	r.T.Helper()
	n, err := r.QP.PostSend(r.sendWR(1))
	if (n == 0) != (want == refused) || want == refused && !errors.Is(err, syscall.EINVAL) {
		r.T.Fatalf("%d posted, %v; want %s", n, err, want)
	}
	synctest.Wait()
	got := len(r.answers())
	if (got == 1) != (want == sent) {
		r.T.Errorf("%d packets were sent, want %s", got, want)
	}
	switch {
	case want == flushed:
		r.Want(1, verbs.WCWRFlushErr)
	case want == kept:
		r.Nothing()
		r.Move(verbs.QPRTS)
		synctest.Wait()
		if len(r.answers()) != 1 {
			r.T.Error("not sent in RTS")
		}
	}
}

func (r *rawPeer) checkRecv(want fate) {
	r.T.Helper()
	n, err := r.QP.PostRecv(verbs.RecvWR{WRID: 1})
	if (n == 0) != (want == refused) || want == refused && !errors.Is(err, syscall.EINVAL) {
		r.T.Fatalf("%d posted, %v; want %s", n, err, want)
	}
	synctest.Wait()
	if want == flushed {
		r.Want(1, verbs.WCWRFlushErr)
	}
	r.Nothing()
	if want == kept {
		r.Move(verbs.QPErr)
		synctest.Wait()
		r.Want(1, verbs.WCWRFlushErr)
	}
}

func (r *rawPeer) checkPacket(p *Provider, state verbs.QPState, want fate) {
	r.T.Helper()
	typ := r.QP.Type()
	mr := r.NewMR(64, everything)
	if state != verbs.QPReset && state != verbs.QPErr {
		r.Recv(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 64)})
	}
	r.put(r.request(only[typ], 100, 8))
	answers := r.answers()
	if want == dropped {
		r.Nothing()
		if len(answers) != 0 || counterOf(r.T, p, "soft0", "unknown_qp") != 1 {
			r.T.Errorf("answered with %+v, or not counted", answers)
		}
		return
	}
	r.Want(1, verbs.WCSuccess)
	if (len(answers) == 1) != (typ == verbs.RC) {
		r.T.Errorf("answered by %+v", answers)
	}
	if state == verbs.QPRTR && typ != verbs.UD {
		r.NextEvent(verbs.EventCommEst)
	}
	r.NoEvent()
}

// TestSQE fails the first of three SENDs: the others are flushed, receiving continues, and back in RTS the queue pair
// sends again.
func TestSQE(t *testing.T) {
	for typ, op := range only {
		if typ == verbs.RC {
			continue
		}
		t.Run(typ.String(), func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{Typ: typ, QKey: 7})
				mr := r.NewMR(64, everything)
				for round := range wire.PSN(3) {
					r.Recv(verbs.RecvWR{WRID: 5, SGList: sge(mr, 0, 64)})
					bad := r.sendWR(1)
					bad.SGList = []verbs.SGE{{Addr: 1, Length: 1, LKey: 1}}
					r.Send(bad, r.sendWR(2), r.sendWR(3))
					r.Want(1, verbs.WCLocProtErr)
					r.Want(2, verbs.WCWRFlushErr)
					r.Want(3, verbs.WCWRFlushErr)
					synctest.Wait()
					r.put(r.request(op, 100+round, 4))
					r.Want(5, verbs.WCSuccess)
					r.Move(verbs.QPRTS)
					r.Send(r.sendWR(4))
					r.Want(4, verbs.WCSuccess)
					synctest.Wait()
					if got := r.answers(); len(got) != 1 || got[0].BTH.PSN != 200+round {
						t.Errorf("round %d sent %+v", round, got)
					}
					r.NoEvent()
				}
			})
		})
	}
}

// TestDrainingIsLeftAlone: while requests are in flight, no attribute can be changed, and only ERR and RESET are
// allowed.
func TestDrainingIsLeftAlone(t *testing.T) {
	for _, out := range []verbs.QPState{verbs.QPErr, verbs.QPReset, verbs.QPRTS} {
		t.Run(out.String(), func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{})
				r.Send(r.sendWR(1))
				synctest.Wait()
				r.Move(verbs.QPSQD)
				r.Send(r.sendWR(2))
				for _, attr := range []verbs.QPAttr{
					{Mask: verbs.AttrState, QPState: verbs.QPRTS}, {Mask: verbs.AttrState, QPState: verbs.QPSQD},
					{Mask: verbs.AttrTimeout, Timeout: 5},
				} {
					if err := r.QP.Modify(attr); !errors.Is(err, syscall.EINVAL) {
						t.Errorf("%s of a draining queue pair: %v, want EINVAL", attr.Mask, err)
					}
				}
				if attr, _, _ := r.QP.Query(0); !attr.SQDraining || attr.Timeout != 14 {
					t.Errorf("%+v", attr)
				}
				switch out {
				case verbs.QPErr:
					r.Move(out)
					r.Want(1, verbs.WCWRFlushErr)
					r.Want(2, verbs.WCWRFlushErr)
				case verbs.QPReset:
					r.Move(out)
				default:
					r.put(r.ack(200))
					r.Want(1, verbs.WCSuccess)
					r.Nothing()
					r.Move(out)
					synctest.Wait()
					r.put(r.ack(201))
					r.Want(2, verbs.WCSuccess)
				}
				r.Nothing()
				r.NoEvent()
			})
		})
	}
}

// TestDrainingFinishesTheMessage goes to SQD when only one window of a message has been sent: the rest is sent before
// the send queue is drained, and lost packets are retransmitted.
func TestDrainingFinishesTheMessage(t *testing.T) {
	const packets = transport.MaxWindow + 44
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{MTU: verbs.MTU256})
		mr := r.NewMR(packets*256, 0)
		long := r.sendWR(1)
		long.SGList = sge(mr, 0, packets*256)
		r.Send(long)
		synctest.Wait()
		if got := r.answers(); len(got) != transport.MaxWindow {
			t.Fatalf("%d packets were sent, want %d", len(got), transport.MaxWindow)
		}
		ok(t, r.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrEnSQDAsyncNotify, QPState: verbs.QPSQD,
			EnSQDAsyncNotify: true}))
		r.put(r.ack(200 + transport.MaxWindow - 1))
		if got := r.answers(); len(got) != packets-transport.MaxWindow {
			t.Fatalf("%d more packets were sent, want %d", len(got), packets-transport.MaxWindow)
		}
		r.NoEvent()
		time.Sleep(verbs.AckTimeout(14) + time.Millisecond)
		synctest.Wait()
		if got := r.answers(); len(got) == 0 || got[0].BTH.PSN != 200+transport.MaxWindow {
			t.Fatalf("nothing was retransmitted: %+v", got)
		}
		r.NoEvent()
		r.put(r.ack(200 + packets - 1))
		r.Want(1, verbs.WCSuccess)
		r.NextEvent(verbs.EventSQDrained)
	})
}

// ack acknowledges the packets that the queue pair has sent.
func (r *rawPeer) ack(psn wire.PSN) *wire.Packet {
	h := r.request(wire.RCAcknowledge, psn, 0)
	h.AETH.Syndrome = wire.ACKUnlimited
	return h
}

// TestDrainedIsToldWhenAsked goes to SQD with nothing in flight, with and without requesting the event.
func TestDrainedIsToldWhenAsked(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		for i, ask := range []bool{true, false, true} {
			attr := verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPSQD, EnSQDAsyncNotify: ask}
			if ask {
				attr.Mask |= verbs.AttrEnSQDAsyncNotify
			}
			ok(t, r.QP.Modify(attr))
			synctest.Wait()
			if ask {
				r.NextEvent(verbs.EventSQDrained)
			}
			r.Move(verbs.QPSQD) // no second event
			synctest.Wait()
			r.NoEvent()
			if got, _, _ := r.QP.Query(0); got.EnSQDAsyncNotify != ask || got.SQDraining {
				t.Errorf("round %d: %+v", i, got)
			}
			r.Move(verbs.QPRTS)
			if got, _, _ := r.QP.Query(0); got.EnSQDAsyncNotify {
				t.Errorf("round %d: still requested in RTS", i)
			}
		}
	})
}

// TestSQDChanges changes the attributes that can be changed in SQD, and checks that they take effect.
func TestSQDChanges(t *testing.T) {
	change := func(r *rawPeer, a verbs.QPAttr) {
		r.T.Helper()
		r.Move(verbs.QPSQD)
		ok(r.T, r.QP.Modify(a))
		r.Move(verbs.QPRTS)
	}
	t.Run("address vector", func(t *testing.T) {
		virtual(t, func(t *testing.T, p *Provider) {
			r := newRawPeer(t, p, pairOptions{})
			r.Recv(verbs.RecvWR{WRID: 9})
			r.put(r.request(wire.RCSendOnly, 100, 0))
			r.Want(9, verbs.WCSuccess)
			r.wantAETH(100, wire.ACKUnlimited)
			old := *r
			n := r.moved(p)
			change(r, verbs.QPAttr{Mask: verbs.AttrAV,
				AH: r.RtrAttr(pairOptions{}.WithDefaults(), verbs.GIDFromAddr(n.path.Src.Addr()), 0, 0).AH})
			r.Send(r.sendWR(1))
			synctest.Wait()
			if got := n.answers(); len(got) != 1 || len(old.answers()) != 0 {
				t.Errorf("at the new address: %+v", got)
			}
			old.put(r.ack(200)) // from the old address
			r.Nothing()
			n.put(r.ack(200))
			r.Want(1, verbs.WCSuccess)
		})
	})
	t.Run("timeout and retry_cnt", func(t *testing.T) {
		virtual(t, func(t *testing.T, p *Provider) {
			r := newRawPeer(t, p, pairOptions{Timeout: 20})
			change(r, verbs.QPAttr{Mask: verbs.AttrTimeout | verbs.AttrRetryCnt, Timeout: 10, RetryCnt: 1})
			r.Send(r.sendWR(1))
			synctest.Wait()
			time.Sleep(2*verbs.AckTimeout(10) - time.Microsecond)
			r.Nothing()
			time.Sleep(2 * time.Microsecond)
			r.Want(1, verbs.WCRetryExcErr)
		})
	})
	t.Run("access", func(t *testing.T) {
		virtual(t, func(t *testing.T, p *Provider) {
			r := newRawPeer(t, p, pairOptions{})
			change(r, verbs.QPAttr{Mask: verbs.AttrAccessFlags, QPAccessFlags: verbs.RemoteRead})
			mr := r.NewMR(8, everything)
			h := r.request(wire.RCWriteOnly, 100, 8)
			h.RETH = wire.RETH{VA: mr.Addr(), RKey: mr.RKey(), DMALen: 8}
			r.put(h)
			r.wantAETH(100, wire.NAK(wire.NAKInvalidRequest))
			r.NextEvent(verbs.EventQPReqErr)
		})
	})
	t.Run("max_rd_atomic", func(t *testing.T) {
		virtual(t, func(t *testing.T, p *Provider) {
			r := newRawPeer(t, p, pairOptions{RDAtomic: 4})
			change(r, verbs.QPAttr{Mask: verbs.AttrMaxQPRDAtomic, MaxRDAtomic: 1})
			mr := r.NewMR(8, everything)
			read := verbs.SendWR{Opcode: verbs.WRRDMARead, SGList: sge(mr, 0, 8)}
			r.Send(read, read, read)
			synctest.Wait()
			if got := r.answers(); len(got) != 1 {
				t.Errorf("%d READs at once, want 1", len(got))
			}
		})
	})
}

// moved returns the raw peer at another address.
func (r *rawPeer) moved(p *Provider) *rawPeer {
	n := *r
	src := netip.MustParseAddr("127.0.0.78")
	n.port = must(p.Fabric().Attach(func() {}, src))(r.T)
	closeAtEnd(r.T, n.port)
	n.path = must(link.NewPath(netip.AddrPortFrom(src, 0xc002), r.path.Dst))(r.T)
	return &n
}

// TestFromErrToRTS breaks a connection and brings the same two queue pairs up again, with other PSNs.
func TestFromErrToRTS(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.RC, verbs.UC} {
		t.Run(typ.String(), func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				o := pairOptions{Typ: typ}.WithDefaults()
				a, b := connect(t, p, "soft0", "soft1", o)
				src, dst := a.NewMR(4096, everything), b.NewMR(4096, everything)
				for round := range byte(3) {
					b.Recv(verbs.RecvWR{WRID: 1, SGList: sge(dst, 0, 4096)}, verbs.RecvWR{WRID: 2})
					fill(t, src, pattern(4096, round), 0)
					a.Send(verbs.SendWR{WRID: 3, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled,
						SGList: sge(src, 0, 4096)})
					a.Want(3, verbs.WCSuccess)
					b.Want(1, verbs.WCSuccess)
					wantBytes(t, dst, pattern(4096, round), 0)
					for _, s := range []*side{a, b} {
						s.Move(verbs.QPErr)
					}
					synctest.Wait()
					b.Want(2, verbs.WCWRFlushErr)
					for _, s := range []*side{a, b} {
						s.Move(verbs.QPReset)
						s.NoEvent()
						s.Nothing()
					}
					o.PSNA, o.PSNB = verbs.PSN(round)*1000+5, verbs.MaxPSN-verbs.PSN(round)
					bringUp(t, a, b, o)
				}
			})
		})
	}
}
