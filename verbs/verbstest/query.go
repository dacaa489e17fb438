package verbstest

import (
	"errors"
	"slices"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// testQuery reads back all attributes set so far, in each state from RESET to RTS;
// ibv_query_qp(3).
func testQuery(t *testing.T, b *bench) {
	o := pairOptions{access: verbs.RemoteWrite, mtu: verbs.MTU512, psnA: 0xabcdef, psnB: 0xfedcba, timeout: 13,
		retryCnt: 5, rnrRetry: 6,
		rnrTimer: 21, rdAtomic: 4, destRDAtomic: 8}
	for _, typ := range queuePairTypes {
		b.part(typ.String(), func(t *testing.T, b *bench) {
			o := o
			o.typ = typ
			qp := b.newQP(typ, true)
			set, mask := map[string]string{}, verbs.AttrCurState|verbs.AttrCap
			for _, state := range []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS, verbs.QPSQD, verbs.QPErr} {
				step := b.step(o, state, 0x123456)
				b.must(qp.Modify(step))
				mask |= step.Mask
				for _, f := range fields.QPOf(step.Mask) {
					set[f.Name] = f.Format(&step)
				}
				got, init, err := qp.Query(mask)
				b.must(err)
				for _, f := range fields.QPOf(mask &^ verbs.AttrCurState) {
					if text := f.Format(&got); text != set[f.Name] {
						t.Errorf("in %s: %s is %s, but was set to %s", state, f.Name, text, set[f.Name])
					}
				}
				if want := expect(b.env, NoCurState, state, verbs.QPReset); got.CurQPState != want {
					t.Errorf("in %s: cur_qp_state is %s, want %s", state, got.CurQPState, want)
				}
				if init.QPType != typ || !init.SQSigAll || init.Cap.MaxSendWR < 16 || init.Cap.MaxRecvWR < 16 ||
					init.Cap.MaxInlineData < 64 {
					t.Errorf("in %s: %+v", state, init)
				}
			}
		})
	}
}

// testDataInOrder asks what is guaranteed of each operation on each type of queue pair.
func testDataInOrder(t *testing.T, b *bench) {
	of := map[verbs.QPType][]verbs.WROpcode{
		verbs.UD: {verbs.WRSend, verbs.WRSendWithImm},
		verbs.UC: {verbs.WRSend, verbs.WRSendWithImm, verbs.WRRDMAWrite, verbs.WRRDMAWriteWithImm},
		verbs.RC: {verbs.WRSend, verbs.WRSendWithImm, verbs.WRSendWithInv, verbs.WRRDMAWrite, verbs.WRRDMAWriteWithImm,
			verbs.WRRDMARead},
	}
	for typ, ops := range of {
		qp := b.newQP(typ, false)
		q := qp.(verbs.DataInOrderQuerier)
		for op := range verbs.WRAtomicWrite + 2 {
			for flags, want := range map[verbs.DataInOrderFlags]verbs.DataInOrder{
				0: 1, verbs.InOrderReturnCaps: 3, verbs.InOrderReturnCaps | verbs.InOrderDeviceOnly: 3,
				verbs.InOrderDeviceOnly: 1, 1 << 31: 0, 1<<31 | verbs.InOrderReturnCaps: 0,
			} {
				if !b.env.DataInOrder || !slices.Contains(ops, op) {
					want = 0
				}
				if got, err := q.QueryDataInOrder(op, flags); got != want || err != nil {
					t.Errorf("%s, %s, flags 0x%x: %s, %v; want %s", typ, op, uint32(flags), got, err, want)
				}
			}
		}
		b.must(qp.Close())
		if _, err := q.QueryDataInOrder(verbs.WRSend, 0); !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("%s after Close: %v", typ, err)
		}
	}
}
