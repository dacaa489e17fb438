package verbstest

import (
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
