package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Family is the entries of one file.
type Family struct {
	Name    string   // "wc_status"
	What    string   // what an entry is: "status of a work completion"
	Prefix  string   // before the names in C, "" for none
	Suffix  string   // of names, may be left out by who asks
	Words   []string // what says that this family is meant
	Require []string // the fields that no entry lacks, beside short
	Entries []Entry

	source  string
	numbers string // the family that numbers come from
	bits    bool
	bare    bool

	patterns   []linePattern // of log lines
	conditions []linePattern // words of log lines, in any order
}

// text is the fields of an entry as they are in its file.
type text struct {
	means, notices     string
	hint               string
	causes, check, try []string
	lines              []string // patterns of log lines
	whens              []string // words of log lines, in any order
	see, general       string
}

// parse reads a file of the form that the package's documentation tells.
func parse(file, content string) (*Family, error) {
	p := parser{f: &Family{}}
	for n, l := range strings.Split(content, "\n") {
		if err := p.line(l); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
		}
	}
	if err := p.flush(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range p.f.Entries {
		if err := p.f.finish(&p.f.Entries[i]); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, p.f.Entries[i].Name, err)
		}
	}
	if p.f.Name == "" || p.f.What == "" || len(p.f.Entries) == 0 {
		return nil, fmt.Errorf("%s: no family, no what, or no entries", file)
	}
	return p.f, nil
}

// parser holds the field that further lines may go on with.
type parser struct {
	f          *Family
	key, value string
}

func (p *parser) line(l string) error {
	trimmed := strings.TrimSpace(l)
	switch {
	case strings.HasPrefix(l, "#"):
		return nil
	case trimmed == "":
		return p.flush()
	case l[0] == ' ':
		if p.key == "" {
			return fmt.Errorf("%q continues a line, but there is none before it", trimmed)
		}
		if !strings.HasSuffix(p.value, "|") { // alternatives of a pattern
			p.value += " "
		}
		p.value += trimmed
		return nil
	}
	if err := p.flush(); err != nil {
		return err
	}
	if l[0] == '[' {
		return p.entry(trimmed)
	}
	key, value, found := strings.Cut(trimmed, ":")
	if !found {
		return fmt.Errorf("%q is neither [NAME] nor key: value", trimmed)
	}
	p.key, p.value = key, strings.TrimSpace(value)
	return nil
}

// entry reads "[NAME] 12".
func (p *parser) entry(l string) error {
	name, rest, found := strings.Cut(l[1:], "]")
	if !found || name == "" {
		return fmt.Errorf("%q is not [NAME] or [NAME] NUMBER", l)
	}
	e := Entry{Name: name, Family: p.f.Name, What: p.f.What}
	if rest = strings.TrimSpace(rest); rest != "" {
		n, err := strconv.ParseInt(rest, 0, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", rest)
		}
		e.Number, e.Numbered, e.Hex = n, true, strings.HasPrefix(rest, "0x")
	}
	p.f.Entries = append(p.f.Entries, e)
	return nil
}

// flush takes a field that is complete.
func (p *parser) flush() error {
	key, value := p.key, p.value
	if p.key, p.value = "", ""; key == "" {
		return nil
	}
	if value == "" {
		return fmt.Errorf("%s: nothing follows", key)
	}
	if n := len(p.f.Entries); n > 0 {
		return p.f.Entries[n-1].set(key, value)
	}
	return p.f.set(key, value)
}

func (f *Family) set(key, value string) error {
	switch key {
	case "family":
		f.Name = value
	case "what":
		f.What = value
	case "prefix":
		f.Prefix = value
	case "suffix":
		f.Suffix = value
	case "words":
		f.Words = list(value)
	case "require":
		f.Require = list(value)
	case "source":
		f.source = value
	case "numbers":
		f.numbers = value
	case "bits":
		f.bits = value == "yes"
	case "bare":
		f.bare = value == "yes"
	default:
		return fmt.Errorf("a family has no %q", key)
	}
	return nil
}

func (e *Entry) set(key, value string) error {
	once := map[string]*string{"short": &e.Short, "means": &e.raw.means, "notices": &e.raw.notices,
		"hint": &e.raw.hint, "source": &e.Source,
		"see": &e.raw.see, "general": &e.raw.general}
	many := map[string]*[]string{"cause": &e.raw.causes, "check": &e.raw.check, "try": &e.raw.try, "line": &e.raw.lines,
		"when": &e.raw.whens}
	switch {
	case key == "also":
		e.Aliases = append(e.Aliases, list(value)...)
	case once[key] != nil:
		if *once[key] != "" {
			return fmt.Errorf("%s has two lines %s", e.Name, key)
		}
		*once[key] = value
	case many[key] != nil:
		*many[key] = append(*many[key], value)
	default:
		return fmt.Errorf("an entry has no %q", key)
	}
	return nil
}

func list(value string) (items []string) {
	for it := range strings.SplitSeq(value, ",") {
		if it = strings.TrimSpace(it); it != "" {
			items = append(items, it)
		}
	}
	return items
}

// finish checks an entry and makes what is read from it.
func (f *Family) finish(e *Entry) error {
	if e.Source == "" {
		e.Source = f.source
	}
	if f.Prefix != "" {
		e.CName = f.Prefix + e.Name
	}
	if strings.ContainsAny(e.Short+e.Source, "{}[]") {
		return fmt.Errorf("short and source take no values")
	}
	for _, t := range e.raw.all() {
		if _, err := placeholders(t); err != nil {
			return err
		}
	}
	have := map[string]bool{"means": e.raw.means != "", "notices": e.raw.notices != "", "cause": len(e.raw.causes) > 0,
		"check": len(e.raw.check) > 0, "try": len(e.raw.try) > 0, "source": e.Source != ""}
	for _, field := range append(slices.Clone(f.Require), "source") {
		if !have[field] {
			return fmt.Errorf("it lacks %s", field)
		}
	}
	if e.Short == "" {
		return fmt.Errorf("it lacks short")
	}
	if g := e.raw.general; g != "" && g != "yes" {
		return fmt.Errorf("general is yes or left out, not %q", g)
	}
	for _, all := range []struct {
		texts []string
		to    *[]linePattern
	}{{e.raw.lines, &f.patterns}, {e.raw.whens, &f.conditions}} {
		for _, l := range all.texts {
			p, err := parsePattern(l)
			if err != nil {
				return err
			}
			*all.to = append(*all.to, linePattern{p, e})
		}
	}
	e.bits, e.words, e.Hex = f.bits, f.Words, e.Hex || f.bits
	*e = e.Fill(nil)
	return nil
}

func (t *text) all() []string {
	return slices.Concat([]string{t.means, t.notices, t.hint}, t.causes, t.check, t.try)
}
