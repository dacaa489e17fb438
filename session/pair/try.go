package pair

import (
	"context"
	"fmt"
	"time"

	"rdmatui/session/agent"
	"rdmatui/verbs"
)

// attempt is one operation that was tried.
type attempt struct {
	tried   bool
	why     error // why it failed; nil: it succeeded
	at      *end  // the end at which it failed
	arrived bool  // the bytes are in the memory of the other end
}

// good reports whether the operation succeeded.
func (a *attempt) good() bool { return a.tried && a.why == nil }

// datagrams tells of UDP datagrams to another port than RoCE's, and to RoCE's.
type datagrams struct {
	why     error // why they could not be tried
	sent    []agent.Sent
	arrived map[int]bool // by size
	refused string       // the errno that a datagram to UDP port 4791 caused; "": none
}

// sizeTried is an RDMA_WRITE of one length.
type sizeTried struct {
	length int
	attempt
}

// series is many small RDMA_WRITEs, one after another.
type series struct {
	attempt
	latencies []time.Duration
}

// Numbers of the tries.
const (
	rocePort   = 4791
	regionSize = 1 << 20
	halfRegion = regionSize / 2 // the first half is sent, the second is written by the other end
	smallWrite = 16
	seriesLen  = 200
	// seriesPart is how many of them one line posts, so that it ends in time even if most packets are lost.
	seriesPart = 4
	// slowAllowed is how many requests of a series may exceed the retry timer: a busy host may delay one.
	slowAllowed = seriesLen / 100
	// quickRetry is the timeout of the queue pairs, 67 ms (4.096 µs × 2^14). With retry_cnt 7 it expires 8 times before
	// a request fails; hardware takes up to four times as long (IBA 9.9.2.1.2).
	quickRetry = 14
	// slowRetry is that of a series, 537 ms: longer than a busy host keeps an acknowledgement waiting.
	slowRetry     = 17
	slowTime      = 537 * time.Millisecond
	failTime      = "5s"
	roceHeaders   = 12 + 16 + 4 // BTH, RETH and ICRC: bytes of a RoCE v2 packet between the UDP header and the data
	smallDatagram = 32
)

// tryAll tries what can be tried. It returns an error only if an end no longer answers; what fails is remembered.
func (x *examination) tryAll(ctx context.Context) error {
	if x.a.gid == nil || x.b.gid == nil || x.a.facts.Device.State != portActive ||
		x.b.facts.Device.State != portActive {
		return nil
	}
	steps := []func(context.Context, *direction) error{x.tryWrite, x.trySend, x.trySizes, x.trySeries, x.tryManager}
	if x.overIP() {
		steps = append([]func(context.Context, *direction) error{x.askRoute, x.tryDatagrams, x.askHop}, steps...)
	}
	for _, step := range steps {
		for _, d := range x.ways() {
			if err := step(ctx, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// overIP reports whether both ends send RoCE v2 packets.
func (x *examination) overIP() bool { return x.a.gid.Type == roceV2 && x.b.gid.Type == roceV2 }

// lost returns the error of an end that no longer answers, and nil for an error that is a result.
func (e *end) lost(err error) error {
	if _, lost := lineError(err); lost != nil {
		return e.over(lost)
	}
	return nil
}

func (x *examination) askRoute(ctx context.Context, d *direction) error {
	d.route, d.noRoute = d.from.Conn.Path(ctx, agent.Addresses{From: d.from.gid.Addr, To: d.to.gid.Addr})
	return d.from.lost(d.noRoute)
}

// askHop reads the neighbour table again, after datagrams were sent.
func (x *examination) askHop(ctx context.Context, d *direction) error {
	var err error
	d.hop, err = d.from.Conn.Path(ctx, agent.Addresses{From: d.from.gid.Addr, To: d.to.gid.Addr})
	return d.from.lost(err)
}

// tryDatagrams sends UDP datagrams: small, and as long as the packets of the ends' MTUs.
func (x *examination) tryDatagrams(ctx context.Context, d *direction) error {
	d.datagram.arrived = map[int]bool{}
	port, err := d.to.Conn.Listen(ctx, agent.Endpoint{Addr: d.to.gid.Addr})
	if err != nil {
		d.datagram.why = err
		return d.to.lost(err)
	}
	sizes := []int{smallDatagram, x.smallMTU() + roceHeaders}
	to := agent.Datagrams{From: d.from.gid.Addr, To: d.to.gid.Addr, Port: port, Sizes: sizes}
	if d.datagram.sent, err = d.from.Conn.Send(ctx, to); err != nil {
		d.datagram.why = err
		return d.from.lost(err)
	}
	arrived, err := d.to.Conn.Arrived(ctx, len(sizes))
	for _, a := range arrived {
		d.datagram.arrived[a.Size] = true
	}
	if err != nil {
		d.datagram.why = err
		return d.to.lost(err)
	}
	to.Port, to.Sizes = rocePort, sizes[:1]
	sent, err := d.from.Conn.Send(ctx, to)
	if len(sent) > 0 {
		d.datagram.refused = sent[0].Errno
	}
	return d.from.lost(err)
}

// smallMTU is the smaller active_mtu of both ends, in bytes.
func (x *examination) smallMTU() int {
	return min(x.a.facts.Device.ActiveMTU, x.b.facts.Device.ActiveMTU)
}

// line carries out a line at an end.
func (e *end) line(ctx context.Context, format string, args ...any) ([]agent.Event, error) {
	return e.Conn.Run(ctx, fmt.Sprintf(format, args...))
}

// lines carries out lines until one fails.
func (e *end) lines(ctx context.Context, lines ...string) error {
	for _, l := range lines {
		if _, err := e.Conn.Run(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the objects that all tries share, once.
func (e *end) prepare(ctx context.Context) error {
	if !e.made {
		e.made = true
		e.ready = e.lines(ctx,
			fmt.Sprintf("open_device %s port_num=%d", e.facts.Device.Name, e.facts.Device.PortNum),
			"alloc_pd pd",
			fmt.Sprintf("reg_mr mr length=%d access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ", regionSize),
			fmt.Sprintf("create_cq cq cqe=%d", 2*seriesLen))
	}
	return e.ready
}

// failed records why an attempt failed at an end.
func (a *attempt) failed(e *end, err error) error {
	a.tried, a.why, a.at = true, err, e
	return e.lost(err)
}

// connect makes a new queue pair at both ends of a direction and connects them. ok is false if it failed, which is then
// the outcome of the attempt.
func (x *examination) connect(ctx context.Context, d *direction, timeout int, out *attempt) (qp string, ok bool,
	lost error) {
	x.made++
	qp = fmt.Sprintf("q%d", x.made)
	var num [2]string
	ends := []*end{d.from, d.to}
	for i, e := range ends {
		err := e.prepare(ctx)
		if err == nil {
			err = e.lines(ctx, "create_qp "+qp+" pd=pd send_cq=cq recv_cq=cq qp_type=RC",
				fmt.Sprintf("modify_qp %s INIT port_num=%d pkey_index=0 qp_access_flags=REMOTE_WRITE|REMOTE_READ", qp,
					e.facts.Device.PortNum))
		}
		if err == nil {
			num[i], err = e.Conn.Field(ctx, qp, "qp_num")
		}
		if err != nil {
			return qp, false, out.failed(e, err)
		}
	}
	for i, e := range ends {
		other := ends[1-i]
		err := e.lines(ctx,
			fmt.Sprintf("modify_qp %s RTR path_mtu=%d dest_qp_num=%s rq_psn=1 max_dest_rd_atomic=1 min_rnr_timer=12%s",
				qp, x.smallMTU(), num[1-i], address(e, other)),
			fmt.Sprintf("modify_qp %s RTS timeout=%d retry_cnt=7 rnr_retry=7 sq_psn=1 max_rd_atomic=1", qp, timeout))
		if err != nil {
			return qp, false, out.failed(e, err)
		}
	}
	out.tried = true
	return qp, true, nil
}

// address returns the arguments of modify_qp that lead to another end.
func address(e, other *end) string {
	s := fmt.Sprintf(" dgid=%s sgid_index=%d", other.gid.Addr, e.gid.Index)
	if e.facts.Device.LinkLayer != linkEthernet {
		s += fmt.Sprintf(" dlid=%d", other.facts.Device.LID)
	}
	return s
}

// disconnect destroys the queue pair of a try at both ends.
func (x *examination) disconnect(ctx context.Context, qp string) error {
	for _, e := range x.ends() {
		if _, err := e.line(ctx, "destroy_qp %s", qp); e.lost(err) != nil {
			return e.lost(err)
		}
	}
	return nil
}

// tryWrite writes a few bytes into the memory of the other end. If no acknowledgement comes, whether the bytes have
// arrived tells which of both directions loses packets.
func (x *examination) tryWrite(ctx context.Context, d *direction) error {
	qp, ok, lost := x.connect(ctx, d, quickRetry, &d.write)
	if ok {
		lost = d.writeOnce(ctx, qp, smallWrite, &d.write)
	}
	if lost != nil {
		return lost
	}
	return x.disconnect(ctx, qp)
}

// target returns where the other end's memory takes data, as arguments of post_send.
func (d *direction) target(ctx context.Context) (args string, err error) {
	text, err := d.to.Conn.Field(ctx, "mr", "addr")
	if err != nil {
		return "", err
	}
	addr, err := verbs.ParseUint(text, 64)
	if err != nil {
		return "", err
	}
	rkey, err := d.to.Conn.Field(ctx, "mr", "rkey")
	return fmt.Sprintf("remote_addr=0x%x rkey=%s", addr+halfRegion, rkey), err
}

// writeOnce writes a pattern with one request, waits for its completion and looks for the bytes.
func (d *direction) writeOnce(ctx context.Context, qp string, length int, out *attempt) error {
	target, err := d.target(ctx)
	if err == nil {
		_, err = d.to.line(ctx, "write_mem mr pattern:%d offset=%d", length, halfRegion) // other bytes than the pattern
	}
	if err != nil {
		return out.failed(d.to, err)
	}
	from := length%7 + 1 // not where the bytes before began, so that old bytes are not taken for new ones
	if _, err = d.from.line(ctx, "write_mem mr pattern:%d:%d", length, from); err == nil {
		_, err = d.from.line(ctx, "post_send %s RDMA_WRITE sge=mr:0:%d %s", qp, length, target)
	}
	if err != nil {
		return out.failed(d.from, err)
	}
	events, err := d.from.line(ctx, "poll_cq cq n=1 timeout=%s", failTime)
	if err := out.completed(d.from, events, err); err != nil {
		return err
	}
	_, err = d.to.line(ctx, "expect mem mr %d pattern:%d:%d", halfRegion, length, from)
	out.arrived = err == nil
	if err != nil && out.why == nil {
		return out.failed(d.to, err)
	}
	return d.to.lost(err)
}

// completed takes the outcome of a poll.
func (a *attempt) completed(e *end, events []agent.Event, err error) error {
	for _, ev := range events {
		if ev.Event != "wc" {
			continue
		}
		if ev.Status != statusSuccess && err == nil {
			err = &agent.LineError{Line: "poll_cq",
				Event: agent.Event{Err: "the completion has status " + string(ev.Status),
					Status: ev.Status, Hint: ev.Cause}}
		}
	}
	if err != nil {
		return a.failed(e, err)
	}
	return nil
}

// statusSuccess is the status of a good completion.
const statusSuccess = "SUCCESS"

// trySend sends a message into a posted buffer.
func (x *examination) trySend(ctx context.Context, d *direction) error {
	if !d.write.good() {
		return nil
	}
	qp, ok, lost := x.connect(ctx, d, quickRetry, &d.send)
	if !ok || lost != nil {
		return lost
	}
	if _, err := d.to.line(ctx, "post_recv %s sge=mr:%d:%d", qp, halfRegion, smallWrite); err != nil {
		return d.send.failed(d.to, err)
	}
	if _, err := d.from.line(ctx, "post_send %s SEND sge=mr:0:%d", qp, smallWrite); err != nil {
		return d.send.failed(d.from, err)
	}
	for _, e := range []*end{d.from, d.to} {
		events, err := e.line(ctx, "poll_cq cq n=1 timeout=%s", failTime)
		if err := d.send.completed(e, events, err); err != nil {
			return err
		}
		if d.send.why != nil {
			break
		}
	}
	return x.disconnect(ctx, qp)
}

// trySizes writes messages of about one packet, and of several.
func (x *examination) trySizes(ctx context.Context, d *direction) error {
	if !d.write.good() {
		return nil
	}
	mtu := x.smallMTU()
	for _, length := range []int{mtu - 1, mtu, mtu + 1, 4 * mtu} {
		s := sizeTried{length: length}
		qp, ok, lost := x.connect(ctx, d, quickRetry, &s.attempt)
		if ok {
			lost = d.writeOnce(ctx, qp, length, &s.attempt)
		}
		if lost == nil {
			lost = x.disconnect(ctx, qp)
		}
		if lost != nil {
			return lost
		}
		if d.sizes = append(d.sizes, s); s.why != nil {
			break
		}
	}
	return nil
}

// trySeries writes many small messages, each after the acknowledgement of the one before. A request that takes longer
// than the retry timer was sent more than once; a few of them are enough to know.
func (x *examination) trySeries(ctx context.Context, d *direction) error {
	if !d.write.good() {
		return nil
	}
	qp, ok, lost := x.connect(ctx, d, slowRetry, &d.many.attempt)
	if !ok || lost != nil {
		return lost
	}
	target, err := d.target(ctx)
	if err != nil {
		return d.many.failed(d.to, err)
	}
	for len(d.many.latencies) < seriesLen && d.many.slow() <= slowAllowed {
		events, err := d.from.line(ctx, "post_send %s RDMA_WRITE sge=mr:0:%d %s count=%d outstanding=1", qp, smallWrite,
			target, seriesPart)
		for _, ev := range events {
			if ev.Event == "wc" {
				d.many.latencies = append(d.many.latencies, time.Duration(ev.Latency*float64(time.Microsecond)))
			}
		}
		if err := d.many.completed(d.from, events, err); err != nil {
			return err
		}
		if d.many.why != nil || len(events) < seriesPart {
			break
		}
	}
	return x.disconnect(ctx, qp)
}

// slow counts the requests that took longer than the retry timer.
func (s *series) slow() (n int) {
	for _, l := range s.latencies {
		if l >= slowTime {
			n++
		}
	}
	return n
}

// cmPort is the port of the connection manager's try; it is a port of its own space, not of TCP's.
const cmPort = 18599

// tryManager connects through the connection manager.
func (x *examination) tryManager(ctx context.Context, d *direction) error {
	if !d.write.good() || !x.overIP() {
		return nil
	}
	d.manager.tried = true
	steps := []struct {
		at    *end
		lines []string
	}{
		{d.to, []string{"rdma_create_id l mode=event device=" + d.to.facts.Device.Name,
			fmt.Sprintf("rdma_bind_addr l %s port=%d", d.to.gid.Addr, cmPort), "rdma_listen l"}},
		{d.from, []string{"rdma_create_id c mode=event device=" + d.from.facts.Device.Name,
			fmt.Sprintf("rdma_resolve_addr c %s port=%d src=%s", d.to.gid.Addr, cmPort, d.from.gid.Addr),
			"rdma_get_cm_event ADDR_RESOLVED id=c timeout=5s", "rdma_resolve_route c",
			"rdma_get_cm_event ROUTE_RESOLVED id=c timeout=5s", "alloc_pd cmpd id=c", "create_cq cmcq id=c",
			"rdma_create_qp c cmq pd=cmpd send_cq=cmcq", "rdma_connect c"}},
		{d.to, []string{"rdma_get_cm_event CONNECT_REQUEST name=r timeout=5s", "alloc_pd cmpd id=r",
			"create_cq cmcq id=r",
			"rdma_create_qp r cmq pd=cmpd send_cq=cmcq", "rdma_accept r"}},
		{d.from, []string{"rdma_get_cm_event ESTABLISHED id=c timeout=5s"}},
	}
	for _, s := range steps {
		if err := s.at.lines(ctx, s.lines...); err != nil {
			if lost := d.manager.failed(s.at, err); lost != nil {
				return lost
			}
			break
		}
	}
	for _, tidy := range []struct {
		at    *end
		lines []string
	}{{d.from, []string{"rdma_disconnect c", "rdma_destroy_qp cmq", "close cmcq", "close cmpd", "rdma_destroy_id c"}},
		{d.to, []string{"rdma_destroy_qp cmq", "close cmcq", "close cmpd", "rdma_destroy_id r", "rdma_destroy_id l"}}} {
		for _, line := range tidy.lines {
			if _, err := tidy.at.Conn.Run(ctx,
				line); tidy.at.lost(err) != nil { // what was not made cannot be destroyed
				return tidy.at.lost(err)
			}
		}
	}
	return nil
}
