package incident

import (
	"net/netip"
	"time"

	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// link relates a packet to requests.
type link struct {
	sent     *queue.Message       // the send request that it carries or answers; nil: unknown
	inferred bool                 // sent follows from the order of requests, not from packet sequence numbers
	received *timeline.Completion // the RECV that its message completed, always inferred; nil: unknown
}

// skew is how much later than its packet a request may seem to be posted: the clock of a network interface is another.
const skew = time.Millisecond

// request identifies a posted request of a session.
type request struct{ command, index uint64 }

// end is a queue pair on the wire, or the sender to one.
type end struct {
	addr netip.Addr
	num  verbs.QPN
}

// link relates packets, requests and completions.
func (r *record) link() {
	r.links, r.done = make([]link, len(r.packets)), map[request]*timeline.Completion{}
	for i := range r.events {
		if c := &r.events[i].WC; r.events[i].Kind == timeline.KindWC && c.Matched && !c.Recv {
			r.done[request{c.Command, c.Index}] = c
		}
	}
	r.number()
	r.match()
	r.receive()
}

// match relates each packet to the request with its packet sequence number.
func (r *record) match() {
	asked, answered, datagrams := map[end][]*queue.Message{}, map[end][]*queue.Message{},
		map[verbs.QPN][]*queue.Message{}
	for i := range r.messages {
		m := &r.messages[i]
		switch {
		case !m.OnWire() || !m.Numbered && !r.inferred[m]:
		case m.Type == verbs.UD:
			datagrams[m.Num] = append(datagrams[m.Num], m)
		default:
			asked[end{m.Peer, m.PeerNum}] = append(asked[end{m.Peer, m.PeerNum}], m)
			answered[end{m.Peer, m.Num}] = append(answered[end{m.Peer, m.Num}], m)
		}
	}
	for i, p := range r.packets {
		info, ok := p.Wire.BTH.Opcode.Info()
		to := verbs.QPN(p.Wire.BTH.DestQP)
		var among []*queue.Message
		switch {
		case !ok || p.Err != nil:
		case p.Wire.Headers.Has(wire.HasDETH):
			among = datagrams[verbs.QPN(p.Wire.DETH.SrcQP)]
		case info.Response:
			among = answered[end{p.Src.Addr().Unmap(), to}]
		default:
			among = asked[end{p.Dst.Addr().Unmap(), to}]
		}
		m := newest(among, p)
		r.links[i] = link{sent: m, inferred: r.inferred[m]}
	}
}

// newest returns the newest of the messages that had been posted when a packet was seen and that has its number; nil if
// there is none.
func newest(among []*queue.Message, p *timeline.Packet) *queue.Message {
	psn := p.Wire.BTH.PSN
	for i := len(among) - 1; i >= 0; i-- {
		m := among[i]
		if m.At <= p.T+skew && psn.Sub(wire.PSN(m.First)) >= 0 && psn.Sub(wire.PSN(m.Last)) <= 0 &&
			(m.Type != verbs.UD || m.PeerNum == verbs.QPN(p.Wire.BTH.DestQP)) {
			return m
		}
	}
	return nil
}

// operation returns what a send request's packets ask for.
func operation(op verbs.WROpcode) wire.Operation {
	info, _ := wire.Opcode(op.Traits().BTH).Info()
	return info.Operation
}

// number gives requests without packet sequence numbers those of the messages on the wire, in their order.
func (r *record) number() {
	r.inferred = map[*queue.Message]bool{}
	groups := map[string][]*queue.Message{}
	for i := range r.messages {
		if m := &r.messages[i]; m.OnWire() && !m.Numbered {
			key := m.Device + "/" + m.Num.String()
			groups[key] = append(groups[key], m)
		}
	}
	for _, group := range groups {
		r.numberInOrder(group)
	}
}

// numberInOrder does this for the requests of one queue pair. A request takes the next message of its operation that
// began after its post and before its completion.
func (r *record) numberInOrder(group []*queue.Message) {
	seen, next := map[wire.PSN]bool{}, 0
	var last *queue.Message
	for _, p := range r.packets {
		info, ok := p.Wire.BTH.Opcode.Info()
		m := group[min(next, len(group)-1)]
		if !ok || p.Err != nil || info.Response || !p.Outgoing || p.Device != m.Device || !leads(m, p) {
			continue
		}
		psn := p.Wire.BTH.PSN
		if seen[psn] {
			continue
		}
		seen[psn] = true
		if info.Position&wire.Starts == 0 {
			if last != nil && psn.Sub(wire.PSN(last.Last)) > 0 {
				last.Last = verbs.PSN(psn)
			}
			continue
		}
		if last != nil { // a READ takes the numbers of its answer
			last.Last = verbs.PSN(psn.Add(-1))
		}
		last = nil
		for next < len(group) && group[next].At <= p.T+skew {
			m := group[next]
			next++
			if operation(m.Opcode) == info.Operation && !r.ended(m, p.T) {
				m.First, m.Last, last = verbs.PSN(psn), verbs.PSN(psn), m
				r.inferred[m] = true
				break
			}
		}
	}
	if last != nil && last.Opcode == verbs.WRRDMARead {
		last.Last = verbs.PSN(wire.PSN(last.First).Add(farPSN))
	}
}

// farPSN is further than the answer to any READ reaches: 2 GiB in packets of 4096 bytes.
const farPSN = 1 << 19

// leads reports whether a packet goes from the queue pair of a request to its destination.
func leads(m *queue.Message, p *timeline.Packet) bool {
	if p.Wire.Headers.Has(wire.HasDETH) {
		return m.Type == verbs.UD && verbs.QPN(p.Wire.DETH.SrcQP) == m.Num
	}
	return m.PeerNum == verbs.QPN(p.Wire.BTH.DestQP) && m.Peer == p.Dst.Addr().Unmap()
}

// ended reports whether a request had completed at a moment.
func (r *record) ended(m *queue.Message, at time.Duration) bool {
	c := r.done[request{m.Command, m.Index}]
	return c != nil && c.Posted+c.Latency < at
}

// place is a queue pair of an open device.
type place struct {
	device string
	num    verbs.QPN
}

// arrival is a message that a queue pair received.
type arrival struct {
	at      time.Duration // when its last packet came first
	psn     wire.PSN      // recorderOf its last packet
	packets []int         // with copies
}

// receive relates packets to the RECVs that their messages completed: in order, each to the next message that had
// arrived when it was polled.
func (r *record) receive() {
	arrived := r.arrivals()
	devices := map[string]string{} // the provider's name, by the session's and by completion queue
	for i := range r.snap.Devices {
		devices[r.snap.Devices[i].Name] = r.snap.Devices[i].Info.Name
	}
	for i := range r.snap.CQs {
		devices[r.snap.CQs[i].Name] = devices[r.snap.CQs[i].Device]
	}
	for i := range r.events {
		e := &r.events[i]
		if e.Kind != timeline.KindWC || !e.WC.Recv || e.WC.WC.Status == verbs.WCWRFlushErr {
			continue
		}
		at := place{devices[e.WC.CQ], e.WC.WC.QPNum}
		if list := arrived[at]; len(list) > 0 && list[0].at <= e.T+skew {
			for _, k := range list[0].packets {
				r.links[k].received = &e.WC
			}
			arrived[at] = list[1:]
		}
	}
}

// arrivals lists the messages that take a RECV, by queue pair, in the order in which they were complete.
func (r *record) arrivals() map[place][]*arrival {
	begun, arrived := map[place][]int{}, map[place][]*arrival{}
	for i, p := range r.packets {
		info, ok := p.Wire.BTH.Opcode.Info()
		if !ok || p.Err != nil || p.Outgoing || info.Response {
			continue
		}
		at := place{p.Device, verbs.QPN(p.Wire.BTH.DestQP)}
		if info.Position&wire.Starts != 0 {
			begun[at] = nil
		}
		begun[at] = append(begun[at], i)
		if info.Position&wire.Ends == 0 || info.Operation != wire.OpSend && !p.Wire.Headers.Has(wire.HasImmDt) {
			continue
		}
		list := arrived[at]
		if n := len(list); n > 0 && list[n-1].psn == p.Wire.BTH.PSN && info.Transport != wire.UD { // sent again
			list[n-1].packets = append(list[n-1].packets, begun[at]...)
			continue
		}
		arrived[at] = append(list, &arrival{p.T, p.Wire.BTH.PSN, begun[at]})
	}
	return arrived
}
