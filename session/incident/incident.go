// Package incident finds out why a completion failed. For each failure it looks at what the
// session knows of the request, both queue pairs, memory, keys and recent events, and
// records the cause in one line, the differences between the ends, and what to do. It only
// reads: the only verbs that it calls are queries, of ports and of a software device's counters.
//
// Its flight recorder writes what the session kept of the minutes before a failure as one incident file. That is a
// pcapng file, in which the events of the time line are comments of the packets, and a Markdown file that relates
// requests, packets and completions. What it writes, other packages keep from the start, in bounded memory: the time
// line, the ring of packets, and the posted requests.
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

// Incident is a failed completion with everything known about it when it was polled. It
// does not change.
type Incident struct {
	Number     uint64 // 1, 2, 3 …
	T          time.Duration
	Completion timeline.Completion // with its Cause
	General    []string            // causes that the status may have; nil if the cause is known
	Parts      []Part              // what is known, in reading order
	Flushed    uint64              // requests flushed after it, up to the call of Of

	length uint64 // of the message
}

// Part is a section of an incident: a heading and its rows.
type Part struct {
	Head string
	// Rows are rows of cells. A row of one cell is a sentence. If the first cell of the
	// first row is empty, that row names the columns.
	Rows [][]string
}

// Limits of what is kept.
const (
	maxIncidents = 48  // incidents that are kept
	maxHistory   = 128 // state changes and events that are kept
	maxBurst     = 16  // incidents examined within a burst
	burst        = 100 * time.Millisecond
)

// book holds a session's incidents, and the history that explains them.
type book struct {
	s      *core.Session
	detach func()

	// looking is held while failures are examined: one completion queue at a time.
	looking sync.Mutex

	mu      sync.Mutex
	kept    ring.Ring[*opened]
	last    uint64
	open    map[string]*opened // by the queue pair's name, until that is reset
	history ring.Ring[moment]
	line    string // of the newest command
	began   time.Duration
	looked  int               // into incidents, since began
	meters  map[string]*meter // by device
}

// opened is a kept incident with the flushes that followed it.
type opened struct {
	*Incident
	flushed *timeline.Cause // nil before the first
	after   uint64
}

// moment is an event that may explain an incident.
type moment struct {
	at    time.Duration
	state *timeline.StateChange
	async *timeline.AsyncEvent
	cm    *timeline.CMEvent
	line  string // the command that changed the queue pair's state; "" for none
}

// Attach starts to examine the session's failures. Call it before the first command.
func Attach(s *core.Session) {
	b := core.Part(s, func() *book { return &book{s: s, open: map[string]*opened{}, meters: map[string]*meter{}} })
	b.detach = s.Log.Attach(b.note)
	queue.OnFailure(s, b.explain)
}

// Newest returns the number of the newest incident, 0 if there was none.
func Newest(s *core.Session) uint64 {
	b := core.Part[book](s, nil)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

// Detach ends what Attach began. Incidents stay available.
func Detach(s *core.Session) {
	b := core.Part[book](s, nil)
	b.detach()
	b.await()
}

// Of returns the incident with a number; ok is false if it is no longer kept.
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

// resets are the states that end a queue pair's incident.
var resets = map[verbs.QPState]bool{verbs.QPReset: true, verbs.QPInit: true}

// note records an event of the time line that may explain an incident.
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
		if f.Completion.Cause = b.shared(f); f.Completion.Cause != nil {
			continue
		}
		n := b.number()
		if n == 1 && byPort[f.Completion.WC.Status] {
			queue.LookAtPorts(b.s) // its event may come later than the completion
		}
		if n <= maxBurst {
			f.Completion.Cause = b.look(f, failures)
		}
	}
}

// byPort are the statuses that requests end with when a port goes down.
var byPort = map[verbs.WCStatus]bool{
	verbs.WCWRFlushErr: true, verbs.WCRetryExcErr: true, verbs.WCRespTimeoutErr: true,
}

// number returns which incident of a burst comes now, from 1 on. It bounds how many are examined in a short time: in a
// flood of failures the first ones explain the rest.
func (b *book) number() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := time.Since(b.s.Start); b.looked == 0 || now-b.began > burst {
		b.began, b.looked = now, 0
	}
	b.looked++
	return b.looked
}

// shared returns the cause of a completion flushed after an earlier failure of its queue
// pair; nil if there was none.
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

// look examines a failure and keeps the incident.
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
	recorderOf(b.s).found(b.s, in.Number)
	return in.Completion.Cause
}

// failureOf returns the incident that left a queue pair in an error state; nil if none did.
func (b *book) failureOf(qp string) *Incident {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o := b.open[qp]; o != nil {
		return o.Incident
	}
	return nil
}

// before returns the recorded events up to now, the oldest first.
func (b *book) before() []moment {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.history.AppendTo(nil, 0, b.history.Len())
}
