package transport

import (
	"testing"

	"rdmatui/verbs"
)

// TestProbe: only a connected queue pair is probed; any other has no peer.
func TestProbe(t *testing.T) {
	for _, tt := range []struct {
		typ    verbs.QPType
		state  verbs.QPState
		closed bool
		want   bool
	}{
		{verbs.RC, verbs.QPRTS, false, true}, {verbs.RC, verbs.QPSQD, false, true},
		{verbs.RC, verbs.QPRTS, true, false},
		{verbs.RC, verbs.QPInit, false, false}, {verbs.RC, verbs.QPRTR, false, false},
		{verbs.RC, verbs.QPErr, false, false},
		{verbs.UC, verbs.QPRTS, false, false}, {verbs.UD, verbs.QPRTS, false, false},
	} {
		e := &Engine{}
		q := &QP{typ: tt.typ, state: tt.state, closed: tt.closed, eng: e}
		q.comp.una = 5
		if got := q.Probe(); got != tt.want || len(e.mads) == 1 != tt.want {
			t.Errorf("%+v: %t, %d packets", tt, got, len(e.mads))
		} else if tt.want && (e.mads[0].probe.PSN != 4 || !e.mads[0].probe.AckReq) {
			t.Errorf("%+v", e.mads[0].probe)
		}
	}
}
