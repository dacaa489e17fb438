package ui

import (
	"io"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// still is a program that inspects its renderer and ends at once.
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

// Bubble Tea does not guarantee the name of the renderer's ticker. If the lookup failed,
// an idle screen would cost five times as much, and no other test would notice.
func TestRendererTickerIsFound(t *testing.T) {
	s := &still{pace: &pace{}}
	s.pace.program = tea.NewProgram(s, tea.WithContext(t.Context()), tea.WithInput(nil), tea.WithOutput(io.Discard),
		tea.WithoutSignalHandler())
	if _, err := s.pace.program.Run(); err != nil {
		t.Fatal(err)
	}
	if s.found == nil {
		t.Fatal("Bubble Tea keeps the ticker of its renderer elsewhere now: see pace")
	}
}
