package imports

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

// MaxWidth is the width of the longest line, in columns. A tab counts as tabWidth.
const (
	MaxWidth = 120
	tabWidth = 4
)

// Width returns the complaints about the lines of a file that are too long and can be broken.
func Width(name string, src []byte) (complaints []string) {
	lines := strings.Split(string(src), "\n")
	breakable := breakableLines(src, len(lines))
	for i, line := range lines {
		if n := columns(line); n > MaxWidth && breakable[i] {
			complaints = append(complaints, fmt.Sprintf("%s:%d: %d columns, more than %d", name, i+1, n, MaxWidth))
		}
	}
	return complaints
}

func columns(line string) int {
	return utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t")
}

// isProse reports whether a comment is text of several words, and neither preformatted nor a directive.
func isProse(comment string) bool {
	text, ok := strings.CutPrefix(comment, "// ")
	return ok && strings.Contains(text, " ") && !strings.HasPrefix(text, " ")
}

// breakableLines reports which lines can be broken: comments of prose, and code with an operator or a comma that is
// not the last of its line. A line that a string literal fills alone cannot, nor can one that a raw string crosses.
func breakableLines(src []byte, n int) []bool {
	breakable := make([]bool, n)
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	widest, raw := make([]int, n), make([]bool, n)
	at := -1 // the line of an operator or comma that nothing follows yet
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		line := file.Line(pos) - 1
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		if at == line && tok != token.COMMENT {
			breakable[line] = true
		}
		at = -1
		switch tok {
		case token.COMMA, token.LAND, token.LOR, token.ADD:
			at = line
		case token.COMMENT:
			breakable[line] = isProse(text)
		case token.STRING:
			last := line + strings.Count(text, "\n")
			for l := line; l <= last && last > line; l++ {
				raw[l] = true
			}
			widest[line] = max(widest[line], columns(text))
		}
	}
	for l, line := range strings.Split(string(src), "\n") {
		fills := columns(line[:len(line)-len(strings.TrimLeft(line, "\t"))])+tabWidth+widest[l]+2 > MaxWidth
		breakable[l] = breakable[l] && !raw[l] && !fills
	}
	return breakable
}
