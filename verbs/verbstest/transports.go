package verbstest

import (
	"fmt"
	"testing"

	"rdmatui/verbs"
)

// testForeignTransport sends to the number of a queue pair of another type, which
// must drop the packets; IBA 9.6.1.1.
func testForeignTransport(t *testing.T, b *bench) {
	for _, from := range queuePairTypes {
		for _, to := range queuePairTypes {
			if from == to {
				continue
			}
			b.part(fmt.Sprintf("%s to %s", from, to), func(t *testing.T, b *bench) {
				target := b.newTalkers(to)
				mr := b.newMR(256, verbs.LocalWrite)
				b.postRecv(target.b, verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 128)})
				// the PSN that target.b expects
				o := pairOptions{typ: from, timeout: 8, retryCnt: 1, psnA: 0x111}.withDefaults()
				sender := &talkers{pair: &pair{bench: b, a: b.newQP(from, false), b: target.b}}
				want := verbs.WCSuccess
				switch from {
				case verbs.RC:
					want = verbs.WCRetryExcErr
				case verbs.UD:
					sender.ah = b.newAH(b.ownAH())
				}
				b.bringUp(sender.a, o, verbs.QPRTS, target.b.Num())
				b.wantComplete(sender.a, sender.send(2, target.b, sge(mr, 0, 8)), want)
				b.settle()
				b.noCompletion()
				wantState(t, target.b, verbs.QPRTS)
				b.postSend(target.a, target.send(3, target.b, sge(mr, 0, 8)))
				got := b.completions(2)
				wantStatus(t, got, 1, verbs.WCSuccess)
				wantStatus(t, got, 3, verbs.WCSuccess)
			})
		}
	}
}
