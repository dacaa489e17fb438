package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// Setting is a key of the config.
type Setting struct {
	Key     string
	Doc     string
	Values  []string // allowed values; empty: a number from Least to Most
	Least   int
	Most    int
	Default string
}

// Bounds of numbers.
const (
	mostHistory   = 10_000 // lines
	mostIncidents = 100    // files of a session
	mostRecorder  = 4096   // MiB
)

// NewSettings lists the keys of the config; themes are the values of "theme" besides
// auto.
func NewSettings(themes []string) []Setting {
	return []Setting{
		{Key: "theme", Doc: "colours; auto follows the terminal",
			Values: append([]string{"auto"}, themes...), Default: "auto"},
		{Key: "glyphs", Doc: "signs and lines; auto follows the locale",
			Values: []string{"auto", "unicode", "ascii"}, Default: "auto"},
		{Key: "strip", Doc: "the live strip; last is as it was left",
			Values: []string{"last", "line", "pane", "hidden"}, Default: "last"},
		{Key: "mouse", Doc: "false leaves the mouse to the terminal, for selecting text",
			Values: []string{"true", "false"}, Default: "true"},
		{Key: "history", Doc: "lines of the console that are kept; 0 keeps none", Most: mostHistory, Default: "1000"},
		{Key: "incidents", Doc: "failed completions of a session that get a file in the working directory",
			Most: mostIncidents, Default: "0"},
		{Key: "recorder", Doc: "MiB of packets that are kept", Least: 1, Most: mostRecorder, Default: "16"},
	}
}

// check returns why a value is not valid for a setting.
func (s *Setting) check(value string) error {
	if len(s.Values) > 0 {
		if slices.Contains(s.Values, value) {
			return nil
		}
		return fmt.Errorf("%s cannot be %q; it is one of %s", s.Key, value, strings.Join(s.Values, ", "))
	}
	if n, err := strconv.Atoi(value); err != nil || n < s.Least || n > s.Most {
		return fmt.Errorf("%s cannot be %q; it is a number from %d to %d", s.Key, value, s.Least, s.Most)
	}
	return nil
}

// literal returns a value in TOML syntax.
func (s *Setting) literal(value string) string {
	if len(s.Values) == 0 || value == "true" || value == "false" {
		return value
	}
	return strconv.Quote(value)
}

// decode parses TOML; the error names the line.
func decode(file string, text []byte) (map[string]any, error) {
	if line := nested(text); line > 0 {
		err := fmt.Errorf("more than %d tables within each other", maxNested)
		return nil, &Problem{File: file, Line: line, Err: err}
	}
	values := map[string]any{}
	_, err := toml.Decode(string(text), &values)
	var at toml.ParseError
	if errors.As(err, &at) {
		return nil, &Problem{File: file, Line: at.Position.Line, Err: errors.New(at.Message)}
	}
	return values, problem(file, err)
}

// maxNested bounds the tables within each other that one line makes. No setting needs any, and the parser takes
// minutes and gigabytes for thousands.
const maxNested = 16

// nested returns the first line, from 1, that makes more tables than that; 0 for none. Dots and braces within
// quotes make none.
func nested(text []byte) (line int) {
	n := 0
	for l := range bytes.Lines(text) {
		n++
		tables, quote := 0, byte(0)
		for i := 0; i < len(l); i++ {
			switch c := l[i]; {
			case quote == 0 && c == '#':
				i = len(l)
			case quote == '"' && c == '\\':
				i++
			case c == quote:
				quote = 0
			case quote != 0:
			case c == '"' || c == '\'':
				quote = c
			case c == '{' || c == '.':
				tables++
			}
		}
		if tables > maxNested {
			return n
		}
	}
	return 0
}

// readSettings returns the valid values, and the problems of the others, in the order
// of their lines.
func readSettings(file string, text []byte, settings []Setting) (map[string]string, error) {
	values, err := decode(file, text)
	if err != nil {
		return nil, err
	}
	right := map[string]string{}
	var wrong []*Problem
	for _, key := range slices.Sorted(maps.Keys(values)) {
		i := slices.IndexFunc(settings, func(s Setting) bool { return s.Key == key })
		err := errors.New("there is no setting " + key)
		if i >= 0 {
			right[key] = fmt.Sprint(values[key])
			err = settings[i].check(right[key])
		}
		if err != nil {
			delete(right, key)
			wrong = append(wrong, &Problem{File: file, Line: lineOf(text, key), Err: err})
		}
	}
	if len(wrong) == 0 {
		return right, nil
	}
	slices.SortStableFunc(wrong, func(a, b *Problem) int { return a.Line - b.Line })
	if more := len(wrong) - 1; more > 0 {
		wrong[0].Err = fmt.Errorf("%w (and %d more)", wrong[0].Err, more)
	}
	return right, wrong[0]
}

// assignment matches the line that sets a key: the text before the value, the value,
// and the text after it.
func assignment(key string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^([ \t]*["']?` + regexp.QuoteMeta(key) +
		`["']?[ \t]*=[ \t]*)("[^"\n]*"|'[^'\n]*'|[^#\s]+)(.*)$`)
}

// lineOf returns the line of a key, 0 if it is not found.
func lineOf(text []byte, key string) int {
	at := regexp.MustCompile(`(?m)^[ \t]*\[?["']?` + regexp.QuoteMeta(key) + `\b`).FindIndex(text)
	if at == nil {
		return 0
	}
	return 1 + strings.Count(string(text[:at[0]]), "\n")
}

// edit sets a key to another value and leaves everything else as the user wrote it,
// comments included. It fails rather than change anything else.
func edit(file string, text []byte, s *Setting, value string) ([]byte, error) {
	before, err := decode(file, text)
	if err != nil {
		return nil, err
	}
	var out []byte
	if line := assignment(s.Key); line.Match(text) {
		out = line.ReplaceAll(text, []byte("${1}"+strings.ReplaceAll(s.literal(value), "$", "$$")+"${3}"))
	} else {
		// A key below the heading of a table would belong to the table.
		out = append([]byte(s.Key+" = "+s.literal(value)+"\n"), text...)
	}
	after, err := decode(file, out)
	if err == nil && fmt.Sprint(after[s.Key]) == value {
		delete(before, s.Key)
		delete(after, s.Key)
		if reflect.DeepEqual(before, after) {
			return out, nil
		}
	}
	return nil, &Problem{
		File: file, Line: lineOf(text, s.Key),
		Err: fmt.Errorf("this line cannot be changed by rdmatui; write %s = %s", s.Key, s.literal(value)),
	}
}
