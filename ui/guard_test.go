package ui

import (
	"context"
	"strings"
	"testing"
)

// TestFirstPanicIsTold: the first of several panics is kept, and is escaped before it reaches the terminal.
func TestFirstPanicIsTold(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	var g guard
	g.open(end, terminal{})
	g.caught("first", []byte("first stack \x1b[2J\n\tline\n"))
	g.caught("second", []byte("second stack\n"))
	if ctx.Err() == nil {
		t.Error("the program goes on")
	}
	var said strings.Builder
	err := g.tell(&said)
	if err == nil || !strings.Contains(err.Error(), "first") || strings.Contains(err.Error(), "second") {
		t.Errorf("the error is %v", err)
	}
	if want := "first stack \\x1b[2J\n    line\n"; said.String() != want {
		t.Errorf("%q, want %q", said.String(), want)
	}
}

// TestPanicWithoutScreen: before a screen opens and after it closes, a panic continues.
func TestPanicWithoutScreen(t *testing.T) {
	var g guard
	for range 2 {
		func() {
			defer func() {
				if r := recover(); r != "on" {
					t.Errorf("recovered %v", r)
				}
			}()
			g.caught("on", nil)
		}()
		g.open(func() {}, terminal{})
		g.shut()
	}
	if err := g.tell(&strings.Builder{}); err != nil {
		t.Error(err)
	}
}
