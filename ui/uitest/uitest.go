// Package uitest drives Bubble Tea models without a terminal and compares their
// output with golden files. A [Terminal] runs the built program: a pty with an emulator
// at its other end, which answers the program's queries and keeps what it has drawn;
// [DrawSVG] turns that into the pictures of README.md and the manual. It is for tests
// only.
package uitest

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

var update = flag.Bool("update", false, "write golden files instead of comparing")

// Golden compares got with testdata/NAME.golden, NAME being the test's name and
// the given one. Run the test with -update to write it.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	file := strings.NewReplacer("/", "-", " ", "_").Replace(t.Name() + "-" + name)
	path := filepath.Join("testdata", file+".golden")
	got = strings.TrimRight(got, "\n") + "\n"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if string(want) != got {
		t.Errorf("%s differs\n--- want\n%s--- got\n%s", path, want, got)
	}
}

// Text strips styles and trailing blanks.
func Text(view string) string {
	lines := strings.Split(ansi.Strip(view), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// Visible shows escape sequences as text, for goldens with styles.
func Visible(view string) string { return strings.ReplaceAll(view, "\x1b", "␛") }

var sgr = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// Fits fails unless the view is at most h lines of at most w cells each, and holds
// no control byte but newlines and no escape sequence but styles.
func Fits(t testing.TB, view string, w, h int) {
	t.Helper()
	lines := strings.Split(view, "\n")
	if len(lines) > h {
		t.Errorf("%d lines in a height of %d", len(lines), h)
	}
	for i, l := range lines {
		plain := sgr.ReplaceAllString(l, "")
		if n := ansi.StringWidth(plain); n > w {
			t.Errorf("line %d is %d cells in a width of %d: %q", i, n, w, plain)
		}
		if strings.ContainsFunc(plain, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("line %d holds a control character: %q", i, plain)
		}
	}
}

// Exact is Fits with every line exactly w cells and exactly h lines.
func Exact(t testing.TB, view string, w, h int) {
	t.Helper()
	Fits(t, view, w, h)
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		t.Errorf("%d lines, want %d", len(lines), h)
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n != w {
			t.Errorf("line %d is %d cells, want %d: %q", i, n, w, l)
		}
	}
}
