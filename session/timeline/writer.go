package timeline

import (
	"bufio"
	"context"
	"io"
	"sync"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// writerBatch is how many events a writer takes from the log at once.
const writerBatch = 512

// Writer writes a log's events to a file as JSON lines, in a goroutine of its
// own. It follows the log at its own pace: one that falls behind by more than
// the log keeps misses events, which it counts and tells in a note in the file.
type Writer struct {
	log     *Log
	crashed verbs.CrashHook

	out  *bufio.Writer
	stop chan struct{}
	done chan struct{}
	once sync.Once

	mu      sync.Mutex
	next    uint64 // the last event written or given up
	dropped uint64
	err     error
}

// NewWriter begins to write what log has and gets. Close ends it. crashed is told
// of a panic in its goroutine.
func NewWriter(log *Log, w io.Writer, crashed verbs.CrashHook) *Writer {
	jw := &Writer{
		log: log, crashed: crashed, out: bufio.NewWriterSize(w, 1<<16),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	marks, unwatch := log.Watch()
	go jw.run(marks, unwatch)
	return jw
}

func (w *Writer) run(marks <-chan struct{}, unwatch func()) {
	defer close(w.done)
	defer w.crashed.Catch()
	defer unwatch()
	buf := make([]Event, 0, writerBatch)
	var line []byte
	for stopping := false; ; {
		if line = w.drain(buf, line); stopping || w.failed() {
			return
		}
		select {
		case <-marks:
		case <-w.stop:
			stopping = true
		}
	}
}

// drain writes up to what is the newest event when it begins, so that it ends
// even if events come faster than they can be written.
func (w *Writer) drain(buf []Event, line []byte) []byte {
	for last := w.log.Last(); w.next < last && !w.failed(); {
		events, dropped := w.log.Since(w.next, buf)
		line = line[:0]
		if dropped > 0 {
			line = w.appendGap(line, events, dropped)
		}
		for i := range events {
			line = append(events[i].AppendJSON(line), '\n')
		}
		w.write(line, w.next+dropped+uint64(len(events)), dropped)
	}
	w.finish(w.out.Flush())
	return line
}

// appendGap tells of events that were dropped before the first of those at hand.
func (w *Writer) appendGap(line []byte, events []Event, dropped uint64) []byte {
	note := Event{
		Seq: w.next + dropped, Kind: KindNote,
		Note: &Note{Level: LevelWarn, Text: format.Counted(dropped, "event") + " missing here: the file was too slow"},
	}
	if len(events) > 0 {
		note.T = events[0].T
	}
	return append(note.AppendJSON(line), '\n')
}

func (w *Writer) write(line []byte, next, dropped uint64) {
	_, err := w.out.Write(line)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = next
	w.dropped += dropped
	if w.err == nil {
		w.err = err
	}
}

func (w *Writer) finish(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

func (w *Writer) failed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil
}

// Dropped returns how many events have not been written because the file could
// not keep up.
func (w *Writer) Dropped() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dropped
}

// Close writes what the log has and ends the writer. It returns the first error
// that writing met, or ctx's if a write does not come back. It does not close
// the file.
func (w *Writer) Close(ctx context.Context) error {
	w.once.Do(func() { close(w.stop) })
	select {
	case <-w.done:
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
