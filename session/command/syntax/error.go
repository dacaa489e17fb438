package syntax

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Error says what is wrong with a line, where, and what to do next.
type Error struct {
	Line   string // the line, as it was given
	Column int    // byte offset of what is wrong, from 1
	Token  string // the word that is wrong, "" where something is missing
	Msg    string
	Hint   string // "" if there is nothing to add

	Cause error // what a Resolver said
	Typo  bool  // the line cannot have been meant so, not even as one that must fail
	Made  bool  // nobody typed the line, so that its columns mean nothing
}

// Unwrap returns the error of a Resolver, nil where the line itself is wrong.
func (e *Error) Unwrap() error { return e.Cause }

// Error renders the error as one line without control characters.
func (e *Error) Error() string {
	if e.Hint != "" {
		return e.Brief() + "; " + e.Hint
	}
	return e.Brief()
}

// Brief is Error without the hint.
func (e *Error) Brief() string {
	if e.Made {
		return e.Msg
	}
	return fmt.Sprintf("column %d: %s", e.Column, e.Msg)
}

// shownLen is how much of a bad word an error repeats.
const shownLen = 60

// Show quotes text from a line for a message, so that it stays text on a
// terminal, and cuts what is long.
func Show(s string) string {
	if len(s) <= shownLen {
		return strconv.Quote(s)
	}
	cut := shownLen
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "…"
}
