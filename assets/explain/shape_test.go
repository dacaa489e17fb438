package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rdmatui/verbs/verbstest/race"
)

// corpus is every line of the logs that tests have, and every message of the tables filled in.
func corpus(t testing.TB) (lines []string) {
	files, err := filepath.Glob("testdata/*.txt")
	seeds, _ := filepath.Glob("testdata/fuzz/FuzzRead/*")
	if err != nil || len(files) == 0 || len(seeds) == 0 {
		t.Fatal(files, seeds, err)
	}
	for _, name := range append(files, seeds...) {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(content)) {
			lines = append(lines, strings.TrimRight(l, "\n"))
		}
	}
	for i, m := range theMessages().all {
		if i%3 == 0 {
			lines = append(lines, m.speaker+": "+filled(m.Name))
		}
	}
	return lines
}

// mutated is a line with some of its words changed, left out, moved or taken from another one.
func mutated(r *rand.Rand, line, other string) string {
	words, others := strings.Fields(line), strings.Fields(other)
	for range 1 + r.IntN(4) {
		if len(words) == 0 || len(others) == 0 {
			return line + other
		}
		at := r.IntN(len(words))
		switch r.IntN(11) {
		case 0:
			words = slices.Delete(words, at, at+1)
		case 1:
			words[at] = others[r.IntN(len(others))]
		case 2:
			words = slices.Insert(words, at, others[r.IntN(len(others))])
		case 3:
			words[at] = letters(r, 1+r.IntN(8))
		case 4:
			words[at] = fmt.Sprint(r.IntN(300) - 100)
		case 5:
			words[at] = strings.ToUpper(words[at])
		case 6:
			words[at] = []string{"failed", "error", "rdma", "mlx5_0", "not", "-12", "qp", "create", "status", "_",
				"INFO", "\x1b[31m", `\n`, "…", "errno", "with", "event", "0xfffffff4", "Größe", "--5", "K"}[r.IntN(21)]
		case 7:
			words[at] += []string{"_", "=", ":", "-", "(", "\x1b[0m", "é"}[r.IntN(7)] + others[r.IntN(len(others))]
		case 8:
			words = words[at:]
		case 9:
			words[at] = "_" + words[at]
		case 10:
			words = slices.Insert(words, at, others[r.IntN(len(others)):]...)
		}
	}
	return strings.Join(words, " ")
}

// toldBy is all that a reader of logs takes from a line.
func toldBy(l *logLine, found []finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprint(&b, f.Family, " ", f.Name, " ", f.rank, f.sure, f.Here != "", "; ")
	}
	errno := "none"
	if e := l.errno(); e != nil {
		errno = e.Name
	}
	fmt.Fprintf(&b, "verb %s, errno %s, failed %v, about %v, calm %v", l.verb(), errno, l.saysFailed(), aboutAny(l),
		l.calm())
	return b.String()
}

// TestSkippedLinesTellNothing: the kinds of a line's words spare work, and change no answer; lines of one shape tell
// the same.
func TestSkippedLinesTellNothing(t *testing.T) {
	race.Needless(t)
	r, s := rand.New(rand.NewPCG(5, 6)), newScanner(theMessages().vocabulary())
	lines, shapes := corpus(t), map[uint64][2]string{}
	skipped, shared := 0, 0
	check := func(line string) {
		if len(line) > maxLineBytes {
			return
		}
		shape := s.shapeOf([]byte(line))
		full, spared := newLogLine(1, clean(line), wordAll), newLogLine(1, clean(line), shape.kinds)
		if len(full.words) == 0 {
			return
		}
		want := toldBy(full, full.read())
		if shape.kinds.mayTell() {
			if got := toldBy(spared, spared.read()); got != want {
				t.Errorf("%q with the kinds of its words: %s\nwithout: %s", line, got, want)
			}
			if old, ok := shapes[shape.key]; ok && old[0] != line {
				if shared++; old[1] != want {
					t.Errorf("of one shape: %q: %s\n%q: %s", line, want, old[0], old[1])
				}
			}
			shapes[shape.key] = [2]string{line, want}
			return
		}
		skipped++
		found := full.read()
		about := shape.kinds.hasAny(wordAbout) && !shape.kinds.hasAny(wordWithout)
		if len(found) > 0 || full.verb() != "" && (full.saysFailed() || full.errno() != nil) || full.failsUnknown() ||
			full.saysFailed() != spared.saysFailed() || (aboutAny(full) && !full.has("without")) != about {
			t.Errorf("%q is skipped, and tells %s", line, want)
		}
	}
	n := 12000
	if testing.Short() {
		n = 4000
	}
	for _, l := range lines {
		check(l)
	}
	for range n {
		check(mutated(r, lines[r.IntN(len(lines))], lines[r.IntN(len(lines))]))
	}
	for _, kind := range newShapeKinds {
		for l := range strings.Lines(newShapesOf(kind, 64<<10)) {
			check(strings.TrimSpace(l))
		}
	}
	t.Logf("%d lines are skipped, %d have the shape of another", skipped, shared)
	if skipped < n/50 || shared < n/50 {
		t.Errorf("only %d lines are skipped, and %d have the shape of another", skipped, shared)
	}
}

// TestScannedLogs: long logs are answered as they are when each line goes through all rules.
func TestScannedLogs(t *testing.T) {
	race.Needless(t)
	r, lines := rand.New(rand.NewPCG(7, 8)), corpus(t)
	for range 12 {
		var text strings.Builder
		for i := range 400 {
			line := lines[r.IntN(len(lines))]
			if i%3 > 0 {
				line = newShapes[newShapeKinds[r.IntN(3)]](r) // in which nothing fails
			}
			if i > 350 || i%5 == 0 {
				line = mutated(r, line, lines[r.IntN(len(lines))])
			}
			text.WriteString(line + "\n")
		}
		whole := newLogReader()
		whole.early = math.MinInt
		want, _ := whole.answer(strings.NewReader(text.String())) // which never fails
		got := Read(text.String())
		told := func(a Answer) (all []string) {
			for _, e := range a.Entries {
				all = append(all, fmt.Sprint(e.Line, " ", e.Family, " ", e.Name, " ", e.Here))
			}
			return all
		}
		if !slices.Equal(told(got), told(want)) || !slices.Equal(got.Unknown, want.Unknown) {
			t.Errorf("scanned: %q\nall lines: %q", told(got), told(want))
		}
	}
}
