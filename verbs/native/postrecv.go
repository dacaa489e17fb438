package native

import (
	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

// PostRecv implements verbs.QP.
func (q *queuePair) PostRecv(wrs ...verbs.RecvWR) (posted int, err error) {
	q.rq.mu.Lock()
	defer q.rq.mu.Unlock()
	if q.rq.qp == 0 {
		return 0, fail("ibv_post_recv", q.name, verbs.ErrClosed)
	}
	for posted < len(wrs) {
		n, unfit := q.stageRecvs(wrs[posted:])
		taken, err := q.rq.submit(n)
		posted += taken
		if err == nil {
			err = unfit
		}
		if err != nil {
			return posted, fail("ibv_post_recv", q.name, err)
		}
	}
	return posted, nil
}

// stageRecvs chains as many requests as fit. The error is about the one behind
// them.
func (q *queuePair) stageRecvs(wrs []verbs.RecvWR) (n int, err error) {
	q.rq.begin()
	for n < min(len(wrs), postBatch) {
		list, ok, err := q.rq.stageList(wrs[n].SGList)
		if !ok || err != nil {
			return n, err
		}
		q.rq.wrs[n] = abi.RecvWR{WRID: wrs[n].WRID, SGList: list, NumSGE: int32(len(wrs[n].SGList))}
		if n > 0 {
			q.rq.wrs[n-1].Next = q.rq.at(n)
		}
		n++
	}
	return n, nil
}
