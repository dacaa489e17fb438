package verbstest

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// testRetriesRunOut posts each operation to a peer that no longer exists, with different values of
// retry_cnt.
func testRetriesRunOut(t *testing.T, b *bench) {
	mr := b.newMR(64, localAndAll)
	for i, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRRDMAWrite, verbs.WRRDMARead, verbs.WRAtomicFetchAndAdd} {
		b.part(fmt.Sprintf("%s retry_cnt %d", op, i), func(t *testing.T, b *bench) {
			p := b.newPair(pairOptions{access: everyRemote, timeout: 8, retryCnt: uint8(i)})
			b.must(p.b.Close())
			send := verbs.SendWR{
				WRID: 1, Opcode: op, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, word),
				RemoteAddr: mr.Addr(), RKey: mr.RKey(),
			}
			behind := send
			behind.WRID, behind.SendFlags = 2, 0
			b.postSend(p.a, send, behind)
			got := b.completions(2)
			wantStatus(t, got, 1, verbs.WCRetryExcErr)
			wantStatus(t, got, 2, verbs.WCWRFlushErr)
			wantState(t, p.a, verbs.QPErr)
			wantBytes(t, mr, make([]byte, 64), 0)
		})
	}
}

// testRNRRetries sends with each rnr_retry to a peer that never posts a RECV, and with the
// infinite one to a peer that posts it late.
func testRNRRetries(t *testing.T, b *bench) {
	send := verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}
	for retry := range verbs.InfiniteRNRRetry + 1 {
		for _, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRRDMAWriteWithImm} {
			b.part(fmt.Sprintf("%s rnr_retry %d", op, retry), func(t *testing.T, b *bench) {
				o := pairOptions{access: allRemote, rnrRetry: retry, rnrTimer: 1}
				if retry == 0 {
					o.rnrRetry = noRNRRetries
				}
				p := b.newPair(o)
				wr := send
				wr.Opcode = op
				if retry < verbs.InfiniteRNRRetry {
					b.wantComplete(p.a, wr, verbs.WCRNRRetryExcErr)
					wantState(t, p.a, verbs.QPErr)
					wantState(t, p.b, verbs.QPRTS)
					return
				}
				// One queue pair gives up while the other continues to wait.
				o.rnrRetry = 6
				witness := b.newPair(o)
				b.postSend(p.a, wr)
				wr.WRID = 3
				b.wantComplete(witness.a, wr, verbs.WCRNRRetryExcErr)
				b.noCompletion()
				b.postRecv(p.b, verbs.RecvWR{WRID: 2})
				got := b.completions(2)
				wantStatus(t, got, 1, verbs.WCSuccess)
				wantStatus(t, got, 2, verbs.WCSuccess)
			})
		}
	}
}

// testLatePeer sends to a queue pair that drops the request, and then makes it ready: the
// request is sent again after its timeout.
func testLatePeer(t *testing.T, b *bench) {
	mr := b.newMR(64, localAndAll)
	for _, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRRDMAWrite, verbs.WRRDMARead, verbs.WRAtomicFetchAndAdd} {
		b.part(op.String(), func(t *testing.T, b *bench) {
			o := pairOptions{access: everyRemote, timeout: 13, retryCnt: 7, psnA: 5, psnB: 5}.withDefaults()
			a, late := b.newQP(verbs.RC, false), b.newQP(verbs.RC, false)
			b.bringUp(a, o, verbs.QPRTS, late.Num())
			b.bringUp(late, o, verbs.QPInit, a.Num())
			b.postRecv(late, verbs.RecvWR{WRID: 2, SGList: sge(mr, 0, word)})
			b.postSend(a, verbs.SendWR{WRID: 1, Opcode: op, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, word),
				RemoteAddr: mr.Addr() + 32, RKey: mr.RKey()})
			b.settle()
			b.noCompletion()
			b.must(late.Modify(b.step(o, verbs.QPRTR, a.Num())))
			count := 1
			if op.Traits().NeedRecv {
				count = 2
			}
			wantStatus(t, b.completions(count), 1, verbs.WCSuccess)
		})
	}
}
