// Package step is what the Bring-up and Post screens share: how they read from
// the session without holding up the event loop, how they run command lines one
// after another, what came of the last one, and what a bench for two queue pairs
// needs.
package step

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// Errand does a screen's reading off the event loop, one job at a time. A frame
// may only ask, since it cannot return a command; one command waits for what was
// asked. Its methods run on the event loop.
type Errand struct {
	jobs    chan func() tea.Msg
	waiting bool
	pending bool
}

// NewErrand makes an errand without a job.
func NewErrand() *Errand { return &Errand{jobs: make(chan func() tea.Msg, 1)} }

// Ask hands over a job. One that was not begun yet is replaced: the latest wins.
func (e *Errand) Ask(job func() tea.Msg) {
	select {
	case <-e.jobs:
	default:
	}
	e.jobs <- job // there is room: nobody else puts something in
	e.pending = true
}

// Wait returns the command that does the next job, nil if one waits already. It
// ends without a message when ctx ends.
func (e *Errand) Wait(ctx context.Context) tea.Cmd {
	if e.waiting {
		return nil
	}
	e.waiting = true
	return func() tea.Msg {
		select {
		case job := <-e.jobs:
			return job()
		case <-ctx.Done():
			return nil
		}
	}
}

// Back says that a job's message has arrived; the screen must Wait again.
func (e *Errand) Back() {
	e.waiting = false
	e.pending = len(e.jobs) > 0
}

// Busy reports whether a job was asked for whose message has not arrived.
func (e *Errand) Busy() bool { return e.pending }

// Idle reports that a command waits and has nothing to do.
func (e *Errand) Idle() bool { return e.waiting && !e.pending }
