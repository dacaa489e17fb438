package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// Names of the objects of a run.
const (
	namePD, nameMR, nameChannel = "bench-pd", "bench-mr", "bench-channel"
	nameSendCQ, nameRecvCQ      = "bench-cq", "bench-recv-cq"
	nameQP, nameAH, nameSRQ     = "bench-qp", "bench-ah", "bench-srq"
)

// cacheLine is the usual size of a cache line. A larger one of the peer counts.
const cacheLine = 64

func pageSize() int { return os.Getpagesize() }

// lane is one queue pair of a test, with the requests that it posts again and again.
type lane struct {
	q         *queue.QP
	own, peer Dest
	ah        *queue.AH // UD only, as qkey
	qkey      uint32    // the peer's

	send []verbs.SendWR // posted in one call
	recv []verbs.RecvWR // one

	posted, completed uint64 // send requests at this size
	received          uint64
	recvsPosted       uint64
	shown             [2]atomic.Uint64 // completed and received, for [Run.Lanes]
}

// Indexes of lane.shown.
const sent, received = 0, 1

// accessOf returns what the peer may do with the memory, as perftest grants it.
var accessOf = [...]verbs.Access{
	Write: verbs.LocalWrite | verbs.RemoteWrite, Read: verbs.LocalWrite | verbs.RemoteRead,
	Send: verbs.LocalWrite, Atomic: verbs.LocalWrite | verbs.RemoteAtomic,
}

// access is what the peer may do with this end's memory.
func (r *Run) access() verbs.Access {
	access := accessOf[r.p.Test.Verb]
	if r.p.Test.Verb == Read && r.iWARP() {
		access |= verbs.RemoteWrite // there the answer to a READ is placed as by a WRITE of the peer
	}
	if r.p.OnDemand {
		access |= verbs.OnDemand
	}
	return access
}

// setUp makes the objects, exchanges their addresses and connects them.
func (r *Run) setUp(ctx context.Context) error {
	makeAll := r.makeByHand
	if r.p.CM {
		makeAll = r.makeCM
	}
	if err := makeAll(ctx); err != nil {
		return err
	}
	if err := r.exchange(ctx); err != nil {
		return err
	}
	for i := range r.lanes {
		if r.p.CM {
			break // the connection manager has connected them
		}
		if err := r.ready(ctx, &r.lanes[i], i); err != nil {
			return err
		}
	}
	if err := r.ends(ctx); err != nil {
		return err
	}
	r.info.Params = r.p
	if r.watch.Connected != nil {
		r.watch.Connected(r.info)
	}
	return nil
}

// makeByHand makes the objects up to queue pairs in INIT.
func (r *Run) makeByHand(ctx context.Context) error {
	if err := r.make(ctx, "device="+r.dev.Name); err != nil {
		return err
	}
	return r.makeQueues(ctx)
}

// make makes the objects that all queue pairs share; on names the device.
func (r *Run) make(ctx context.Context, on string) error {
	line := uint64(r.info.Common.CacheLine)
	r.area = roundUp(max(r.p.Size+r.header(), uint64(r.info.Common.CycleBuffer)), line)
	length, backing := 2*r.area*uint64(r.p.QPs), ""
	if r.p.HugePages {
		length, backing = memory.InHugePages(length), " backing=hugetlb"
	}
	lines := []string{
		"alloc_pd " + namePD + " " + on,
		fmt.Sprintf("reg_mr %s pd=%s length=%d access=%s%s", nameMR, namePD, length, r.access(), backing),
	}
	channel := ""
	if r.p.Events {
		channel = fmt.Sprintf(" channel=%s comp_vector=%d", nameChannel, max(r.p.Vector, 0))
		lines = append(lines, "create_comp_channel "+nameChannel+" "+on)
	}
	lines = append(lines, fmt.Sprintf("create_cq %s %s cqe=%d%s", nameSendCQ, on, r.p.TXDepth*r.p.QPs, channel))
	if r.p.Test.Verb == Send {
		lines = append(lines, fmt.Sprintf("create_cq %s %s cqe=%d%s", nameRecvCQ, on, r.p.RXDepth*r.p.QPs, channel))
	}
	if r.shares() {
		lines = append(lines, fmt.Sprintf("create_srq %s pd=%s max_wr=%d", nameSRQ, namePD, r.p.RXDepth))
	}
	for _, line := range lines {
		if err := r.exec(ctx, "%s", line); err != nil {
			return err
		}
	}
	r.mr, r.srq = core.ObjectOf[*region.MR](r.s, nameMR), core.ObjectOf[*queue.SRQ](r.s, nameSRQ)
	return nil
}

// shares reports whether the queue pairs share a receive queue. One that only sends has its own.
func (r *Run) shares() bool { return r.p.SharedQueue && r.p.Receives() }

// queueAttr returns the attributes of the queue pairs.
func (r *Run) queueAttr() string {
	recvCQ := nameSendCQ
	if r.p.Test.Verb == Send {
		recvCQ = nameRecvCQ
	}
	receive := fmt.Sprintf("max_recv_wr=%d", r.p.RXDepth)
	if r.shares() {
		receive = "srq=" + nameSRQ
	}
	return fmt.Sprintf("pd=%s send_cq=%s recv_cq=%s qp_type=%s max_send_wr=%d %s max_inline_data=%d",
		namePD, nameSendCQ, recvCQ, r.p.Connection, r.p.TXDepth, receive, r.p.Inline)
}

// makeQueues makes the queue pairs and brings them to INIT.
func (r *Run) makeQueues(ctx context.Context) error {
	r.lanes = make([]lane, r.p.QPs)
	for i := range r.lanes {
		if err := r.exec(ctx, "create_qp %s %s", qpName(i), r.queueAttr()); err != nil {
			return err
		}
		if err := r.exec(ctx, "modify_qp %s INIT port_num=%d pkey_index=%d %s", qpName(i), r.p.DevicePort,
			r.p.PKeyIndex, r.initAttr()); err != nil {
			return err
		}
		r.lanes[i].q = core.ObjectOf[*queue.QP](r.s, qpName(i))
	}
	return nil
}

func qpName(i int) string { return fmt.Sprintf("%s%d", nameQP, i) }
func ahName(i int) string { return fmt.Sprintf("%s%d", nameAH, i) }

func (r *Run) initAttr() string {
	if r.p.Connection == verbs.UD {
		return fmt.Sprintf("qkey=%#x", DefaultQKey)
	}
	return "qp_access_flags=" + (accessOf[r.p.Test.Verb] &^ verbs.LocalWrite).String()
}

// header returns the bytes in front of each received message.
func (r *Run) header() uint64 {
	if r.p.Connection == verbs.UD {
		return verbs.GRHLen
	}
	return 0
}

func roundUp(n, to uint64) uint64 { return (n + to - 1) / to * to }

// sendAt and receiveAt return the offsets in the region of the halves of a lane's
// buffer.
func (r *Run) sendAt(lane int) uint64 { return uint64(lane) * r.area }

func (r *Run) receiveAt(lane int) uint64 { return uint64(r.p.QPs+lane) * r.area }

// exchange swaps the addresses of all queue pairs.
func (r *Run) exchange(ctx context.Context) error {
	own, err := r.ownDests()
	if err != nil {
		return err
	}
	for i := range r.lanes {
		r.lanes[i].own = own[i]
	}
	if r.p.Test.Latency && r.p.Test.Verb != Send {
		// These programs swap the first address once more; write_lat.c, read_lat.c
		// and atomic_lat.c.
		if _, err := r.x.Dest(ctx, own[0]); err != nil {
			return err
		}
	}
	for i := range r.lanes {
		l := &r.lanes[i]
		if l.peer, err = r.x.Dest(ctx, l.own); err != nil {
			return err
		}
		if err := l.peer.Check(r.area); err != nil {
			return err
		}
		r.info.Local, r.info.Remote = append(r.info.Local, l.own), append(r.info.Remote, l.peer)
	}
	if a, b := own[0].GID, r.lanes[0].peer.GID; r.x.GID && !r.p.CM && a.IsIPv4() != b.IsIPv4() {
		return fmt.Errorf(
			"the peer's GID is %s but this end uses %s: select GIDs of the same type with -x on both ends", b, a)
	}
	return nil
}

// ownDests returns what the peer is told.
func (r *Run) ownDests() ([]Dest, error) {
	r.s.Mu.RLock()
	defer r.s.Mu.RUnlock()
	port := r.dev.Port(r.p.DevicePort)
	common := Dest{LID: port.LID, OutReads: uint32(r.p.Outs), RKey: r.mr.MR.RKey()}
	if r.x.GID && !r.iWARP() {
		row, err := r.dev.ChooseGID(r.p.DevicePort, verbs.GID{})
		if tcp, ok := r.link.(*tcpLink); ok && r.p.GIDIndex < 0 {
			row, err = r.dev.GIDs.Network.GIDTo(r.dev.GIDs.Rows, r.p.DevicePort, tcp.peer())
		}
		if err != nil {
			return nil, err
		}
		common.GID, r.p.GIDIndex = row.GID, row.Index
	}
	own := make([]Dest, len(r.lanes))
	for i := range own {
		own[i] = common
		own[i].QPN, own[i].PSN = r.lanes[i].q.Num, r.lanes[i].q.PSN
		own[i].VAddr = r.mr.MR.Addr() + r.receiveAt(i)
	}
	return own, nil
}

// ready brings a queue pair to RTS. As in perftest, one that only receives stays in
// RTR.
func (r *Run) ready(ctx context.Context, l *lane, i int) error {
	path := fmt.Sprintf("ah_port_num=%d dlid=%d sl=%d", r.p.DevicePort, l.peer.LID, r.p.ServiceLevel)
	if r.x.GID {
		path += fmt.Sprintf(" is_global=1 dgid=%s sgid_index=%d hop_limit=255 traffic_class=%d", l.peer.GID,
			r.p.GIDIndex, r.p.TrafficClass)
	}
	rc := r.p.Connection == verbs.RC
	line := "modify_qp " + qpName(i) + " RTR"
	if r.p.Connection != verbs.UD {
		line += fmt.Sprintf(" path_mtu=%d dest_qp_num=%d rq_psn=%d %s", r.info.Common.MTU.Bytes(),
			l.peer.QPN, l.peer.PSN, path)
	}
	if rc {
		line += fmt.Sprintf(" max_dest_rd_atomic=%d min_rnr_timer=%d", r.p.Outs, MinRNRTimer)
	}
	if err := r.exec(ctx, "%s", line); err != nil {
		return err
	}
	if !r.p.Sends() {
		return nil
	}
	line = fmt.Sprintf("modify_qp %s RTS sq_psn=%d", qpName(i), l.own.PSN)
	if rc {
		line += fmt.Sprintf(" timeout=%d retry_cnt=%d rnr_retry=7 max_rd_atomic=%d", r.p.Timeout, r.p.RetryCount,
			r.outstanding(l))
	}
	if err := r.exec(ctx, "%s", line); err != nil {
		return err
	}
	if r.p.Connection != verbs.UD {
		return nil
	}
	err := r.exec(ctx, "create_ah %s pd=%s port_num=%d %s", ahName(i), namePD, r.p.DevicePort,
		path[len(fmt.Sprintf("ah_port_num=%d ", r.p.DevicePort)):])
	l.ah, l.qkey = core.ObjectOf[*queue.AH](r.s, ahName(i)), DefaultQKey
	return err
}

// outstanding returns how many READs and atomics this end may have outstanding.
func (r *Run) outstanding(l *lane) uint32 {
	r.s.Mu.RLock()
	defer r.s.Mu.RUnlock()
	return min(l.peer.OutReads, uint32(max(r.dev.Attr.MaxQPInitRDAtom, 0)), 255)
}

// ends swaps addresses until both ends know that the other's queue pairs are ready. The
// SEND programs swap the first one before the others, all others after them.
func (r *Run) ends(ctx context.Context) error {
	first := func() error { _, err := r.x.Dest(ctx, r.lanes[0].own); return err }
	all := func() error {
		for i := range r.lanes {
			again, err := r.x.Dest(ctx, r.lanes[i].own)
			if err == nil && again != r.lanes[i].peer {
				err = errors.New("the peer changed the address of a queue pair after it had told it")
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if r.p.Test.Verb == Send {
		if err := first(); err != nil {
			return err
		}
		return all()
	}
	if err := all(); err != nil {
		return err
	}
	return first()
}
