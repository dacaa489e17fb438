package queue

import "rdmatui/session/core"

// Own gives completion queues to a loop that polls them itself: no live poller takes their completions or the events of
// their channels, and requests on the queue pairs are not recorded one by one. The returned function gives them back.
func Own(s *core.Session, queues []*CQ, qps []*QP) (release func()) {
	var stopped []*CQ
	for _, q := range queues {
		for _, reader := range liveReaders(s, q.Channel) {
			reader.stopPolling()
			stopped = append(stopped, reader)
		}
		q.claim(true)
	}
	for _, q := range qps {
		q.Unnumber(s)
		q.RecordSteps(false)
	}
	return func() {
		for _, q := range qps {
			q.RecordSteps(true)
		}
		for _, q := range queues {
			q.claim(false)
			q.Posted()
		}
		for _, q := range stopped {
			startPolling(s, q) // starts once, even if the queue is listed twice
		}
	}
}

// claim takes the queue from its live poller, or gives it back.
func (q *CQ) claim(on bool) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	q.Claimed = on
}
