package native

import (
	"fmt"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/failure"
)

// PostRecv implements verbs.QP. A queue pair on a shared receive queue has no
// receive queue, and not every driver checks that before it writes to it.
func (q *queuePair) PostRecv(wrs ...verbs.RecvWR) (posted int, err error) {
	if q.srq != nil {
		return 0, failure.Of("ibv_post_recv", q.name,
			fmt.Errorf("it takes its RECVs from %s: %w", q.srq.name, syscall.EINVAL))
	}
	if posted, err = postRecvs(&q.rq, wrs); err != nil {
		return posted, failure.Of("ibv_post_recv", q.name, err)
	}
	return posted, nil
}

// postRecvs posts to a queue pair's receive queue, or to a shared one.
func postRecvs(rq *workQueue[abi.RecvWR], wrs []verbs.RecvWR) (posted int, err error) {
	rq.mu.Lock()
	defer rq.mu.Unlock()
	if rq.ptr == 0 {
		return 0, verbs.ErrClosed
	}
	for posted < len(wrs) {
		taken, err := rq.submit(stageRecvs(rq, wrs[posted:]))
		posted += taken
		if err != nil {
			return posted, err
		}
	}
	return posted, nil
}

// stageRecvs chains as many requests as fit, and returns how many.
func stageRecvs(rq *workQueue[abi.RecvWR], wrs []verbs.RecvWR) (n int) {
	rq.begin()
	for n < min(len(wrs), len(rq.wrs)) {
		list, ok := rq.stageList(wrs[n].SGList)
		if !ok {
			break
		}
		rq.wrs[n] = abi.RecvWR{WRID: wrs[n].WRID, SGList: list, NumSGE: int32(len(wrs[n].SGList))}
		if n > 0 {
			rq.wrs[n-1].Next = rq.at(n)
		}
		n++
	}
	return n
}
