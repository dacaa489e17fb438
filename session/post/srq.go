package post

import (
	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
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
	checkPostSRQRecv(c, q, wr.SGList, count)
	c.Done.Call = ccall.PostRecv("ibv_post_srq_recv", q.Name, &wr)
	if err := postRecvs(c, q.SRQ, &q.Recvs, wr, count); err != nil {
		return err
	}
	queue.WakeReceivers(c.S, q)
	return nil
}

func checkPostSRQRecv(c *core.Call, q *queue.SRQ, list []verbs.SGE, count int) {
	c.S.Mu.RLock()
	granted := q.Attr
	c.S.Mu.RUnlock()
	region.CheckSGEs(c, q.PD, list, granted.MaxSGE, "max_sge", verbs.LocalWrite)
	if n := q.Recvs.Len(); n+count > int(granted.MaxWR) {
		c.Warn("%d requests are outstanding, max_wr is %d", n, granted.MaxWR)
	}
}
