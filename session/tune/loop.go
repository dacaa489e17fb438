package tune

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"rdmatui/session/queue"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// yieldEvery is the number of empty polls after which other goroutines run: the software device may be one of them.
const yieldEvery = 64

// silence is how long no message may complete.
const silence = 10 * time.Second

// loop measures rounds of one variant at one end. Only one goroutine uses it.
type loop struct {
	*objects
	queue.Loop
	end     int
	ctx     context.Context
	crashed verbs.CrashHook

	until  time.Time // the end of the round
	least  uint64    // messages of the round
	posted uint64    // in this round
	ended  time.Time // when the last message of the round had completed
	events uint64

	spin time.Duration // how long a hybrid receiver polls
	app  [][]byte      // the parts of a message that are copied
	cpus []int         // that the thread is bound to; nil: any
}

func newLoop(ctx context.Context, o *objects, end int, crashed verbs.CrashHook) *loop {
	l := &loop{objects: o, end: end, ctx: ctx, crashed: crashed}
	l.Loop = queue.Loop{Queues: []*queue.CQ{o.recvCQ[end]}, Failed: failed, Broken: notPolled, Late: true,
		Solicited: o.solicited, Silence: silence, Yield: yieldEvery}
	if o.copied {
		l.app = make([][]byte, o.pieces)
		for i := range l.app {
			l.app[i] = make([]byte, o.size/o.pieces)
		}
	}
	return l
}

// round measures once, for at least a time and a number of messages.
func (l *loop) round(work func(*loop) error, span time.Duration, least uint64) (*round, error) {
	if l.cpus != nil {
		release, err := pin(l.cpus)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		return nil, err
	}
	start := time.Now()
	l.until, l.least, l.posted, l.events = start.Add(span), least, 0, 0
	l.Begin(l.ctx)
	err := work(l)
	if l.events += uint64(l.End()); err != nil {
		return nil, err
	}
	took := l.ended.Sub(start)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		return nil, err
	}
	return &round{messages: l.posted, size: l.size, events: l.events, took: took,
		cpu: cpuTime(&after) - cpuTime(&before)}, nil
}

func cpuTime(u *syscall.Rusage) time.Duration {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// enough reports whether the round may end.
func (l *loop) enough() bool {
	return l.posted >= l.least && !time.Now().Before(l.until)
}

// post posts the next list of messages of a pair.
func (l *loop) post(lane *lane) error {
	if l.copied {
		for i, part := range l.app {
			if _, err := l.mr.MR.WriteAt(part, int64(i*len(part))); err != nil {
				return err
			}
		}
	}
	posted := &lane.posted[l.end]
	at := int(*posted%uint64(l.cycle())) * len(l.message)
	if _, err := lane.ends[l.end].QP.PostSend(lane.send[l.end][at : at+l.list*len(l.message)]...); err != nil {
		return fmt.Errorf("post_send, message %s: %w", format.Count(*posted+1), err)
	}
	*posted += uint64(l.list)
	return nil
}

// failed says which completion ends a loop.
func failed(wc *verbs.WC) error {
	return fmt.Errorf("a message failed: completion %s, vendor_err %#x", wc.Status, wc.VendorErr)
}

// notPolled says that a queue cannot be polled.
func notPolled(_ *queue.CQ, err error) error { return fmt.Errorf("poll_cq: %w", err) }

// stream keeps as many messages outstanding on every pair as the depth allows.
func (l *loop) stream() error {
	over := false
	err := l.Rounds(func() bool { return over }, func() (bool, error) {
		posting, outstanding := !l.enough(), false
		for i := range l.lanes {
			lane := &l.lanes[i]
			for posting && lane.room(0, l.depth) >= l.step() {
				if err := l.postStep(lane); err != nil {
					return false, err
				}
			}
			outstanding = outstanding || lane.completed[0] < lane.posted[0] ||
				l.receives() && lane.received < lane.posted[0]
		}
		if over = !posting && !outstanding; over {
			return true, nil
		}
		got, err := l.reap()
		return got > 0, err
	})
	l.ended = time.Now()
	return err
}

// postStep posts messages up to the next at which a signalled request and the end of a
// list coincide.
func (l *loop) postStep(lane *lane) error {
	for range l.step() / l.list {
		if err := l.post(lane); err != nil {
			return err
		}
	}
	l.posted += uint64(l.step())
	return nil
}

// reap polls both queues once, posts receive requests again, and returns how many
// completions there were.
func (l *loop) reap() (int, error) {
	got := 0
	if l.receives() {
		n, err := l.reapReceived()
		if err != nil {
			return 0, err
		}
		got += n
	}
	n, err := l.reapSent()
	return got + n, err
}

// reapSent polls the completions of send requests.
func (l *loop) reapSent() (int, error) {
	wcs, err := l.Poll(l.sendCQ[l.end], queue.LoopBatch)
	l.countSent(wcs)
	return len(wcs), err
}

// countSent counts the messages that have completed.
func (l *loop) countSent(wcs []verbs.WC) {
	for i := range wcs {
		l.lanes[wcs[i].WRID].completed[l.end] += uint64(l.signal)
	}
}

func (l *loop) reapReceived() (int, error) {
	wcs, err := l.Poll(l.recvCQ[1], queue.LoopBatch)
	if err != nil {
		return 0, err
	}
	for i := range wcs {
		index := int(wcs[i].WRID)
		if l.srq != nil {
			index = l.laneOf(wcs[i].QPNum)
		}
		l.lanes[index].received++
		if err := l.postRecv(int(wcs[i].WRID), 1); err != nil {
			return 0, err
		}
	}
	return len(wcs), nil
}

// laneOf returns the pair of a receiving queue pair.
func (l *loop) laneOf(n verbs.QPN) int {
	for i := range l.lanes {
		if l.lanes[i].ends[1].Num == n {
			return i
		}
	}
	return 0
}
