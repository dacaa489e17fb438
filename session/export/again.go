package export

import (
	"slices"
	"strings"
)

// Again returns the lines that do once more what has succeeded, with the names that were chosen; without comments,
// and without lines that make files, which exist by now. It returns at most the given number of lines and bytes, and
// none longer than longest: cut is true if it left out the end for that.
func Again(r Recording, lines, bytes, longest int) (again []string, cut bool) {
	s := scriptWriter{succeeded: true}
	for _, one := range r.Steps {
		before := s.text.Len()
		s.step(one, false)
		added := linesOf(s.text.String()[before:])
		again = append(again, added...)
		if len(again) > lines || s.text.Len() > bytes ||
			slices.ContainsFunc(added, func(l string) bool { return len(l) > longest }) {
			return again[:len(again)-len(added)], true
		}
	}
	return again, r.Cut
}

func linesOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

// leavesOut reports whether a line is none of those that do once more what has succeeded.
func (s *scriptWriter) leavesOut(one *Step) bool {
	return s.succeeded && (one.Stopped || one.Cmd.MakesFile())
}
