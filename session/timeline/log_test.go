package timeline

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/verbs"
)

// ticks is a clock that advances by one microsecond each time it is read.
func ticks() Clock {
	var now time.Duration
	return func() time.Duration { now += time.Microsecond; return now }
}

func note(text string) Event { return Event{Kind: KindNote, Note: &Note{Text: text}} }

func seqs(events []Event) string {
	var s []uint64
	for i := range events {
		s = append(s, events[i].Seq)
	}
	return fmt.Sprint(s)
}

func TestLogKeepsTheNewest(t *testing.T) {
	l := New(4, ticks())
	for i := range 6 {
		if got := l.Append(note(fmt.Sprint(i + 1))); got != uint64(i+1) {
			t.Fatalf("append %d is number %d", i+1, got)
		}
	}
	tests := []struct {
		name    string
		seq     uint64
		buf     []Event
		want    string
		dropped uint64
	}{
		{"the whole rest", 0, nil, "[3 4 5 6]", 2},
		{"partly gone", 1, nil, "[3 4 5 6]", 1},
		{"nothing gone", 2, nil, "[3 4 5 6]", 0},
		{"across the wrap of the ring", 3, nil, "[4 5 6]", 0},
		{"one", 2, make([]Event, 0, 1), "[3]", 0},
		{"as much as fits", 2, make([]Event, 0, 3), "[3 4 5]", 0},
		{"after the wrap", 5, nil, "[6]", 0},
		{"up to date", 6, nil, "[]", 0},
		{"ahead", 99, nil, "[]", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, dropped := l.Since(tt.seq, tt.buf)
			if seqs(got) != tt.want || dropped != tt.dropped {
				t.Errorf("got %s and %d dropped, want %s and %d", seqs(got), dropped, tt.want, tt.dropped)
			}
			for i := range got {
				if got[i].Note.Text != fmt.Sprint(got[i].Seq) ||
					got[i].T != time.Duration(got[i].Seq)*time.Microsecond {
					t.Errorf("event %d is %q at %v", got[i].Seq, got[i].Note.Text, got[i].T)
				}
			}
		})
	}
	for n, want := range map[int]string{-1: "[]", 0: "[]", 1: "[6]", 3: "[4 5 6]", 9: "[3 4 5 6]"} {
		if got := seqs(l.Tail(n, nil)); got != want {
			t.Errorf("tail %d: %s, want %s", n, got, want)
		}
	}
}

// TestShortestLog keeps one event.
func TestShortestLog(t *testing.T) {
	l := New(1, ticks())
	l.Append(note("1"))
	l.Append(note("2"))
	if events, dropped := l.Since(0, nil); seqs(events) != "[2]" || dropped != 1 {
		t.Errorf("%s, %d dropped", seqs(events), dropped)
	}
}

// TestOddValuesAreCounted: kinds and opcodes that this program does not know have no count, or share one.
func TestOddValuesAreCounted(t *testing.T) {
	l := New(4, ticks())
	l.Append(Event{Kind: kinds})
	for _, o := range []verbs.WCOpcode{opcodeHalf, opcodeHalf - 1, verbs.WCRecv - 1, verbs.WCRecv + opcodeHalf} {
		l.AppendBatch([]Completion{{WC: verbs.WC{Opcode: o}}})
	}
	if c := l.Counts(); c.Total != 5 || c.Opcode(verbs.WCRecv) != 0 || c.Opcode(opcodeHalf-1) != 1 ||
		c.Opcode(opcodeHalf) != 3 {
		t.Errorf("%d in all, %d RECVs, %d of the last opcode, %d unknown", c.Total, c.Opcode(verbs.WCRecv),
			c.Opcode(opcodeHalf-1), c.Opcode(opcodeHalf))
	}
}

func TestEmptyLog(t *testing.T) {
	l := New(0, nil)
	if events, dropped := l.Since(0, nil); len(events) != 0 || dropped != 0 || l.Last() != 0 ||
		l.AppendBatch(nil) != 0 {
		t.Errorf("an empty log has %d events, %d dropped, last %d", len(events), dropped, l.Last())
	}
	if got := l.Tail(5, nil); len(got) != 0 {
		t.Errorf("an empty log has a tail of %d", len(got))
	}
}

// TestNoCompletions: a batch of none tells nobody, and does not read the clock.
func TestNoCompletions(t *testing.T) {
	reads := 0
	l := New(4, func() time.Duration { reads++; return 0 })
	l.Append(note("x"))
	marks, stop := l.Watch()
	defer stop()
	if last := l.AppendBatch(nil); last != 1 || reads != 1 || len(marks) != 0 {
		t.Errorf("the last event is %d, the clock was read %d times, %d marks", last, reads, len(marks))
	}
}

func TestCountsOutliveTheRing(t *testing.T) {
	l := New(2, ticks())
	recv := Completion{CQ: "cq", WC: verbs.WC{Opcode: verbs.WCRecv, ByteLen: 5}}
	send := Completion{CQ: "cq", WC: verbs.WC{Opcode: verbs.WCSend, ByteLen: 77}} // byte_len is undefined here
	bad := Completion{CQ: "other", WC: verbs.WC{Status: verbs.WCRetryExcErr, Opcode: verbs.WCRecv, ByteLen: 9}}
	odd := Completion{CQ: "other", WC: verbs.WC{Status: 999, Opcode: 77}}
	newer := Completion{CQ: "cq", WC: verbs.WC{Opcode: 77}}
	l.Append(note("x"))
	for range 3 {
		l.AppendBatch([]Completion{recv, send, bad, odd, newer})
	}
	c := l.Counts()
	got := fmt.Sprint(c.Total, c.Dropped, c.Kind(KindWC), c.Kind(KindNote), c.Kind(KindCommand),
		c.WCOK, c.WCFailed, c.Bytes,
		c.Status(verbs.WCSuccess), c.Status(verbs.WCRetryExcErr), c.Status(999), c.Status(998),
		c.Opcode(verbs.WCRecv), c.Opcode(verbs.WCSend), c.Opcode(77))
	want := fmt.Sprint(16, 14, 15, 1, 0, 9, 6, 15, 9, 3, 3, 3, 3, 3, 3)
	if got != want {
		t.Errorf("counts\n%s, want\n%s", got, want)
	}
	if got, want := l.CQ("cq"), (CQCounts{OK: 9, Bytes: 15}); got != want {
		t.Errorf("cq: %+v, want %+v", got, want)
	}
	if got, want := l.CQ("other"), (CQCounts{Failed: 6}); got != want {
		t.Errorf("other: %+v, want %+v", got, want)
	}
	if got := l.CQ("none"); got != (CQCounts{}) {
		t.Errorf("none: %+v", got)
	}
}

// TestTextIsBounded appends lines whose total length exceeds the log's limit: the oldest are dropped, and the rest is
// whole and in order.
func TestTextIsBounded(t *testing.T) {
	l := New(1000, ticks())
	line := strings.Repeat("x", 2<<20)
	l.AppendBatch(make([]Completion, 5))
	for range 100 {
		l.Append(Event{Kind: KindCommand, Command: &CommandDone{Line: line}})
		l.Append(note("y"))
	}
	events, dropped := l.Since(0, nil)
	if l.kept.text > MaxText || l.kept.text < MaxText-len(line)-100 {
		t.Errorf("%d bytes of text kept", l.kept.text)
	}
	if uint64(len(events))+dropped != 205 || events[len(events)-1].Seq != 205 || events[0].Seq != dropped+1 {
		t.Errorf("%d events from %d, %d dropped", len(events), events[0].Seq, dropped)
	}
	for i := range events {
		if e := &events[i]; e.Seq != dropped+1+uint64(i) || (e.Command == nil) == (e.Note == nil) {
			t.Fatalf("event %d of those kept is %+v", i, e.Seq)
		}
	}
	l.Append(note(strings.Repeat("z", MaxText+1))) // a line that alone exceeds the limit is kept alone
	if events, _ = l.Since(0, nil); len(events) != 1 || events[0].Seq != 206 {
		t.Errorf("%d events kept", len(events))
	}
	for range 3000 {
		l.Append(note("w"))
	}
	if l.kept.text != 1000 || l.kept.Len() != 1000 || l.Counts().Dropped != 3206-1000 {
		t.Errorf("%d bytes in %d events, %d dropped", l.kept.text, l.kept.Len(), l.Counts().Dropped)
	}
}

func TestAttachSeesEverythingInOrder(t *testing.T) {
	l := New(2, ticks())
	var got []uint64
	detach := l.Attach(func(e *Event) { got = append(got, e.Seq) })
	l.Append(note("1"))
	l.AppendBatch(make([]Completion, 3))
	detach()
	l.Append(note("5"))
	if !slices.Equal(got, []uint64{1, 2, 3, 4}) {
		t.Errorf("saw %v", got)
	}
}

func TestDetachLeavesTheOthers(t *testing.T) {
	l := New(2, ticks())
	var got []string
	detach := make([]func(), 3)
	for i, name := range []string{"a", "b", "c"} {
		detach[i] = l.Attach(func(*Event) { got = append(got, name) })
	}
	l.Append(note("1"))
	detach[1]()
	detach[1]() // a second time: no effect
	l.Append(note("2"))
	if want := []string{"a", "b", "c", "a", "c"}; !slices.Equal(got, want) {
		t.Errorf("notified %q, want %q", got, want)
	}
}

func TestWatch(t *testing.T) {
	l := New(2, ticks())
	marks, stop := l.Watch()
	for range 3 {
		l.Append(note("x"))
	}
	<-marks
	select {
	case <-marks:
		t.Error("one mark covers all events before it was read")
	default:
	}
	stop()
	l.Append(note("x"))
	select {
	case <-marks:
		t.Error("a mark after stop")
	default:
	}
}

// TestManyAtOnce runs writers and readers at the same time; each reader must see every number once, or that it was
// dropped.
func TestManyAtOnce(t *testing.T) {
	const writers, rounds, batch = 4, 200, 16
	const total = writers * rounds * (batch + 1)
	l := New(1024, nil)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			cs := make([]Completion, batch)
			for i := range cs {
				cs[i].CQ = "cq"
			}
			for range rounds {
				l.AppendBatch(cs)
				l.Append(note("x"))
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			marks, stop := l.Watch()
			defer stop()
			var next uint64
			buf := make([]Event, 0, 100)
			for next < total {
				events, dropped := l.Since(next, buf)
				next += dropped
				for i := range events {
					if next++; events[i].Seq != next {
						t.Errorf("number %d after %d", events[i].Seq, next-1)
						return
					}
				}
				if len(events) == 0 && next < total {
					<-marks
				}
			}
		})
	}
	wg.Wait()
	if c := l.Counts(); c.Total != total || c.WCOK != writers*rounds*batch || l.CQ("cq").OK != c.WCOK {
		t.Errorf("counted %d events, %d completions", c.Total, c.WCOK)
	}
}

func TestAppendBatchDoesNotAllocate(t *testing.T) {
	l := New(256, nil)
	batch := make([]Completion, 64)
	for i := range batch {
		batch[i] = Completion{CQ: "cq", WC: verbs.WC{Opcode: verbs.WCRecv, ByteLen: 64}}
	}
	for range 8 {
		l.AppendBatch(batch)
	}
	if n := testing.AllocsPerRun(100, func() { l.AppendBatch(batch) }); n != 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

func BenchmarkAppendBatch(b *testing.B) {
	for _, sinks := range []int{0, 5} {
		b.Run(fmt.Sprintf("sinks=%d", sinks), func(b *testing.B) {
			l := New(0, nil)
			var seen uint64
			for range sinks {
				l.Attach(func(e *Event) { seen += e.Seq & 1 })
			}
			batch := make([]Completion, 64)
			for i := range batch {
				batch[i] = Completion{CQ: "cq", WC: verbs.WC{Opcode: verbs.WCRecv, ByteLen: 64}}
			}
			b.ReportAllocs()
			for b.Loop() {
				l.AppendBatch(batch)
			}
			b.ReportMetric(float64(len(batch)*b.N)/b.Elapsed().Seconds(), "wc/s")
		})
	}
}

func BenchmarkTail(b *testing.B) {
	l := New(0, nil)
	for range 2000 {
		l.AppendBatch(make([]Completion, 64))
	}
	buf := make([]Event, 0, 50)
	b.ReportAllocs()
	for b.Loop() {
		l.Tail(50, buf)
	}
}

// TestTextLen: every text of an event that may be long counts, and the resolved line once more for the C call.
func TestTextLen(t *testing.T) {
	for want, e := range map[int]Event{
		125: {Command: &CommandDone{Line: text(1), Resolved: text(2), C: ccall.Text("f()"), Result: text(8),
			Check: text(16), Err: text(32), Hint: text(64)}},
		5: {Note: &Note{Text: text(5)}},
		7: {Packet: &Packet{Data: make([]byte, 7)}},
		0: {Kind: KindWC},
	} {
		if got := e.textLen(); got != want {
			t.Errorf("%+v: %d bytes, want %d", e, got, want)
		}
	}
}

func text(n int) string { return strings.Repeat("x", n) }
