package bench

import (
	"context"
	"fmt"

	"rdmatui/session/cm"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// Datagrams have no connection: the manager tells the client the server's queue pair, Q_Key and address. A server that
// also sends learns the client's from a datagram with the client's QPN as immediate data;
// rdma_cm_send_ud_connection_parameters in perftest_communication.c.

// udHello is the length of that datagram.
const udHello = 4

// answers reports whether both ends send.
func (r *Run) answers() bool { return r.p.Test.Latency || r.p.Bidirectional }

// cmEndUD ends the connection of a UD queue pair, and makes the address handle of an end that sends.
func (r *Run) cmEndUD(ctx context.Context, name string, i int) error {
	lines := r.acceptLines(name, i)
	if r.p.Client() {
		lines = r.connectLines(name, i)
	}
	for _, line := range lines {
		if err := r.exec(ctx, "%s", line); err != nil {
			return err
		}
	}
	l := &r.lanes[i]
	l.ah, l.qkey = core.ObjectOf[*queue.AH](r.s, ahName(i)), CMQKey
	if r.p.Client() {
		id := core.ObjectOf[*cm.ID](r.s, name)
		r.s.Mu.RLock()
		defer r.s.Mu.RUnlock()
		l.qkey = id.ToldQKey()
	}
	return nil
}

func (r *Run) connectLines(name string, i int) []string {
	lines := []string{
		"rdma_connect " + name, "rdma_get_cm_event ESTABLISHED id=" + name + " timeout=" + cmWait,
		fmt.Sprintf("create_ah %s pd=%s id=%s", ahName(i), namePD, name),
	}
	if r.answers() {
		lines = append(lines,
			fmt.Sprintf("post_send %s SEND_WITH_IMM sge=%s:%d:%d imm_data=%[1]s.qp_num ah=%[5]s"+
				" remote_qpn=%[6]s.remote_qpn remote_qkey=%[6]s.remote_qkey send_flags=SIGNALED",
				qpName(i), nameMR, r.sendAt(i), udHello, ahName(i), name),
			"poll_cq "+nameSendCQ+" n=1 timeout="+cmWait)
	}
	return lines
}

func (r *Run) acceptLines(name string, i int) []string {
	if !r.answers() {
		return []string{"rdma_accept " + name}
	}
	at := r.receiveAt(i)
	return []string{
		fmt.Sprintf("post_recv %s sge=%s:%d:%d", qpName(i), nameMR, at, verbs.GRHLen+udHello), "rdma_accept " + name,
		"poll_cq " + nameRecvCQ + " n=1 timeout=" + cmWait,
		fmt.Sprintf("create_ah_from_wc %s pd=%s cq=%s mr=%s offset=%d", ahName(i), namePD, nameRecvCQ, nameMR, at),
	}
}
