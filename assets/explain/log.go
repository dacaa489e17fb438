package explain

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Answer is what a text asks for.
type Answer struct {
	Entries []Entry
	Log     bool // the text is lines of a log: the first entry is what it tells, the others stand beside it
	Cut     bool // the text is longer than what is read of it
}

// MaxText is how many bytes of a log are read.
const MaxText = 4 << 20

// colours are what terminals are told by; their letters would run into words.
var colours = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// Limits of a log. A longer line is read in pieces.
const (
	maxLineBytes = 4096
	maxFindings  = 24
)

// ranks of findings: what tells of a cause comes before what follows from it.
const (
	rankCause   = iota
	rankErrno   // an errno alone, of whatever call
	rankNamed   // a name that says what was used, as that of an environment variable
	rankGeneral // what another line explains better: flushed requests
	rankBeside  // more about a finding: vendor_err of a status
)

// finding is an entry that a line of a log leads to.
type finding struct {
	Entry
	rank int
	sure bool // numbers of the line were read by what stands around them; a question does not look like that
}

// Read returns what a text asks for: a question, as [Lookup] tells, or lines of a
// log. Of a log the entries come in the order in which they matter, each once, with
// the line that each was found in.
func Read(text string) Answer {
	r := logReader{seen: map[string]bool{}}
	cut := r.read(text)
	if len(r.found) > 0 && (r.sure || r.several) {
		return Answer{r.entries(), true, cut}
	}
	s := ask(text)
	switch {
	case len(s.unknown) == 0 && (len(s.found) > 0 || len(r.found) == 0):
		return Answer{s.result(), false, cut}
	case len(r.found) == 0:
		return Answer{r.errnos(), false, cut}
	}
	return Answer{r.entries(), true, cut}
}

// logReader collects what the lines of a log tell.
type logReader struct {
	found   []finding
	seen    map[string]bool
	sure    bool   // one of the lines is no question
	several bool   // there are several lines
	failed  string // the first verb of which a line says that it failed, without its errno

	open     string // the last such verb, of which a line that follows may tell the errno
	openLine int    // the line of open
}

// maxApart is how many lines after a verb that failed its errno may stand, as in the
// help texts of Open MPI.
const maxApart = 10

// read takes each line that has something in it; cut reports that the text is longer
// than what is read.
func (r *logReader) read(text string) (cut bool) {
	if len(text) > MaxText {
		text, cut = text[:MaxText], true
	}
	n, first := 0, 0
	for l := range strings.Lines(text) {
		n++
		if strings.IndexByte(l, '\x1b') >= 0 {
			l = colours.ReplaceAllString(l, " ")
		}
		for rest := strings.TrimSpace(l); rest != ""; rest = rest[min(len(rest), maxLineBytes):] {
			words := tokensOf(rest, maxLineBytes, maxLineBytes)
			if len(words) == 0 {
				continue
			}
			if first == 0 {
				first = n
			}
			r.several = r.several || n > first
			r.line(&logLine{x: theIndex(), number: n, words: words})
		}
	}
	return cut
}

func (r *logReader) line(l *logLine) {
	found := l.read()
	if e := r.joined(l, found); e != nil {
		found = cause(true, e)
	} else if l.saysFailed() && l.errno() == nil && l.verb() != "" {
		r.open, r.openLine = l.verb(), l.number
		r.failed = cmp.Or(r.failed, r.open)
	}
	for _, f := range found {
		r.sure = r.sure || f.sure
		if k := f.Family + " " + f.Name; !r.seen[k] {
			r.seen[k] = true
			f.Line = l.number
			r.found = append(r.found, f)
		}
	}
}

// joined is what the errno of a line says of the verb that failed in a line before,
// nil where it says nothing. A message that was known without the errno then stands
// behind it.
func (r *logReader) joined(l *logLine, found []finding) *Entry {
	if r.open == "" || l.number-r.openLine > maxApart || len(found) != 1 ||
		found[0].rank != rankErrno || l.verb() != "" ||
		!l.has("error", "errno", "err", "reason") {
		return nil
	}
	e := l.find("verb_errno", r.open+" "+found[0].Name)
	for i := range r.found {
		if f := &r.found[i]; e != nil && f.Family == "log" && f.Line == r.openLine {
			f.rank = rankBeside
		}
	}
	return e
}

// errnos are those that the verb which failed is known to return, where the log tells nothing else.
func (r *logReader) errnos() (entries []Entry) {
	if r.failed == "" {
		return nil
	}
	for _, e := range theIndex().context(r.failed).all {
		if e.Family == "verb_errno" {
			entries = append(entries, *e)
		}
	}
	return entries
}

// entries are what was found, what matters most first.
func (r *logReader) entries() (entries []Entry) {
	slices.SortStableFunc(r.found, func(a, b finding) int { return cmp.Compare(a.rank, b.rank) })
	for _, f := range r.found[:min(len(r.found), maxFindings)] {
		if !r.several {
			f.Line = 0
		}
		entries = append(entries, f.Entry)
	}
	return entries
}
