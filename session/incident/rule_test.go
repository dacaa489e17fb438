package incident

import (
	"slices"
	"testing"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// scene is a failed request of a to b, both in one session; everything else is correct.
type scene struct {
	facts
	a, b     *core.QPView
	src, dst *core.MRView
	failures map[string]*Incident
	recv     *queue.Request // the oldest RECV of b
}

const connectedMask = verbs.AttrAccessFlags | verbs.AttrDestQPN | verbs.AttrPathMTU | verbs.AttrMaxQPRDAtomic |
	verbs.AttrMaxDestRDAtomic |
	verbs.AttrRNRRetry | verbs.AttrRetryCnt | verbs.AttrTimeout

func newScene(status verbs.WCStatus, op verbs.WROpcode) *scene {
	gidA, gidB := verbs.GID{15: 1}, verbs.GID{15: 2}
	attr := func(dest verbs.QPN, dgid verbs.GID) verbs.QPAttr {
		return verbs.QPAttr{Mask: connectedMask, QPAccessFlags: verbs.RemoteWrite | verbs.RemoteRead |
			verbs.RemoteAtomic, DestQPNum: dest, PathMTU: verbs.MTU1024,
			MaxRDAtomic: 1, MaxDestRDAtomic: 1, RNRRetry: 2, RetryCnt: 7, Timeout: 14,
			AH: verbs.AHAttr{GRH: verbs.GlobalRoute{DGID: dgid}}}
	}
	snap := &core.Snapshot{
		Devices: []core.DeviceView{{Name: "soft0", GIDs: []verbs.GIDEntry{{GID: gidA}, {GID: gidB}}}},
		QPs: []core.QPView{
			{Name: "a", Device: "soft0", PD: "pd", Num: 17, State: verbs.QPRTS, GID: gidA, Port: 1,
				Attr: attr(18, gidB)},
			{Name: "b", Device: "soft0", PD: "pd", Num: 18, State: verbs.QPRTS, GID: gidB, Port: 1,
				Attr: attr(17, gidA)},
		},
		MRs: []core.MRView{
			{Name: "src", Device: "soft0", PD: "pd", Addr: 0x1000, Length: 4096, LKey: 0x10, RKey: 0x11,
				Access: verbs.LocalWrite},
			{Name: "dst", Device: "soft0", PD: "pd", Addr: 0x8000, Length: 4096, LKey: 0x20, RKey: 0x21,
				Access: verbs.LocalWrite | verbs.RemoteWrite | verbs.RemoteRead | verbs.RemoteAtomic},
		},
	}
	s := &scene{
		a: &snap.QPs[0], b: &snap.QPs[1], src: &snap.MRs[0], dst: &snap.MRs[1], failures: map[string]*Incident{},
	}
	wr := &verbs.SendWR{
		WRID: 1, Opcode: op, RemoteAddr: 0x8000,
		RKey: 0x21, SGList: []verbs.SGE{{Addr: 0x1000, Length: 64, LKey: 0x10}},
	}
	s.facts = facts{
		c: &timeline.Completion{WC: verbs.WC{WRID: 1, Status: status}, QP: "a", Opcode: op, Matched: true},
		request: queue.Request{WRID: 1, At: int64(time.Second), Opcode: op, List: wr.SGList, RKey: wr.RKey,
			Posted: &queue.Posted{Line: "post_send a", WR: wr}},
		known: true, wr: wr, snap: snap, own: s.a, peer: s.b, now: 2 * time.Second,
		failure: func(qp string) *Incident { return s.failures[qp] },
		oldest: func(qp string, recv bool) (queue.Request, bool) {
			if qp == "b" && recv && s.recv != nil {
				return *s.recv, true
			}
			return queue.Request{}, false
		},
	}
	return s
}

// ofRecv turns the scene into a failed RECV of b.
func ofRecv(s *scene) {
	s.c.QP, s.c.Recv, s.own, s.peer, s.wr, s.request.Posted.WR = "b", true, s.b, s.a, nil, nil
	s.request.List = []verbs.SGE{{Addr: 0x8000, Length: 8, LKey: 0x20}}
}

// elsewhere puts the peer on another host.
func elsewhere(s *scene) {
	s.peer, s.snap.QPs, s.a.Attr.AH.GRH.DGID = nil, s.snap.QPs[:1], verbs.GID{15: 9}
}

// throughWindow makes the request use a window that permits it.
func throughWindow(s *scene) *core.MWView {
	s.wr.RKey = 0x31
	s.snap.MWs = []core.MWView{{Name: "w", Device: "soft0", PD: "pd", RKey: 0x31, MR: "dst", QP: "b", Addr: 0x8000,
		Length: 64, Access: verbs.RemoteWrite}}
	return &s.snap.MWs[0]
}

// byHandleIn makes the request a datagram by an address handle of a protection domain.
func byHandleIn(s *scene, pd string) {
	s.snap.AHs = []core.AHView{{Name: "far", Device: "soft0", PD: pd}}
	s.request.Posted.AH = "far"
}

func failed(qp string, wrID uint64, status verbs.WCStatus, recv bool, text string) *Incident {
	return &Incident{
		T: 2 * time.Second, Completion: timeline.Completion{QP: qp, Recv: recv,
			WC: verbs.WC{WRID: wrID, Status: status}, Cause: &timeline.Cause{Text: text, Sure: true}},
	}
}

func move(qp string, to verbs.QPState, cause, line string, at time.Duration) moment {
	return moment{at: at, state: &timeline.StateChange{QP: qp, From: verbs.QPRTS, To: to, Cause: cause}, line: line}
}

const (
	sure     = "sure"
	inferred = "inferred"
	partly   = "sure, open"
)

type ruleRow struct {
	rule   string
	status verbs.WCStatus
	op     verbs.WROpcode
	change func(*scene)
	want   string
	how    string
}

const wrongOrder = "the same bytes in the wrong order: " +
	"convert it between host and network order once (ntohl, be64toh)"

// ruleRows has the text of each rule when its cause is present.
var ruleRows = []ruleRow{
	{"rkey unknown", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { s.wr.RKey = 0x21000000 },
		"rkey 0x21000000 is that of dst, 0x00000021, " + wrongOrder, sure},
	{"remote bounds", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { s.wr.RemoteAddr = 0x0080 << 48 },
		"remote_addr 0x80000000000000 is 0x8000 in dst, " + wrongOrder, sure},
	{"PSN", verbs.WCRetryExcErr, verbs.WRRDMAWrite, func(s *scene) {
		s.a.Began = core.PSNs{Mask: verbs.AttrSQPSN, SQ: 0x123456}
		s.b.Began = core.PSNs{Mask: verbs.AttrRQPSN, RQ: 0x563412}
	}, "rq_psn of b is 0x563412 and sq_psn of a is 0x123456, " + wrongOrder, sure},
	{"qp_num unknown", verbs.WCRetryExcErr, verbs.WRRDMAWrite, func(s *scene) {
		s.peer, s.a.Attr.DestQPNum = nil, 0x120000
	}, "dest_qp_num of a is 0x120000 and qp_num of b is 0x000012, " + wrongOrder, sure},
	{"qp_access_flags", verbs.WCRemInvReqErr, verbs.WRRDMAWrite, func(s *scene) {
		s.b.Attr.QPAccessFlags = verbs.RemoteRead
	},
		"RDMA_WRITE needs REMOTE_WRITE, but qp_access_flags of b are REMOTE_READ", sure},
	{"rkey unknown", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) {
		s.b.Attr.Mask, s.b.Attr.QPAccessFlags, s.wr.RKey, s.wr.RemoteAddr = s.b.Attr.Mask&^verbs.AttrAccessFlags, 0,
			0x1234, 8
	}, "rkey 0x1234 belongs to no region of b", sure},
	{"qp_access_flags", verbs.WCRemAccessErr, verbs.WRRDMARead, func(s *scene) { s.b.Attr.QPAccessFlags = 1 },
		"RDMA_READ needs REMOTE_READ, but qp_access_flags of b are LOCAL_WRITE", sure},
	{"qp_access_flags", verbs.WCRemAccessErr, verbs.WRRDMARead, func(s *scene) { s.b.Attr.QPAccessFlags = 0 },
		"RDMA_READ needs REMOTE_READ, but qp_access_flags of b are 0", sure},
	{"rkey deregistered", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) {
		s.gone.MRs = []core.Departed[core.MRView]{{View: *s.dst, At: 1500 * time.Millisecond}}
		s.snap.MRs = s.snap.MRs[:1]
	}, "rkey 0x21 belonged to dst, which was deregistered at 1.500000 s", sure},
	{"rkey deregistered", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) {
		s.gone.MRs = []core.Departed[core.MRView]{{View: *s.dst, At: 1500 * time.Millisecond}}
		s.dst.RKey = 0x41
	}, "rkey 0x21 belonged to dst until 1.500000 s; its rkey is now 0x41", sure},
	{"rkey unknown", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { s.wr.RKey = 0x1234 },
		"rkey 0x1234 belongs to no region of b; dst's rkey is 0x21", sure},
	{"rkey unknown", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { s.wr.RKey, s.wr.RemoteAddr = 0x1234, 8 },
		"rkey 0x1234 belongs to no region of b", sure},
	{"remote domain", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { s.dst.PD = "other" },
		"dst is in protection domain other, but b is in pd", sure},
	{"remote right", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) {
		s.dst.Access = verbs.LocalWrite | verbs.RemoteRead
	},
		"RDMA_WRITE needs REMOTE_WRITE, but the access of dst is LOCAL_WRITE|REMOTE_READ", sure},
	{"remote bounds", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { s.wr.RemoteAddr = 0x8ff8 },
		"64 bytes at dst+4088 end 56 bytes past the end of dst, which is 4,096 bytes long", sure},
	{"remote bounds", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { s.wr.RemoteAddr = 16 },
		"0x10 looks like an offset, not an address: dst begins at 0x8000", sure},
	{"remote bounds", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { s.wr.RemoteAddr = 0xa000 },
		"address 0xa000 is outside dst, which spans 0x8000 to 0x8fff", sure},
	{"window", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) {
		s.wr.RKey, s.snap.MWs = 0x31, []core.MWView{{Name: "w", Device: "soft0", PD: "pd", RKey: 0x31}}
	}, "rkey 0x31 belongs to window w, which is not bound", sure},
	{"window", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) {
		s.wr.RKey, s.snap.MWs = 0x31, []core.MWView{{Name: "w", Device: "soft0", PD: "pd", RKey: 0x31, MR: "dst",
			Addr: 0x8000, Length: 32, Access: verbs.RemoteWrite}}
	}, "64 bytes at w+0 end 32 bytes past the end of w, which is 32 bytes long", sure},
	{"window", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { throughWindow(s).QP = "c" },
		"window w is bound to c, but the request arrived at b", sure},
	{"window", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { throughWindow(s).PD = "other" },
		"window w is in protection domain other, but b is in pd", sure},
	{"window", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) { throughWindow(s).Access = verbs.RemoteRead },
		"RDMA_WRITE needs REMOTE_WRITE, but the access of window w is REMOTE_READ", sure},
	{"window", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) {
		throughWindow(s).Access |= verbs.ZeroBased
		s.wr.RemoteAddr = 8
	},
		"64 bytes at w+8 end 8 bytes past the end of w, which is 64 bytes long", sure},
	{"remote bounds", verbs.WCRemAccessErr, verbs.WRRDMAWrite, func(s *scene) {
		s.dst.Access |= verbs.ZeroBased
		s.wr.RemoteAddr = 4040
	},
		"64 bytes at dst+4040 end 8 bytes past the end of dst, which is 4,096 bytes long", sure},
	{"key of a peer elsewhere", verbs.WCRemAccessErr, verbs.WRRDMAWrite, elsewhere,
		"the peer refused rkey 0x21 for 64 bytes at 0x8000; this session does not know its regions", partly},

	{"alignment", verbs.WCRemInvReqErr, verbs.WRAtomicFetchAndAdd, func(s *scene) { s.wr.RemoteAddr = 0x8004 },
		"remote_addr 0x8004 of ATOMIC_FETCH_AND_ADD is not a multiple of 8", sure},
	{"RECV too short", verbs.WCRemInvReqErr, verbs.WRSend, func(s *scene) {
		s.failures["b"] = failed("b", 2, verbs.WCLocLenErr, true, "")
		s.failures["b"].Completion.Room = 8
	}, "the message has 64 bytes, but RECV 2 of b has room for 8", sure},
	{"RECV too short", verbs.WCRemInvReqErr, verbs.WRSend, func(s *scene) {
		s.failures["b"] = failed("b", 2, verbs.WCLocLenErr, true, "")
		s.failures["b"].Completion.Room, s.failures["b"].T = 1, time.Second // of the post
	}, "the message has 64 bytes, but RECV 2 of b has room for 1", sure},
	{"RECV too short", verbs.WCRemOpErr, verbs.WRSend, func(s *scene) {
		s.recv = &queue.Request{WRID: 3, List: []verbs.SGE{{Length: 9}}}
	},
		"the message has 64 bytes, but RECV 3 of b has room for 9", sure},
	{"the peer's RECV", verbs.WCRemOpErr, verbs.WRSend, func(s *scene) {
		s.failures["b"] = failed("b", 2, verbs.WCLocProtErr, true, "lkey 0x5 belongs to no region")
	},
		"RECV 2 of b failed: lkey 0x5 belongs to no region", sure},
	{"the peer's RECV", verbs.WCRemOpErr, verbs.WRSend,
		func(s *scene) { s.failures["b"] = failed("b", 2, verbs.WCLocProtErr, true, "") },
		"RECV 2 of b failed with LOC_PROT_ERR", partly},
	{"the peer's RECV", verbs.WCRemOpErr, verbs.WRSend, func(s *scene) {
		s.recv = &queue.Request{WRID: 2, List: []verbs.SGE{{Addr: 0x8000, Length: 64, LKey: 0x20}}}
		s.dst.Access = 0
	}, "RECV 2 of b: a RECV needs LOCAL_WRITE, but the access of dst is 0", sure},
	{"read depth of the peer", verbs.WCRemInvReqErr, verbs.WRRDMARead, func(s *scene) { s.a.Attr.MaxRDAtomic = 4 },
		"max_rd_atomic of a is 4, but max_dest_rd_atomic of b is 1", inferred},
	{"path_mtu refused", verbs.WCRemInvReqErr, verbs.WRRDMAWrite, func(s *scene) {
		s.a.Attr.PathMTU, s.request.List[0].Length = verbs.MTU4096, 2048
	},
		"path_mtu is 4096 on a but 1024 on b", sure},
	{"refused elsewhere", verbs.WCRemInvReqErr, verbs.WRSend, elsewhere,
		"the peer refused SEND of 64 bytes as an invalid request; its queue pair is not in this session", partly},
	{"refused elsewhere", verbs.WCRemOpErr, verbs.WRSend, elsewhere,
		"the peer could not execute SEND of 64 bytes; its queue pair is not in this session", partly},
	{"refused elsewhere", verbs.WCRemInvReqErr, verbs.WRSend, func(s *scene) {
		elsewhere(s)
		s.known, s.wr, s.c.Matched, s.request = false, nil, false, queue.Request{}
	}, "the peer refused wr_id 1 as an invalid request; its queue pair is not in this session", partly},

	{"no RECV", verbs.WCRNRRetryExcErr, verbs.WRSend, func(s *scene) {
		s.tries = &verbs.Tries{RNRNAKs: 3, Span: 21 * time.Millisecond}
	},
		"b had no RECV posted: 3 RNR NAKs in 21 ms, rnr_retry=2", sure},
	{"no RECV", verbs.WCRNRRetryExcErr, verbs.WRSend, func(s *scene) { s.b.SRQ, s.b.RecvPosted = "srq", 4 },
		"srq, the SRQ of b, had no RECV posted, rnr_retry=2; it has 4 now", sure},
	{"no RECV", verbs.WCRNRRetryExcErr, verbs.WRSend, elsewhere, "the peer had no RECV posted, rnr_retry=2", sure},

	{"peer destroyed", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.gone.QPs = []core.Departed[core.QPView]{{View: *s.b, At: time.Millisecond}}
		s.peer, s.snap.QPs = nil, s.snap.QPs[:1]
	}, "b, the peer of a (qp_num 0x000012), was destroyed before the request was posted", sure},
	{"peer destroyed", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) { // at 1 s it was posted
		s.gone.QPs = []core.Departed[core.QPView]{{View: *s.b, At: time.Second}}
		s.peer, s.snap.QPs = nil, s.snap.QPs[:1]
	}, "b, the peer of a (qp_num 0x000012), was destroyed before the request was posted", sure},
	{"peer destroyed", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.gone.QPs = []core.Departed[core.QPView]{{View: *s.b, At: time.Second + 1},
			{View: core.QPView{Name: "c", Num: s.b.Num}, At: time.Second}}
		s.peer, s.snap.QPs = nil, s.snap.QPs[:1]
	}, "b, the peer of a (qp_num 0x000012), was destroyed while the request was outstanding", sure},
	{"qp_num unknown", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) { s.peer, s.a.Attr.DestQPNum = nil, 99 },
		"dest_qp_num of a is 0x000063, but b, which is connected to a, has qp_num 0x000012", sure},
	{"no answer", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.peer, s.a.Attr.DestQPNum, s.b.Attr.DestQPNum = nil, 99, 98
	},
		"no answer from queue pair 0x000063 at ::2 (retry_cnt=7, timeout=14 (67.1 ms)); the GID is that of soft0, where this session has no such queue pair", partly},
	{"peer's state", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.b.State, s.history = verbs.QPErr, []moment{move("b", verbs.QPErr, "modify_qp", "modify_qp b ERR", 0)}
	}, "b is in ERR (modify_qp b ERR) and drops packets", sure},
	{"peer's state", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) { s.b.State = verbs.QPInit },
		"b is in INIT and drops packets", sure},
	{"peer's state", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.b.State, s.failures["b"] = verbs.QPErr,
			failed("b", 5, verbs.WCLocProtErr, false, "lkey 0x5 belongs to no region")
	}, "b has been in ERR since its wr_id 5 failed: lkey 0x5 belongs to no region", sure},
	{"peer connected elsewhere", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) { s.b.Attr.DestQPNum = 99 },
		"dest_qp_num of b is 0x000063, but a has qp_num 0x000011: b drops its packets", sure},
	{"PSN", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.a.Began, s.b.Began = core.PSNs{Mask: verbs.AttrSQPSN, SQ: 0x20}, core.PSNs{Mask: verbs.AttrRQPSN, RQ: 0x10}
	}, "rq_psn of b is 0x000010, but sq_psn of a is 0x000020: b drops the packets", sure},
	{"packets lost", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		elsewhere(s)
		s.tries = &verbs.Tries{SequenceNAKs: 3, Timeouts: 1, Span: 21 * time.Millisecond}
	}, "packets are lost on the path: 3 sequence NAKs, 1 timeout in 21 ms", inferred},
	{"fault injection", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) { s.snap.Devices[0].Faults.Loss = 1 },
		"fault injection on soft0 drops 100 % of the packets", sure},
	{"fault injection", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) { s.snap.Devices[0].Faults.Loss = heavyLoss },
		"fault injection on soft0 drops 50 % of the packets", inferred},
	{"fault injection", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.b.Device, s.snap.Devices = "soft1",
			append(s.snap.Devices, core.DeviceView{Name: "soft2"}, core.DeviceView{Name: "soft1"})
		s.snap.Devices[1].Faults.Loss, s.snap.Devices[2].Faults.Loss = 1, 0.99
	}, "fault injection on soft1 drops 99 % of the packets", inferred},
	{"path_mtu dropped", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.a.Attr.PathMTU, s.request.List[0].Length = verbs.MTU4096, 2048
	},
		"path_mtu is 4096 on a but 1024 on b", inferred},
	{"no answer", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		elsewhere(s)
		s.tries = &verbs.Tries{Timeouts: 8, Span: 537 * time.Millisecond}
	}, "no answer from queue pair 0x000012 at ::9 (8 timeouts in 537 ms, retry_cnt=7, timeout=14 (67.1 ms))", partly},
	{"no answer", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) { elsewhere(s); s.a.Attr.Timeout = 0 },
		"no answer from queue pair 0x000012 at ::9 (retry_cnt=7)", partly},
	{"no answer", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) { elsewhere(s); s.a.Attr.Mask = verbs.AttrDestQPN },
		"no answer from queue pair 0x000012 at ::9", partly},
	{"no answer", verbs.WCRetryExcErr, verbs.WRSend, nil,
		"b is in RTS and the attributes of both ends agree, so packets are lost or the timeout is too short (retry_cnt=7, timeout=14 (67.1 ms))", inferred},

	{"read depth", verbs.WCLocQPOpErr, verbs.WRRDMARead, func(s *scene) { s.a.Attr.MaxRDAtomic = 0 },
		"max_rd_atomic of a is 0, so it can send no RDMA_READ", sure},
	{"domain of the address handle", verbs.WCLocQPOpErr, verbs.WRSend, func(s *scene) { byHandleIn(s, "other") },
		"far is in protection domain other, but a is in pd", sure},
	{"RECV shorter than the message", verbs.WCLocLenErr, verbs.WRSend, func(s *scene) { ofRecv(s); s.c.Room = 8 },
		"the message is longer than the 8 bytes of RECV 1", sure},
	{"RECV shorter than the message", verbs.WCLocQPOpErr, verbs.WRSend, func(s *scene) {
		ofRecv(s)
		s.c.Room, s.failures["a"] = 8, failed("a", 4, verbs.WCRemOpErr, false, "")
		s.failures["a"].length = 64
	}, "the message from a has 64 bytes, but RECV 1 has room for 8", sure},
	{"RECV shorter than the message", verbs.WCLocLenErr, verbs.WRSend, func(s *scene) {
		ofRecv(s)
		s.c.Room, s.failures["a"] = 8, failed("a", 4, verbs.WCRemOpErr, false, "")
		s.failures["a"].length, s.failures["a"].T = 64, time.Second // of the post
	}, "the message from a has 64 bytes, but RECV 1 has room for 8", sure},
	{"RECV shorter than the message", verbs.WCLocLenErr, verbs.WRSend, func(s *scene) {
		ofRecv(s)
		s.c.Room, s.oldest = 8, func(qp string, recv bool) (queue.Request, bool) {
			return queue.Request{List: []verbs.SGE{{Length: 40}, {Length: 2}}}, qp == "a" && !recv
		}
	}, "the message from a has 42 bytes, but RECV 1 has room for 8", sure},
	{"local bounds", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) {
		s.src.Access |= verbs.ZeroBased
		s.request.List[0].Addr = 4040
	},
		"64 bytes at src+4040 end 8 bytes past the end of src, which is 4,096 bytes long", sure},
	{"lkey", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) { s.request.List[0].LKey = 0xbad00 },
		"lkey 0xbad00 belongs to no region; src's lkey is 0x10", sure},
	{"lkey", verbs.WCLocProtErr, verbs.WRSend,
		func(s *scene) { s.request.List[0] = verbs.SGE{Addr: 8, Length: 1, LKey: 0xbad00} },
		"lkey 0xbad00 belongs to no region of this session", sure},
	{"lkey", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) {
		s.gone.MRs = []core.Departed[core.MRView]{{View: *s.src, At: time.Millisecond}}
		s.snap.MRs = s.snap.MRs[1:]
	}, "lkey 0x10 belonged to src, which was deregistered at 0.001000 s", sure},
	{"local domain", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) { s.src.PD = "other" },
		"src is in protection domain other, but a is in pd", sure},
	{"local domain", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) {
		ofRecv(s)
		s.own.SRQ, s.snap.SRQs = "srq", []core.SRQView{{Name: "srq", PD: "other"}}
	}, "dst is in protection domain pd, but srq is in other", sure},
	{"local bounds", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) { s.request.List[0].Addr = 0x1ff8 },
		"64 bytes at src+4088 end 56 bytes past the end of src, which is 4,096 bytes long", sure},
	{"local bounds", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) { s.request.List[0].Addr = 0x1fc1 },
		"64 bytes at src+4033 end 1 byte past the end of src, which is 4,096 bytes long", sure},
	{"LOCAL_WRITE", verbs.WCLocProtErr, verbs.WRRDMARead, func(s *scene) { s.src.Access = 0 },
		"RDMA_READ needs LOCAL_WRITE, but the access of src is 0", sure},
	{"LOCAL_WRITE", verbs.WCLocProtErr, verbs.WRSend, func(s *scene) { ofRecv(s); s.dst.Access = verbs.RemoteRead },
		"a RECV needs LOCAL_WRITE, but the access of dst is REMOTE_READ", sure},

	{"moved by a command", verbs.WCWRFlushErr, verbs.WRSend, func(s *scene) {
		s.history = []moment{move("a", verbs.QPErr, "modify_qp", "modify_qp a ERR", 1500*time.Millisecond)}
	}, "modify_qp a ERR moved a to ERR while the request was queued", sure},
	{"moved by a command", verbs.WCWRFlushErr, verbs.WRSend, func(s *scene) {
		s.history = []moment{move("a", verbs.QPErr, "modify_qp", "modify_qp a ERR", time.Millisecond)}
	}, "a was already in ERR when the request was posted (modify_qp a ERR)", sure},
	{"moved by a command", verbs.WCWRFlushErr, verbs.WRSend, func(s *scene) {
		s.history = []moment{move("a", verbs.QPErr, "modify_qp", "modify_qp a ERR", 1500*time.Millisecond),
			move("a", verbs.QPReset, "modify_qp", "modify_qp a RESET", 1600*time.Millisecond)}
	}, "modify_qp a ERR moved a to ERR while the request was queued", sure},
	{"disconnected", verbs.WCWRFlushErr, verbs.WRSend, func(s *scene) {
		s.snap.IDs = []core.IDView{{Name: "id", QP: "a"}}
		s.snap.IDs = append(s.snap.IDs, core.IDView{Name: "other", QP: "z"}, core.IDView{Name: "listener"})
		end := func(at time.Duration, id string) moment {
			return moment{at: at, cm: &timeline.CMEvent{Type: verbs.CMDisconnected, ID: id}}
		}
		s.history = []moment{end(time.Second, "id"), end(2*time.Second, "other"), end(3*time.Second, "listener")}
	}, "the connection of id ended: DISCONNECTED at 1.000000 s", sure},
	{"refused by this end", verbs.WCWRFlushErr, verbs.WRSend, func(s *scene) {
		s.history = []moment{{async: &timeline.AsyncEvent{Type: verbs.EventQPAccessErr, QP: "a"}}}
	}, "a went to ERR and raised the event QP_ACCESS_ERR", partly},
	{"refused by this end", verbs.WCWRFlushErr, verbs.WRSend, func(s *scene) {
		s.history = []moment{{async: &timeline.AsyncEvent{Type: verbs.EventQPAccessErr, QP: "a"}}}
		s.failures["b"] = failed("b", 9, verbs.WCRemAccessErr, false, "rkey 0x5 belongs to no region at a")
	}, "a refused wr_id 9 of b: rkey 0x5 belongs to no region at a", sure},
	// what another queue pair does changes nothing
	{"refused by this end", verbs.WCWRFlushErr, verbs.WRSend, func(s *scene) {
		s.history = []moment{{async: &timeline.AsyncEvent{Type: verbs.EventQPAccessErr, QP: "a"}},
			move("z", verbs.QPReset, "modify_qp", "modify_qp z RESET", 0)}
	}, "a went to ERR and raised the event QP_ACCESS_ERR", partly},
	{"peer's state", verbs.WCRetryExcErr, verbs.WRSend, func(s *scene) {
		s.b.State, s.history = verbs.QPErr, []moment{move("b", verbs.QPErr, "modify_qp", "modify_qp b ERR", 0),
			{async: &timeline.AsyncEvent{QP: "b"}}, move("z", verbs.QPReset, "modify_qp", "", 0)}
	}, "b is in ERR (modify_qp b ERR) and drops packets", sure},
	{"moved", verbs.WCWRFlushErr, verbs.WRSend, func(s *scene) {
		s.history = []moment{move("a", verbs.QPErr, "rdma_disconnect", "", 0)}
	},
		"a went from RTS to ERR: rdma_disconnect", partly},
	{"flushed by its port", verbs.WCWRFlushErr, verbs.WRSend, func(s *scene) {
		s.history = []moment{move("a", verbs.QPErr, "completion WR_FLUSH_ERR", "", 0)}
		s.snap.Devices[0].Info.Name, s.snap.Devices[0].Ports = "rxe0", []verbs.PortAttr{{PortNum: 1, State: 1}}
	}, "port 1 of rxe0 is DOWN, so no packet passes", sure},
	{"flushed for its own SGE", verbs.WCWRFlushErr, verbs.WRSend, func(s *scene) { s.request.List[0].LKey = 0xbad00 },
		"lkey 0xbad00 belongs to no region; src's lkey is 0x10", inferred},
	{"found beforehand", verbs.WCMWBindErr, verbs.WRBindMW,
		func(s *scene) { s.request.Posted.Check = "dst lacks MW_BIND" }, "dst lacks MW_BIND", inferred},
}

// TestRules: each rule finds its cause, and is the first to find one.
func TestRules(t *testing.T) {
	tested := map[string]bool{}
	for _, tt := range slices.Concat(ruleRows, waitRows, refusedRows) {
		s := newScene(tt.status, tt.op)
		if tt.change != nil {
			tt.change(s)
		}
		tested[tt.rule] = true
		f := s.cause()
		if f == nil {
			t.Errorf("%s: no cause found, want %q", tt.rule, tt.want)
			continue
		}
		i := slices.IndexFunc(rules, func(r rule) bool { return r.name == tt.rule })
		if i < 0 || !rules[i].applies(&s.facts) || rules[i].find(&s.facts) == nil {
			t.Errorf("%s: another rule found %q", tt.rule, f.text)
		}
		how := inferred
		if f.sure && f.open {
			how = partly
		} else if f.sure {
			how = sure
		}
		if f.text != tt.want || how != tt.how {
			t.Errorf("%s: %q (%s), want %q (%s)", tt.rule, f.text, how, tt.want, tt.how)
		}
	}
	for i := range rules {
		if !tested[rules[i].name] {
			t.Errorf("no row for the rule %q", rules[i].name)
		}
	}
}

// TestNothingIsKnown: no rule finds a cause, or panics, if neither the request nor the queue pairs are known.
func TestNothingIsKnown(t *testing.T) {
	for _, status := range verbs.WCStatuses.Values() {
		for _, op := range []verbs.WROpcode{verbs.WRSend, verbs.WRRDMAWrite, verbs.WRRDMARead,
			verbs.WRAtomicCmpAndSwp} {
			s := newScene(status, op)
			s.own, s.peer, s.wr, s.known, s.request, s.snap = nil, nil, nil, false, queue.Request{}, &core.Snapshot{}
			if f := s.cause(); f != nil && status != verbs.WCRNRRetryExcErr {
				t.Errorf("%s of %s: %q", status, op, f.text)
			}
		}
	}
}
