package explain

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed messages
var messageFiles embed.FS

// MessageFamily is the family of messages: their names are the format strings of their sources.
const MessageFamily = "message"

// message is what a program, a library or the kernel prints when something fails.
type message struct {
	Entry           // Name is the format string, Short what it means
	speaker  string // who prints it: "librdmacm"
	verb     string // the call that failed, "" where it is none
	errno    string // the errno of the condition, where it is always the same
	see      []reference
	segments [][]string // the words of the format between conversions
	literals int        // how many words that is
	specific int        // of them those that few other messages have
	bag      bag        // the words, and the parts of names
	weight   float64    // of the words, each squared
	number   int        // its place in the tables
	consumer bool       // a part of the kernel prints it that uses RDMA, as NVMe does
}

// reference names an entry: "wc_status RETRY_EXC_ERR".
type reference struct{ family, name string }

// Few words of a format say little: such a message must be all that its line says, or be printed by the speaker of
// the line.
const fewLiterals = 4

// messageIndex finds messages by two words that stand beside each other in them and in few others, else by one.
type messageIndex struct {
	all  []*message
	with map[string][]int // places in all of the messages that have a word

	pairOnce, weighOnce, vocabOnce sync.Once // make the rest, when all is complete
	scratch                        sync.Pool // of nearScratch

	pairs map[[2]string][]*message
	words map[string][]*message
	vocab *vocabulary
}

var theMessages = sync.OnceValue(func() *messageIndex {
	x := newMessageIndex()
	for _, name := range messageFileNames() {
		content, err := fs.ReadFile(messageFiles, name)
		if err != nil {
			continue
		}
		all, err := parseMessages(name, string(content))
		if err != nil { // a test finds it
			continue
		}
		for _, m := range all {
			x.add(m)
		}
	}
	return x
})

func newMessageIndex() *messageIndex {
	return &messageIndex{with: map[string][]int{}}
}

func messageFileNames() (names []string) {
	names, err := fs.Glob(messageFiles, "messages/*.txt")
	if err != nil {
		return nil
	}
	return names
}

func (x *messageIndex) add(m *message) {
	m.number = len(x.all)
	m.bag = bagOf(m.Name, slices.Concat(m.segments...))
	for w := range m.bag {
		x.with[w] = append(x.with[w], len(x.all))
	}
	x.all = append(x.all, m)
}

// vocabulary is the words of the messages and of all else that is known of lines.
func (x *messageIndex) vocabulary() *vocabulary {
	x.pairOnce.Do(x.indexPairs)
	x.vocabOnce.Do(func() { x.vocab = newVocabulary(theIndex(), x) })
	return x.vocab
}

// indexPairs finds each message by two words that are long and that few messages have.
func (x *messageIndex) indexPairs() {
	x.pairs, x.words = map[[2]string][]*message{}, map[string][]*message{}
	have := map[[2]string]int{}
	for _, m := range x.all {
		for p := range m.pairs() {
			have[p]++
		}
	}
	for _, m := range x.all {
		var best [2]string
		most := math.MinInt
		for p := range m.pairs() {
			if rare := len(p[0]) + len(p[1]) - 3*bits.Len(uint(have[p])); rare > most {
				best, most = p, rare
			}
		}
		if best[0] == "" {
			x.words[m.segments[0][0]] = append(x.words[m.segments[0][0]], m)
			continue
		}
		x.pairs[best] = append(x.pairs[best], m)
	}
}

// pairs are the words beside each other in the message.
func (m *message) pairs() iter.Seq[[2]string] {
	return func(yield func([2]string) bool) {
		for _, s := range m.segments {
			for i := range len(s) - 1 {
				if !yield([2]string{s[i], s[i+1]}) {
					return
				}
			}
		}
	}
}

// seesStatus reports that the message is about a completion, whose status it may tell.
func (m *message) seesStatus() bool {
	return slices.ContainsFunc(m.see, func(r reference) bool { return r.family == "wc_status" })
}

// speakers are the words by which lines name those who print messages.
func (x *messageIndex) speakers() map[string]bool {
	names := map[string]bool{}
	for _, m := range x.all {
		for _, name := range speakerNames(m.speaker) {
			names[name] = true
		}
	}
	return names
}

// match returns the message that the line holds, of several the one with the most words; nil where there is none.
// Of those with as many the first in the line counts, then the first in the tables.
func (x *messageIndex) match(l *logLine) (best *message) {
	most := 0
	try := func(m *message) {
		weight := 2 * m.literals
		if weight+1 < most || m == best || !m.in(l) {
			return
		}
		if l.spokenBy(m.speaker) {
			weight++
		}
		if best != nil && weight == most && m.sameWords(best) && m.goesOn(l.words) {
			best = m
			return
		}
		if weight > most || weight == most && m.before(best, l.words) {
			best, most = m, weight
		}
	}
	x.pairOnce.Do(x.indexPairs)
	for i, w := range l.words {
		for _, m := range x.words[w] {
			try(m)
		}
		if i+1 < len(l.words) {
			for _, m := range x.pairs[[2]string{w, l.words[i+1]}] {
				try(m)
			}
		}
	}
	return best
}

// before reports that the longest part of the message stands before that of another one. Of two at one place the one
// of single words counts, then the one that is first in the tables.
func (m *message) before(other *message, words []string) bool {
	at, length := m.longestAt(words)
	otherAt, otherLength := other.longestAt(words)
	return cmp.Or(cmp.Compare(at, otherAt), cmp.Compare(length, otherLength), cmp.Compare(m.number, other.number)) < 0
}

// longestAt is where the first two words of the longest part stand, and how many of the two there are.
func (m *message) longestAt(words []string) (at, length int) {
	s := slices.MaxFunc(m.segments, func(a, b []string) int { return cmp.Compare(len(a), len(b)) })
	s = s[:min(len(s), 2)]
	for at = range words {
		if begins(words[at:], s) {
			break
		}
	}
	return at, len(s)
}

// common are words that say little of what failed.
var common = wordSet("a all an and any are as at be by can cannot code could couldn create data device err error errors " +
	"exit fail failed failing failure for from get has in init initialize invalid is it memory no not of on open or port qp " +
	"rc read receive recv request response ret return returned send set status t the this to unable unknown was with write")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// in reports whether the line holds the message. One of few or of common words must be printed by its speaker, or be
// all that a program says.
func (m *message) in(l *logLine) bool {
	for i := range l.words {
		n := m.at(l.words[i:])
		switch {
		case n == 0, ofOtherDriver(l, m.speaker):
		case m.literals >= fewLiterals && m.specific >= fewSpecific, l.spokenBy(m.speaker):
			return true
		case m.specific > 0 && !strings.HasPrefix(m.speaker, "kernel") && i <= l.begin() && i+n >= len(l.words)-maxRest:
			return true
		}
	}
	return false
}

// sameWords reports that two messages differ only in what is filled in.
func (m *message) sameWords(other *message) bool {
	return slices.EqualFunc(m.segments, other.segments, slices.Equal) && m.Name != other.Name
}

// goesOn reports that the line has more at its end than the last part of the message and one filled in, as the message
// has: "couldn't load driver '%s': %s" rather than "couldn't load driver '%s'".
func (m *message) goesOn(words []string) bool {
	last := m.segments[len(m.segments)-1]
	for i := range words {
		if begins(words[i:], last) {
			text := segmentText(last)
			end := m.Name[strings.LastIndex(strings.ToLower(m.Name), text)+len(text):]
			return strings.Count(end, "%") > 1 && len(words)-i-len(last) > 2*maxRest
		}
	}
	return false
}

// segmentText is the last word of a part as the format has it.
func segmentText(segment []string) string { return segment[len(segment)-1] }

// certain reports that no other message is likely in the line, and none of another call.
func (m *message) certain(l *logLine) bool {
	return (m.specific >= 2*fewSpecific || l.spokenBy(m.speaker)) && (m.verb == "" || m.verb == l.verb())
}

// fewSpecific is how many words that few messages have make a message certain.
const fewSpecific = 2

// maxRest is how many words may follow a short message that is all that its line says.
const maxRest = 2

// at returns how many words from the first on the message takes, 0 where it is not there.
func (m *message) at(words []string) int {
	if !begins(words, m.segments[0]) {
		return 0
	}
	n := len(m.segments[0])
	for _, s := range m.segments[1:] {
		gap := 1 // what is filled in is seldom empty
		for ; !begins(words[min(n+gap, len(words)):], s); gap++ {
			if gap == maxGap || n+gap >= len(words) {
				return 0
			}
		}
		n += gap + len(s)
	}
	return n
}

func begins(words, with []string) bool {
	return len(words) >= len(with) && slices.Equal(words[:len(with)], with)
}

// anything stands for what is filled in.
const anything = "zzanyzz"

// Parts of a conversion of printf, between its % and the letter that ends it.
const (
	conversionFlags   = "-+ #0123456789.*hlzjtqL"
	conversionLetters = "diouxXeEfFgGcspmnS"
)

// unfilled returns a format with another text for each of its conversions.
func unfilled(format string, with func(conversion string) string) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 || at+1 == len(format) {
			return b.String() + format
		}
		b.WriteString(format[:at])
		format = format[at:]
		n := conversionLen(format)
		if n == 0 {
			b.WriteByte('%')
			format = strings.TrimPrefix(format[1:], "%")
			continue
		}
		b.WriteString(with(format[:n]))
		format = format[n:]
	}
}

// conversionLen is the length of the conversion that the text begins with, 0 where that is a % as it is. The kernel's
// %p may have letters behind it: %pI4, %pISpc.
func conversionLen(text string) int {
	n := 1
	for n < len(text) && strings.IndexByte(conversionFlags, text[n]) >= 0 {
		n++
	}
	if n == len(text) || strings.IndexByte(conversionLetters, text[n]) < 0 {
		return 0
	}
	n++
	if text[n-1] != 'p' {
		return n
	}
	for n < len(text) && (kinds[text[n]] == kindLetter || kinds[text[n]] == kindHex || kinds[text[n]] == kindDigit) {
		n++
	}
	return n
}

// maxFilled is how long a text is that is filled in, in bytes.
const maxFilled = 60

// filledIn are the texts that a line has for each %s of the message, nil where the line has it in another form.
func (m *message) filledIn(text string) (texts []string) {
	const other, name = "\x00", "\x01"
	form := regexp.QuoteMeta(cEscapes.Replace(unfilled(m.Name, func(conversion string) string {
		if strings.HasSuffix(conversion, "s") {
			return name
		}
		return other
	})))
	if rest, leads := strings.CutPrefix(form, name); leads { // what stands before it is the heading
		form = fmt.Sprintf(`(\S{1,%d}?)`, maxFilled) + rest
	}
	if rest, ends := strings.CutSuffix(form, name); ends {
		form = rest + fmt.Sprintf("(.{1,%d})", maxFilled)
	}
	form = strings.NewReplacer(other, ".{1,40}?", name, fmt.Sprintf("(.{1,%d}?)", maxFilled)).Replace(form)
	re, err := regexp.Compile("(?i)" + form + `(?:$|\W)`)
	if err != nil {
		return nil
	}
	if found := re.FindStringSubmatch(text); found != nil {
		texts = found[1:]
	}
	return texts
}

// cEscapes are what stands in a format of C for something else.
var cEscapes = strings.NewReplacer(`\n`, " ", `\t`, " ", `\"`, `"`)

// segmentsOf are the words of a format that are always there, parted where something is filled in.
func segmentsOf(format string) (segments [][]string, literals int) {
	format = cEscapes.Replace(unfilled(format, func(string) string { return anything }))
	var open []string
	end := func() {
		if len(open) > 0 {
			segments, literals = append(segments, open), literals+len(open)
		}
		open = nil
	}
	for _, w := range tokens(format) {
		if strings.Contains(w, anything) {
			end()
			continue
		}
		open = append(open, w)
	}
	end()
	return segments, literals
}

// messageParser reads a file of messages.
type messageParser struct {
	speaker, file, revision string
	all                     []*message
}

// parseMessages reads a file of the form that the package's documentation tells.
func parseMessages(file, content string) ([]*message, error) {
	var p messageParser
	for n, l := range strings.Split(content, "\n") {
		if err := p.line(strings.TrimRight(l, " \t\r")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
		}
	}
	for _, m := range p.all {
		if m.Short == "" {
			return nil, fmt.Errorf("%s: %q has no says", file, m.Name)
		}
	}
	return p.all, nil
}

func (p *messageParser) line(l string) error {
	switch {
	case l == "" || l[0] == '#':
		return nil
	case l[0] == ' ' || l[0] == '\t':
		key, value, found := strings.Cut(strings.TrimSpace(l), ": ")
		if !found || len(p.all) == 0 {
			return fmt.Errorf("%q is not key: value of a message", l)
		}
		return p.all[len(p.all)-1].set(key, strings.TrimSpace(value))
	}
	if holds := p.field(l); holds != nil {
		_, value, _ := strings.Cut(l, ": ")
		*holds = strings.TrimSpace(value)
		return nil
	}
	if p.speaker == "" || p.file == "" || p.revision == "" {
		return fmt.Errorf("%q stands before speaker, file and revision", l)
	}
	m := &message{speaker: p.speaker}
	m.Family, m.What = MessageFamily, "message of "+p.speaker
	m.Name, m.Source = l, p.file+" ("+p.revision+")"
	m.consumer = slices.ContainsFunc(consumerFiles, func(dir string) bool { return strings.HasPrefix(p.file, dir) })
	m.segments, m.literals = segmentsOf(l)
	for _, w := range slices.Concat(m.segments...) {
		if !common[w] {
			m.specific++
		}
	}
	if m.literals == 0 || m.literals == 1 && !strings.Contains(m.segments[0][0], "_") {
		return fmt.Errorf("%q has fewer than two words, and no name of a function", l)
	}
	p.all = append(p.all, m)
	return nil
}

// consumerFiles are where the sources are of the parts of the kernel that use RDMA.
var consumerFiles = []string{"drivers/infiniband/ulp/", "drivers/nvme/", "net/", "fs/", "lnet/"}

// field is what a line sets for all messages that follow it, nil where it is a message.
func (p *messageParser) field(l string) *string {
	switch {
	case strings.HasPrefix(l, "revision: "):
		return &p.revision
	case strings.HasPrefix(l, "speaker: "):
		return &p.speaker
	case strings.HasPrefix(l, "file: "):
		return &p.file
	}
	return nil
}

func (m *message) set(key, value string) error {
	switch key {
	case "says":
		m.Short = value
	case "verb":
		m.verb = value
	case "errno":
		m.errno = value
	case "general":
		m.raw.general = value
	case "see":
		family, name, _ := strings.Cut(value, " ")
		m.see = append(m.see, reference{family, name})
	default:
		return fmt.Errorf("a message has no %q", key)
	}
	return nil
}
