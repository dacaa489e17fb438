package post

import (
	"rdmatui/session/core"
	"rdmatui/session/queue"
)

// PostSRQRecv carries out post_srq_recv.
func PostSRQRecv(c *core.Call) error {
	q, err := core.ArgAs[*queue.SRQ](c, "srq", nil)
	if err != nil {
		return err
	}
	wr, count, err := recvRequest(c)
	if err != nil {
		return err
	}
	checkPostSRQRecv(c, q, wr.SGList, uint64(count), 0)
	c.Done.C = postCall(c, cReceive(wr))
	if err := postRecvs(c, q.SRQ, &q.Recvs, wr, count); err != nil {
		return err
	}
	queue.WakeReceivers(c.S, q)
	return nil
}
