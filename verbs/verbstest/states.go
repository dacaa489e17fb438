package verbstest

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// testPostsByState posts in each state that a call can bring about; IBA 10.3.1.
func testPostsByState(t *testing.T, b *bench) {
	tests := []struct {
		state      verbs.QPState
		send, recv bool
	}{
		{verbs.QPReset, false, false},
		{verbs.QPInit, false, true},
		{verbs.QPRTR, false, true},
		{verbs.QPRTS, true, true},
		{verbs.QPSQD, true, true},
		{verbs.QPErr, true, true},
	}
	for _, typ := range queuePairTypes {
		for _, tt := range tests {
			b.part(fmt.Sprintf("%s %s", typ, tt.state), func(t *testing.T, b *bench) {
				o := pairOptions{typ: typ, timeout: 8, retryCnt: 1}.withDefaults()
				qp, peer := b.newQP(typ, false), b.newQP(typ, false)
				b.bringUp(qp, o, tt.state, peer.Num())
				send := verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}
				if typ == verbs.UD {
					send.AH, send.RemoteQPN = b.newAH(b.ownAH()), peer.Num()
				}
				if n, err := qp.PostSend(send); (err == nil) != tt.send || (n == 1) != tt.send {
					t.Errorf("PostSend accepted %d: %v", n, err)
				}
				if n, err := qp.PostRecv(verbs.RecvWR{WRID: 2}); (err == nil) != tt.recv || (n == 1) != tt.recv {
					t.Errorf("PostRecv accepted %d: %v", n, err)
				}
				if tt.state != verbs.QPErr {
					return
				}
				if b.env.has(LateRecvFlush) {
					b.must(qp.Modify(toState(verbs.QPErr)))
				}
				for _, wc := range b.completions(2) {
					if wc.Status != verbs.WCWRFlushErr {
						t.Error(describe(wc))
					}
				}
			})
		}
	}
}

// testSendQueueError fails a request of an unreliable queue pair: its send queue stops, its receive
// queue continues, and one transition leads back to RTS. IBA 10.3.1.7.
func testSendQueueError(t *testing.T, b *bench) {
	for _, typ := range []verbs.QPType{verbs.UC, verbs.UD} {
		b.part(typ.String(), func(t *testing.T, b *bench) {
			tk := b.newTalkers(typ)
			mr := b.newMR(256, verbs.LocalWrite)
			bad := sge(mr, 0, 8)
			bad[0].LKey ^= 0x5a5a00
			b.postRecv(tk.a, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 128)})
			b.postSend(tk.a, tk.send(2, tk.b, bad), tk.send(3, tk.b, nil))
			if b.env.has(NoSQE) {
				got := b.completions(3)
				wantStatus(t, got, 1, verbs.WCWRFlushErr)
				wantStatus(t, got, 3, verbs.WCWRFlushErr)
				wantState(t, tk.a, verbs.QPErr)
				return
			}
			got := b.completions(2)
			wantStatus(t, got, 2, expect(b.env, BadLKeyIsQPErr, verbs.WCLocProtErr, verbs.WCLocQPOpErr))
			wantStatus(t, got, 3, verbs.WCWRFlushErr)
			wantState(t, tk.a, verbs.QPSQE)
			b.postSend(tk.a, tk.send(4, tk.b, nil))
			wantStatus(t, b.completions(1), 4, verbs.WCWRFlushErr)
			b.postSend(tk.b, tk.send(5, tk.a, nil))
			got = b.completions(2)
			wantStatus(t, got, 1, verbs.WCSuccess)
			wantStatus(t, got, 5, verbs.WCSuccess)
			b.must(tk.a.Modify(toState(verbs.QPRTS)))
			b.postRecv(tk.b, verbs.RecvWR{WRID: 6, SGList: sge(mr, 0, 128)})
			b.postSend(tk.a, tk.send(7, tk.b, nil))
			got = b.completions(2)
			wantStatus(t, got, 6, verbs.WCSuccess)
			wantStatus(t, got, 7, verbs.WCSuccess)
		})
	}
}

// testReset takes queue pairs from ERR and from RTS to RESET and up again: posted requests are
// discarded without a completion.
func testReset(t *testing.T, b *bench) {
	for _, typ := range queuePairTypes {
		for _, from := range []verbs.QPState{verbs.QPErr, verbs.QPRTS} {
			b.part(fmt.Sprintf("%s from %s", typ, from), func(t *testing.T, b *bench) {
				tk := b.newTalkers(typ)
				mr := b.newMR(256, verbs.LocalWrite)
				o := pairOptions{typ: typ, access: allRemote}.withDefaults()
				if from == verbs.QPErr {
					b.must(tk.b.Modify(toState(from)))
				}
				b.postRecv(tk.b, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 128)})
				if from == verbs.QPErr && !b.env.has(LateRecvFlush) {
					wantStatus(t, b.completions(1), 1, verbs.WCWRFlushErr)
				}
				for _, side := range []struct{ qp, peer verbs.QP }{{tk.a, tk.b}, {tk.b, tk.a}} {
					b.must(side.qp.Modify(toState(verbs.QPReset)))
					wantState(t, side.qp, verbs.QPReset)
					o.psnA, o.psnB = o.psnB, o.psnA
					b.bringUp(side.qp, o, verbs.QPRTS, side.peer.Num())
				}
				if from == verbs.QPErr && b.env.has(LateRecvFlush) {
					b.flushedInTime(1)
				}
				b.noCompletion()
				b.postRecv(tk.b, verbs.RecvWR{WRID: 2, SGList: sge(mr, 0, 128)})
				b.postSend(tk.a, tk.send(3, tk.b, sge(mr, 128, 8)))
				got := b.completions(2)
				wantStatus(t, got, 2, verbs.WCSuccess)
				wantStatus(t, got, 3, verbs.WCSuccess)
			})
		}
	}
}

// flushedInTime takes the completion of a RECV that was posted in ERR, if there is one. With
// LateRecvFlush that depends on whether the flush begun by the change to ERR had ended when the
// RECV was posted.
func (b *bench) flushedInTime(wrID uint64) {
	b.t.Helper()
	var wcs [1]verbs.WC
	n, err := b.cq.Poll(wcs[:])
	b.must(err)
	if n == 1 {
		wantStatus(b.t, map[uint64]verbs.WC{wcs[0].WRID: wcs[0]}, wrID, verbs.WCWRFlushErr)
	}
}

// testDeafStates sends to queue pairs that are not ready to receive.
func testDeafStates(t *testing.T, b *bench) {
	for _, typ := range queuePairTypes {
		for _, state := range []verbs.QPState{verbs.QPReset, verbs.QPInit, verbs.QPErr} {
			b.part(fmt.Sprintf("%s %s", typ, state), func(t *testing.T, b *bench) {
				o := pairOptions{typ: typ, access: everyRemote, timeout: 8, retryCnt: 1}.withDefaults()
				a, deaf := b.newQP(typ, false), b.newQP(typ, false)
				b.bringUp(a, o, verbs.QPRTS, deaf.Num())
				b.bringUp(deaf, o, state, a.Num())
				if state == verbs.QPInit {
					b.postRecv(deaf, verbs.RecvWR{WRID: 2})
				}
				tk := &talkers{pair: &pair{bench: b, a: a, b: deaf}}
				want := verbs.WCRetryExcErr
				if typ == verbs.UD {
					tk.ah = b.newAH(b.ownAH())
				}
				if typ != verbs.RC {
					want = verbs.WCSuccess // the sender is not told
				}
				b.wantComplete(a, tk.send(1, deaf, nil), want)
				b.noCompletion()
				wantState(t, deaf, state)
			})
		}
	}
}
