package explain

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// index finds entries by their keys: names in lower case with one _ for whatever parts words.
type index struct {
	exact    keySet
	contexts map[string]*context
	bare     map[int64][]*Entry // what a number alone may mean
	errnos   map[int64][]*Entry
	families map[string]*Family
	verbs    map[string]bool // those that have errnos: "ibv_modify_qp"
	patterns []linePattern   // of log lines, those with the most words first
	// words of log lines that no pattern and no message has
	conditions     []linePattern
	conditionOnce  sync.Once // makes the next
	conditionIndex *conditionIndex
	// places of patterns that have one of these words, and of those that only know how words begin
	withWord map[string][]int
	anyWords []int
}

// context is what a word before a name or a number restricts it to: "status",
// "vendor_err", "modify_qp".
type context struct {
	keys    keySet
	numbers map[int64][]*Entry
	bits    []*Entry // flags, each by the number of its bit
	other   *Entry   // what is said of numbers that have no entry
	all     []*Entry
	general bool // it says what is asked for, rather than being the first word of names
}

var theIndex = sync.OnceValue(func() *index {
	x := &index{exact: newKeySet(), contexts: map[string]*context{}, bare: map[int64][]*Entry{},
		errnos:   map[int64][]*Entry{},
		families: map[string]*Family{}, verbs: map[string]bool{}}
	for _, f := range Families() {
		x.families[f.Name] = f
		x.patterns = append(x.patterns, f.patterns...)
		x.conditions = append(x.conditions, f.conditions...)
		for i := range f.Entries {
			x.add(f, &f.Entries[i])
		}
	}
	slices.SortStableFunc(x.patterns, func(a, b linePattern) int { return cmp.Compare(b.words(), a.words()) })
	x.indexPatterns()
	return x
})

// indexPatterns finds patterns by the words of one of their elements.
func (x *index) indexPatterns() {
	x.withWord = map[string][]int{}
	for i, p := range x.patterns {
		at := p.wholeElement()
		if at < 0 {
			x.anyWords = append(x.anyWords, i)
			continue
		}
		for _, w := range p.elements[at] {
			x.withWord[w] = append(x.withWord[w], i)
		}
	}
}

func (x *index) add(f *Family, e *Entry) {
	keys := keysOf(f, e)
	for _, k := range keys {
		x.exact.put(k, e)
	}
	for _, w := range append(f.Words, f.Name) {
		c := x.context(w)
		c.general = true
		c.add(keys, e)
	}
	if before, last, two := strings.Cut(e.Name, " "); two && len(f.patterns) == 0 {
		for _, k := range []string{before, f.Prefix + before, strings.TrimPrefix(before, "ibv_"),
			strings.TrimPrefix(before, "rdma_")} {
			x.context(k).add(lastKeys(f, last), e)
		}
	}
	if f.bare && e.Numbered {
		put(x.bare, e.Number, e)
	}
	switch f.Name {
	case "errno":
		put(x.errnos, e.Number, e)
	case "verb_errno":
		verb, _, _ := strings.Cut(e.Name, " ")
		x.verbs[verb] = true
	}
}

// lastKeys are what the last word of a name is found by: with the family that
// numbers come from also what that calls it.
func lastKeys(f *Family, last string) []string {
	if of, ok := Find(f.numbers, last); ok {
		return keysOf(&Family{}, &of)
	}
	return []string{key(last)}
}

func (x *index) context(word string) *context {
	k := key(word)
	if x.contexts[k] == nil {
		x.contexts[k] = &context{keys: newKeySet(), numbers: map[int64][]*Entry{}}
	}
	return x.contexts[k]
}

// OtherName is the entry of a family that answers for numbers without an entry.
const OtherName = "unknown"

func (c *context) add(keys []string, e *Entry) {
	for _, k := range keys {
		c.keys.put(k, e)
	}
	if !slices.Contains(c.all, e) {
		c.all = append(c.all, e)
	}
	if e.Name == OtherName {
		c.other = e
	}
	switch n, ok := numberOf(e); {
	case !ok:
	case e.bits:
		if !slices.Contains(c.bits, e) {
			c.bits = append(c.bits, e)
		}
	default:
		put(c.numbers, n, e)
	}
}

// keySet finds entries by their keys.
type keySet struct {
	of     map[string][]*Entry
	begins map[string]bool // keys, and what they begin with before a _
}

func newKeySet() keySet { return keySet{of: map[string][]*Entry{}, begins: map[string]bool{}} }

func (s *keySet) put(key string, e *Entry) {
	put(s.of, key, e)
	for i, r := range key {
		if r == '_' {
			s.begins[key[:i]] = true
		}
	}
	s.begins[key] = true
}

// match returns the entries of the longest key that the words begin with, and how
// many words it has.
func (s *keySet) match(words []string) (longest []*Entry, n int) {
	if len(words) == 0 || !s.begins[words[0]] {
		return nil, 0
	}
	key := ""
	for i, w := range words {
		if i > 0 {
			key += "_"
		}
		if key += w; !s.begins[key] {
			break
		}
		if entries := s.of[key]; len(entries) > 0 {
			longest, n = entries, i+1
		}
	}
	return longest, n
}

func put[K comparable](m map[K][]*Entry, k K, e *Entry) {
	if !slices.Contains(m[k], e) {
		m[k] = append(m[k], e)
	}
}

// numberOf is an entry's number, or that of the entry which its family takes numbers from.
func numberOf(e *Entry) (int64, bool) {
	f, err := stores[e.Family].family()
	if err != nil || f.numbers == "" {
		return e.Number, e.Numbered
	}
	of, ok := Find(f.numbers, e.Name[strings.LastIndexByte(e.Name, ' ')+1:])
	return of.Number, ok && of.Numbered
}

// keysOf are what an entry is found by: its name and its other names, with the
// prefix that C or the kernel has and without, with the suffix and without.
func keysOf(f *Family, e *Entry) (keys []string) {
	names := []string{e.Name}
	if short, ok := strings.CutSuffix(e.Name, f.Suffix); ok && short != "" {
		names = append(names, short)
	}
	for _, n := range names {
		keys = append(keys, key(n))
		if f.Prefix != "" {
			keys = append(keys, key(f.Prefix+n), key(strings.Replace(f.Prefix, "IBV_", "IB_", 1)+n))
		}
	}
	for _, n := range e.Aliases {
		keys = append(keys, key(n))
		if long, ok := strings.CutSuffix(n, " error"); ok { // as mlx4 shortens it
			keys = append(keys, key(long+" err"))
		}
	}
	return keys
}

// key is a name as it is compared.
func key(name string) string { return strings.Join(tokens(name), "_") }

// limits of a question: whatever is longer is not one.
const (
	maxQuery  = 2000 // bytes
	maxTokens = 100
)

// tokens are the words of a question in lower case. A minus stands before a number,
// and else parts words as all other signs do.
func tokens(text string) []string { return tokensOf(text, maxQuery, maxTokens) }

// tokensOf reads at most so many bytes, and returns at most so many words.
func tokensOf(text string, bytes, most int) (words []string) {
	text = strings.ToLower(text[:min(len(text), bytes)])
	var word []rune
	end := func() {
		if w := strings.Trim(string(word), "_"); w != "" && w != "-" {
			words = append(words, w)
		}
		word = word[:0]
	}
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			if len(word) == 1 && word[0] == '-' && !unicode.IsDigit(r) {
				word = word[:0]
			}
			word = append(word, r)
		case r == '-' && len(word) == 0:
			word = append(word, r)
		default:
			end()
		}
	}
	end()
	return words[:min(len(words), most)]
}
