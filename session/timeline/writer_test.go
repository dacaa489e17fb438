package timeline

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"rdmatui/verbs/format"
)

// gate is a file whose writes wait until it is opened.
type gate struct {
	open chan struct{}
	bytes.Buffer
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	return g.Buffer.Write(p)
}

func lines(t *testing.T, text string) []map[string]any {
	t.Helper()
	var ms []map[string]any
	for line := range strings.Lines(text) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		ms = append(ms, m)
	}
	return ms
}

func TestWriterWritesAll(t *testing.T) {
	l := New(10000, ticks())
	l.Append(note("before"))
	var out bytes.Buffer
	w := NewWriter(l, &out, nil)
	for range 100 {
		l.AppendBatch(make([]Completion, 20))
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := lines(t, out.String())
	if len(got) != 2001 || w.Dropped() != 0 {
		t.Fatalf("%d lines, %d dropped", len(got), w.Dropped())
	}
	for i, m := range got {
		if m["seq"] != float64(i+1) {
			t.Fatalf("line %d has number %v", i+1, m["seq"])
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Errorf("the second Close: %v", err)
	}
}

// written tells how many writes there were.
type written chan int

func (w written) Write(p []byte) (int, error) { w <- bytes.Count(p, []byte("\n")); return len(p), nil }

// TestWriterGoesOn: events are written as they come, and not only at the end.
func TestWriterGoesOn(t *testing.T) {
	l, out := New(10, ticks()), make(written)
	w := NewWriter(l, out, nil)
	for range 3 {
		l.Append(note("x"))
		if n := <-out; n != 1 {
			t.Errorf("%d lines", n)
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// unwritable has no text.
type unwritable struct{}

func (unwritable) MarshalText() ([]byte, error) { return []byte("x"), errors.New("none") }

// TestValuesWithoutText are null: the rest of the line is still valid.
func TestValuesWithoutText(t *testing.T) {
	for _, v := range []any{unwritable{}, func() {}} {
		if got := string(appendValue(nil, v)); got != "null" {
			t.Errorf("%T: %s", v, got)
		}
	}
}

// TestWriterNeverHoldsUpTheLog appends far more than the log keeps while the file accepts nothing.
func TestWriterNeverHoldsUpTheLog(t *testing.T) {
	l := New(64, ticks())
	g := &gate{open: make(chan struct{})}
	w := NewWriter(l, g, nil)
	const total = 100000
	for range total / 10 {
		l.AppendBatch(make([]Completion, 10))
	}
	close(g.open)
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var written, missing uint64
	for _, m := range lines(t, g.String()) {
		if m["event"] == "wc" {
			written++
			continue
		}
		missing++
		if m["event"] != "note" || !strings.Contains(m["text"].(string), "missing") {
			t.Errorf("unexpected line %v", m)
		}
	}
	if written+w.Dropped() != total || w.Dropped() == 0 || missing == 0 {
		t.Errorf("%d written, %d dropped in %d gaps, of %d", written, w.Dropped(), missing, total)
	}
}

// TestWriterTellsOfGaps: the note about missing events has the number of the last missing event, and the time of the
// first event after them.
func TestWriterTellsOfGaps(t *testing.T) {
	l := New(8, ticks())
	var out bytes.Buffer
	w := &Writer{log: l, out: bufio.NewWriter(&out)}
	missing := func(m map[string]any) bool {
		return m["event"] == "note" && strings.Contains(m["text"].(string), "missing")
	}
	want, dropped := uint64(0), uint64(0)
	for _, appended := range []uint64{3, 20, 1, 9, 8} {
		l.AppendBatch(make([]Completion, appended))
		out.Reset()
		w.drain(make([]Event, 0, max(1, 20-appended)), nil) // of 20 events, one at a time
		got := lines(t, out.String())
		if gap := max(appended, 8) - 8; gap > 0 {
			want, dropped = want+gap, dropped+gap
			if !missing(got[0]) || !strings.HasPrefix(got[0]["text"].(string), format.Counted(gap, "event")) ||
				got[0]["seq"] != float64(want) || got[0]["t"] != got[1]["t"] || got[0]["t"] == 0.0 {
				t.Errorf("after %d: %v, then %v", appended, got[0], got[1])
			}
			got = got[1:]
		}
		for _, m := range got {
			if want++; m["seq"] != float64(want) {
				t.Errorf("after %d: %v, want %d", appended, m, want)
			}
		}
		if w.next != want || want != l.Last() || w.Dropped() != dropped {
			t.Errorf("at %d of %d with %d dropped, want %d with %d", w.next, l.Last(), w.Dropped(), want, dropped)
		}
	}
}

type broken struct{}

var errBroken = errors.New("no space")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWriterReportsItsError(t *testing.T) {
	l := New(8, ticks())
	w := NewWriter(l, broken{}, nil)
	l.Append(note("x"))
	if err := w.Close(t.Context()); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
	l.Append(note("the log does not mind"))
}

type crashing struct{}

func (crashing) Write([]byte) (int, error) { panic("fell over") }

func TestWriterTellsOfItsCrash(t *testing.T) {
	l := New(8, ticks())
	told := make(chan any, 1)
	w := NewWriter(l, crashing{}, func(reason any, _ []byte) { told <- reason })
	l.Append(note("x"))
	if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if reason := <-told; reason != "fell over" {
		t.Errorf("reported %v", reason)
	}
}

func TestWriterCloseGivesUp(t *testing.T) {
	l := New(8, ticks())
	g := &gate{open: make(chan struct{})}
	w := NewWriter(l, g, nil)
	l.Append(note("x"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := w.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	close(g.open)
	if err := w.Close(t.Context()); err != nil {
		t.Errorf("after the file came back: %v", err)
	}
}
