package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"rdmatui/session/cm"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/oob"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// With -R the connection manager connects one more queue pair than the test has, whose
// SENDs carry the exchange: the control connection. It comes first; then both ends swap
// an address, the server listens again on the same port, and the client connects the
// queue pairs of the test; create_rdma_cm_connection in perftest_communication.c.

// Names of the objects of a run through the connection manager.
const (
	nameEvents, nameListen = "bench-events", "bench-listen"
	nameControl, nameID    = "bench-control", "bench-id"
)

const (
	cmWait     = "30s" // how long each event may take
	cmAttempts = 10    // the server may not listen again yet
	cmPause    = 100 * time.Millisecond
)

// cmLink carries the exchange over the control connection. Each end has one RECV
// posted.
type cmLink struct {
	s    *core.Session
	id   *cm.ID
	q    *queue.QP
	mr   verbs.MR // a message to send, and from cmReceiveAt on a received one
	recv []verbs.RecvWR
	// early is the peer's message that came while the test ran; ByteLen 0: none.
	early verbs.WC
}

const cmReceiveAt = StructLen + 8

// Write implements [Link].
func (l *cmLink) Write(ctx context.Context, message []byte) error {
	if _, err := l.mr.WriteAt(message, 0); err != nil {
		return err
	}
	send := verbs.SendWR{
		Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled,
		SGList: []verbs.SGE{{Addr: l.mr.Addr(), Length: uint32(len(message)), LKey: l.mr.LKey()}},
	}
	if _, err := l.q.QP.PostSend(send); err != nil {
		return err
	}
	_, err := l.await(ctx, l.q.SendCQ)
	return err
}

// Read implements [Link].
func (l *cmLink) Read(ctx context.Context, message []byte, what string) error {
	wc, err := l.early, error(nil)
	if l.early = (verbs.WC{}); wc.ByteLen == 0 {
		wc, err = l.await(ctx, l.q.RecvCQ)
	}
	if err == nil && int(wc.ByteLen) != len(message) {
		err = fmt.Errorf("the peer sent %d instead of the %d bytes of %s", wc.ByteLen, len(message), what)
	}
	if err != nil {
		return err
	}
	if _, err := l.mr.ReadAt(message, cmReceiveAt); err != nil {
		return err
	}
	return l.postRecv()
}

func (l *cmLink) postRecv() error {
	_, err := l.q.QP.PostRecv(l.recv...)
	return err
}

// await waits for a completion on the control connection.
func (l *cmLink) await(ctx context.Context, cq *queue.CQ) (wc verbs.WC, err error) {
	var wcs [1]verbs.WC
	for over := false; ; {
		n, err := cq.PollClaimed(wcs[:])
		switch {
		case n == 1 && wcs[0].Failed():
			return wc, fmt.Errorf("the control connection failed: completion %s", wcs[0].Status)
		case n == 1:
			return wcs[0], nil
		case err != nil:
			return wc, err
		case over:
			return wc, left("the peer disconnected")
		case ctx.Err() != nil:
			return wc, context.Cause(ctx)
		}
		over = l.left() // what arrived before is polled once more
		core.Rest(ctx, time.Millisecond)
	}
}

func (l *cmLink) watch()   {}
func (l *cmLink) unwatch() {}

// part implements [link]. The manager has no connection that is closed at one end only: it does not wait.
func (l *cmLink) part(context.Context) {}

// ahead implements [link]. A failed completion means that the peer has left, not that it is ahead.
func (l *cmLink) ahead() bool {
	var wcs [1]verbs.WC
	if l.early.ByteLen == 0 {
		if n, _ := l.q.RecvCQ.PollClaimed(wcs[:]); n == 1 && !wcs[0].Failed() {
			l.early = wcs[0]
		}
	}
	return l.early.ByteLen > 0
}

func (l *cmLink) left() bool { return !cm.IsConnected(l.s, l.id) }

// Close does nothing: the session disconnects the control connection with the others.
func (l *cmLink) Close() error { return nil }

// openCM connects the control connection, which finds the device.
func (r *Run) openCM(ctx context.Context) error {
	channel := "rdma_create_event_channel " + nameEvents
	if r.p.Device != "" {
		if _, err := device.Choose(r.s, r.p.Device, r.lackIWARP, r.p.Host); err != nil {
			return err
		}
		channel += " device=" + r.p.Device
	}
	if err := r.exec(ctx, "%s", channel); err != nil {
		return err
	}
	if err := r.cmBegin(ctx, nameControl); err != nil {
		return err
	}
	id := core.ObjectOf[*cm.ID](r.s, nameControl)
	dev, err := id.BoundDevice(r.s)
	if err != nil {
		return err
	}
	if r.dev = dev; r.p.Device != "" && dev.Info.Name != r.p.Device {
		return fmt.Errorf("-R: the connection manager uses %s, not %s: name the address of %[2]s",
			dev.Info.Name, r.p.Device)
	}
	if err := r.lackIWARP(&dev.Info); err != nil {
		return err
	}
	if err := r.settleOnDevice(); err != nil {
		return err
	}
	l, err := r.controlQueue(ctx, id)
	if err != nil {
		return err
	}
	if err := r.cmEnd(ctx, nameControl, 0); err != nil {
		return err
	}
	if !r.p.Client() {
		if err := r.exec(ctx, "close %s", nameListen); err != nil {
			return err
		}
	}
	r.link, r.x.Structs = l, true
	return nil
}

// controlQueue makes the queue pair of the control connection, with one RECV posted.
func (r *Run) controlQueue(ctx context.Context, id *cm.ID) (*cmLink, error) {
	const n = nameControl
	for _, line := range []string{
		"alloc_pd " + n + "-pd id=" + n,
		fmt.Sprintf("reg_mr %s-mr pd=%s-pd length=%d", n, n, 2*cmReceiveAt),
		"create_cq " + n + "-cq id=" + n + " cqe=2", "create_cq " + n + "-recv-cq id=" + n + " cqe=2",
		fmt.Sprintf(
			"rdma_create_qp %s %[1]s-qp pd=%[1]s-pd send_cq=%[1]s-cq recv_cq=%[1]s-recv-cq max_send_wr=1 max_recv_wr=1",
			n),
	} {
		if err := r.exec(ctx, "%s", line); err != nil {
			return nil, err
		}
	}
	l := &cmLink{s: r.s, id: id, q: core.ObjectOf[*queue.QP](r.s, n+"-qp"),
		mr: core.ObjectOf[*region.MR](r.s, n+"-mr").MR}
	queue.Own(r.s, []*queue.CQ{l.q.SendCQ, l.q.RecvCQ}, nil) // until they are destroyed
	l.recv = []verbs.RecvWR{
		{SGList: []verbs.SGE{{Addr: l.mr.Addr() + cmReceiveAt, Length: StructLen, LKey: l.mr.LKey()}}}}
	return l, l.postRecv()
}

// cmBegin makes an identifier with a device: the client resolves the address, the
// server waits for a request.
func (r *Run) cmBegin(ctx context.Context, name string) error {
	if r.p.Client() {
		for _, line := range []string{
			"rdma_create_id " + name + " channel=" + nameEvents + " ps=" + r.portSpace(name).String(),
			fmt.Sprintf("rdma_resolve_addr %s %s port=%d", name, r.p.Host, r.p.Port),
			"rdma_get_cm_event ADDR_RESOLVED id=" + name + " timeout=" + cmWait,
			"rdma_resolve_route " + name,
			"rdma_get_cm_event ROUTE_RESOLVED id=" + name + " timeout=" + cmWait,
		} {
			if err := r.exec(ctx, "%s", line); err != nil {
				return err
			}
		}
		return nil
	}
	wait := cmWait
	if name == nameControl {
		wait = "24h" // the user may start the client whenever
	}
	if name == nameControl {
		if err := r.cmListen(ctx, name); err != nil {
			return err
		}
		tellWaiting(r, r.p.Port, cmp.Or(r.bindAddr(), oob.EveryAddress))
	}
	return r.exec(ctx, "rdma_get_cm_event CONNECT_REQUEST id=%s name=%s timeout=%s", nameListen, name, wait)
}

// cmListen makes the server listen for the named identifier.
func (r *Run) cmListen(ctx context.Context, name string) error {
	for _, line := range []string{
		"rdma_create_id " + nameListen + " channel=" + nameEvents + " ps=" + r.portSpace(name).String(),
		fmt.Sprintf("rdma_bind_addr %s %s port=%d", nameListen, r.bindAddr(), r.p.Port), "rdma_listen " + nameListen,
	} {
		if err := r.exec(ctx, "%s", line); err != nil {
			return err
		}
	}
	return nil
}

// bindAddr returns the address to listen on, "" for any of IPv4 and IPv6. Soft-iWARP does not hear IPv4 on the latter,
// and perftest uses IPv4.
func (r *Run) bindAddr() string {
	if r.p.Bind != "" && r.p.Bind != oob.AnyAddress {
		return r.p.Bind
	}
	if r.p.Device == "" {
		return ""
	}
	byHand := func(d *verbs.DeviceInfo) error { return d.Lack(verbs.ByHand) }
	if _, err := device.Choose(r.s, r.p.Device, byHand, ""); err != nil {
		return "0.0.0.0"
	}
	return ""
}

// portSpace returns the port space of an identifier.
func (r *Run) portSpace(name string) verbs.CMPortSpace {
	if r.p.Connection == verbs.UD && name != nameControl {
		return verbs.PortSpaceUDP
	}
	return verbs.PortSpaceTCP
}

// cmEnd establishes the connection. reads is how many READs and atomics each end may
// have outstanding.
func (r *Run) cmEnd(ctx context.Context, name string, reads int) error {
	verb := "rdma_accept"
	limits := fmt.Sprintf("responder_resources=%d initiator_depth=%d rnr_retry_count=7", reads, reads)
	if r.p.Client() {
		verb, limits = "rdma_connect", limits+fmt.Sprintf(" retry_count=%d", r.p.RetryCount)
	}
	if err := r.exec(ctx, "%s %s %s", verb, name, limits); err != nil {
		return err
	}
	return r.exec(ctx, "rdma_get_cm_event ESTABLISHED id=%s timeout=%s", name, cmWait)
}

// makeCM makes the objects of the test and connects its queue pairs.
func (r *Run) makeCM(ctx context.Context) error {
	if !r.p.Client() {
		// Before the swap: perftest's client connects at once, and one that is rejected with several queue pairs fails.
		if err := r.cmListen(ctx, nameID); err != nil {
			return err
		}
	}
	if _, err := r.x.Dest(ctx, Dest{}); err != nil {
		return err
	}
	r.lanes = make([]lane, r.p.QPs)
	for i := range r.lanes {
		if err := r.connectLane(ctx, i); err != nil {
			return err
		}
		r.lanes[i].q = core.ObjectOf[*queue.QP](r.s, qpName(i))
	}
	if !r.p.Client() {
		if err := r.exec(ctx, "close %s", nameListen); err != nil {
			return err
		}
	}
	_, err := r.x.Dest(ctx, Dest{})
	return err
}

// connectLane connects a queue pair of the test. A client tries again if the server
// does not listen yet.
func (r *Run) connectLane(ctx context.Context, i int) (err error) {
	name, reads := fmt.Sprintf("%s%d", nameID, i), 0
	if r.p.Test.Verb == Read || r.p.Test.Verb == Atomic {
		reads = r.p.Outs
	}
	for attempt := 1; ; attempt++ {
		if err = r.cmBegin(ctx, name); err != nil {
			return err
		}
		if r.mr == nil {
			if err = r.make(ctx, "id="+name); err != nil {
				return err
			}
		}
		if err = r.exec(ctx, "rdma_create_qp %s %s %s", name, qpName(i), r.queueAttr()); err != nil {
			return err
		}
		end := func() error { return r.cmEnd(ctx, name, reads) }
		if r.p.Connection == verbs.UD {
			end = func() error { return r.cmEndUD(ctx, name, i) }
		} else if r.p.Timeout != DefaultTimeout {
			if err = r.exec(ctx, "rdma_set_option %s ACK_TIMEOUT %d", name, r.p.Timeout); err != nil {
				return err
			}
		}
		if r.p.Client() && r.p.TOS >= 0 {
			if err = r.exec(ctx, "rdma_set_option %s TOS %d", name, r.p.TOS); err != nil {
				return err
			}
		}
		if err = end(); err == nil || attempt == cmAttempts || !r.p.Client() || ctx.Err() != nil {
			return err
		}
		if err := errors.Join(r.exec(ctx, "close %s", qpName(i)), r.exec(ctx, "close %s", name)); err != nil {
			return err
		}
		core.Rest(ctx, cmPause)
	}
}
