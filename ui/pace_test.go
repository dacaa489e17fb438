package ui

import (
	"io"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// still is a program that ends at once, and looks at its renderer before.
type still struct {
	pace  *pace
	found *time.Ticker
}

func (s *still) Init() tea.Cmd {
	s.found = s.pace.ticker()
	return tea.Quit
}

func (s *still) Update(tea.Msg) (tea.Model, tea.Cmd) { return s, nil }
func (s *still) View() tea.View                      { return tea.NewView("") }

// The renderer's ticker has no name that Bubble Tea promises to keep: without it an idle
// screen costs five times as much, and nothing else tells.
func TestRendererTickerIsFound(t *testing.T) {
	s := &still{pace: &pace{}}
	s.pace.program = tea.NewProgram(s, tea.WithContext(t.Context()), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutSignalHandler())
	if _, err := s.pace.program.Run(); err != nil {
		t.Fatal(err)
	}
	if s.found == nil {
		t.Fatal("Bubble Tea keeps the ticker of its renderer elsewhere now: see pace")
	}
}
