package manual

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"rdmatui/assets"
)

func TestText(t *testing.T) {
	for name, c := range map[string]struct{ page, want string }{
		"paragraph": {"one two\nthree `four\nfive` six", "one two three four\nfive six\n"},
		"heading":   {"# A `b`\n\ntext", "A B\n\ntext\n"},
		"code":      {"see:\n\n    a  b # c\n    d\n\nend", "see:\n\n    a  b # c\n    d\n\nend\n"},
		"list":      {"- one two three four five\n- six", "- one two three four\n  five\n- six\n"},
		"numbers":   {"1. one two three four five\n2. six", "1. one two three four\n   five\n2. six\n"},
		"table":     {"| k | does |\n|---|---|\n| `a` | one two three four |\n| long word here | five |", "k            does\na            one two\n             three\n             four\nlong word here\n             five\n"},
		"no last":   {"| a | b |\n|---|---|\n| c | |", "a  b\nc\n"},
		"picture":   {"one\n\n![a screen](x.svg)\n\ntwo", "one\n\ntwo\n"},
		"sign":      {"press `.` or [`n`](n.md)", "press '.' or n\n"},
	} {
		w := 22
		if got := Text(c.page, w); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", name, got, c.want)
		}
	}
}

// Every page has a title and a first paragraph, fits over the screen in 80 columns, and its links lead somewhere.
func TestPages(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^):]*)\)`)
	for _, name := range assets.PageNames() {
		page, ok := assets.Page(name)
		if !ok || assets.PageTitle(page) == "" {
			t.Errorf("%s: page %v, title %q", name, ok, assets.PageTitle(page))
		}
		text, err := Find(name, 74)
		if err != nil {
			t.Error(err)
		}
		for l := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimRight(l, "\n")); n > 74 {
				t.Errorf("%s: %d cells: %s", name, n, l)
			}
		}
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat(filepath.Join("..", "..", "assets", "manual", m[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, m := range regexp.MustCompile("rdmatui manual ([a-z-]+)").FindAllStringSubmatch(page, -1) {
			if _, ok := assets.Page(m[1]); !ok {
				t.Errorf("%s names the page %s", name, m[1])
			}
		}
		if !strings.Contains(List(), name+" ") {
			t.Errorf("%s is not listed", name)
		}
	}
	if _, err := Find("no such", 79); err == nil || !strings.Contains(err.Error(), `no page "no such"`) {
		t.Error(err)
	}
}

// README.md is short, and its links lead somewhere.
func TestReadme(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(page) > 8<<10 {
		t.Errorf("README.md has %d bytes", len(page))
	}
	for _, m := range regexp.MustCompile(`\]\(([^):]*)\)`).FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Error(err)
		}
	}
	for _, name := range assets.PageNames() {
		if !strings.Contains(string(page), "assets/manual/"+name+".md") {
			t.Errorf("README.md does not lead to the page %s", name)
		}
	}
}
