package explain

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Answer is what a text asks for.
type Answer struct {
	Entries []Entry
	Log     bool          // the text is lines of a log: the first entry is what it tells, the others stand beside it
	Unknown []UnknownLine // the first lines of which all that is known is that something failed in them
}

// UnknownLine is a line that says that something of RDMA failed, of which nothing more is known.
type UnknownLine struct {
	Line int    // from 1
	Text string // not escaped
}

// Limits of a log. A longer line is read in pieces.
const (
	maxLineBytes = 4096
	maxFindings  = 24
	maxUnknown   = 4
	maxQuote     = 240      // bytes of a line that are shown
	maxHead      = 64 << 10 // bytes of a text in which lines that were wrapped are joined
)

// ranks of findings: what tells of a cause comes before what follows from it.
const (
	rankCause   = iota
	rankErrno   // an errno alone, of whatever call
	rankGeneral // what another line explains better: flushed requests
	rankLikely  // what a line is about, which is not known by itself
	rankVague   // the same, in words that many lines have
	rankNamed   // a name that says what was used, as that of an environment variable
	rankCalm    // what stands in a line that is no warning
	rankBeside  // more about a finding: vendor_err of a status
)

// finding is an entry that a line of a log leads to.
type finding struct {
	Entry
	rank int
	sure bool           // numbers of the line were read by what stands around them; a question does not look like that
	more func(e *Entry) // adds what takes long to find, nil for nothing
}

// Read returns what a text asks for: a question, as [Lookup] tells, or lines of a
// log. Of a log the entries come in the order in which they matter, each once, with
// the line that each was found in.
func Read(text string) Answer {
	a, _ := ReadFrom(strings.NewReader(text)) // which never fails
	return a
}

// ReadFrom is [Read] of a text of any length, in memory that does not grow with it. The error is that of in.
func ReadFrom(in io.Reader) (Answer, error) { return newLogReader().answer(in) }

// answer reads a text and says what it asks for.
func (r *logReader) answer(in io.Reader) (Answer, error) {
	if err := r.read(in); err != nil {
		return Answer{}, err
	}
	r.unwrap()
	r.drivers()
	if r.several { // that a request of many did not fail is nothing to tell
		r.found = slices.DeleteFunc(r.found, func(f finding) bool {
			return f.Family == "wc_status" && f.Name == "SUCCESS"
		})
	}
	if len(r.found) == 0 && r.apart != nil && (r.about || !r.apartGeneral || !r.several && r.apartNear) {
		r.apart()
	}
	s := ask(string(r.head))
	named := !r.several && len(s.unknown) == 0 && len(s.found) > 0 &&
		(s.found[0].name(s.words) || slices.Equal(tokens(s.found[0].Ask()), s.words))
	switch asked := len(r.found) > 0 && (r.found[0].Family == MessageFamily || r.found[0].rank > rankCause) && named; {
	case len(r.found) > 0 && (r.sure || r.several) && !asked:
		return Answer{r.entries(), true, r.unknown}, nil
	case len(s.unknown) == 0 && (len(s.found) > 0 || len(r.found) == 0):
		return Answer{s.result(), false, nil}, nil
	case len(r.found) == 0:
		return Answer{nil, false, r.unknown}, nil
	}
	return Answer{r.entries(), true, r.unknown}, nil
}

// logReader collects what the lines of a log tell.
type logReader struct {
	found   []finding
	seen    map[string]bool
	unknown []UnknownLine
	sure    bool // one of the lines is no question
	several bool // there are several lines

	about bool   // a line is about RDMA
	apart func() // takes what a line tells that failed and does not say that it is about RDMA
	// it may be about anything: it counts only if another line is about RDMA
	apartGeneral bool
	apartNear    bool // its words are at least those of networks and of devices: enough where it is all that is asked

	promise  int    // the line of a message by which the next one has the reason
	heads    int    // the line of a message that says no more than that the next ones tell of a failure
	open     string // the last such verb, of which a line that follows may tell the errno
	openLine int    // the line of open

	lines  int    // so many were read
	ended  int    // so many ended before the block that is read
	first  int    // the first that has a word
	last   []byte // the line before the one that is read
	kept   []byte // last of a block before
	head   []byte // what the text begins with
	whole  bool   // head is all of it
	shapes shapes
	scan   *scanner // nil in a short text
	early  int      // so many lines, or parts of long ones, were read before there was one

	blockBytes int // of which the text is read at once
	scans      int // goroutines that find the shapes of lines in a long text, 0 for none but that of the reader
}

// maxEarly is how many lines are read without a vocabulary, which takes longer to make than these to read.
const maxEarly = 50

// shapeOf is what a line is at first sight; of the first lines only whether there are words in it.
func (r *logReader) shapeOf(l []byte) shape {
	if r.early++; r.scan == nil && r.early > maxEarly {
		r.scan = newScanner(theMessages().vocabulary())
	}
	if r.scan != nil {
		return r.scan.shapeOf(l)
	}
	s := shape{key: hashRaw(l), kinds: wordAll}
	if slices.ContainsFunc(l, inWord) {
		s.words = 1
	}
	return s
}

func newLogReader() *logReader {
	return &logReader{seen: map[string]bool{}, whole: true, shapes: shapes{}, blockBytes: blockBytes, scans: scans()}
}

// maxApart is how many lines after a verb that failed its errno may stand, as in the
// help texts of Open MPI.
const maxApart = 10

// maxHeading is how many lines after a message its status, event or errno may stand: "Completion with error at
// client:", then "Failed status 12".
const maxHeading = 2

// keep keeps what the text begins with.
func (r *logReader) keep(piece []byte) {
	n := min(len(piece), maxHead-len(r.head))
	r.head = append(r.head, piece[:n]...)
	r.whole = r.whole && n == len(piece)
}

// words reads a line that has words.
func (r *logReader) words(part []byte, s shape) {
	if r.first == 0 {
		r.first = r.lines
	}
	r.several = r.several || r.lines > r.first
	if r.skips(s.kinds) {
		r.about = r.about || s.kinds.hasAny(wordAbout) && !s.kinds.hasAny(wordWithout)
		return
	}
	if verb, known := r.shapes[s.key]; known {
		if verb != "" {
			r.open, r.openLine = verb, r.lines
		}
		return
	}
	l := newLogLine(r.lines, clean(string(part)), s.kinds)
	if len(l.words) > 0 {
		r.raised(l)
		r.shapes.put(s.key, r.line(l))
	}
}

// raised takes the verb of an exception from the line before it: a traceback ends with the line of the program that
// raised it.
func (r *logReader) raised(l *logLine) {
	if l.number < 2 || l.verb() != "" || l.errno() != nil || !exception.MatchString(l.text) {
		return
	}
	code := newLogLine(l.number-1, clean(string(r.last)), r.shapeOf(r.last).kinds)
	if len(code.words) > 0 && strings.Contains(code.text, "(") {
		l.said.verb = code.verb()
	}
}

// exception is the last line of a traceback of Python: "module.KindError: text".
var exception = regexp.MustCompile(`^[\w.]+(Error|Exception)\b`)

// skips reports that a line with such words tells nothing.
func (r *logReader) skips(k wordKinds) bool {
	return !k.mayTell() && !(k.hasAny(wordFail) && r.wantsApart())
}

// wantsApart reports that a line that is not about RDMA may still be all that the log tells.
func (r *logReader) wantsApart() bool {
	return len(r.found) == 0 && (r.apart == nil || r.apartGeneral)
}

// line takes what a line tells. It returns the verb that failed in it, of which another line may tell the errno.
func (r *logReader) line(l *logLine) (open string) {
	found := l.read()
	if e := r.joined(l, found); e != nil {
		found = cause(true, e)
		r.demote(r.openLine)
	} else if l.errno() != nil && sameCall(l.verb(), r.open) && l.number-r.openLine <= maxApart {
		r.demote(r.openLine)
	} else if l.saysFailed() && l.errno() == nil && l.verb() != "" && limit(l) == nil {
		open = l.verb()
		r.open, r.openLine = open, l.number
	}
	r.errnoBelow(l, found)
	if len(found) > 0 && r.promise > 0 && l.number-r.promise <= maxHeading && found[0].rank <= rankErrno {
		r.demote(r.promise)
		r.promise = 0
	}
	switch {
	case len(found) == 0:
	case found[0].Family == MessageFamily && strings.Contains(found[0].Short, "the next line"):
		r.promise = l.number
	case found[0].Family == MessageFamily && !strings.Contains(found[0].Name, "%"):
		r.heads = l.number
	case found[0].Family == MessageFamily:
	case found[0].sure && found[0].rank == rankCause && r.heads > 0 && l.number-r.heads <= maxHeading:
		r.demote(r.heads)
	}
	if len(found) > 0 && found[0].rank == rankGeneral && !l.calm() {
		r.promote(l.number)
	}
	guessed := len(found) == 0 || found[0].rank == rankLikely || found[0].rank == rankVague
	if guessed && len(r.unknown) < maxUnknown && l.failsUnknown() && !r.saw(l.quote()) {
		r.unknown = append(r.unknown, UnknownLine{l.number, l.quote()})
	}
	r.about = r.about || aboutAny(l) && !l.has("without")
	if len(found) == 0 && r.wantsApart() && !aboutAny(l) && l.saysFailed() {
		if f := likely(l); len(f) > 0 && (r.apart == nil || r.apartGeneral && f[0].raw.general == "") {
			r.apart, r.apartGeneral = func() { r.take(l, f[0]) }, f[0].raw.general != "" || f[0].Family == MessageFamily
			r.apartNear = l.has(nearWords...) || mftMark.MatchString(l.text)
		}
	}
	if len(found) > 0 && saysNoCause(found[0]) {
		r.ledTo(l)
	}
	for _, f := range found {
		r.take(l, f)
	}
	return open
}

// saw reports that an unknown line of the same text was there before: the first lines are not told apart by shapes.
func (r *logReader) saw(text string) bool {
	return slices.ContainsFunc(r.unknown, func(u UnknownLine) bool { return u.Text == text })
}

// saysNoCause reports that a finding only tells what could not be done.
func saysNoCause(f finding) bool {
	if f.Family == MessageFamily {
		return true
	}
	for _, name := range verbFailed {
		if f.Family == "log" && f.Name == name {
			return true
		}
	}
	return false
}

// ledTo takes for a cause the errno, or the verb that failed, of a line just before one that only says what could not
// be done without it.
func (r *logReader) ledTo(l *logLine) {
	own := l.errnoAlone()
	for i := range r.found {
		f := &r.found[i]
		probed := f.Name == "ENOENT" // programs look for files that need not exist
		led := f.Family == "errno" && !probed && (own == nil || own.Name == f.Name) ||
			own == nil && slices.Contains(calls, f.Family)
		if led && f.rank == rankErrno && f.Line < l.number && l.number-f.Line <= maxHeading {
			f.rank = rankCause
		}
	}
}

func (r *logReader) take(l *logLine, f finding) {
	r.sure = r.sure || f.sure
	if f.Family != "async_event" && f.rank < rankGeneral && l.calm() {
		f.rank = rankCalm
	}
	k := f.Family + " " + f.Name
	if r.seen[k] {
		at := slices.IndexFunc(r.found, func(o finding) bool { return o.Family == f.Family && o.Name == f.Name })
		if r.found[at].rank <= f.rank {
			return
		}
		r.found = slices.Delete(r.found, at, at+1) // it was said in passing before
	}
	r.seen[k] = true
	f.Line, f.Said, f.Of = l.number, l.quote(), l.marks()
	if f.more != nil {
		f.more(&f.Entry)
	}
	r.found = append(r.found, f)
}

// joined is what the errno of a line says of the verb that failed in a line before,
// nil where it says nothing.
func (r *logReader) joined(l *logLine, found []finding) *Entry {
	if r.open == "" || l.number-r.openLine > maxApart || len(found) != 1 ||
		found[0].rank != rankErrno || l.verb() != "" ||
		!l.has("error", "errno", "err", "reason") {
		return nil
	}
	return l.find("verb_errno", r.open+" "+found[0].Name)
}

// errnoBelow adds to what failed in the line before what a line tells that has nothing but its errno.
func (r *logReader) errnoBelow(l *logLine, found []finding) {
	if len(found) != 1 || found[0].rank != rankErrno || found[0].Family != "errno" ||
		l.words[0] != "errno" && len(withoutErrno(l)) > 0 {
		return
	}
	for i := range r.found {
		if f := &r.found[i]; f.Line == l.number-1 && f.Family == MessageFamily && f.Here == "" {
			f.Here = "the next line tells its errno, " + found[0].Name + ": " + found[0].Short
		}
	}
}

// sameCall reports that two verbs are of one object: rdma_create_qp calls ibv_create_qp.
func sameCall(a, b string) bool {
	object := func(verb string) string { return strings.TrimPrefix(strings.TrimPrefix(verb, "ibv_"), "rdma_") }
	return a != "" && object(a) == object(b)
}

// demote puts what a line told behind all else.
func (r *logReader) demote(line int) {
	for i := range r.found {
		if f := &r.found[i]; f.Line == line {
			f.rank = rankBeside
		}
	}
}

// promote takes for a cause that a call failed in a line just before a general one, though it is marked as no warning:
// some programs log the call at a lower level than what follows from it.
func (r *logReader) promote(line int) {
	for i := range r.found {
		if f := &r.found[i]; f.rank == rankCalm && slices.Contains(calls, f.Family) && line-f.Line <= maxHeading {
			f.rank = rankErrno
		}
	}
}

// errnosOf are the errnos that a verb is known to return.
func (x *index) errnosOf(verb string) (entries []*Entry) {
	for _, e := range x.context(verb).all {
		if e.Family == "verb_errno" {
			entries = append(entries, e)
		}
	}
	return entries
}

// certain reports that a line tells a cause by itself.
func (r *logReader) certain() bool {
	return slices.ContainsFunc(r.found, func(f finding) bool { return f.sure && f.rank == rankCause })
}

// has reports that something of a rank was found.
func (r *logReader) has(rank int) bool {
	return slices.ContainsFunc(r.found, func(f finding) bool { return f.rank == rank })
}

// entries are what was found, what matters most first. Where a line that is unknown failed before it, the first
// entry says so.
func (r *logReader) entries() (entries []Entry) {
	slices.SortStableFunc(r.found, func(a, b finding) int { return cmp.Compare(a.rank, b.rank) })
	for _, f := range r.found[:min(len(r.found), maxFindings)] {
		if !r.several {
			f.Line, f.Said = 0, ""
		}
		entries = append(entries, f.Entry)
	}
	if first := &entries[0]; len(r.unknown) > 0 && r.unknown[0].Line < first.Line {
		u := r.unknown[0]
		if first.Here != "" {
			first.Here += "; "
		}
		first.Here += fmt.Sprintf("line %d failed first, and its message is unknown here: %q; this may follow from it",
			u.Line, u.Text)
	}
	return entries
}
