package bench

import (
	"errors"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestPostTimes: the posts after a completion begin with it. Those of one burst have the same time, or, if it is long,
// times that are spread evenly over it; without a peak there are no times.
func TestPostTimes(t *testing.T) {
	const none = -1
	for _, tt := range []struct {
		name             string
		change           func(p *Params)
		posted, complete []int // milliseconds; each post takes one
	}{
		{"single", func(p *Params) { p.Iters, p.TXDepth = 5, 1 }, []int{0, 1, 2, 3, 4},
			[]int{1, 2, 3, 4, 5}},
		{"short", func(p *Params) { p.Iters, p.TXDepth = 8, 4 },
			[]int{0, 0, 0, 0, 4, 4, 4, 4}, []int{4, 4, 4, 4, 8, 8, 8, 8}},
		{"long", func(p *Params) { p.Iters, p.TXDepth = 10, 5 },
			[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{5, 5, 5, 5, 5, 10, 10, 10, 10, 10}},
		{"long and short", func(p *Params) { p.Iters, p.TXDepth = 8, 6 },
			[]int{0, 1, 2, 3, 4, 5, 6, 6}, []int{6, 6, 6, 6, 6, 6, 8, 8}},
		{"short, of lists", func(p *Params) { p.Iters, p.TXDepth, p.PostList, p.CQMod = 16, 8, 2, 1 },
			[]int{0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8},
			[]int{8, 8, 8, 8, 8, 8, 8, 8, 16, 16, 16, 16, 16, 16, 16, 16}},
		{"long, of lists", func(p *Params) { p.Iters, p.TXDepth, p.PostList, p.CQMod = 10, 10, 2, 1 },
			[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{10, 10, 10, 10, 10, 10, 10, 10, 10, 10}},
		{"two queue pairs", func(p *Params) { p.Iters, p.TXDepth, p.QPs = 6, 2, 2 },
			[]int{0, 0, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8}, []int{4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12}},
		{"one completion for three", func(p *Params) { p.Iters, p.TXDepth, p.CQMod = 6, 3, 3 },
			[]int{0, 0, 0, 3, 3, 3}, []int{none, none, 3, none, none, 6}},
		{"no peak", func(p *Params) { p.Iters, p.TXDepth, p.NoPeak = 10, 5, true }, nil, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, pairs := newTestLoop(t, params(Write, false, func(p *Params) {
				p.Host, p.CQMod = "h", 1
				tt.change(p)
			}))
			for _, q := range pairs {
				q.after = func(int) { time.Sleep(time.Millisecond) }
			}
			if err := l.stream(); err != nil {
				t.Fatal(err)
			}
			posted, completed := inMS(l.bw.Posted), inMS(l.bw.Completed)
			for i, at := range completed {
				if at == 0 { // a request without a completion has no time
					completed[i] = none
				}
			}
			if !slices.Equal(posted, tt.posted) || !slices.Equal(completed, tt.complete) {
				t.Errorf("%s: posted at %v, completed at %v\nwant %v, %v", tt.name, posted, completed, tt.posted,
					tt.complete)
			}
			if over := time.Duration(l.total) * time.Millisecond; l.bw.Over != over {
				t.Errorf("%s: over after %s, want %s", tt.name, l.bw.Over, over)
			}
		})
	}
}

// inMS returns times in milliseconds.
func inMS(times []time.Duration) (list []int) {
	for _, at := range times {
		list = append(list, int(at/time.Millisecond))
	}
	return list
}

// TestLanesOfStream: each queue pair has its own progress, also if there is only one.
func TestLanesOfStream(t *testing.T) {
	for _, tt := range []struct {
		name     string
		change   func(p *Params)
		work     func(*loop) error
		sent     uint64
		received uint64
	}{
		{"one sends", func(p *Params) { p.Host = "h" }, (*loop).stream, 10, 0},
		{"three send", func(p *Params) { p.Host, p.QPs, p.TXDepth, p.CQMod = "h", 3, 3, 3 },
			(*loop).stream, 10, 0},
		{"one receives", func(*Params) {}, (*loop).receive, 0, 10},
		{"two receive", func(p *Params) { p.QPs = 2 }, (*loop).receive, 0, 10},
		{"both", func(p *Params) { p.Host, p.Bidirectional = "h", true }, (*loop).both, 10, 10},
		{"both, two each", func(p *Params) { p.Host, p.Bidirectional, p.QPs = "h", true, 2 },
			(*loop).both, 10, 10},
	} {
		l, pairs := newTestLoop(t, params(Send, false, func(p *Params) {
			p.RXDepth = 10
			tt.change(p)
		}))
		for i := range pairs {
			if !l.p.Receives() {
				break
			}
			if err := l.postRecvs(&l.lanes[i], i, l.recvs()); err != nil {
				t.Fatal(err)
			}
			for range 10 {
				pairs[i].arrive()
			}
		}
		if err := tt.work(l); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		for i, lane := range l.Lanes() {
			if lane.Sent != tt.sent || lane.Received != tt.received {
				t.Errorf("%s: %d sent and %d received on queue pair %d, want %d and %d", tt.name, lane.Sent,
					lane.Received, i, tt.sent, tt.received)
			}
		}
	}
}

// TestReceiverBegins: a server measures from its first message on, however long it has waited, and so do its posts if
// it also sends.
func TestReceiverBegins(t *testing.T) {
	for _, both := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l, pairs := newTestLoop(t, params(Send, false, func(p *Params) {
				p.RXDepth, p.Bidirectional = 10, both
			}))
			q, began := pairs[0], time.Now()
			q.recv.idle = func(vain int) { // a message comes after ten polls in vain, and then with each
				time.Sleep(time.Millisecond)
				if vain >= 10 || len(q.recvs) < len(q.posted) {
					q.arrive()
				}
			}
			work := l.work()
			if err := l.postRecvs(&l.lanes[0], 0, l.recvs()); err != nil {
				t.Fatal(err)
			}
			if err := work(); err != nil {
				t.Fatal(err)
			}
			if waited := l.start.Sub(began); waited != 10*time.Millisecond || l.bw.Over <= 0 ||
				l.bw.Over != time.Since(l.start) {
				t.Errorf("both %v: began after %s, took %s", both, waited, l.bw.Over)
			}
			if both && (len(l.bw.Posted) != 10 || l.bw.Posted[0] != 0) {
				t.Errorf("posted at %v", l.bw.Posted)
			}
		})
	}
}

// TestReceiveFails: a RECV that is refused while messages come ends the loop.
func TestReceiveFails(t *testing.T) {
	l, pairs := newTestLoop(t, params(Send, false, func(p *Params) { p.RXDepth = 3 }))
	if err := l.postRecvs(&l.lanes[0], 0, l.recvs()); err != nil {
		t.Fatal(err)
	}
	pairs[0].refused = 5
	for range 3 {
		pairs[0].arrive()
	}
	if err := l.receive(); !errors.Is(err, syscall.ENOMEM) || len(pairs[0].posted) != 4 {
		t.Errorf("%v, %d posted", err, len(pairs[0].posted))
	}
}

// TestStreamStaysAwake: with events, a loop that finds a completion with each poll does not ask for an event.
func TestStreamStaysAwake(t *testing.T) {
	l, pairs := newTestLoop(t, params(Write, false, func(p *Params) {
		p.Host, p.Events, p.TXDepth, p.CQMod = "h", true, 1, 1
	}))
	if err := l.stream(); err != nil || pairs[0].send.armed != 0 {
		t.Errorf("%v, asked for %d events", err, pairs[0].send.armed)
	}
}
