package cli

import (
	"bytes"
	"strings"
	"testing"

	"rdmatui/session/tune"
)

// TestTuneRefuses checks that a wrong call is refused in one line before anything is
// opened.
func TestTuneRefuses(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"--all inline", `--all runs every experiment; leave out "inline"`},
		{"--list --all", "--list runs no experiment"},
		{"--list inline", "--list runs no experiment"},
		{"inlined", `there is no experiment "inlined"`},
		{"inline inlined", `there is no experiment "inlined"`},
		{"--al", "unknown flag"},
	} {
		var out bytes.Buffer
		p := benchProgram(t, &out)
		status := p.Run(t.Context(), append([]string{"tune"}, strings.Fields(tt.args)...))
		if text := out.String(); status != Wrong || !strings.Contains(text, tt.want) || strings.Count(text, "\n") != 1 {
			t.Errorf("tune %s: status %d, %q, want %q", tt.args, status, text, tt.want)
		}
	}
}

// TestTuneList checks that both lists have all experiments and open nothing.
func TestTuneList(t *testing.T) {
	for _, args := range []string{"tune", "tune --list", "tune --json"} {
		var out bytes.Buffer
		if status := benchProgram(t, &out).Run(t.Context(), strings.Fields(args)); status != Done {
			t.Fatalf("%s: status %d: %s", args, status, out.String())
		}
		for _, name := range tune.Names() {
			if !strings.Contains(out.String(), name) {
				t.Errorf("%s lacks %s", args, name)
			}
		}
	}
}
