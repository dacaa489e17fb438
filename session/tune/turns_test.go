package tune

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// polled is a completion queue whose completions come after some polls.
type polled struct {
	verbs.CQ
	wcs   []verbs.WC
	after int
	err   error // of the calls that return completions, and of those after
}

func (p *polled) Poll(wcs []verbs.WC) (int, error) {
	if p.after--; p.after >= 0 {
		return 0, nil
	}
	n := copy(wcs, p.wcs)
	p.wcs = p.wcs[n:]
	return n, p.err
}

// TestAwaitFailure: the error of a failed message has the values of its completion, not those of another one.
func TestAwaitFailure(t *testing.T) {
	l := newLoop(t.Context(), &objects{}, 0, nil)
	l.recvCQ[0] = &queue.CQ{CQ: &polled{wcs: []verbs.WC{{Status: verbs.WCWRFlushErr, VendorErr: 0x57},
		{Status: verbs.WCLocLenErr, VendorErr: 0x99}}}}
	l.recvCQ[0].CQ.(*polled).err = syscall.EIO // after the completions
	if err := l.await(); err == nil || !strings.Contains(err.Error(), "completion WR_FLUSH_ERR, vendor_err 0x57") {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	l = newLoop(ctx, &objects{}, 0, nil)
	l.recvCQ[0] = &queue.CQ{CQ: &polled{err: syscall.EIO}}
	if err := l.await(); !errors.Is(err, syscall.EIO) {
		t.Errorf("a queue that breaks: %v", err)
	}
}

// TestAwaitSent waits for completions, and ends with the first failed one or with the context.
func TestAwaitSent(t *testing.T) {
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New(errSilent))
	for _, tt := range []struct {
		name string
		ctx  context.Context
		polled
		completed uint64
		want      string // part of the error
	}{
		{"at once", t.Context(), polled{wcs: make([]verbs.WC, 2)}, 8, ""},
		{"later", t.Context(), polled{wcs: make([]verbs.WC, 1), after: 3 * yieldEvery}, 4, ""},
		{"failed", t.Context(), polled{wcs: []verbs.WC{{Status: verbs.WCRetryExcErr}}}, 0, "RETRY_EXC_ERR"},
		{"breaks", t.Context(), polled{wcs: make([]verbs.WC, 1), err: syscall.EIO}, 0, "poll_cq: input/output error"},
		{"never", ended, polled{after: 3 * yieldEvery}, 0, errSilent},
	} {
		l := newLoop(tt.ctx, &objects{lanes: make([]lane, 1)}, 0, nil)
		l.Within(tt.ctx)
		l.signal, l.sendCQ[0] = 4, &queue.CQ{CQ: &tt.polled}
		err := l.awaitSent()
		if got := l.lanes[0].completed[0]; got != tt.completed || (err == nil) != (tt.want == "") ||
			err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %d completed, %v; want %d, %q", tt.name, got, err, tt.completed, tt.want)
		}
	}
}
