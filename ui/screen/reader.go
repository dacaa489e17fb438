package screen

import tea "charm.land/bubbletea/v2"

// Reader does a screen's reading off the event loop, one job at a time. Its methods
// are for the event loop.
type Reader struct {
	next func() any // requested, not started
	busy bool       // a job is running
}

// ReadMsg carries the result of a job of a [Reader].
type ReadMsg struct{ What any }

// Ask requests a job. It replaces one that has not started: the latest wins.
func (r *Reader) Ask(job func() any) { r.next = job }

// Start returns the work of the requested job; nil if there is none, or another is
// running.
func (r *Reader) Start() tea.Cmd {
	if r.busy || r.next == nil {
		return nil
	}
	job := r.next
	r.next, r.busy = nil, true
	return func() tea.Msg { return ReadMsg{job()} }
}

// Done says that the job's message has arrived; the next job can start.
func (r *Reader) Done() { r.busy = false }

// Busy reports whether a requested job is not finished.
func (r *Reader) Busy() bool { return r.busy || r.next != nil }
