package timeline

import (
	"sync"
	"sync/atomic"
)

// Recent holds the newest events of a log that a reader must not miss: a flooded completion queue
// overwrites the log's ring several times a second, and a command that failed just before would be
// lost unseen. Its methods may be called from any goroutine.
type Recent struct {
	wants func(*Event) bool

	mu      sync.Mutex
	kept    Kept
	pending []Event
	stop    func()

	filling atomic.Bool
	last    atomic.Uint64 // number of the newest event examined
}

// NewRecent keeps the newest keep events that are wanted, fills it from the log, and follows the log until
// Close. wants is called for one event at a time, in order; it must be quick, since
// the log waits for it.
func NewRecent(log *Log, keep int, wants func(*Event) bool) *Recent {
	r := &Recent{wants: wants, kept: Kept{Max: keep}}
	r.filling.Store(true)
	r.stop = log.Attach(r.take)
	r.fill(log)
	return r
}

// Close stops following the log.
func (r *Recent) Close() { r.stop() }

// take examines one event. Events that arrive while the ring is being filled wait.
// The log calls take for one event at a time, so unwanted events, nearly all in a
// flood, need no lock.
func (r *Recent) take(e *Event) {
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
		r.last.Store(e.Seq) // stored after the event: a reader of the number must find the event
	case r.filling.Load():
		r.pending = append(r.pending, *e)
	default:
		r.look(e)
	}
}

// fillChunk is how many events fill copies at a time. A full log has 65,536 events in
// some 20 MiB; copying them at once takes longer than a frame.
const fillChunk = 256

// fill examines the events in the log, then those that arrived meanwhile.
func (r *Recent) fill(log *Log) {
	buf := make([]Event, 0, fillChunk)
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

func (r *Recent) lookAll(events []Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range events {
		r.look(&events[i])
	}
}

func (r *Recent) look(e *Event) {
	if r.wants(e) {
		r.put(e)
	}
	r.last.Store(e.Seq)
}

func (r *Recent) put(e *Event) {
	slot := r.kept.Add()
	*slot = *e
	r.kept.Weigh(slot)
}

// Newest returns the number of the newest event kept, 0 for none.
func (r *Recent) Newest() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept.Len() == 0 {
		return 0
	}
	return r.kept.At(r.kept.Len() - 1).Seq
}

// Looked returns the number of the newest event examined.
func (r *Recent) Looked() uint64 {
	return r.last.Load()
}

// Since appends the kept events after number seq, oldest first; if limit is not 0,
// only the newest limit of them.
func (r *Recent) Since(seq uint64, limit int, dst []Event) []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept.AppendWhile(dst, limit, func(e *Event) bool { return e.Seq > seq })
}
