package timeline_test

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

func newLog(capacity int) *timeline.Log {
	return timeline.New(capacity, func() time.Duration { return 0 })
}

func notes(e *timeline.Event) bool { return e.Kind == timeline.KindNote }

func note(text string) timeline.Event {
	return timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Text: text}}
}

func seqs(events []timeline.Event) (out []uint64) {
	for i := range events {
		out = append(out, events[i].Seq)
	}
	return out
}

func TestKeepsWhatAFloodPushesOut(t *testing.T) {
	l := newLog(4)
	l.Append(note("before")) // 1
	r := timeline.NewRecent(l, 3, notes)
	defer r.Close()
	l.AppendBatch(make([]timeline.Completion, 100)) // 2 to 101
	l.Append(note("after"))                         // 102
	if got := seqs(r.Since(0, 0, nil)); !slices.Equal(got, []uint64{1, 102}) {
		t.Errorf("kept %v", got)
	}
	l.AppendBatch(make([]timeline.Completion, 10))
	if r.Newest() != 102 || r.Looked() != 112 {
		t.Errorf("newest %d, looked %d", r.Newest(), r.Looked())
	}
	for range 5 {
		l.Append(note("more")) // 113 to 117
	}
	for _, tt := range []struct {
		seq   uint64
		limit int
		want  []uint64
	}{{0, 0, []uint64{115, 116, 117}}, {0, 2, []uint64{116, 117}}, {116, 0, []uint64{117}}, {117, 0, nil}} {
		if got := seqs(r.Since(tt.seq, tt.limit, nil)); !slices.Equal(got, tt.want) {
			t.Errorf("since %d, limit %d: %v, want %v", tt.seq, tt.limit, got, tt.want)
		}
	}
}

// The first frame of a page makes rings, which must not copy the whole of a full log.
func TestFillCopiesLittle(t *testing.T) {
	l := newLog(timeline.DefaultCapacity)
	l.AppendBatch(make([]timeline.Completion, timeline.DefaultCapacity))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := timeline.NewRecent(l, 8, notes)
	runtime.ReadMemStats(&after)
	r.Close()
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("making a ring allocated %d bytes", n)
	}
	if r.Looked() != timeline.DefaultCapacity {
		t.Errorf("looked at events up to %d", r.Looked())
	}
}

// No event is missed or taken twice while a ring is made on a busy log.
func TestMadeOnABusyLog(t *testing.T) {
	l := newLog(1 << 16)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 20000 {
			l.Append(note("x"))
		}
	})
	r := timeline.NewRecent(l, 1<<16, notes)
	wg.Wait()
	r.Close()
	got := r.Since(0, 0, nil)
	if len(got) != 20000 {
		t.Fatalf("%d of 20000", len(got))
	}
	for i := range got {
		if got[i].Seq != uint64(i+1) {
			t.Fatalf("event %d has number %d", i, got[i].Seq)
		}
	}
	l.Append(note("y"))
	if r.Newest() != 20000 {
		t.Error("a closed ring still follows")
	}
}

func TestTextIsBounded(t *testing.T) {
	l := newLog(4)
	r := timeline.NewRecent(l, 1000, notes)
	defer r.Close()
	long := strings.Repeat("x", 1<<20)
	for range 40 {
		l.Append(note(long))
	}
	if n := len(r.Since(0, 0, nil)); n != timeline.MaxText>>20 {
		t.Errorf("%d events", n)
	}
	l.Append(note(strings.Repeat("y", timeline.MaxText+1)))
	if got := seqs(r.Since(0, 0, nil)); !slices.Equal(got, []uint64{41}) {
		t.Errorf("kept %v", got)
	}
}

func BenchmarkUnwanted(b *testing.B) {
	l := newLog(0)
	defer timeline.NewRecent(l, 16, func(e *timeline.Event) bool {
		return e.Kind == timeline.KindWC && e.WC.WC.Failed()
	}).Close()
	batch := make([]timeline.Completion, 256)
	for i := range batch {
		batch[i].WC = verbs.WC{WRID: uint64(i)}
	}
	b.ReportAllocs()
	for b.Loop() {
		l.AppendBatch(batch)
	}
}
