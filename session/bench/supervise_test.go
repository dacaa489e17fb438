package bench

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestPhases: a test of given duration counts between its margins, which begin with the first message.
func TestPhases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newTestLoop(t, params(Write, false, func(p *Params) {
			p.Host, p.Duration, p.Margin = "h", 10*time.Second, 2*time.Second
		}))
		ended := make(chan struct{})
		started := 0
		l.clock = func() { started++; go l.phases(ended) }
		time.Sleep(time.Minute) // waiting for the peer does not count
		for range 2 {           // the second time does nothing
			l.begin()
		}
		for _, want := range []struct {
			at    time.Duration
			phase int32
		}{
			{time.Second, warming}, {3 * time.Second, sampling}, {7 * time.Second, sampling},
			{9 * time.Second, cooling}, {11 * time.Second, over},
		} {
			time.Sleep(want.at - l.now())
			synctest.Wait()
			if got := l.phase.Load(); got != want.phase {
				t.Errorf("after %s: phase %d, want %d", want.at, got, want.phase)
			}
			l.done(5)
		}
		if started != 1 || l.from != 2*time.Second || l.to != 8*time.Second || l.counted != 10 || l.total != 25 {
			t.Errorf("started %d times; %d of %d counted from %s to %s", started, l.counted, l.total, l.from, l.to)
		}
		if r := l.report(); r.Iters != 10 || r.Rate != 10/6.0/1e6 || r.Peak != 0 {
			t.Errorf("%+v", r)
		}
		if at := l.Progress().Since; !at.Equal(l.start) {
			t.Errorf("since %s, began %s", at, l.start)
		}
	})
}

// TestPhasesEnd: the phases of a test that ends early end with it.
func TestPhasesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newTestLoop(t, params(Write, false, func(p *Params) {
			p.Host, p.Duration, p.Margin = "h", 10*time.Second, 2*time.Second
		}))
		ended, left := make(chan struct{}), make(chan struct{})
		l.start = time.Now()
		go func() {
			l.phases(ended)
			close(left)
		}()
		time.Sleep(3 * time.Second)
		close(ended)
		<-left
		if now := l.now(); now != 3*time.Second || l.phase.Load() != sampling {
			t.Errorf("after %s, phase %d", now, l.phase.Load())
		}
	})
}

// TestSupervise: a loop ends for the reason of its context, when its peer has left and nothing arrives any more, or
// when nothing has completed for a minute; progress keeps it going.
func TestSupervise(t *testing.T) {
	errStop := errors.New("stop")
	for _, tt := range []struct {
		name    string
		gone    bool
		early   bool
		moving  time.Duration // messages complete until then
		stopped time.Duration // when the context ends; 0: never
		ended   time.Duration // when the loop ends by itself; 0: never
		want    string
		after   time.Duration
	}{
		{name: "silent", want: "no message completed for 60 s, after 1 message of 8 bytes", after: silence},
		{name: "moving", moving: 10 * time.Minute, after: 10*time.Minute + silence,
			want: "no message completed for 60 s, after 6,001 messages of 8 bytes"},
		{name: "left", gone: true, want: "the peer left after 1 message of 8 bytes", after: grace},
		{name: "left, its messages still come", gone: true, moving: 5 * time.Second, after: 5*time.Second + grace,
			want: "the peer left after 51 messages of 8 bytes"},
		{name: "early", early: true, want: "the peer ended its test after 1 message of 8 bytes, this end has -n 10: " +
			"give both ends the same", after: lead},
		{name: "stopped", stopped: time.Second, want: "stop", after: time.Second},
		{name: "ended", gone: true, ended: time.Second, after: time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, _ := newTestLoop(t, params(Write, false, func(p *Params) { p.Host = "h" }))
			l.link.(*quiet).gone, l.link.(*quiet).early = tt.gone, tt.early
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			ended, start := make(chan struct{}), time.Now()
			l.progress.messages.Store(1)
			go func() {
				for i := range int(tt.moving / glance) {
					time.Sleep(glance)
					l.progress.messages.Store(uint64(i) + 2)
				}
			}()
			if tt.stopped > 0 {
				time.AfterFunc(tt.stopped, func() { cancel(errStop) })
			}
			if tt.ended > 0 {
				time.AfterFunc(tt.ended, func() { close(ended) })
			}
			err := l.supervise(ctx, ended)
			if took := time.Since(start); took < tt.after || took > tt.after+2*glance {
				t.Errorf("%s: ended after %s, want %s", tt.name, took, tt.after)
			}
			if err == nil && tt.want != "" || err != nil && err.Error() != tt.want {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
			}
			if PeerLeft(err) != (tt.gone && tt.ended == 0) {
				t.Errorf("%s: peer left %v", tt.name, PeerLeft(err))
			}
		})
	}
}
