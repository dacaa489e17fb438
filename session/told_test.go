package session_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestTold compares the report of each line, on a fake and on software devices: values, C call, created objects,
// warnings, results, errors and hints. Read the diff of -update: users see these texts.
func TestTold(t *testing.T) {
	for name, make := range map[string]func() verbs.Provider{
		"told": func() verbs.Provider {
			f := sessiontest.NewFakeCM()
			f.AddrInfos = sessiontest.AddrSays()
			return f
		},
		"told_soft":    sessiontest.SoftInOrder,
		"told_soft_cm": sessiontest.SoftInOrder,
	} {
		t.Run(name, func(t *testing.T) {
			script, err := os.ReadFile("testdata/" + name + ".rdma")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			synctest.Test(t, func(t *testing.T) { got = toldOf(t, make(), string(script)) })
			wantTold(t, "testdata/"+name+".golden", got)
		})
	}
}

// toldOf carries a script out, line by line, and returns the reports.
func toldOf(t *testing.T, p verbs.Provider, script string) string {
	var b strings.Builder
	psn := uint32(0)
	s := session.New(core.Options{Providers: []verbs.Provider{p}, Rand: func() uint32 { psn++; return psn }})
	defer s.Close()
	for line := range strings.Lines(script) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		synctest.Wait() // event readers have finished
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		done, _ := s.Exec(ctx, line)
		cancel()
		tell(&b, &done)
	}
	return b.String()
}

// wantTold compares a report with a golden file.
func wantTold(t *testing.T, golden, told string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(told), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(told, "\n\n"), strings.Split(string(want), "\n\n")
	if len(got) != len(wanted) {
		t.Errorf("%d lines reported, want %d", len(got), len(wanted))
	}
	for i := range min(len(got), len(wanted)) {
		if got[i] != wanted[i] {
			t.Errorf("%s\nwant\n%s", got[i], wanted[i])
		}
	}
}

// tell writes the report of a line, without its duration.
func tell(b *strings.Builder, done *timeline.CommandDone) {
	b.WriteString(done.Line + "\n")
	for _, part := range []struct{ name, text string }{
		{"resolved", done.Resolved}, {"call", done.Call()}, {"created", strings.Join(done.Created, " ")},
		{"check", done.Check},
		{"result", done.Result}, {"error", done.Err}, {"errno", done.Errno}, {"hint", done.Hint},
	} {
		if part.text != "" {
			fmt.Fprintf(b, "  %s: %s\n", part.name, strings.ReplaceAll(part.text, "\n", "\n    "))
		}
	}
	b.WriteByte('\n')
}
