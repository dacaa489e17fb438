package page

import tea "charm.land/bubbletea/v2"

// Reader does a screen's reading off the event loop, one job at a time. Its
// methods are for the event loop.
type Reader struct {
	next func() any // asked for, not begun
	busy bool       // a job is being done
}

// Read brings what a job of a [Reader] has read.
type Read struct{ What any }

// Ask hands over a job. One that was not begun yet is replaced: the latest wins.
func (r *Reader) Ask(job func() any) { r.next = job }

// Start returns the work of the job that was asked for; nil if there is none, or
// while another one is being done.
func (r *Reader) Start() tea.Cmd {
	if r.busy || r.next == nil {
		return nil
	}
	job := r.next
	r.next, r.busy = nil, true
	return func() tea.Msg { return Read{job()} }
}

// Done says that the job's message has come; the next job can start.
func (r *Reader) Done() { r.busy = false }

// Busy reports whether something was asked for that has not come.
func (r *Reader) Busy() bool { return r.busy || r.next != nil }
