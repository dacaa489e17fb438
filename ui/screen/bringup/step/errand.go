// Package step is what the Bring-up and Post screens share: how they read from
// the session without holding up the event loop, how they run command lines one
// after another, what came of the last one, and what a bench for two queue pairs
// needs.
package step

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// Errand does a screen's reading off the event loop, one job at a time. A frame
// may only ask, since it cannot return a command; one command waits for what was
// asked. What a job brings is kept until the screen takes it, so that nothing is
// lost when another screen is in front by then.
type Errand struct {
	jobs chan func() any

	mu      sync.Mutex
	waiting bool // a command waits, or does a job
	pending int  // jobs asked for whose result was not taken
	results []any
}

// Ready is the message that says that results can be taken.
type Ready struct{}

// NewErrand makes an errand without a job.
func NewErrand() *Errand { return &Errand{jobs: make(chan func() any, 1)} }

// Ask hands over a job. One that was not begun yet is replaced: the latest wins.
// It is called on the event loop only.
func (e *Errand) Ask(job func() any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-e.jobs:
	default:
		e.pending++
	}
	e.jobs <- job // there is room: nobody else puts something in
}

// Wait returns the command that does the next job, nil if one waits already. It
// ends without a message when ctx ends.
func (e *Errand) Wait(ctx context.Context) tea.Cmd {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waiting {
		return nil
	}
	e.waiting = true
	return func() tea.Msg {
		select {
		case job := <-e.jobs:
			e.done(job())
			return Ready{}
		case <-ctx.Done():
			return nil
		}
	}
}

func (e *Errand) done(result any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting = false
	e.results = append(e.results, result)
}

// Take returns what jobs have brought since it was last asked.
func (e *Errand) Take() []any {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.results
	e.results = nil
	e.pending -= len(r)
	return r
}

// Busy reports whether a job was asked for whose result was not taken.
func (e *Errand) Busy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.pending > 0
}

// Idle reports that a command waits and has nothing to do.
func (e *Errand) Idle() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.waiting && e.pending == 0
}
