package incident

import (
	"net/netip"
	"syscall"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// inVain turns the scene into a wait for a completion of a, with one SEND outstanding to b, or for something else.
func inVain(a core.Awaited, change func(*scene)) func(*scene) {
	return func(s *scene) {
		s.wait = &a
		s.snap.CQs = []core.CQView{
			{Name: "cq", Channel: "ch", Outstanding: 1, CQE: 16, Armed: core.ArmedForAny},
			{Name: "other"},
		}
		s.snap.Devices[0].Info.Name = "rxe0"
		s.snap.Devices[0].Ports = []verbs.PortAttr{{State: verbs.PortActive, ActiveMTU: verbs.MTU1024}}
		s.a.SendCQ, s.a.RecvCQ, s.b.SendCQ, s.b.RecvCQ = "cq", "cq", "other", "other"
		s.a.SendOutstanding, s.b.RecvPosted = 1, 1
		s.a.Sends = &core.SendsView{Oldest: []core.RequestView{{WRID: 1, Opcode: verbs.WRSend, Signaled: true}}}
		s.filled = func(string) int { return 0 }
		s.triesOf = func(string) *verbs.Tries { return &verbs.Tries{} }
		s.otherCause = (*facts).cause
		request := s.request
		s.oldest = func(qp string, recv bool) (queue.Request, bool) { return request, qp == "a" && !recv }
		change(s)
		if s.waiting == nil {
			s.waiting = s.waitingQPs()
		}
	}
}

var (
	forWC      = core.Awaited{Kind: core.AwaitedWC, Objects: []string{"cq"}}
	forCQEvent = core.Awaited{Kind: core.AwaitedCQEvent, Objects: []string{"ch"}}
	forMessage = core.Awaited{Kind: core.AwaitedMessage, Objects: []string{"a"}}
	forPeer    = core.Awaited{Kind: core.AwaitedPeer, Objects: []string{"a"}}
	forRun     = core.Awaited{Kind: core.AwaitedMessage, Objects: []string{"a"}, Status: verbs.WCRetryExcErr,
		Since: time.Unix(1000, 0)}
)

func forCM(event string) core.Awaited {
	return core.Awaited{Kind: core.AwaitedCMEvent, Objects: []string{"conn"}, Event: event}
}

// receiving makes b wait for a message of a.
func receiving(s *scene) {
	s.a.SendCQ, s.a.RecvCQ, s.b.SendCQ, s.b.RecvCQ = "other", "other", "cq", "cq"
	s.a.SendOutstanding, s.a.Sends = 0, nil
}

// tried gives a's request a history of retries.
func tried(s *scene, t verbs.Tries) {
	s.a.Sends.Flight = core.FlightView{WRID: 1, Age: time.Second, Tries: t}
	s.triesOf = func(string) *verbs.Tries { return &t }
}

// datagrams makes both queue pairs UD, with a datagram of a to b that b waits for.
func datagrams(s *scene) *core.DatagramView {
	receiving(s)
	s.a.Type, s.b.Type, s.b.RecvRoom = verbs.UD, verbs.UD, 128
	s.b.Attr.Mask, s.b.Attr.QKey = verbs.AttrQKey, 0x11
	s.a.Datagram = &core.DatagramView{To: verbs.AHAttr{GRH: verbs.GlobalRoute{DGID: s.b.GID}}, QPN: s.b.Num, QKey: 0x11,
		Length: 64}
	return s.a.Datagram
}

// identifier adds the identifier that a wait is about.
func identifier(s *scene, state core.IDState) *core.IDView {
	s.snap.IDs = []core.IDView{{Name: "conn", State: state, Device: "soft0", PortNum: 1, QP: "a",
		Local: netip.MustParseAddrPort("10.0.0.1:41000"), Peer: netip.MustParseAddrPort("10.0.0.2:7471")}}
	return &s.snap.IDs[0]
}

func cmEvent(t verbs.CMEventType, at time.Duration) moment {
	return moment{at: at, cm: &timeline.CMEvent{ID: "conn", Type: t}}
}

// refused turns the scene into a call that the provider refused.
func refused(spec *command.Spec, no syscall.Errno, warnings ...core.Warning) func(*scene) {
	return func(s *scene) {
		q := &queue.QP{Node: &core.Node{Name: "a"}, Limits: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 8}}
		s.facts = facts{call: &core.Call{Cmd: command.Command{Spec: spec}, About: q, Warnings: warnings}, errno: no}
	}
}

var (
	atAll   = core.Warning{Text: "bad attribute", Errnos: core.AnyErrno}
	atEnd   = core.Warning{Text: "b has no RECV posted"}
	noRoom  = core.Warning{Text: "no room", Errnos: core.Errnos{syscall.ENOMEM}}
	invalid = core.Warning{Text: "foreign is in other, a in pd", Errnos: core.Errnos{syscall.EINVAL}}
)

// refusedRows has the text of each rule for refused calls when its cause is present.
var refusedRows = []ruleRow{
	{rule: "warned", change: refused(command.ModifyQP, syscall.EINVAL, atAll), want: "bad attribute", how: sure},
	{rule: "warned", change: refused(command.PostSend, syscall.EINVAL, atEnd, noRoom, invalid),
		want: "foreign is in other, a in pd", how: sure},
	{rule: "ENOMEM of a send", change: refused(command.PostSend, syscall.ENOMEM, atEnd),
		want: "the queue is full or the request is too large: max_send_wr 16, max_send_sge 0", how: inferred},
	{rule: "ENOMEM of a RECV", change: refused(command.PostRecv, syscall.ENOMEM),
		want: "the queue is full or the request is too large: max_recv_wr 8, max_recv_sge 0", how: inferred},
	{rule: "modify refused", change: refused(command.ModifyQP, syscall.EINVAL),
		want: "rdmatui found no wrong attribute: read the state with query_qp a and the device's limits with query_device",
		how:  inferred},
	{rule: "post refused", change: refused(command.PostSend, syscall.EINVAL, atEnd),
		want: "check the opcode against the queue pair type, the number of SGEs, and INLINE against max_inline_data",
		how:  inferred},
}

// waitRows has the text of each rule for waits when its cause is present.
var waitRows = []ruleRow{
	{rule: "port down", change: inVain(forWC, func(s *scene) { s.snap.Devices[0].Ports[0].State = 1 }),
		want: "port 1 of rxe0 is DOWN, so no packet passes", how: sure},
	{rule: "port down", change: inVain(forCM("ESTABLISHED"), func(s *scene) {
		identifier(s, core.IDConnecting)
		s.snap.Devices[0].Ports[0].State = 2
	}), want: "port 1 of rxe0 is INIT, so no packet passes", how: sure},
	{rule: "port down", change: inVain(forPeer, func(s *scene) { s.snap.Devices[0].Ports[0].State = 1 }),
		want: "port 1 of rxe0 is DOWN, so no packet passes", how: sure},
	{rule: "request waits", change: inVain(forRun, func(s *scene) {
		elsewhere(s)
		s.a.State, s.oldest = verbs.QPErr, func(string, bool) (queue.Request, bool) { return queue.Request{}, false }
	}), want: "no answer from queue pair 0x000012 at ::9 (retry_cnt=7, timeout=14 (67.1 ms))", how: partly},
	{rule: "connection ended", change: inVain(forMessage, func(s *scene) {
		identifier(s, core.IDDisconnected)
		s.history = []moment{cmEvent(verbs.CMDisconnected, 2200*time.Millisecond)}
	}), want: "the connection of conn has ended, DISCONNECTED at 2.200000 s", how: sure},
	{rule: "failed before", change: inVain(forWC, func(s *scene) {
		s.a.State = verbs.QPErr
		s.failures["a"] = failed("a", 3, verbs.WCRemAccessErr, false, "rkey 0x7 belongs to no region of b")
	}), want: "wr_id 3 of a failed before, with REM_ACCESS_ERR: rkey 0x7 belongs to no region of b", how: sure},
	{rule: "overrun", change: inVain(forWC, func(s *scene) { s.snap.CQs[0].Overruns = 1 }),
		want: "cq was full and lost completions (CQ_ERR)", how: sure},
	{rule: "no queue pair", change: inVain(forWC, func(s *scene) { s.snap.QPs = nil }),
		want: "no queue pair completes in cq", how: sure},
	{rule: "no queue pair", change: inVain(forCQEvent, func(s *scene) { s.snap.CQs[0].Channel = "" }),
		want: "no completion queue raises events on ch", how: sure},
	{rule: "not armed", change: inVain(forCQEvent, func(s *scene) {
		s.snap.CQs[0].Armed, s.filled = core.NeverArmed, func(string) int { return 2 }
	}), want: "cq was never armed, so its 2 completions raised no event", how: sure},
	{rule: "not armed", change: inVain(forCQEvent, func(s *scene) { s.snap.CQs[0].Armed = core.NotArmed }),
		want: "cq was not armed again after its event, so a completion raises no event", how: sure},
	{rule: "armed late", change: inVain(forCQEvent, func(s *scene) { s.filled = func(string) int { return 1 } }),
		want: "cq has 1 completion from before it was armed", how: sure},
	{rule: "armed late", change: inVain(forCQEvent, func(s *scene) {
		s.snap.CQs[0].Armed, s.filled = core.ArmedForSolicited, func(string) int { return 1 }
	}), want: "cq is armed for solicited completions only, and its completion is not solicited", how: sure},
	{rule: "path_mtu above active_mtu", change: inVain(forMessage, func(s *scene) {
		s.a.Attr.PathMTU = verbs.MTU4096
	}), want: "path_mtu 4096 of a is above active_mtu 1024 of port 1 of rxe0", how: sure},
	{rule: "path_mtu above active_mtu", change: inVain(forWC, func(s *scene) { // at the other end
		s.b.Attr.PathMTU = verbs.MTU2048
	}), want: "path_mtu 2048 of b is above active_mtu 1024 of port 1 of rxe0", how: sure},
	{rule: "unsignaled", change: inVain(forWC, func(s *scene) { s.a.Sends.Oldest[0].Signaled = false }),
		want: "wr_id 1 of a (SEND) is not SIGNALED, so it has no completion unless it fails", how: sure},
	{rule: "request waits", op: verbs.WRSend, change: inVain(forWC, func(s *scene) { // though it is unsignaled too
		s.a.Sends.Oldest[0].Signaled, s.b.RecvPosted = false, 0
		tried(s, verbs.Tries{RNRNAKs: 5, Span: time.Second})
	}), want: "wr_id 1 of a waits: b had no RECV posted: 5 RNR NAKs in 1 s, rnr_retry=2", how: sure},
	{rule: "request waits", op: verbs.WRSend, change: inVain(forWC, func(s *scene) {
		s.b.Attr.DestQPNum = 99
		tried(s, verbs.Tries{Timeouts: 3})
	}), want: "wr_id 1 of a waits: dest_qp_num of b is 0x000063, but a has qp_num 0x000011: b drops its packets",
		how: sure},
	{rule: "request waits", op: verbs.WRSend, change: inVain(forWC, func(s *scene) {
		s.a.State = verbs.QPSQD
		s.a.Sends.Flight = core.FlightView{WRID: 1, Age: time.Second}
	}), want: "wr_id 1 of a waits: a is in SQD, which starts no request", how: inferred},
	{rule: "nothing posted", change: inVain(forWC, func(s *scene) {
		s.snap.CQs[0].Outstanding, s.a.SendOutstanding, s.a.Sends = 0, 0, nil
	}), want: "no request is outstanding on a", how: sure},
	{rule: "cannot receive", change: inVain(forWC, func(s *scene) {
		receiving(s)
		s.b.State = verbs.QPInit
	}), want: "b is in INIT and drops packets", how: sure},
	{rule: "no RECV here", op: verbs.WRSend, change: inVain(forWC, func(s *scene) {
		tried(s, verbs.Tries{RNRNAKs: 5})
		sends := s.a.Sends
		receiving(s)
		s.a.Sends, s.b.RecvPosted = sends, 0
	}), want: "b has no RECV posted, and wr_id 1 of a waits for one", how: sure},
	{rule: "datagram", change: inVain(forWC, func(s *scene) { datagrams(s).QKey = 0x12 }),
		want: "the last datagram of a has Q_Key 0x12, but qkey of b is 0x11: b drops it", how: sure},
	{rule: "datagram", change: inVain(forWC, func(s *scene) { datagrams(s).QPN = 77 }),
		want: "the last datagram of a went to qp_num 0x00004d, but b has 0x000012", how: sure},
	{rule: "datagram", change: inVain(forWC, func(s *scene) { datagrams(s).QPN = 0x120000 }),
		want: "the last datagram of a went to qp_num 0x120000, but b has 0x000012: the same bytes in the wrong order: convert it between host and network order once (ntohl, be64toh)",
		how:  sure},
	{rule: "datagram", change: inVain(forWC, func(s *scene) { datagrams(s).Length = 89 }),
		want: "the last datagram of a needs 129 bytes with its GRH, but the RECV of b has room for 128", how: sure},
	{rule: "datagram", change: inVain(forWC, func(s *scene) {
		datagrams(s).To.GRH.DGID = verbs.GID{0: 0xff, 15: 1}
	}), want: "the last datagram of a went to group ff00::1, and no queue pair is attached to it", how: sure},
	{rule: "datagram", change: inVain(forWC, func(s *scene) {
		datagrams(s).To.GRH.DGID = verbs.GID{0: 0xff, 15: 1}
		s.snap.Groups = []core.GroupView{{QP: "c", GID: verbs.GID{0: 0xff, 15: 1}}}
	}), want: "the last datagram of a went to group ff00::1, to which c is attached, but not b", how: sure},
	{rule: "the other end", change: inVain(forWC, receiving),
		want: "a has no request outstanding, and b has 1 RECV posted", how: sure},
	{rule: "the other end", change: inVain(forWC, func(s *scene) {
		receiving(s)
		s.a.State = verbs.QPRTR
	}), want: "a is in RTR and sends nothing", how: sure},
	{rule: "the other end", change: inVain(forWC, func(s *scene) {
		receiving(s)
		s.failures["a"] = failed("a", 3, verbs.WCLocProtErr, false, "lkey 0x7 belongs to no region")
	}), want: "wr_id 3 of a failed with LOC_PROT_ERR: lkey 0x7 belongs to no region", how: sure},
	{rule: "completions not reported", change: inVain(forCQEvent, func(s *scene) {
		s.snap.CQs[0].Device, s.filled = "soft0", func(string) int { return -1 }
		s.triesOf = func(string) *verbs.Tries { return nil }
	}), want: "completions from before cq was armed raise no event, and rxe0 does not report them", how: inferred},
	{rule: "completions not reported", change: inVain(forCQEvent, func(s *scene) {
		s.snap.CQs[0].Armed, s.filled = core.ArmedForSolicited, func(string) int { return -1 }
		s.triesOf = func(string) *verbs.Tries { return nil }
	}), want: "cq is armed for solicited completions only: others raise no event", how: inferred},
	{rule: "request waits", op: verbs.WRSend, change: inVain(forWC, func(s *scene) { // of a device without counts
		tried(s, verbs.Tries{})
		s.b.RecvPosted, s.triesOf = 0, func(string) *verbs.Tries { return nil }
	}), want: "wr_id 1 of a waits: b had no RECV posted, rnr_retry=2", how: sure},
	{rule: "counters", change: inVain(forMessage, func(s *scene) {
		s.moves = []moves{{device: "rxe0", list: []verbs.HWCounter{{Name: "sent_pkts", Value: 4},
			{Name: "send_rnr_err", Value: 7}}}}
	}), want: "send_rnr_err of rxe0 moved by 7", how: inferred},
	{rule: "peer elsewhere", change: inVain(forMessage, elsewhere),
		want: "nothing arrived at a from 0x000012 at ::9", how: inferred},

	{rule: "event failed", change: inVain(forCM("ESTABLISHED"), func(s *scene) {
		identifier(s, core.IDError).Last = &timeline.CMEvent{Type: verbs.CMRejected, StatusText: "reason 28"}
	}), want: "the last event of conn was REJECTED, reason 28", how: sure},
	{rule: "event taken before", change: inVain(forCM("ESTABLISHED"), func(s *scene) {
		identifier(s, core.IDConnected)
		s.history = []moment{cmEvent(verbs.CMEstablished, time.Second)}
	}), want: "ESTABLISHED of conn came at 1.000000 s, and each event is reported once", how: sure},
	{rule: "id ended", change: inVain(forCM("ESTABLISHED"), func(s *scene) { identifier(s, core.IDDisconnected) }),
		want: "the connection of conn has ended", how: sure},
	{rule: "request unanswered", change: inVain(forCM("ESTABLISHED"), func(s *scene) {
		local := identifier(s, core.IDConnecting).Local
		s.snap.IDs = append(s.snap.IDs, core.IDView{Name: "listen-1", State: core.IDRequest, Peer: local})
	}), want: "listen-1, the request of conn, waits for an answer", how: sure},
	{rule: "step missing", change: inVain(forCM("ROUTE_RESOLVED"), func(s *scene) {
		identifier(s,
			core.IDAddrResolved)
	}),
		want: "conn is in ADDR_RESOLVED, and ROUTE_RESOLVED follows rdma_resolve_route", how: sure},
	{rule: "step pending", change: inVain(forCM(""), func(s *scene) { identifier(s, core.IDListening) }),
		want: "no peer has connected to 10.0.0.1:41000, where conn listens", how: inferred},
	{rule: "no identifier", change: inVain(core.Awaited{Kind: core.AwaitedCMEvent}, func(*scene) {}),
		want: "no identifier exists, so no event can come", how: sure},
	{rule: "asynchronous event", change: inVain(core.Awaited{Kind: core.AwaitedAsync, Event: "SRQ_LIMIT_REACHED",
		Objects: []string{"soft0", "srq"}}, func(s *scene) {
		s.snap.SRQs = []core.SRQView{{Name: "srq", RecvPosted: 5}}
	}), want: "the limit of srq is not armed", how: sure},
	{rule: "asynchronous event", change: inVain(core.Awaited{Kind: core.AwaitedAsync, Event: "SQ_DRAINED",
		Objects: []string{"soft0", "a"}}, func(*scene) {}),
		want: "a is in RTS, and SQ_DRAINED comes in SQD", how: sure},
}
