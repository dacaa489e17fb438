package queue

import (
	"syscall"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
)

// dying is a queue that breaks after its last completions, in the call that returns them.
type dying struct {
	verbs.CQ
	wcs []verbs.WC
}

func (q *dying) Poll(wcs []verbs.WC) (int, error) {
	n := copy(wcs, q.wcs)
	if q.wcs = q.wcs[n:]; len(q.wcs) > 0 {
		return n, nil
	}
	return n, syscall.EIO
}

// TestCompletionsBeforeAnError: completions that come with an error of the queue are recorded and returned.
func TestCompletionsBeforeAnError(t *testing.T) {
	for name, poll := range map[string]func(s *core.Session, q *CQ) (int, error){
		"poll_cq": func(s *core.Session, q *CQ) (int, error) {
			got, err := take(s, q, nil, 10)
			return len(got), err
		},
		"live":    pollOnce,
		"claimed": func(s *core.Session, q *CQ) (int, error) { return q.TakeClaimed(s) },
	} {
		s := core.New(core.Options{}, core.Wiring{
			Record: func(*core.Session) core.Recorder { return nil },
			Close:  func(*core.Session) error { return nil },
		})
		q := &CQ{dev: &device.Device{}, Node: &core.Node{Name: "cq"}, CQ: &dying{wcs: make([]verbs.WC, 3)}}
		q.Wake = make(chan struct{}, 1)
		n, err := poll(s, q)
		if n != 3 || err == nil || q.Completed.Load() != 3 {
			t.Errorf("%s: %d completions, %v; %d recorded", name, n, err, q.Completed.Load())
		}
		if name == "live" && len(q.Inbox.Pop(nil, 10)) != 3 {
			t.Errorf("%s: poll_cq does not find them", name)
		}
	}
}

// TestBatchGrows: a queue that is never full keeps little room; one that is gets more, up to the bound.
func TestBatchGrows(t *testing.T) {
	var h harvester
	for _, filled := range []int{0, 1, firstBatch - 1} {
		if got := len(h.batch(PollBatch)); got != firstBatch {
			t.Errorf("after %d completions: room for %d", filled, got)
		}
	}
	for want := 2 * firstBatch; want <= 4*PollBatch; want *= 2 {
		h.filled = true
		if got := len(h.batch(PollBatch)); got != min(want, PollBatch) || len(h.out) != got {
			t.Errorf("room for %d and %d, want %d", got, len(h.out), min(want, PollBatch))
		}
	}
	if got := len(h.batch(3)); got != 3 {
		t.Errorf("room for %d, want 3", got)
	}
}
