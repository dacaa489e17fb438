// Package incident finds out why a completion failed. When one does, it looks at what the session knows of the request,
// of both queue pairs, of memory and keys and of what happened shortly before, and keeps what it found: the cause in one
// line, what differs between both ends, and what to do. It reads; it calls no verb but a software device's own counts.
package incident

import (
	"sync"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/ring"
)

// Incident is a failed completion and all that was known of it when it was taken. It does not change.
type Incident struct {
	Number     uint64 // 1, 2, 3 …
	T          time.Duration
	Completion timeline.Completion // with its Cause
	General    []string            // causes that the status may have; nil where the cause is known
	Parts      []Part              // what is known, in the order in which it is read
	Flushed    uint64              // requests that were flushed after it, until Of was called

	length uint64 // of the message
}

// Part is a heading and what stands below it.
type Part struct {
	Head string
	// Rows are cells. One cell is a sentence. Where the first cell of all is empty the row names the columns.
	Rows [][]string
}

// limits of what is kept.
const (
	maxIncidents = 48  // incidents
	maxHistory   = 128 // moves and events before an incident
	maxBurst     = 16  // incidents that are looked into within a burst
	burst        = 100 * time.Millisecond
)

// book is a session's incidents and the history that they are explained with.
type book struct {
	s      *core.Session
	detach func()

	// looking makes one queue at a time be looked into.
	looking sync.Mutex

	mu      sync.Mutex
	kept    ring.Ring[*opened]
	last    uint64
	open    map[string]*opened // by the queue pair's name, until that is reset
	history ring.Ring[moment]
	line    string // of the newest command
	began   time.Duration
	looked  int // into incidents, since began
	samples samples
}

// opened is an incident that is kept, and what was flushed after it.
type opened struct {
	*Incident
	flushed *timeline.Cause // nil before the first
	after   uint64
}

// moment is something that happened and may explain an incident.
type moment struct {
	at    time.Duration
	state *timeline.StateChange
	async *timeline.AsyncEvent
	cm    *timeline.CMEvent
	line  string // the command that moved the queue pair, "" for none
}

// Attach has the session's failures looked into. It comes before the first command.
func Attach(s *core.Session) {
	b := core.Part(s, func() *book { return &book{s: s, open: map[string]*opened{}} })
	b.detach = s.Log.Attach(b.note)
	queue.OnFailure(s, b.explain)
}

// Detach ends what Attach has begun. What was found stays.
func Detach(s *core.Session) { core.Part[book](s, nil).detach() }

// Of returns the incident of a number; ok is false where it is not kept any more.
func Of(s *core.Session, number uint64) (in Incident, ok bool) {
	b := core.Part[book](s, nil)
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.kept.Len() {
		if o := *b.kept.At(i); o.Number == number {
			in = *o.Incident
			in.Flushed = o.after
			return in, true
		}
	}
	return in, false
}

// resets are the states in which a queue pair has forgotten what failed.
var resets = map[verbs.QPState]bool{verbs.QPReset: true, verbs.QPInit: true}

// note takes an event of the time line; most are completions.
func (b *book) note(e *timeline.Event) {
	if e.Kind == timeline.KindWC || e.Kind == timeline.KindPacket || e.Kind == timeline.KindNote {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	m := moment{at: e.T, state: e.State, async: e.Async, cm: e.CM}
	switch {
	case e.Command != nil:
		b.line = e.Command.Resolved
		return
	case e.State != nil && e.State.Cause == "modify_qp":
		m.line = b.line
	}
	if e.State != nil && resets[e.State.To] {
		delete(b.open, e.State.QP)
	}
	*b.history.Keep(maxHistory) = m
}

// explain fills in the causes of failed completions.
func (b *book) explain(failures []queue.Failure) {
	b.looking.Lock()
	defer b.looking.Unlock()
	for i := range failures {
		f := &failures[i]
		if f.Completion.Cause = b.shared(f); f.Completion.Cause == nil && b.mayLook() {
			f.Completion.Cause = b.look(f, failures)
		}
	}
}

// mayLook bounds how many incidents are looked into in a short time: what a flood of failures means its first ones tell.
func (b *book) mayLook() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := time.Since(b.s.Start); now-b.began > burst {
		b.began, b.looked = now, 0
	}
	b.looked++
	return b.looked <= maxBurst
}

// shared is the cause of a completion that was flushed after an earlier failure of its queue pair; nil where it was not.
func (b *book) shared(f *queue.Failure) *timeline.Cause {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.open[f.Completion.QP]
	if o == nil {
		return nil
	}
	if f.Completion.WC.Status != verbs.WCWRFlushErr {
		return nil
	}
	if o.flushed == nil {
		o.flushed = flushedAfter(&o.Completion)
	}
	o.after++
	return o.flushed
}

// look looks into a failure, and keeps what it finds.
func (b *book) look(f *queue.Failure, batch []queue.Failure) *timeline.Cause {
	in := newFacts(b, f, batch).incident()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	in.Number, in.Completion.Cause.Incident = b.last, b.last
	o := &opened{Incident: in}
	*b.kept.Keep(maxIncidents) = o
	if qp := f.Completion.QP; qp != "" {
		b.open[qp] = o
	}
	return in.Completion.Cause
}

// failureOf is the incident that left a queue pair in an error state, nil where there is none.
func (b *book) failureOf(qp string) *Incident {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o := b.open[qp]; o != nil {
		return o.Incident
	}
	return nil
}

// before returns what happened up to now, the oldest first.
func (b *book) before() []moment {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.history.AppendTo(nil, 0, b.history.Len())
}
