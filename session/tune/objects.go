package tune

import (
	"context"
	"fmt"
	"slices"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// objects are the objects of a variant.
type objects struct {
	setup
	made []string // their names, in the order of their making

	mr             *region.MR
	sendCQ, recvCQ [2]*queue.CQ // of each end
	srq            *queue.SRQ
	lanes          []lane
}

// lane is a connected pair of queue pairs. Messages go from ends[0] to ends[1]; a
// ping-pong also sends back.
type lane struct {
	ends [2]*queue.QP
	send [2][]verbs.SendWR // of one cycle of messages
	recv [2][]verbs.RecvWR // one

	posted, completed [2]uint64 // messages, by end
	received          uint64    // messages at ends[1]
}

// settled returns the setup with defaults and with the values of the host.
func (s setup) settled(h *host) setup {
	s.pairs, s.depth, s.list, s.signal = max(s.pairs, 1), max(s.depth, 1), max(s.list, 1), max(s.signal, 1)
	if s.rdAtomic == mostReads {
		s.rdAtomic = h.reads
	}
	s.span = max(s.span, s.size)
	if h.ex != nil {
		s.moderation.Count = min(s.moderation.Count, h.ex.CQModCaps.MaxCQCount)
		s.moderation.Period = min(s.moderation.Period, h.ex.CQModCaps.MaxCQPeriod)
	}
	return s
}

// receives reports whether messages use receive requests.
func (s *setup) receives() bool {
	return slices.ContainsFunc(s.message, func(o verbs.WROpcode) bool { return o.Traits().NeedRecv })
}

// recvs is the number of receive requests of a queue pair: those of the outstanding
// messages, and as many that were used but not yet posted again.
func (s *setup) recvs() int { return 2 * (s.depth + s.list) }

// makeObjects makes the objects of a variant. What was made before an error is listed
// in made.
func (r *Run) makeObjects(ctx context.Context, prefix string, s setup) (o *objects, err error) {
	o = &objects{setup: s}
	name := func(kind string) string { return "tune-" + prefix + "-" + kind }
	do := func(verb, kind, format string, args ...any) {
		if err == nil {
			if err = r.exec(ctx, verb+" "+name(kind)+" "+fmt.Sprintf(format, args...)); err == nil {
				o.made = append(o.made, name(kind))
			}
		}
	}
	on := "device=" + r.dev.Name
	do("alloc_pd", "pd", "%s", on)
	length, backing, channel, srq, inline := o.area()*uint64(2*s.pairs), "", "", "", 0
	if s.inline {
		inline = s.size
	}
	if s.huge {
		length, backing = memory.InHugePages(length), " backing=hugetlb"
	}
	do("reg_mr", "mr", "pd=%s length=%d access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ%s", name("pd"),
		length, backing)
	if s.shared {
		do("create_srq", "srq", "pd=%s max_wr=%d", name("pd"), s.pairs*s.recvs())
	}
	for end := range 2 {
		if s.waiting != polling {
			do("create_comp_channel", fmt.Sprint("channel", end), "%s", on)
			channel = " channel=" + name(fmt.Sprint("channel", end))
		}
		do("create_cq", fmt.Sprint("send-cq", end), "%s cqe=%d", on, s.pairs*s.depth*len(s.message))
		do("create_cq", fmt.Sprint("recv-cq", end), "%s cqe=%d%s", on, s.pairs*s.recvs(), channel)
		if m := s.moderation; m.Count > 0 && err == nil {
			err = r.exec(ctx, fmt.Sprintf("modify_cq %s cq_count=%d cq_period=%d", name(fmt.Sprint("recv-cq", end)),
				m.Count, m.Period))
		}
		if s.shared && end == 1 {
			srq = " srq=" + name("srq")
		}
		for i := range s.pairs {
			do("create_qp", queueName(i, end), "pd=%s send_cq=%s recv_cq=%s qp_type=RC max_send_wr=%d max_recv_wr=%d "+
				"max_send_sge=%d max_inline_data=%d%s", name("pd"),
				name(fmt.Sprint("send-cq", end)), name(fmt.Sprint("recv-cq", end)), s.depth*len(s.message), s.recvs(),
				max(s.pieces, 1), inline, srq)
		}
	}
	path := ""
	if s.mtu != 0 {
		path += fmt.Sprintf(" path_mtu=%d", s.mtu.Bytes())
	}
	if s.rdAtomic > 0 {
		path += fmt.Sprintf(" max_rd_atomic=%d max_dest_rd_atomic=%d", s.rdAtomic, s.rdAtomic)
	}
	for i := 0; i < s.pairs && err == nil; i++ {
		err = r.exec(ctx, fmt.Sprintf("connect_qps %s %s%s", name(queueName(i, 0)), name(queueName(i, 1)), path))
	}
	if err != nil {
		return o, err
	}
	o.mr, o.srq = core.ObjectOf[*region.MR](r.s, name("mr")), core.ObjectOf[*queue.SRQ](r.s, name("srq"))
	o.lanes = make([]lane, s.pairs)
	for end := range 2 {
		o.sendCQ[end], o.recvCQ[end] = core.ObjectOf[*queue.CQ](r.s, name(fmt.Sprint("send-cq", end))),
			core.ObjectOf[*queue.CQ](r.s, name(fmt.Sprint("recv-cq", end)))
		for i := range o.lanes {
			o.lanes[i].ends[end] = core.ObjectOf[*queue.QP](r.s, name(queueName(i, end)))
			o.requests(i, end)
		}
	}
	return o, o.fillReceiveQueues()
}

func queueName(index, end int) string { return fmt.Sprintf("qp%d-%d", index, end) }

// destroy closes the objects, the last first.
func (r *Run) destroy(o *objects) (err error) {
	for _, name := range slices.Backward(o.made) {
		if cerr := r.exec(context.WithoutCancel(r.s.Ctx), "close "+name); err == nil {
			err = cerr
		}
	}
	return err
}

// area is the bytes of one end of a pair.
func (s *setup) area() uint64 { return uint64(s.span+4095) &^ 4095 }

// addrOf returns where the area of one end of a pair begins.
func (o *objects) addrOf(index, end int) uint64 { return o.mr.MR.Addr() + uint64(2*index+end)*o.area() }

// step is the number of messages after which a signalled request and the end of a list
// coincide.
func (s *setup) step() int { return max(s.list, s.signal) }

// cycle is the number of messages after which the requests repeat.
func (s *setup) cycle() int { return max(s.step(), s.span/max(s.size, 1)) }

// requests makes the requests that one end of a pair posts again and again. Their wr_id
// is the pair.
func (o *objects) requests(index, end int) {
	l := &o.lanes[index]
	for n := range o.cycle() {
		for part, op := range o.message {
			l.send[end] = append(l.send[end], o.request(index, end, op, n, part))
		}
	}
	recv := verbs.RecvWR{WRID: uint64(index)}
	if slices.Contains(o.message, verbs.WRSend) {
		recv.SGList = []verbs.SGE{{Addr: o.addrOf(index, end), Length: uint32(o.size), LKey: o.mr.MR.LKey()}}
	}
	l.recv[end] = []verbs.RecvWR{recv}
}

// request makes one request: a part of message n of a cycle.
func (o *objects) request(index, end int, op verbs.WROpcode, n, part int) verbs.SendWR {
	wr := verbs.SendWR{WRID: uint64(index), Opcode: op}
	last, at := part == len(o.message)-1, uint64(n*o.size%o.span)
	length := uint32(o.size)
	if len(o.message) > 1 && last {
		length = 1 // only tells the receiver that the data is there
	}
	if op.Traits().Remote {
		wr.RemoteAddr, wr.RKey = o.addrOf(index, 1-end)+at, o.mr.MR.RKey()
	}
	pieces := uint32(1)
	if o.pieces > 1 && !o.copied {
		pieces = uint32(o.pieces)
	}
	for i := range pieces {
		own := length / pieces
		wr.SGList = append(wr.SGList, verbs.SGE{Addr: o.addrOf(index, end) + at + uint64(i*own), Length: own,
			LKey: o.mr.MR.LKey()})
	}
	if o.inline {
		wr.SendFlags |= verbs.SendInline
	}
	if o.solicited && last && (n+1)%o.list == 0 {
		wr.SendFlags |= verbs.SendSolicited
	}
	if last && (n+1)%o.signal == 0 {
		wr.SendFlags |= verbs.SendSignaled
	}
	return wr
}

// fillReceiveQueues posts the receive requests.
func (o *objects) fillReceiveQueues() error {
	if !o.receives() {
		return nil
	}
	for i := range o.lanes {
		for end := range 2 {
			for range o.recvs() {
				if err := o.postRecv(i, end); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// postRecv posts one receive request.
func (o *objects) postRecv(index, end int) (err error) {
	l := &o.lanes[index]
	if o.srq != nil && end == 1 {
		_, err = o.srq.SRQ.PostRecv(l.recv[end]...)
	} else {
		_, err = l.ends[end].QP.PostRecv(l.recv[end]...)
	}
	if err != nil {
		return fmt.Errorf("post_recv: %w", err)
	}
	return nil
}

// exec carries out a line.
func (r *Run) exec(ctx context.Context, line string) error { return r.s.Do(ctx, line, true) }
