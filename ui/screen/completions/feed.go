package completions

import (
	"rdmatui/session/timeline"
)

const (
	keepRows   = 4096 // completions in the list
	keepFailed = 1024 // failed ones, which have a separate list
	frameRows  = 512  // events taken per frame, at most
	gapFailed  = 64   // failed ones taken from skipped events
)

// feed takes completions from the log, a bounded number per frame. If they come
// faster, the rows have gaps, but failed completions still show.
type feed struct {
	log        *timeline.Log
	failures   *timeline.Recent
	all        *history
	failed     *history
	seen       uint64 // newest event taken into all
	seenFailed uint64
	buf        []timeline.Event // of the log's events in a frame
	failedBuf  []timeline.Event
}

func newFeed(log *timeline.Log) *feed {
	return &feed{
		log:      log,
		all:      newHistory(keepRows),
		failed:   newHistory(keepFailed),
		failures: timeline.NewRecent(log, keepFailed, (*timeline.Event).FailedWC),
		buf:      make([]timeline.Event, 0, frameRows),
	}
}

// take fetches new completions. held is the list that must not lose rows, because the
// user is reading it; nil if none. It reports whether rows were added.
func (f *feed) take(held *history) bool {
	before, beforeFailed := f.all.next, f.failed.next
	f.takeAll(held == f.all)
	f.takeFailed(held == f.failed)
	return f.all.next != before || f.failed.next != beforeFailed
}

func (f *feed) takeAll(held bool) {
	last := f.log.Last()
	if last == f.seen {
		return
	}
	limit := frameRows
	if held {
		limit = min(limit, f.all.room())
	}
	if limit == 0 {
		return
	}
	from := f.seen
	if !held && last-f.seen > frameRows {
		from = last - frameRows
		f.bridge(from)
	}
	events, _ := f.log.Since(from, f.buf[:0:limit])
	f.addCompletions(events)
	if n := len(events); n > 0 {
		f.seen = events[n-1].Seq
	}
}

// bridge takes the failed completions of the gap that ends with event number to.
func (f *feed) bridge(to uint64) {
	f.failedBuf = f.failures.Since(f.seen, 0, f.failedBuf[:0])
	n := 0
	for n < len(f.failedBuf) && f.failedBuf[n].Seq <= to {
		n++
	}
	f.addCompletions(f.failedBuf[max(n-gapFailed, 0):n])
}

func (f *feed) addCompletions(events []timeline.Event) {
	for i := range events {
		if events[i].Kind == timeline.KindWC {
			f.all.add(&events[i])
		}
	}
}

func (f *feed) takeFailed(held bool) {
	if f.failures.Newest() == f.seenFailed || held && f.failed.room() < frameRows {
		return
	}
	f.failedBuf = f.failures.Since(f.seenFailed, frameRows, f.failedBuf[:0])
	for i := range f.failedBuf {
		f.failed.add(&f.failedBuf[i])
	}
	if n := len(f.failedBuf); n > 0 {
		f.seenFailed = f.failedBuf[n-1].Seq
	}
}

// clear hides the rows of all events so far.
func (f *feed) clear() {
	f.take(nil)
	f.all.clear()
	f.failed.clear()
}

// undo takes the last clear back.
func (f *feed) undo() {
	f.all.undo()
	f.failed.undo()
}
