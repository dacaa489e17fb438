package session

import (
	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

func postSRQRecv(c *core.Call) error {
	q, err := core.ArgAs[*SRQ](c, "srq", nil)
	if err != nil {
		return err
	}
	wr, count, err := recvRequest(c)
	if err != nil {
		return err
	}
	checkPostSRQRecv(c, q, wr.SGList, count)
	c.Done.Call = ccall.PostRecv("ibv_post_srq_recv", q.Name, &wr)
	if err := postRecvs(c, q.srq, &q.recvs, wr, count); err != nil {
		return err
	}
	wakeReceivers(c.S, q)
	return nil
}

func checkPostSRQRecv(c *core.Call, q *SRQ, list []verbs.SGE, count int) {
	c.S.Mu.RLock()
	granted := q.attr
	c.S.Mu.RUnlock()
	region.CheckSGEs(c, q.pd, list, granted.MaxSGE, "max_sge", verbs.LocalWrite)
	if n := q.recvs.len(); n+count > int(granted.MaxWR) {
		c.Warn("%d requests are outstanding, max_wr is %d", n, granted.MaxWR)
	}
}
