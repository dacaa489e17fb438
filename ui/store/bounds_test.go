package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHistoryText: the newest lines that fit, counting line breaks.
func TestHistoryText(t *testing.T) {
	const length = 1024 // with the line break
	lines := slices.Repeat([]string{strings.Repeat("x", length-1)}, maxHistoryBytes/length)
	for _, tt := range []struct {
		name  string
		lines []string
		want  int // bytes
	}{
		{"nothing", nil, 0},
		{"just full", lines, maxHistoryBytes},
		{"one line too many", append([]string{"y"}, lines...), maxHistoryBytes},
		{"one byte too many", append(slices.Clone(lines[1:]), strings.Repeat("y", length)),
			maxHistoryBytes - length + 1},
		{"a line that is too long", []string{strings.Repeat("y", maxHistoryBytes)}, 0},
	} {
		got := historyText(tt.lines)
		if len(got) != tt.want || tt.want > 0 && !strings.HasSuffix(string(got), tt.lines[len(tt.lines)-1]+"\n") {
			t.Errorf("%s: %d bytes, want %d", tt.name, len(got), tt.want)
		}
	}
}

// TestReplaceLeavesNothing: a file that cannot be replaced stays, and no temporary file is left.
func TestReplaceLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	// a file cannot replace a directory that is not empty
	if err := os.MkdirAll(filepath.Join(file, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if replace(file, []byte("text")) == nil {
		t.Error("a folder was replaced")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestEditChangesNothingElse: a line that cannot be told from one of another key is not edited.
func TestEditChangesNothingElse(t *testing.T) {
	setting := &NewSettings([]string{"dark", "light"})[0]
	value := "light"
	if setting.Key != "theme" {
		t.Fatalf("the first setting is %s", setting.Key)
	}
	for text, want := range map[string]string{
		"theme = \"dark\"\n":                           "theme = \"light\"\n",
		"theme = \"dark\"\n[mine]\ntheme = \"dark\"\n": "", // both would change
		"[mine]\nthemes = 1\n":                         "theme = \"light\"\n[mine]\nthemes = 1\n",
	} {
		got, err := edit("file", []byte(text), setting, value)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
