package incident

import (
	"slices"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// silentRows have the conditions that a rule narrowly misses.
var silentRows = []struct {
	rule   string
	status verbs.WCStatus
	op     verbs.WROpcode
	change func(*scene)
}{
	{"path_mtu refused", verbs.WCRemInvReqErr, verbs.WRRDMAWrite, func(s *scene) {
		s.a.Attr.PathMTU, s.request.List[0].Length = verbs.MTU4096, 1024
	}},
	{"path_mtu refused", verbs.WCRemInvReqErr, verbs.WRRDMAWrite, func(s *scene) {
		s.request.List[0].Length = 2048
	}},
	{"path_mtu refused", verbs.WCRemInvReqErr, verbs.WRRDMAWrite, func(s *scene) {
		s.a.Attr.PathMTU, s.request.List[0].Length = verbs.MTU4096, 2048
		s.b.Attr.Mask &^= verbs.AttrPathMTU
	}},
	{"path_mtu refused", verbs.WCRemInvReqErr, verbs.WRRDMAWrite, func(s *scene) {
		s.a.Attr.PathMTU, s.request.List[0].Length = verbs.MTU4096, 2048
		s.a.Attr.Mask &^= verbs.AttrPathMTU
	}},
	{"path_mtu refused", verbs.WCRemInvReqErr, verbs.WRRDMAWrite, elsewhere},
	{"read depth of the peer", verbs.WCRemInvReqErr, verbs.WRRDMARead, nil}, // exactly the peer's limit
	{"read depth of the peer", verbs.WCRemInvReqErr, verbs.WRRDMARead, func(s *scene) {
		s.a.Attr.MaxRDAtomic = 4
		s.a.Attr.Mask &^= verbs.AttrMaxQPRDAtomic
	}},
	{"read depth of the peer", verbs.WCRemInvReqErr, verbs.WRRDMARead, func(s *scene) {
		s.a.Attr.MaxRDAtomic = 4
		s.b.Attr.Mask &^= verbs.AttrMaxDestRDAtomic
	}},
	{"RECV too short", verbs.WCRemOpErr, verbs.WRSend, func(s *scene) {
		s.recv = &queue.Request{WRID: 3, List: []verbs.SGE{{Length: 64}}}
	}},
	{"RECV too short", verbs.WCRemInvReqErr, verbs.WRSend, func(s *scene) { // that RECV failed before the request
		s.failures["b"] = failed("b", 2, verbs.WCLocLenErr, true, "")
		s.failures["b"].Completion.Room, s.failures["b"].T = 8, s.posted()-1
	}},
	{"the peer's RECV", verbs.WCRemOpErr, verbs.WRSend, func(s *scene) {
		s.failures["b"] = failed("b", 2, verbs.WCWRFlushErr, true, "it was flushed")
	}},
	{"the peer's RECV", verbs.WCRemOpErr, verbs.WRSend, func(s *scene) {
		s.failures["b"] = failed("b", 2, verbs.WCLocProtErr, false, "a SEND")
	}},
	{"the peer's RECV", verbs.WCRemOpErr, verbs.WRSend, func(s *scene) {
		s.recv = &queue.Request{WRID: 2, List: []verbs.SGE{{Addr: 0x8000, Length: 64, LKey: 0x20}}}
	}},
	{"remote bounds", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { s.wr.RemoteAddr = 0x8fc0 }},
	{"local bounds", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) { s.request.List[0].Addr = 0x1fc0 }},
	{"remote bounds", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) {
		s.dst.Access |= verbs.ZeroBased
		s.wr.RemoteAddr = 4032
	}},
	{"local bounds", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) {
		s.src.Access |= verbs.ZeroBased
		s.request.List[0].Addr = 4032
	}},
	// the SGE may also have the address
	{"local bounds", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) { s.src.Access |= verbs.ZeroBased }},
	{"lkey", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) { s.request.List[0] = verbs.SGE{LKey: 0xbad00} }},
	{"lkey", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) {
		s.request.List[0].LKey = 0xbad00
		s.wr.SendFlags = verbs.SendInline
	}},
	{"window", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { throughWindow(s) }},
	{"window", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { throughWindow(s).QP = "" }},
	{"window", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) {
		throughWindow(s).Access |= verbs.ZeroBased
		s.wr.RemoteAddr = 0
	}},
	{"rkey unknown", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { throughWindow(s) }},
	{"rkey deregistered", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { // another device's
		s.gone.MRs = []core.Departed[core.MRView]{{View: core.MRView{Device: "soft1", RKey: 0x21}}}
		s.snap.MRs = s.snap.MRs[:1]
	}},
	{"fault injection", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) { s.snap.Devices[0].Faults.Loss = 0.49 }},
	{"fault injection", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.snap.Devices[0].Faults.Loss = 1
		s.own = &core.QPView{Device: "soft1"}
		s.peer = nil
	}},
	{"read depth", verbs.WCLocQPOpErr, verbs.WRRDMARead, nil},
	{"read depth", verbs.WCLocQPOpErr, verbs.WRRDMARead, func(s *scene) {
		s.a.Attr.MaxRDAtomic = 0
		s.a.Attr.Mask &^= verbs.AttrMaxQPRDAtomic
	}},
	{"domain of the address handle", verbs.WCLocQPOpErr, verbs.WRSend, nil},
	{"domain of the address handle", verbs.WCLocQPOpErr, verbs.WRSend, func(s *scene) { byHandleIn(s, "pd") }},
	{"PSN", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.a.Began, s.b.Began = core.PSNs{Mask: verbs.AttrSQPSN, SQ: 0x20},
			core.PSNs{Mask: verbs.AttrRQPSN, RQ: 0x20}
	}},
	{"PSN", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.a.Began, s.b.Began = core.PSNs{Mask: verbs.AttrSQPSN, SQ: 0x20}, core.PSNs{RQ: 0x10}
	}},
	{"PSN", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.a.Began, s.b.Began = core.PSNs{SQ: 0x20}, core.PSNs{Mask: verbs.AttrRQPSN, RQ: 0x10}
	}},
	{"refused elsewhere", verbs.WCRemInvReqErr, verbs.WRSend, nil},
	{"alignment", verbs.WCRemInvReqErr, verbs.WRAtomicFetchAndAdd, func(s *scene) { s.wr.RemoteAddr = 0x8008 }},
}

// TestRulesKeepSilent: a rule finds nothing if its condition is narrowly missed.
func TestRulesKeepSilent(t *testing.T) {
	for _, tt := range silentRows {
		s := newScene(tt.status, tt.op)
		if tt.change != nil {
			tt.change(s)
		}
		i := slices.IndexFunc(rules, func(r rule) bool { return r.name == tt.rule })
		if i < 0 || !rules[i].applies(&s.facts) {
			t.Errorf("%s does not apply to %s", tt.rule, tt.status)
		} else if f := rules[i].find(&s.facts); f != nil {
			t.Errorf("%s: %q", tt.rule, f.text)
		}
	}
}

// TestAdviceOnRepeatedPlacement: what only Soft-RoCE repeats wrongly is said of nothing else.
func TestAdviceOnRepeatedPlacement(t *testing.T) {
	for op, want := range map[verbs.WROpcode]bool{verbs.WRAtomicWrite: true, verbs.WRFlush: true,
		verbs.WRRDMAWrite: false, verbs.WRAtomicFetchAndAdd: false} {
		s := newScene(verbs.WCRemAccessErr, op)
		elsewhere(s)
		f := s.cause()
		if f == nil {
			t.Fatalf("%s: no cause found", op)
		}
		says := slices.Contains(f.advice, "if its packet was lost: Soft-RoCE repeats "+op.String()+
			" with address 0, as Wire shows")
		if says != want {
			t.Errorf("%s: %q", op, f.advice)
		}
	}
}
