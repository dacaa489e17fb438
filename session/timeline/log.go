package timeline

import (
	"slices"
	"sync"
	"time"
)

// Clock tells the time since the session began; it never goes back.
type Clock func() time.Duration

// DefaultCapacity is how many events a log keeps unless told otherwise.
const DefaultCapacity = 1 << 16

// Log is a bounded sequence of events: the newest are kept, the counts are
// exact for all there ever were. Its methods may be called from any goroutine,
// and none of them waits for a reader.
type Log struct {
	clock Clock

	mu       sync.Mutex
	kept     Kept
	last     uint64 // sequence number of the newest event
	counts   counter
	sinks    []*sink // in the order in which they were attached
	watchers map[chan struct{}]struct{}
}

type sink struct{ take func(*Event) }

// New returns an empty log that keeps the given number of events, or
// DefaultCapacity for 0. A nil clock counts from now.
func New(capacity int, clock Clock) *Log {
	if capacity <= 0 {
		capacity = DefaultCapacity
	}
	if clock == nil {
		start := time.Now()
		clock = func() time.Duration { return time.Since(start) }
	}
	return &Log{
		clock: clock, kept: Kept{Max: capacity},
		counts:   counter{cqs: map[string]*CQCounts{}},
		watchers: map[chan struct{}]struct{}{},
	}
}

// Append adds an event, sets its number and time, and returns the number.
func (l *Log) Append(e Event) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	slot := l.kept.Add()
	*slot = e
	l.add(slot, l.clock())
	l.notify()
	return l.last
}

// AppendBatch adds completions, all with the same time, and returns the number
// of the last event. It does not allocate once the ring has its size.
func (l *Log) AppendBatch(completions []Completion) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(completions) == 0 {
		return l.last
	}
	now := l.clock()
	for i := range completions {
		slot := l.kept.Add()
		*slot = Event{Kind: KindWC, WC: completions[i]}
		l.add(slot, now)
	}
	l.notify()
	return l.last
}

// add numbers, counts and announces the event in its slot. The clock was read
// under the lock, so that times ascend with the numbers.
func (l *Log) add(e *Event, now time.Duration) {
	l.last++
	e.Seq, e.T = l.last, now
	l.counts.count(e)
	if e.Kind != KindWC {
		l.kept.Weigh(e)
	}
	for _, s := range l.sinks {
		s.take(e)
	}
}

func (l *Log) notify() {
	for ch := range l.watchers {
		select {
		case ch <- struct{}{}:
		default: // it has not looked since the last time; one mark suffices
		}
	}
}

// first is the number of the oldest event that is kept, or of the next where none is.
func (l *Log) first() uint64 { return l.last - uint64(l.kept.Len()) + 1 }

// Room returns how many events the log keeps, and how many it may.
func (l *Log) Room() (kept, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept.Len(), l.kept.Max
}

// Last returns the number of the newest event, 0 if there is none.
func (l *Log) Last() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Since copies the events after number seq, oldest first, into buf's memory: at
// most cap(buf) of them, or all if that is 0. dropped is how many of those
// after seq are kept no more and so were left out before the first.
func (l *Log) Since(seq uint64, buf []Event) (events []Event, dropped uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := seq + 1
	if oldest := l.first(); first < oldest {
		dropped = oldest - first
		first = oldest
	}
	if first > l.last {
		return buf[:0], dropped
	}
	n := int(l.last - first + 1)
	if cap(buf) > 0 {
		n = min(n, cap(buf))
	}
	return l.kept.AppendTo(buf[:0], int(first-l.first()), n), dropped
}

// Tail copies the newest n events, oldest first, into buf's memory.
func (l *Log) Tail(n int, buf []Event) []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	n = min(max(n, 0), l.kept.Len())
	return l.kept.AppendTo(buf[:0], l.kept.Len()-n, n)
}

// Snapshot copies all events that are kept, oldest first.
func (l *Log) Snapshot() []Event {
	events, _ := l.Since(0, nil)
	return events
}

// Counts returns what has been counted so far.
func (l *Log) Counts() Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.counts.total
	c.Dropped = l.first() - 1
	return c
}

// CQ returns what has been counted of one completion queue, by its name.
func (l *Log) CQ(name string) CQCounts {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.counts.cqs[name]; c != nil {
		return *c
	}
	return CQCounts{}
}

// Attach calls take for every event from now on, in order, in the appending
// goroutine: take must be quick, must not use the log, and must not keep the
// pointer. The returned function ends it.
func (l *Log) Attach(take func(*Event)) (detach func()) {
	s := &sink{take}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sinks = append(l.sinks, s)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.sinks = slices.DeleteFunc(l.sinks, func(t *sink) bool { return t == s })
	}
}

// Watch returns a channel that gets a mark when events have come since it was
// last read. The returned function ends it.
func (l *Log) Watch() (marks <-chan struct{}, stop func()) {
	ch := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watchers[ch] = struct{}{}
	return ch, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.watchers, ch)
	}
}
