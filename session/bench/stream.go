package bench

import (
	"fmt"
	"time"

	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// rounds runs rounds until finished, and takes the time.
func (l *loop) rounds(finished func() bool, round func() (some bool, err error)) error {
	err := l.Rounds(finished, round)
	l.bw.Over = l.now()
	return err
}

// stream posts as many requests as the depth allows and polls their completions, until
// all are done. As in perftest, it measures from the first post to the last completion.
func (l *loop) stream() error {
	l.begin()
	return l.rounds(l.finished, func() (bool, error) {
		if err := l.fillAll(); err != nil {
			return false, err
		}
		return l.takeSent()
	})
}

// finished reports whether the loop has done its work.
func (l *loop) finished() bool {
	if l.iters == 0 {
		return l.phase.Load() == over
	}
	return l.total == l.iters*uint64(len(l.lanes))
}

// fillAll posts requests to every lane while there is room.
func (l *loop) fillAll() error {
	for i := range l.lanes {
		if err := l.fill(&l.lanes[i], i); err != nil {
			return err
		}
	}
	return nil
}

// fill posts requests to one lane while there is room.
func (l *loop) fill(lane *lane, index int) error {
	list, first := uint64(len(lane.send)), lane.posted
	if !l.hasRoom(lane, list) {
		return nil
	}
	began := l.postTime()
	for l.hasRoom(lane, list) {
		l.place(lane, index)
		if n, err := lane.q.QP.PostSend(lane.send...); err != nil {
			return fmt.Errorf("post_send %s, message %d: %w", lane.q.Name, lane.posted+uint64(n)+1, err)
		}
		lane.posted += list
	}
	l.recordPosts(began, lane.posted-first)
	return nil
}

// hasRoom reports whether a lane may post list more requests.
func (l *loop) hasRoom(lane *lane, list uint64) bool {
	left := l.iters == 0 || lane.posted < l.iters
	return left && lane.posted-lane.completed+list <= l.depth && l.phase.Load() != over
}

// postTime returns the time if the times of posts are recorded. There is room for a post when completions have come,
// and it has their time: reading the clock may take as long as a post, and perftest reads a register of the CPU.
func (l *loop) postTime() time.Duration {
	if l.bw.Completed == nil {
		return 0
	}
	if l.came != 0 {
		return l.came
	}
	return l.now()
}

// recordPosts records the times of the n last posts, the first of which was made at began. Those of a long burst are
// spread evenly until now.
func (l *loop) recordPosts(began time.Duration, n uint64) {
	if l.bw.Completed == nil {
		return
	}
	took := time.Duration(0)
	if n > shortBurst*uint64(l.p.PostList) {
		took = l.now() - began
	}
	for i := range n {
		l.bw.Posted = append(l.bw.Posted, began+took*time.Duration(i)/time.Duration(n))
	}
}

// shortBurst is the number of calls of ibv_post_send that are taken to be made at one time.
const shortBurst = 4

// place sets the addresses and flags of the next requests.
func (l *loop) place(lane *lane, index int) {
	mod := uint64(l.p.CQMod)
	for j := range lane.send {
		wr, n := &lane.send[j], lane.posted+uint64(j)
		if l.sendStep > 0 {
			offset := n % l.sendSlots * l.sendStep
			wr.SGList[0].Addr = l.base + l.sendAt(index) + offset
			if wr.RKey != 0 {
				wr.RemoteAddr = lane.peer.VAddr + offset
			}
		}
		wr.SendFlags &^= verbs.SendSignaled
		if (n+1)%mod == 0 || n+1 == l.iters {
			wr.SendFlags |= verbs.SendSignaled
		}
	}
}

// takeSent counts the requests that have completed, and reports whether there are any.
func (l *loop) takeSent() (some bool, err error) {
	wcs, err := l.Poll(l.sendCQ, queue.LoopBatch)
	if len(wcs) > 0 && l.bw.Completed != nil {
		l.came = l.now()
	}
	for i := range wcs {
		l.sent(&wcs[i])
	}
	return len(wcs) > 0, err
}

// sent counts a completion, which stands for all requests since the last one.
func (l *loop) sent(wc *verbs.WC) {
	lane := &l.lanes[wc.WRID]
	n := uint64(l.p.CQMod)
	if l.iters > 0 {
		n = min(n, l.iters-lane.completed)
	}
	lane.completed += n
	if l.byLane() {
		lane.shown[sent].Store(lane.completed)
	}
	l.done(n)
	if l.bw.Completed != nil {
		l.bw.Completed[l.total-1] = l.came
	}
}

// receive takes the messages of a peer that sends. It measures from the first to the
// last message.
func (l *loop) receive() error {
	return l.rounds(l.finished, func() (bool, error) {
		return l.takeReceived(func() { l.done(1) })
	})
}

// takeReceived takes the messages that have arrived, and reports whether there are any.
// The first one begins the measurement.
func (l *loop) takeReceived(count func()) (some bool, err error) {
	wcs, err := l.Poll(l.recvCQ, queue.LoopBatch)
	if len(wcs) > 0 {
		l.begin()
	}
	for i := range wcs {
		if err := l.received(&wcs[i]); err != nil {
			return true, err
		}
		count()
	}
	return len(wcs) > 0, err
}

// received counts a message and posts another RECV in place of the one that it used.
func (l *loop) received(wc *verbs.WC) error {
	lane := &l.lanes[wc.WRID]
	lane.received++
	if l.byLane() {
		lane.shown[received].Store(lane.received)
	}
	if l.iters > 0 && lane.recvsPosted >= l.iters {
		return nil
	}
	return l.postRecvs(lane, int(wc.WRID), 1)
}

// both sends and receives at the same time. The server begins with the first message
// that it receives.
func (l *loop) both() error {
	began := l.p.Client()
	if began {
		l.begin()
	}
	got, all := uint64(0), l.iters*uint64(len(l.lanes))
	count := func() {
		if got++; l.phase.Load() == sampling {
			l.counted++
		}
	}
	return l.rounds(func() bool { return l.finished() && got >= all }, func() (bool, error) {
		took, err := l.takeReceived(count)
		if began = began || took; err == nil && began {
			err = l.fillAll()
		}
		if err != nil {
			return false, err
		}
		sent, err := l.takeSent()
		return took || sent, err
	})
}
