// Package recent keeps the events of a log that a reader must not miss. A
// flooded completion queue turns the log's ring over several times a second; a
// command that failed just before it would be gone before anybody saw it.
package recent

import (
	"sync"
	"sync/atomic"

	"rdmatui/session/timeline"
)

// maxText bounds the text of commands and notes that a ring keeps, in bytes.
const maxText = 16 << 20

// Ring holds the newest events of those that were wanted. Its methods may be
// called from any goroutine.
type Ring struct {
	wants func(*timeline.Event) bool
	keep  int

	mu      sync.Mutex
	ring    []timeline.Event // event i is at (first+i) % keep
	first   int
	n       int
	text    int
	pending []timeline.Event
	stop    func()

	filling atomic.Bool
	last    atomic.Uint64 // number of the newest event that was looked at
}

// New makes a ring of keep events, fills it from what the log has, and follows
// the log until Close. wants is called for one event after the other, in order;
// it must be quick, since the log waits for it.
func New(log *timeline.Log, keep int, wants func(*timeline.Event) bool) *Ring {
	r := &Ring{wants: wants, keep: keep}
	r.filling.Store(true)
	r.stop = log.Attach(r.take)
	r.fill(log)
	return r
}

// Close ends following the log.
func (r *Ring) Close() { r.stop() }

// take looks at one event. Those that come while the ring is being filled wait.
// The log calls it for one event at a time, so that what is not wanted, which is
// nearly all in a flood, needs no lock.
func (r *Ring) take(e *timeline.Event) {
	waits := r.filling.Load()
	if !waits && !r.wants(e) {
		r.last.Store(e.Seq)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !waits:
		r.put(e)
		r.last.Store(e.Seq) // once it is there: who reads the number must find it
	case r.filling.Load():
		r.pending = append(r.pending, *e)
	default:
		r.look(e)
	}
}

// fillChunk is how many events fill copies at a time. A full log has 65,536 events in some 20 MiB: to copy them at once takes longer than a
// frame may.
const fillChunk = 256

// fill looks at the events that the log keeps, then at those that came meanwhile.
func (r *Ring) fill(log *timeline.Log) {
	buf := make([]timeline.Event, 0, fillChunk)
	for seq, last := uint64(0), log.Last(); seq < last; {
		events, _ := log.Since(seq, buf)
		if len(events) == 0 {
			break
		}
		r.lookAll(events)
		seq = events[len(events)-1].Seq
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.pending {
		if e := &r.pending[i]; e.Seq > r.last.Load() {
			r.look(e)
		}
	}
	r.pending = nil
	r.filling.Store(false)
}

func (r *Ring) lookAll(events []timeline.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range events {
		r.look(&events[i])
	}
}

func (r *Ring) look(e *timeline.Event) {
	if r.wants(e) {
		r.put(e)
	}
	r.last.Store(e.Seq)
}

func (r *Ring) put(e *timeline.Event) {
	if r.n == r.keep {
		r.drop()
	}
	at := (r.first + r.n) % r.keep
	if at == len(r.ring) {
		r.ring = append(r.ring, *e)
	} else {
		r.ring[at] = *e
	}
	r.n++
	r.text += textLen(e)
	for r.text > maxText && r.n > 1 {
		r.drop()
	}
}

func (r *Ring) drop() {
	e := &r.ring[r.first]
	r.text -= textLen(e)
	*e = timeline.Event{}
	r.first = (r.first + 1) % r.keep
	r.n--
}

// textLen is how many bytes of text an event holds that may be long.
func textLen(e *timeline.Event) int {
	switch {
	case e.Command != nil:
		c := e.Command
		return len(c.Line) + len(c.Resolved) + len(c.Call) + len(c.Result) + len(c.Check) + len(c.Err) + len(c.Hint)
	case e.Packet != nil:
		return len(e.Packet.Data)
	case e.Note != nil:
		return len(e.Note.Text)
	}
	return 0
}

// Newest returns the number of the newest event that is kept, 0 for none.
func (r *Ring) Newest() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n == 0 {
		return 0
	}
	return r.at(r.n - 1).Seq
}

// Looked returns the number of the newest event that was looked at.
func (r *Ring) Looked() uint64 {
	return r.last.Load()
}

func (r *Ring) at(i int) *timeline.Event { return &r.ring[(r.first+i)%r.keep] }

// Since appends the events that are kept after number seq, oldest first, at most
// limit of them and then the newest; 0 is no limit.
func (r *Ring) Since(seq uint64, limit int, dst []timeline.Event) []timeline.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	from := r.n
	for from > 0 && r.at(from-1).Seq > seq && (limit == 0 || r.n-from < limit) {
		from--
	}
	for i := from; i < r.n; i++ {
		dst = append(dst, *r.at(i))
	}
	return dst
}
