package queue

import (
	"maps"
	"testing"

	"rdmatui/assets/explain"
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestHintsWithValues: a hint contains the values of the queue pair, and reads well without them.
func TestHintsWithValues(t *testing.T) {
	mask := verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrDestQPN | verbs.AttrMinRNRTimer
	path := verbs.AHAttr{GRH: verbs.GlobalRoute{DGID: verbs.GID{1}}}
	snap := &core.Snapshot{
		QPs: []core.QPView{
			{Name: "a", Num: 17, GID: verbs.GID{1}, State: verbs.QPErr,
				Attr: verbs.QPAttr{Mask: mask, AH: path, Timeout: 14, RetryCnt: 7, RNRRetry: 3, DestQPNum: 18}},
			{Name: "b", Num: 18, GID: verbs.GID{1}, State: verbs.QPRTS, Attr: verbs.QPAttr{Mask: mask, AH: path,
				DestQPNum: 17, MinRNRTimer: 12, RNRRetry: verbs.InfiniteRNRRetry}},
		},
		MRs: []core.MRView{{Name: "src", LKey: 0xabc}},
	}
	for _, tt := range []struct {
		status     verbs.WCStatus
		bare, full string
	}{
		{verbs.WCSuccess, "", ""},
		{12345, "", ""},
		{verbs.WCRetryExcErr,
			"the peer never answered; check query_qp at both ends: state, dest_qp_num, rq_psn, sq_psn, path_mtu",
			"the peer 0x000012 never answered: 7 retries, at least 67.1 ms each, 537 ms in all; check query_qp at both ends: state, dest_qp_num, rq_psn, sq_psn, path_mtu"},
		{verbs.WCRNRRetryExcErr, "the peer had no RECV posted at any try; check the peer's RECVs: one for each SEND and WRITE_WITH_IMM, posted before it",
			"the peer had no RECV posted at any try, with rnr_retry=3, 640 µs apart; check the peer's RECVs: one for each SEND and WRITE_WITH_IMM, posted before it"},
		{verbs.WCRemAccessErr,
			"the peer refused access to its memory; check rkey, addr and length against the peer's current region",
			"the peer refused access to its memory; check rkey, addr and length against the peer's current region"},
	} {
		c := &timeline.Completion{QP: "a", WC: verbs.WC{Status: tt.status}}
		if got := Hint(tt.status); got != tt.bare {
			t.Errorf("%v: %q, want %q", tt.status, got, tt.bare)
		}
		if got := hintWith(tt.status, CompletionValues(c, "", snap)); got != tt.full {
			t.Errorf("%v with values: %q, want %q", tt.status, got, tt.full)
		}
	}
}

// TestCompletionValues parses the request's line and ignores what is malformed.
func TestCompletionValues(t *testing.T) {
	snap := &core.Snapshot{MRs: []core.MRView{{Name: "src", LKey: 0xabc}}}
	c := &timeline.Completion{QP: "gone", Matched: true, Opcode: verbs.WRRDMAWrite}
	got := CompletionValues(c, "post_send a RDMA_WRITE sge=src:0:5,src:8:0x10 remote_addr=0x1000 rkey=0x1234", snap)
	for name, want := range map[string]string{"qp": "gone", "opcode": "RDMA_WRITE", "length": "21", "lkey": "0xabc",
		"remote_addr": "0x1000", "rkey": "0x1234"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	for _, line := range []string{"", "sge=", "sge=src", "sge=src:0:x", "sge=:::", "sge=src:0:99999999999999999999"} {
		if got := CompletionValues(c, line, snap); got["length"] != "" {
			t.Errorf("%q has the length %q", line, got["length"])
		}
	}
}

// TestQueuePairValues: an attribute has a value if the mask names it, a timer if it is running, and a retry count if it
// is finite.
func TestQueuePairValues(t *testing.T) {
	set := verbs.QPAttr{Timeout: 14, RetryCnt: 7, RNRRetry: 3, DestQPNum: 18, MinRNRTimer: 12}
	const timeout, retries, rnr, dest = verbs.AttrTimeout, verbs.AttrRetryCnt, verbs.AttrRNRRetry, verbs.AttrDestQPN
	for _, tt := range []struct {
		mask   verbs.AttrMask
		change func(a *verbs.QPAttr)
		want   explain.Values
	}{
		{0, nil, explain.Values{}},
		{dest, nil, explain.Values{"dest_qp_num": "0x000012"}},
		{retries, nil, explain.Values{"retry_cnt": "7"}},
		{rnr | verbs.AttrMinRNRTimer, nil, explain.Values{"rnr_retry": "3"}},
		{rnr, func(a *verbs.QPAttr) { a.RNRRetry = verbs.InfiniteRNRRetry }, explain.Values{}},
		{timeout, nil, explain.Values{"timeout_n": "14", "timeout": "67.1 ms"}},
		{timeout | retries, nil,
			explain.Values{"timeout_n": "14", "timeout": "67.1 ms", "retry_cnt": "7", "total": "537 ms"}},
		{timeout | retries, func(a *verbs.QPAttr) { a.Timeout = 0 }, explain.Values{"retry_cnt": "7"}},
	} {
		q := &core.QPView{State: verbs.QPRTS, Attr: set}
		if q.Attr.Mask = tt.mask; tt.change != nil {
			tt.change(&q.Attr)
		}
		tt.want["state"] = "RTS"
		got := explain.Values{}
		if queuePairValues(got, q); !maps.Equal(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.mask, got, tt.want)
		}
	}
}

// TestCompletionValuesOfRequests: only a completion with a known request has an operation.
func TestCompletionValuesOfRequests(t *testing.T) {
	for _, tt := range []struct {
		matched, recv bool
		room          uint64
		opcode, want  string
	}{
		{true, false, 0, "SEND", ""}, {true, true, 8, "", "8"}, {false, false, 1, "", "1"}, {false, true, 0, "", ""},
	} {
		c := &timeline.Completion{QP: "a", Matched: tt.matched, Recv: tt.recv, Room: tt.room, Opcode: verbs.WRSend}
		if v := CompletionValues(c, "", &core.Snapshot{}); v["opcode"] != tt.opcode || v["room"] != tt.want {
			t.Errorf("%+v: opcode %q, room %q", tt, v["opcode"], v["room"])
		}
	}
}
