package store

import (
	"bytes"
	"strings"

	"rdmatui/ui/widget/line"
	"rdmatui/verbs/ring"
)

const (
	// maxHistoryBytes bounds how much of the history file is read and written.
	maxHistoryBytes = 1 << 20
	// maxHistoryLine is the length of the longest line kept; a pasted line may be longer.
	maxHistoryLine = 4 << 10
)

// historyLine returns a line as it is kept: without bytes that act on a terminal. It
// returns "" for lines that are not kept.
func historyLine(s string) string {
	if s = line.Escape(strings.TrimSpace(s)); len(s) > maxHistoryLine {
		return ""
	}
	return s
}

// readHistory returns the newest lines of the file, oldest first.
func readHistory(file string, most int) ([]string, error) {
	text, whole, err := read(file, maxHistoryBytes)
	if err != nil {
		return nil, err
	}
	if !whole { // it starts in the middle of a line
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	var lines []string
	for l := range strings.Lines(string(text)) {
		lines = appendLine(lines, strings.TrimSuffix(l, "\n"), most)
	}
	return lines, nil
}

// appendLine adds a line unless it equals the one before.
func appendLine(lines []string, s string, most int) []string {
	s = historyLine(s)
	if n := len(lines); s == "" || most == 0 || n > 0 && lines[n-1] == s {
		return lines
	}
	return ring.Newest(append(lines, s), most)
}

// historyText returns the content of the file: the newest lines that fit.
func historyText(lines []string) []byte {
	from, n := len(lines), 0
	for from > 0 && n+len(lines[from-1])+1 <= maxHistoryBytes {
		from--
		n += len(lines[from]) + 1
	}
	if from == len(lines) {
		return nil
	}
	return []byte(strings.Join(lines[from:], "\n") + "\n")
}
