package explain

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rdmatui/verbs/verbstest/race"
)

// fieldCase is a paste from a public report, and the words that the first answer must have: all of several parted
// by +, of alternatives parted by / one. No words: nothing failed in it.
type fieldCase struct {
	want, source, text string
	line               int  // in which the first answer must stand, 0 for any
	wrong              bool // it is answered wrongly, and known to be
}

// fieldCases reads blocks of "## WANT | SOURCE" and the paste. "## ? WANT" marks what is not answered rightly yet,
// "WANT @2" wants it in line 2.
func fieldCases(t *testing.T, name string) (cases []fieldCase) {
	content, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(content), "\n## ") {
		head, text, found := strings.Cut(strings.TrimPrefix(block, "## "), "\n")
		want, source, named := strings.Cut(head, " | ")
		if !found || !named {
			continue // the file's own heading
		}
		c := fieldCase{source: source, text: strings.TrimRight(text, "\n")}
		c.want, c.wrong = strings.CutPrefix(want, "? ")
		if words, line, placed := strings.Cut(c.want, " @"); placed {
			if c.line, err = strconv.Atoi(line); err != nil {
				t.Fatalf("%s: %q: %v", name, head, err)
			}
			c.want = words
		}
		cases = append(cases, c)
	}
	return cases
}

// answeredBy is the text of a first answer: what is known of it, without the line that it was found in.
func answeredBy(a Answer) string {
	if len(a.Entries) == 0 {
		return ""
	}
	e := a.Entries[0]
	first := slices.Concat([]string{e.Failed, e.Name, e.CName, e.What, e.Short, e.Means, e.Here}, e.Causes, e.Check,
		e.Try)
	return strings.ToLower(strings.Join(first, "\n"))
}

func (c *fieldCase) right(a Answer) bool {
	if c.want == "NOTHING" {
		return len(a.Entries) == 0
	}
	said := answeredBy(a)
	if c.line > 0 && (len(a.Entries) == 0 || a.Entries[0].Line != c.line) {
		return false
	}
	for all := range strings.SplitSeq(c.want, " + ") {
		if !slices.ContainsFunc(strings.Split(all, " / "), func(w string) bool {
			return strings.Contains(said, strings.ToLower(strings.TrimSpace(w)))
		}) {
			return false
		}
	}
	return said != ""
}

// TestFieldLines: pastes from public reports, for which no row was written when they were collected, are answered as
// an engineer who read the report would. Those that are not are marked, and counted.
func TestFieldLines(t *testing.T) {
	race.Needless(t)
	for name, least := range map[string]int{"fresh1.txt": 60, "fresh2.txt": 60, "fresh3.txt": 60, "fresh4.txt": 60,
		"fresh5.txt": 60, "fresh6.txt": 60, "fresh7.txt": 60, "fresh8.txt": 60, "fresh9.txt": 40, "fresh10.txt": 39,
		"fresh11.txt": 38, "fresh12.txt": 31, "fresh13.txt": 29, "fresh14.txt": 21, "fresh15.txt": 19,
		"fresh16.txt": 16, "fresh17.txt": 21, "fresh18.txt": 13} {
		cases, wrong := fieldCases(t, name), 0
		for _, c := range cases {
			a := Read(c.text)
			switch right := c.right(a); {
			case right && c.wrong:
				t.Errorf("%s: %s: it is answered rightly now: %.300q", name, c.want, answeredBy(a))
			case !right && !c.wrong:
				t.Errorf("%s: want %s (%s):\n%.300s\n--- %.200q", name, c.want, c.source, c.text, answeredBy(a))
			}
			if c.wrong {
				wrong++
			}
		}
		if len(cases) < least || wrong*5 > len(cases) {
			t.Errorf("%s: %d of %d are answered wrongly; at least %d, a fifth wrong at most", name, wrong, len(cases),
				least)
		}
	}
}
