package incident_test

import (
	"errors"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

var errNoTap = errors.New("there is no tap")

// untapped is a fake whose packets cannot be had.
type untapped struct{ *sessiontest.Fake }

func (untapped) TapPackets(string, func(verbs.Packet)) error { return errNoTap }

// TestRecorderFails: a line whose recording cannot begin fails, and leaves the memory as it was.
func TestRecorderFails(t *testing.T) {
	s := session.New(core.Options{Providers: []verbs.Provider{untapped{sessiontest.NewFake()}}})
	defer s.Close()
	if done, err := s.Exec(t.Context(), "recorder on memory=9"); !errors.Is(err, errNoTap) || done.Result != "" {
		t.Errorf("%v, %q", err, done.Result)
	}
	if got := sessiontest.Execute(t, s, "recorder").Result; !strings.Contains(got, " of 16 MiB (not recording)") {
		t.Error(got)
	}
}

// TestRecorderLine: one line can switch the recorder and set its memory, and says what holds from then on.
func TestRecorderLine(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	const idle = "(not recording)"
	for _, tt := range []struct {
		line, memory string
		recording    bool
	}{
		{"recorder", " of 16 MiB", false},
		{"recorder on", " of 16 MiB;", true},
		{"recorder memory=9", " of 9 MiB;", true},
		{"recorder off memory=8", " of 8 MiB ", false},
		{"recorder on memory=7", " of 7 MiB;", true},
		{"recorder", " of 7 MiB;", true},
		{"recorder off", " of 7 MiB ", false},
	} {
		got := sessiontest.Execute(t, s, tt.line).Result
		if !strings.HasPrefix(got, "0 packets, ") || !strings.Contains(got, tt.memory) ||
			strings.Contains(got, idle) == tt.recording || !strings.Contains(got, "; 0 send requests of 4,096") {
			t.Errorf("%s: %q, want %q, recording %v", tt.line, got, tt.memory, tt.recording)
		}
	}
}
