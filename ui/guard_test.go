package ui

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
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

// TestPanicInCommand: a panic of a command is caught however the command is wrapped.
func TestPanicInCommand(t *testing.T) {
	fail := func() tea.Msg { panic("broken") }
	quiet := func() tea.Msg { return nil }
	for name, cmd := range map[string]tea.Cmd{
		"alone":              fail,
		"batch":              tea.Batch(quiet, fail),
		"sequence":           tea.Sequence(quiet, fail),
		"sequence in batch":  tea.Batch(quiet, tea.Sequence(quiet, fail)),
		"batch in sequences": tea.Sequence(quiet, tea.Sequence(quiet, tea.Batch(quiet, fail))),
	} {
		t.Run(name, func(t *testing.T) {
			var g guard
			g.open(func() {}, terminal{})
			runAll(guarded{nil, &g}.command(cmd))
			if err := g.tell(&strings.Builder{}); err == nil || !strings.Contains(err.Error(), "broken") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// runAll runs a command and those that it returns.
func runAll(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	for _, c := range commandsIn(cmd()) {
		runAll(c)
	}
}
