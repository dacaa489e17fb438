package explain

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed *.txt
var files embed.FS

// Entry is what is known of one name. Its texts read well as they are; Fill puts in
// what is known at the moment.
type Entry struct {
	Name     string   `json:"name"`             // "RETRY_EXC_ERR"
	CName    string   `json:"c_name,omitempty"` // "IBV_WC_RETRY_EXC_ERR", "" where C has none or the same
	Family   string   `json:"family"`           // "wc_status"
	What     string   `json:"what"`             // what the family is
	Number   int64    `json:"-"`                // in C; of flags the number of the bit
	Numbered bool     `json:"-"`                // it has a number
	Aliases  []string `json:"also,omitempty"`   // other names
	// the cause of the case at hand, where that is known; Lookup knows none
	Cause string `json:"cause,omitempty"`
	Short string `json:"short"`           // one line: what it is
	Means string `json:"means,omitempty"` // what happened, or what it is for
	// the short line with what is known at the moment, where the family has one
	Hint    string   `json:"-"`
	Notices string   `json:"notices,omitempty"` // which side sees it
	Causes  []string `json:"causes,omitempty"`  // the likeliest first
	Check   []string `json:"check,omitempty"`   // the nearest first
	Try     []string `json:"try,omitempty"`     // what may help
	Source  string   `json:"source"`            // where it is laid down
	Asked   string   `json:"asked,omitempty"`   // the value that Lookup was given with it: "14" of "timeout 14"
	// why that value cannot be meant; Lookup does not judge, and leaves it empty
	Wrong string `json:"wrong,omitempty"`
	Line  int    `json:"line,omitempty"` // of a log of several lines the one that led to the entry, from 1
	// of a log: what failed with an errno, where no entry is of both; not escaped
	Failed string `json:"failed,omitempty"`
	Here   string `json:"here,omitempty"` // of a log: what is known of this case
	Said   string `json:"said,omitempty"` // the beginning of that line
	Of     string `json:"of,omitempty"`   // device, queue pair and peer that the line names: "mlx5_0:1, qp_num 17"

	Hex bool `json:"-"` // its number is mostly seen as hexadecimal

	raw   text
	bits  bool
	words []string
}

// Fill returns the entry with the values put into its texts.
func (e Entry) Fill(values Values) Entry {
	all := func(texts []string) []string {
		filled := make([]string, len(texts))
		for i, t := range texts {
			filled[i] = fill(t, values)
		}
		return filled
	}
	e.Means, e.Notices, e.Hint = fill(e.raw.means, values), fill(e.raw.notices, values), fill(e.raw.hint, values)
	e.Causes, e.Check, e.Try = all(e.raw.causes), all(e.raw.check), all(e.raw.try)
	return e
}

// Wants lists the values that the entry's texts can take.
func (e *Entry) Wants() (names []string) {
	for _, t := range e.raw.all() {
		of, _ := placeholders(t) // parse has looked
		names = append(names, of...)
	}
	return names
}

// Value is the entry's number as C has it, of a flag its bit; ok is false where it has none.
func (e *Entry) Value() (v int64, ok bool) {
	if e.bits {
		return 1 << e.Number, e.Numbered
	}
	return e.Number, e.Numbered
}

// Ask is how the entry, and no other, is asked for: "status RETRY_EXC_ERR".
func (e *Entry) Ask() string {
	if len(e.words) == 0 {
		return e.Name
	}
	return e.words[0] + " " + e.Name
}

// store is one file, read when it is first asked for: a screen needs few of them.
type store struct {
	family func() (*Family, error)
	byName func() map[string]*Entry
}

// stores are the files by the names of their families, which are those of the files.
var stores = func() map[string]*store {
	all := map[string]*store{}
	for _, name := range fileNames() {
		s := &store{family: sync.OnceValues(func() (*Family, error) { return read(name) })}
		s.byName = sync.OnceValue(func() map[string]*Entry {
			entries := map[string]*Entry{}
			if f, err := s.family(); err == nil {
				for i := range f.Entries {
					entries[f.Entries[i].Name] = &f.Entries[i]
				}
			}
			return entries
		})
		all[name] = s
	}
	return all
}()

func fileNames() (names []string) {
	dir, err := files.ReadDir(".")
	if err != nil {
		return nil
	}
	for _, f := range dir { // sorted by name
		names = append(names, strings.TrimSuffix(f.Name(), ".txt"))
	}
	return names
}

func read(name string) (*Family, error) {
	content, err := files.ReadFile(name + ".txt")
	if err != nil {
		return nil, err
	}
	f, err := parse(name+".txt", string(content))
	if err == nil && f.Name != name {
		err = fmt.Errorf("%s.txt: the family is called %q", name, f.Name)
	}
	return f, err
}

// Find returns the entry of a family by its name, exactly as the family's file has it.
func Find(family, name string) (Entry, bool) {
	if s := stores[family]; s != nil {
		if e := s.byName()[name]; e != nil {
			return *e, true
		}
	}
	return Entry{}, false
}

// Short is the line that says what a name is, "" for one that is not known.
func Short(family, name string) string {
	e, _ := Find(family, name)
	return e.Short
}

// Families returns all of them by name. A file with a mistake, which a test finds, is left out.
func Families() (all []*Family) {
	for _, name := range fileNames() {
		if f, err := stores[name].family(); err == nil {
			all = append(all, f)
		}
	}
	return all
}
