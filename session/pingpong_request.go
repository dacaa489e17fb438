package session

import (
	"fmt"

	"rdmatui/verbs"
)

// grhLen is the room that a RECV of a datagram has before the message; IBA 11.4.1.2.
const grhLen = 40

// requests makes the RECVs and the one SEND that the loop posts again and again.
func (p *pinger) requests(c *call) error {
	send := verbs.SendWR{WRID: pingSendID, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled}
	if err := p.destination(c, &send); err != nil {
		return err
	}
	r, err := p.buffer(c)
	if err != nil {
		return err
	}
	p.mr = r.mr
	send.SGList = []verbs.SGE{{Addr: r.mr.Addr() + uint64(p.header), Length: uint32(p.size), LKey: r.mr.LKey()}}
	if p.size <= int(p.q.limits.MaxInlineData) {
		send.SendFlags |= verbs.SendInline
	}
	p.send = []verbs.SendWR{send}
	depth := max(p.q.recvs.len(), min(pingDepth, int(p.q.limits.MaxRecvWR)))
	p.recvs = make([]verbs.RecvWR, depth)
	whole := []verbs.SGE{{Addr: r.mr.Addr(), Length: uint32(p.header + p.size), LKey: r.mr.LKey()}}
	for i := range p.recvs {
		p.recvs[i] = verbs.RecvWR{WRID: pingRecvID, SGList: whole}
	}
	if p.validate {
		p.payload = newPayloadCheck(p.n, p.size, int64(p.header), p.client)
	}
	c.done.Call = "a loop of ibv_post_send, ibv_poll_cq and ibv_post_recv"
	return nil
}

// destination says of a datagram where it goes; a connected queue pair knows.
func (p *pinger) destination(c *call, send *verbs.SendWR) error {
	if p.q.spec.QPType != verbs.UD {
		return noDatagram(c, p.q)
	}
	p.header = grhLen
	if mtu := p.q.pd.dev.port(p.q.port()).ActiveMTU.Bytes(); p.size > mtu {
		return fmt.Errorf("a datagram is one packet, and the port's MTU is %d bytes", mtu)
	}
	for _, name := range []string{"remote_qpn", "remote_qkey"} {
		if !c.cmd.Has(name) {
			return fmt.Errorf("%s is missing: a datagram names where it goes", name)
		}
	}
	a, err := argAs[*addressHandle](p.s, c, "ah", func(n *node) bool { return n.res.(*addressHandle).pd == p.q.pd })
	if err != nil {
		return err
	}
	send.AH, send.RemoteQPN, send.RemoteQKey = a.ah, verbs.QPN(c.cmd.Uint("remote_qpn")), uint32(c.cmd.Uint("remote_qkey"))
	return nil
}

// buffer finds the region that messages come into and go out of, one for both
// as in the stock programs: what a client sends comes back to it.
func (p *pinger) buffer(c *call) (*region, error) {
	need := uint64(p.header + p.size)
	fits := func(n *node) bool {
		r := n.res.(*region)
		return r.pd == p.q.pd && r.mr.Spec().Length >= need
	}
	r, err := argAs[*region](p.s, c, "mr", fits)
	if err != nil {
		return nil, err
	}
	if size := r.mr.Spec().Length; size < need {
		return nil, fmt.Errorf("%s has %d bytes, a message %d", r.name, size, need)
	}
	return r, nil
}
