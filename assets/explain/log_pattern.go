package explain

import (
	"fmt"
	"slices"
	"strings"
)

// linePattern is a pattern and the entry of the lines that match it.
type linePattern struct {
	pattern
	entry *Entry
}

// pattern is what lines of a log have in common: words in this order, with others between them.
type pattern struct {
	elements [][]string // of each the words that may stand there; one that ends in * stands for all that begin so
	noErrno  bool       // the line has no errno: what has one is explained by it
}

// maxGap is how many other words may stand between two of a pattern.
const maxGap = 12

// noErrnoMark ends a pattern of lines that do not tell an errno.
const noErrnoMark = "!errno"

// parsePattern reads "failed modify qp rtr !errno" or "couldn|unable create_qp|qp".
func parsePattern(text string) (p pattern, err error) {
	for f := range strings.FieldsSeq(text) {
		if f == noErrnoMark {
			p.noErrno = true
			continue
		}
		words := strings.Split(f, "|")
		for _, w := range words {
			plain := strings.TrimSuffix(w, "*")
			if t := tokens(plain); len(t) != 1 || t[0] != plain {
				return p, fmt.Errorf("the pattern %q: %q is not one word in lower case", text, w)
			}
		}
		p.elements = append(p.elements, words)
	}
	if len(p.elements) == 0 {
		return p, fmt.Errorf("the pattern %q has no word", text)
	}
	return p, nil
}

func (p pattern) words() int { return len(p.elements) }

// wholeElement is the place of the element of whole words that has the fewest, the longest of those; -1 where there
// is none.
func (p pattern) wholeElement() (at int) {
	at, best := -1, 0
	for i, e := range p.elements {
		if slices.ContainsFunc(e, func(w string) bool { return strings.HasSuffix(w, "*") }) {
			continue
		}
		if weight := len(e[0]) - 4*len(e) + 1000; weight > best {
			at, best = i, weight
		}
	}
	return at
}

// matches reports whether a line has the words in their order. Each is looked for
// from every place where the first one stands.
func (p pattern) matches(words []string) bool {
	for i := range words {
		if fits(p.elements[0], words[i]) && follow(p.elements[1:], words[i+1:]) {
			return true
		}
	}
	return false
}

// follow takes each element at its first place: a later one leaves less for those
// after it, and the gap is wide.
func follow(elements [][]string, words []string) bool {
	for _, e := range elements {
		at := slices.IndexFunc(words[:min(len(words), maxGap+1)], func(w string) bool { return fits(e, w) })
		if at < 0 {
			return false
		}
		words = words[at+1:]
	}
	return true
}

func fits(element []string, word string) bool {
	return slices.ContainsFunc(element, func(e string) bool {
		if begin, open := strings.CutSuffix(e, "*"); open {
			return strings.HasPrefix(word, begin)
		}
		return e == word
	})
}
