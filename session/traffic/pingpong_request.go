package traffic

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/session/post"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// requests makes the RECVs and one SEND per lane that the loop posts repeatedly.
func (p *pinger) requests(c *core.Call) error {
	send := verbs.SendWR{WRID: pingSendID, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}
	if err := p.destination(c, &send); err != nil {
		return err
	}
	r, err := p.buffer(c)
	if err != nil {
		return err
	}
	p.mr = r.MR
	send.SGList = []verbs.SGE{{Addr: r.MR.Addr() + uint64(p.header), Length: uint32(p.size), LKey: r.MR.LKey()}}
	for i := range p.lanes {
		l := &p.lanes[i]
		own := send
		if p.size <= int(l.q.Limits.MaxInlineData) {
			own.SendFlags |= verbs.SendInline
		}
		l.send = []verbs.SendWR{own}
	}
	c.Done.C = ccall.Text("a loop of ibv_post_send, ibv_poll_cq and ibv_post_recv")
	if p.srq != nil {
		c.Done.C = ccall.Text("a loop of ibv_post_send, ibv_poll_cq and ibv_post_srq_recv")
	}
	if p.validate && p.srq != nil {
		return p.makeSlots(r)
	}
	depth := max(p.account().Len(), min(PingDepth, int(p.mostRecvs())))
	p.recvs = make([]verbs.RecvWR, depth)
	whole := []verbs.SGE{{Addr: r.MR.Addr(), Length: uint32(p.header + p.size), LKey: r.MR.LKey()}}
	for i := range p.recvs {
		p.recvs[i] = verbs.RecvWR{WRID: pingRecvID, SGList: whole}
	}
	if p.validate {
		p.payload = newPayloadCheck(p.n, p.size, int64(p.header), p.client)
	}
	return nil
}

// destination sets the destination of a datagram; a connected queue pair has its own.
func (p *pinger) destination(c *core.Call, send *verbs.SendWR) error {
	q := p.lanes[0].q
	if q.Spec.QPType != verbs.UD {
		return post.NoDatagram(c, q)
	}
	p.header = verbs.GRHLen
	p.s.Mu.RLock()
	mtu := q.PD.Device.Port(q.Port()).ActiveMTU.Bytes()
	p.s.Mu.RUnlock()
	if p.size > mtu {
		return fmt.Errorf("a datagram is one packet, and the port's MTU is %d bytes", mtu)
	}
	for _, name := range []string{"remote_qpn", "remote_qkey"} {
		if !c.Cmd.Has(name) {
			return fmt.Errorf("%s is missing: a datagram needs a destination", name)
		}
	}
	a, err := core.ArgAs[*queue.AH](c, "ah", func(n *core.Node) bool { return n.Body.(*queue.AH).PD == q.PD })
	if err != nil {
		return err
	}
	send.AH, send.RemoteQPN, send.RemoteQKey = a.AH, verbs.QPN(c.Cmd.Uint("remote_qpn")),
		uint32(c.Cmd.Uint("remote_qkey"))
	return nil
}

// buffer finds the region for messages. As in the stock programs, one buffer serves
// both directions, so a client receives what it sent. Only when messages of several
// queue pairs are checked does each RECV have its own slot.
func (p *pinger) buffer(c *core.Call) (*region.MR, error) {
	need := uint64(p.header + p.size)
	if p.validate && p.srq != nil {
		need = 2 * uint64(p.size)
	}
	fits := func(n *core.Node) bool {
		r := n.Body.(*region.MR)
		return r.PD == p.lanes[0].q.PD && r.MR.Spec().Length >= need
	}
	r, err := core.ArgAs[*region.MR](c, "mr", fits)
	if err != nil {
		return nil, err
	}
	if size := r.MR.Spec().Length; size < need {
		return nil,
			fmt.Errorf("%s has %s, but a message has %s", r.Name, format.Counted(size, "byte"), format.Count(need))
	}
	return r, nil
}
