package timeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
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

// TestWriterNeverHoldsUpTheLog appends far more than the log keeps while the
// file does not take anything.
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
		t.Errorf("told of %v", reason)
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
