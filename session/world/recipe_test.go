package world

import (
	"fmt"
	"strings"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/sim"
)

// port is the port that sessions listen on.
const port = 7471

// opening makes the objects that recipes need. The seed decides which ones are left out, so that other lines fail.
func (h *host) opening() []string {
	w := h.w
	all := []string{
		"open_device soft0", "alloc_pd pd",
		"reg_mr m length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND",
		"create_comp_channel ch",
		sim.Pick(w.Rng, "create_cq cq cqe=64", "create_cq cq cqe=64 channel=ch", "create_cq cq cqe=4"),
		"create_srq s max_wr=8", "create_qp qp max_send_wr=8 max_recv_wr=8", "create_qp sq srq=s",
		"create_qp ud qp_type=UD", "create_qp uc qp_type=UC",
		"rdma_create_event_channel ev mode=" + sim.Pick(w.Rng, "event", "poll"),
		"rdma_create_id l mode=" + sim.Pick(w.Rng, "event", "sync"),
		fmt.Sprintf("rdma_bind_addr l %s port=%d", h.addr, port), "rdma_listen l",
	}
	kept := all[:0]
	for _, line := range all {
		if !w.Chance(0.05) {
			kept = append(kept, line)
		}
	}
	return kept
}

// recipe returns lines that belong together.
func (h *host) recipe() []string {
	return sim.Pick(h.w.Rng, h.join, h.join, h.traffic, h.traffic, h.traffic, h.dial, h.answer,
		h.group, h.watch, h.window)()
}

// join connects a queue pair with one of the other session, queues the lines of the other end there, and posts to it.
func (h *host) join() []string {
	w, other := h.w, h.other()
	typ := sim.Pick(w.Rng, verbs.RC, verbs.RC, verbs.UC)
	a, b := h.queuePair(typ), other.queuePair(typ)
	if a == nil || b == nil {
		return []string{"create_qp qp qp_type=" + typ.String()}
	}
	half := func(own, far *session.QPView) []string {
		p := fmt.Sprintf("p%d", w.Rng.IntN(3))
		return []string{
			"modify_qp " + own.Name + " RESET", "close " + p,
			fmt.Sprintf("peer %s qp_num=%d psn=%d gid=%s", p, uint32(far.Num), uint32(far.PSN), far.GID),
			"connect_qps " + own.Name + " " + p,
		}
	}
	other.queue = append(append(half(b, a), other.post(b.Name)...), other.queue...)
	return append(half(a, b), h.post(a.Name)...)
}

// queuePair returns a queue pair of a type; nil if there is none.
func (h *host) queuePair(typ verbs.QPType) *session.QPView {
	var some []session.QPView
	for _, q := range h.session.Snapshot().QPs {
		if q.Type == typ && q.GID != (verbs.GID{}) {
			some = append(some, q)
		}
	}
	if len(some) == 0 {
		return nil
	}
	return &some[h.w.Rng.IntN(len(some))]
}

// traffic posts requests on any queue pair.
func (h *host) traffic() []string { return h.post(h.object(command.KindQP)) }

// post posts requests and polls their completions.
func (h *host) post(qp string) []string {
	w := h.w
	mr := h.object(command.KindMR)
	far := "remote_addr=" + h.farAddr()
	if mrs := h.other().session.Snapshot().MRs; len(mrs) > 0 {
		far += fmt.Sprintf(" rkey=%d", mrs[w.Rng.IntN(len(mrs))].RKey)
	}
	send := sim.Pick(w.Rng, "SEND", "SEND_WITH_IMM imm_data=7", "RDMA_WRITE "+far,
		"RDMA_WRITE_WITH_IMM imm_data=7 "+far,
		"RDMA_READ "+far, "ATOMIC_FETCH_AND_ADD compare_add=1 "+far)
	lines := []string{
		fmt.Sprintf("post_recv %s sge=%s:0:%d count=%d", qp, mr, 64<<w.Rng.IntN(6), 1+w.Rng.IntN(4)),
		"post_srq_recv s sge=" + mr + ":0:256",
		fmt.Sprintf("post_send %s %s sge=%s:0:8 count=%d", qp, send, mr, 1+w.Rng.IntN(12)),
		sim.Pick(w.Rng, "poll_cq cq n=8 timeout=10ms", "poll_cq cq timeout=1h", "poll_cq cq n=1", "query_qp "+qp,
			"expect state "+qp+" RTS", "post_send "+qp+" SEND sge="+mr+":0:8 outstanding=2 count=20"),
	}
	return lines[w.Rng.IntN(len(lines)-1):]
}

// dial connects to the other session's listener through the connection manager.
func (h *host) dial() []string {
	w := h.w
	id := fmt.Sprintf("i%d", w.Rng.IntN(4))
	wait := func(event string) string {
		return "rdma_get_cm_event " + event + " id=" + id + " timeout=" + sim.Pick(w.Rng, "100ms", "30s", "1h")
	}
	at := w.Rng.IntN(3)
	lines := []string{
		"rdma_create_id " + id + " mode=" + sim.Pick(w.Rng, "event", "sync"),
		fmt.Sprintf("rdma_resolve_addr %s %s port=%d", id, h.other().addr, port+w.Rng.IntN(2)*at),
		wait("ADDR_RESOLVED"),
		"alloc_pd pd" + id + " id=" + id, "create_cq c" + id + " cqe=16 id=" + id,
		"reg_mr m" + id + " pd=pd" + id + " length=64",
		"rdma_create_qp " + id + " q" + id + " pd=pd" + id + " send_cq=c" + id, "rdma_resolve_route " + id,
		wait("ROUTE_RESOLVED"), "rdma_connect " + id, wait("ESTABLISHED"),
		"post_send q" + id + " SEND sge=m" + id + ":0:8", "poll_cq c" + id + " timeout=100ms", "rdma_disconnect " + id,
	}
	lines = append(lines, h.hangUp(id)...)
	h.other().queue = append(h.other().queue, h.other().answer()...)
	return lines
}

// answer takes a request of the other session, and accepts or rejects it.
func (h *host) answer() []string {
	w := h.w
	id := fmt.Sprintf("r%d", w.Rng.IntN(4))
	lines := []string{
		sim.Pick(w.Rng, "rdma_get_request l name="+id+" timeout=10s",
			"rdma_get_cm_event CONNECT_REQUEST name="+id+" timeout=10s"),
		"alloc_pd pd" + id + " id=" + id, "create_cq c" + id + " cqe=16 id=" + id,
		"reg_mr m" + id + " pd=pd" + id + " length=64 access=LOCAL_WRITE",
		"rdma_create_qp " + id + " q" + id + " pd=pd" + id + " send_cq=c" + id,
		"post_recv q" + id + " sge=m" + id + " count=2",
	}
	switch w.Rng.IntN(4) {
	case 0:
		return append(append(lines, "rdma_reject "+id), h.hangUp(id)...)
	case 1:
		return lines
	}
	return append(append(lines, "rdma_accept "+id, "poll_cq c"+id+" timeout=1s", "rdma_disconnect "+id),
		h.hangUp(id)...)
}

// hangUp closes the objects made for an identifier.
func (h *host) hangUp(id string) []string {
	return []string{"close q" + id, "close m" + id, "close c" + id, "close pd" + id, "close " + id}
}

// group sends to a multicast group that the session has joined, or has left.
func (h *host) group() []string {
	lines := strings.Split(`attach_mcast ud gid=239.1.2.3
modify_qp ud INIT port_num=1 pkey_index=0 qkey=17
modify_qp ud RTR
modify_qp ud RTS sq_psn=1
create_ah ah dgid=239.1.2.3
post_recv ud sge=m:0:128
post_send ud SEND sge=m:0:8 ah=ah remote_qpn=0xffffff remote_qkey=17
poll_cq timeout=1ms
detach_mcast ud gid=239.1.2.3
close ah`, "\n")
	return lines[:1+h.w.Rng.IntN(len(lines))]
}

// watch changes how completions and events are taken.
func (h *host) watch() []string {
	w := h.w
	return []string{sim.Pick(w.Rng, "live on", "live off", "cq_mode cq poll", "cq_mode cq blocking",
		"cq_mode cq nonblocking", "req_notify_cq cq", "get_cq_event ch timeout=1s",
		"get_async_event soft0 timeout=1s", "capture on", "capture off", "fault soft0 loss=5%", "fault soft0 off",
		"modify_qp "+h.object(command.KindQP)+" ERR", "rereg_mr m length=8192")}
}

// window binds a memory window and invalidates it.
func (h *host) window() []string {
	qp := h.object(command.KindQP)
	return []string{"alloc_mw w type=TYPE_2",
		"post_send " + qp + " BIND_MW mw=w mr=m length=64 mw_access_flags=REMOTE_WRITE", "poll_cq timeout=1ms",
		"rereg_mr m access=LOCAL_WRITE",
		"post_send " + qp + " LOCAL_INV invalidate_rkey=w.rkey", "close w"}
}
