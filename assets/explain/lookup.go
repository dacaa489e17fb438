package explain

import (
	"slices"
	"strconv"
	"strings"
)

// Lookup returns the entries that the words ask for: a name as C, the kernel or this
// program spells it ("RETRY_EXC_ERR", "IBV_WC_RETRY_EXC_ERR", "transport retry
// counter exceeded"), a number with a word before it ("status 12", "vendor_err 129",
// "errno 12", "access 0x7"), a verb and its errno ("modify_qp EINVAL"), two states
// ("INIT RTR"), an attribute with a value ("timeout 14", which Asked then holds), or
// lines of a log; see [Read]. Nil where nothing is known.
func Lookup(words ...string) []Entry { return Read(strings.Join(words, " ")).Entries }

// Unknown returns the first word that Lookup could not make anything of, "" where there was none.
func Unknown(words ...string) string {
	text := strings.Join(words, " ")
	if len(Read(text).Entries) > 0 {
		return ""
	}
	if s := ask(text); len(s.unknown) > 0 {
		return s.unknown[0]
	}
	return ""
}

// longest is how many words may say what is asked for.
const longest = 4

// fillers are words of a question that ask for nothing.
var fillers = map[string]bool{"a": true, "an": true, "and": true, "the": true, "what": true, "is": true, "are": true,
	"does": true, "mean": true,
	"means": true, "of": true, "for": true, "in": true, "on": true, "to": true, "with": true, "why": true, "how": true}

// scan goes through the words of a question.
type scan struct {
	x       *index
	words   []string
	found   []Entry
	groups  []*Entry // of a word that only says what is asked for: "status"
	unknown []string
}

func ask(text string) *scan {
	s := &scan{x: theIndex(), words: tokens(text)}
	if len(s.words) == 1 {
		if n, ok := number(s.words[0]); ok {
			if s.add(s.x.number(n)); len(s.found) > 0 {
				return s
			}
		}
	}
	for i := 0; i < len(s.words); {
		i += s.step(s.words[i:])
	}
	return s
}

// result is what was found, nil if a word means nothing here. A word that only says
// what is asked for, alone, asks for all of that.
func (s *scan) result() []Entry {
	if len(s.unknown) > 0 {
		return nil
	}
	lead(s.found, s.words)
	if len(s.found) == 0 || s.found[0].name(s.words) {
		s.add(s.groups)
	}
	return s.found
}

// name reports whether the words are no more than one of the entry's names.
func (e *Entry) name(words []string) bool {
	k := strings.Join(words, "_")
	return k == key(e.Name) || slices.ContainsFunc(e.Aliases, func(a string) bool { return k == key(a) })
}

// step takes the first words of rest and returns how many.
func (s *scan) step(rest []string) int {
	if n := s.inContext(rest); n > 0 {
		return n
	}
	if n := s.named(rest); n > 0 {
		return n
	}
	if c, n := s.x.contextAt(rest); c != nil {
		s.groups = append(s.groups, c.all...)
		return n
	}
	if len(s.words) == 2 && len(rest) == 2 && rest[1] == "cm" && !fillers[rest[0]] {
		s.add(s.x.exact.of["device_cm"]) // soft0-cm: whatever the device is called
		return 2
	}
	if _, isNumber := number(rest[0]); !fillers[rest[0]] && (!isNumber || len(s.words) == 1) {
		s.unknown = append(s.unknown, rest[0])
	}
	return 1
}

// inContext takes a word that says what is asked for, and names or a number after it.
func (s *scan) inContext(rest []string) int {
	c, n := s.x.contextAt(rest)
	if c == nil || n == len(rest) {
		return 0
	}
	_, inside := c.keys.match(rest[n:])
	if _, whole := s.x.exact.match(rest); whole > n+inside {
		return 0 // a name that begins like the word
	}
	if v, ok := number(rest[n]); ok {
		entries := c.number(v)
		if v < 0 {
			entries = s.x.errnos[-v]
		}
		if len(entries) > 0 {
			s.add(entries)
			return n + 1
		}
		if c.other != nil {
			s.addValued([]*Entry{c.other}, rest[n])
			return n + 1
		}
	}
	taken := n
	for taken < len(rest) {
		entries, more := c.keys.match(rest[taken:])
		if more == 0 {
			break
		}
		s.add(entries)
		taken += more
	}
	if taken == n {
		return 0
	}
	return taken
}

// named takes a name, and the value of an attribute after it.
func (s *scan) named(rest []string) int {
	entries, n := s.x.exact.match(rest)
	if n == 0 {
		return 0
	}
	value, name := "", strings.Join(rest[:n], "_")
	if n < len(rest) {
		if _, ok := number(rest[n]); ok {
			value = rest[n]
			entries = valued(entries)
			n++
		}
	}
	s.addValued(entries, value)
	if c := s.x.contexts[name]; c != nil && c.general && n == len(s.words) {
		s.groups = c.all
	} else if n == len(s.words) {
		s.groups = s.x.errnosAfter(entries)
	}
	return n
}

// valued leaves out entries that have a number of their own, where others are left:
// a value that follows is not theirs.
func valued(entries []*Entry) []*Entry {
	open := slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool { return e.Numbered })
	if len(open) == 0 {
		return entries
	}
	return open
}

func (x *index) contextAt(rest []string) (*context, int) {
	for n := min(longest, len(rest)); n > 0; n-- {
		if c := x.contexts[strings.Join(rest[:n], "_")]; c != nil {
			return c, n
		}
	}
	return nil, 0
}

// number is what a number means in a context; of flags each bit that is set.
func (c *context) number(v int64) []*Entry {
	entries := slices.Clone(c.numbers[v])
	for _, e := range c.bits {
		if e.Number < 63 && v > 0 && v&(1<<e.Number) != 0 {
			entries = append(entries, e)
		}
	}
	return entries
}

// number is what a number alone may mean.
func (x *index) number(v int64) []*Entry {
	if v < 0 {
		return x.errnos[-v]
	}
	return x.bare[v]
}

func (s *scan) add(entries []*Entry) { s.addValued(entries, "") }

// addValued keeps each entry once; the value is for those that have no number of their own.
func (s *scan) addValued(entries []*Entry, value string) {
	for _, e := range entries {
		if !containsEntry(s.found, e) {
			s.found = append(s.found, e.asked(value))
		}
	}
}

func containsEntry(found []Entry, e *Entry) bool {
	return slices.ContainsFunc(found, func(o Entry) bool { return o.Family == e.Family && o.Name == e.Name })
}

// asked is the entry with the value that it was asked for with, unless it has a number of its own.
func (e *Entry) asked(value string) Entry {
	found := *e
	if !e.Numbered {
		found.Asked = value
	}
	return found
}

// number reads a decimal or a 0x hexadecimal number.
func number(word string) (int64, bool) {
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return n, true
	}
	n, err := strconv.ParseInt(word, 0, 64)
	return n, err == nil && strings.Contains(word, "0x")
}
