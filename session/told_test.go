package session

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestTold holds what is told of each line: its values, its C call, what it made, warnings, results, errors and hints. Look at what
// -update changes: it is what people read.
func TestTold(t *testing.T) {
	script, err := os.ReadFile("testdata/told.rdma")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	synctest.Test(t, func(t *testing.T) {
		f := newFakeCM()
		f.addrInfos = addrSays()
		psn := uint32(0)
		s := New(core.Options{Providers: []verbs.Provider{f}, Rand: func() uint32 { psn++; return psn }})
		defer s.Close()
		for line := range strings.Lines(string(script)) {
			if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			synctest.Wait() // who reads events has read them
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			done, _ := s.Exec(ctx, line)
			cancel()
			tell(&b, &done)
		}
	})
	const golden = "testdata/told.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, wanted := strings.Split(b.String(), "\n\n"), strings.Split(string(want), "\n\n")
	if len(got) != len(wanted) {
		t.Errorf("%d lines are told of, want %d", len(got), len(wanted))
	}
	for i := range min(len(got), len(wanted)) {
		if got[i] != wanted[i] {
			t.Errorf("%s\nwant\n%s", got[i], wanted[i])
		}
	}
}

// tell writes what came of a line, but how long it took.
func tell(b *strings.Builder, done *timeline.CommandDone) {
	b.WriteString(done.Line + "\n")
	for _, part := range []struct{ name, text string }{
		{"resolved", done.Resolved}, {"call", done.Call}, {"created", strings.Join(done.Created, " ")}, {"check", done.Check},
		{"result", done.Result}, {"error", done.Err}, {"errno", done.Errno}, {"hint", done.Hint},
	} {
		if part.text != "" {
			fmt.Fprintf(b, "  %s: %s\n", part.name, strings.ReplaceAll(part.text, "\n", "\n    "))
		}
	}
	b.WriteByte('\n')
}
