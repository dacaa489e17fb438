package explain

import (
	"cmp"
	"slices"
	"strings"
)

// logLine is a line of a log, as words in lower case.
type logLine struct {
	x      *index
	number int    // from 1
	text   string // as it came, without what is no part of it
	words  []string
	kinds  wordKinds // of all words

	said *said // read when it is first asked for
}

func newLogLine(number int, text string, k wordKinds) *logLine {
	words := tokensOf(text, maxLineBytes, maxLineBytes)
	return &logLine{x: theIndex(), number: number, text: text, words: words, kinds: k}
}

// said is what several rules ask of a line.
type said struct {
	errno, errnoAlone *Entry
	verb              string
	message           *message
	fails             bool
	calm              *bool
	bag               bag
}

// read returns what the line tells, what matters most first. The first rule that
// finds something wins: numbers mean something only by what stands around them, and
// a later rule would take them for something else.
func (l *logLine) read() []finding {
	for _, rule := range []func(l *logLine) []finding{(*logLine).dump, (*logLine).phrase, (*logLine).efaStatus,
		docaError, (*logLine).completion, (*logLine).cmEvent, consumer, (*logLine).call, (*logLine).asyncEvent,
		(*logLine).generalPhrase, (*logLine).message, (*logLine).failedVerb, (*logLine).failedCompletion} {
		if found := rule(l); len(found) > 0 {
			return l.withMessage(found)
		}
	}
	if found := append(l.names(), l.device()...); len(found) > 0 {
		return found
	}
	if !aboutAny(l) {
		return nil
	}
	return likely(l)
}

// message finds a message whose source is known. Beside it stands what it names, and the errno that it always has.
func (l *logLine) message() []finding {
	m := l.facts().message
	if m == nil {
		return nil
	}
	if e := l.statusAlone(); e != nil {
		return cause(true, e)
	}
	if e := l.statusNumber("status"); e != nil && e.Name != "SUCCESS" && m.seesStatus() {
		found := cause(true, e)
		found[0].Here = m.Short
		return found
	}
	if e := statusOf(l, m); e != nil {
		found := cause(true, e)
		found[0].Here = m.Short
		return found
	}
	found := cause(true, &m.Entry)
	if e := l.errnoAlone(); e != nil {
		found[0].Here = "the line's errno is " + e.Name + ": " + e.Short
		found[0].more = func(of *Entry) { of.Here += aboutFilled(l, m, e) }
	} else if strings.HasSuffix(m.Name, "%s") {
		found[0].more = func(e *Entry) { sayFilled(l, m, e) }
	} else if strings.Contains(m.Name, "0x%x") {
		found[0].more = func(e *Entry) { e.Here = driverSays(l, l.text, e) }
	}
	if m.verb != "" && m.errno == "" && l.errno() == nil {
		found = append(found, beside(l.x.errnosOf(m.verb)...)...)
	}
	if e := cmp.Or(l.find("verb_errno", m.verb+" "+m.errno), l.errnoAlone()); e != nil {
		found = append(found, beside(e)...)
	}
	for _, s := range m.see {
		if e := l.find(s.family, s.name); e != nil {
			found = append(found, beside(e)...)
		}
	}
	return found
}

// statusOf is the status of a message that names it in its own words: "POLL CQ with RDMA_CQE_REQ_STS_...".
func statusOf(l *logLine, m *message) (status *Entry) {
	if !l.has(perhapsCompletion...) || m.raw.general != "" {
		return nil
	}
	for _, s := range m.see {
		if s.family != "wc_status" {
			continue
		}
		if status != nil {
			return nil
		}
		status = l.find(s.family, s.name)
	}
	return status
}

// consumer finds a message of a part of the kernel that uses RDMA, as NVMe, and lacks memory. What is known of a verb's
// errnos is of the verbs of programs: the kernel's own regions do not count as locked memory.
func consumer(l *logLine) []finding {
	e, m := l.errno(), l.facts().message
	if e != nil && e.Name == "ENOMEM" && m != nil && m.consumer && m.raw.general == "" && m.certain(l) {
		return l.message()
	}
	return nil
}

// aboutFilled names what a program put into a message, "" where that is only the text of the errno.
func aboutFilled(l *logLine, m *message, errno *Entry) string {
	texts := slices.DeleteFunc(m.filledIn(l.text), func(text string) bool {
		return slices.ContainsFunc(errno.Aliases, func(a string) bool { return strings.HasPrefix(text, a) }) ||
			!namesSomething(text)
	})
	if len(texts) == 0 {
		return ""
	}
	return "; the message is about " + strings.Join(texts, ", ")
}

// sayFilled adds to a message what the words tell that a program put into its end.
func sayFilled(l *logLine, m *message, e *Entry) {
	rest := slices.DeleteFunc(slices.Clone(l.words), func(w string) bool { return m.bag[w] })
	if c := l.x.conditionOf(bagOf("", rest)); c != nil && l.saysFailed() && e.Here == "" {
		e.Here = "what the program put in tells of this: " + c.Name + ": " + c.Short
	}
}

// withMessage adds what the message's source says of the case to what was found in it.
func (l *logLine) withMessage(found []finding) []finding {
	if m := l.facts().message; m != nil && m.certain(l) && found[0].Family != MessageFamily && found[0].Here == "" {
		found[0].Here = m.Short
	}
	return found
}

// cause makes findings of the entries that tell what happened, general ones after all others.
func cause(sure bool, entries ...*Entry) (found []finding) {
	for _, e := range entries {
		rank := rankCause
		if e.raw.general != "" {
			rank = rankGeneral
		}
		found = append(found, finding{Entry: *e, rank: rank, sure: sure})
	}
	return found
}

// beside makes findings of what tells more about another one.
func beside(entries ...*Entry) (found []finding) {
	for _, e := range entries {
		found = append(found, finding{Entry: *e, rank: rankBeside})
	}
	return found
}

// phrase finds a message that is known as a whole; beside it stand the verb and the
// errno, where the line tells them.
func (l *logLine) phrase() []finding {
	e := l.matched(false)
	if e == nil || l.debug() && !l.saysFailed() {
		return nil
	}
	found := cause(false, e)
	found[0].more = func(of *Entry) {
		of.Here = cmp.Or(driverSays(l, l.text, e), of.Here)
		if errno := l.errnoAlone(); errno != nil {
			of.Here = joinText(of.Here, "the line's errno is "+errno.Name+": "+errno.Short)
		}
	}
	for _, f := range l.call() {
		found = append(found, beside(&f.Entry)...)
	}
	return found
}

// generalPhrase finds a message that says less than a status or an errno in the line would.
func (l *logLine) generalPhrase() []finding {
	if e := l.matched(true); e != nil && (!l.debug() || l.saysFailed()) {
		return cause(l.saysFailed() && strings.Contains(l.text, "="), e)
	}
	return nil
}

func (l *logLine) matched(general bool) *Entry {
	if !l.kinds.matchesPattern() {
		return nil
	}
	hasErrno, silent := l.errno() != nil, l.firmwareSilent()
	best := len(l.x.patterns)
	try := func(places []int) {
		for _, at := range places {
			if at >= best {
				break // they are in order
			}
			p := &l.x.patterns[at]
			if (p.entry.raw.general != "") == general && !(silent && strings.HasPrefix(p.entry.Name, "mlx5")) &&
				!(p.noErrno && hasErrno) && p.matches(l.words) {
				best = at
			}
		}
	}
	try(l.x.anyWords)
	for _, w := range l.words {
		try(l.x.withWord[w])
	}
	if best == len(l.x.patterns) {
		return nil
	}
	return l.x.patterns[best].entry
}

// firmwareSilent reports that mlx5's firmware gave no reason, because it was not asked.
func (l *logLine) firmwareSilent() bool {
	at := slices.Index(l.words, "syndrome")
	return at >= 0 && at+1 < len(l.words) && (l.words[at+1] == "0" || l.words[at+1] == "0x0") && l.errno() != nil
}

// names finds an errno, names that can be nothing else, and the number after status.
func (l *logLine) names() (found []finding) {
	if e := l.errnoAlone(); e != nil && !optional(l) {
		f := finding{Entry: *e, rank: rankErrno}
		if l.has(perhapsCompletion...) && l.name("errno", 2) == nil {
			f.rank = rankLikely // perhaps the number is a status
		}
		f.more = func(e *Entry) { sayErrno(l, e) }
		found = append(found, f)
	} else if e := l.statusAlone(); e != nil {
		found = append(found, finding{Entry: *e, rank: rankErrno})
	}
	for i, w := range l.words {
		for _, family := range []string{"env", "counter", "cm_event"} {
			if e := l.family(family).keys.of[w]; len(e) == 1 && !(l.calm() && good(e[0])) && strings.Contains(w, "_") {
				value, n := l.numberAfter(i, 5)
				if family == "counter" && value != "" && n == 0 {
					continue // nothing was counted
				}
				found = append(found, finding{Entry: e[0].asked(value), rank: rankNamed})
			}
		}
	}
	return found
}

// sayErrno adds to an errno what failed with it, and what the other words of the line tell.
func sayErrno(l *logLine, e *Entry) {
	of := l.subject()
	own := slices.ContainsFunc(e.Aliases, func(text string) bool { return of != "" && strings.HasPrefix(text, of) })
	if !own && (len(l.words) > longest || strings.Contains(of, "_")) {
		e.Failed = of // and not the errno's own text
	}
	if aboutAny(l) && l.saysFailed() {
		sayCondition(l, e)
	}
}

// sayCondition adds to an errno the condition that the other words of the line tell of.
func sayCondition(l *logLine, e *Entry) {
	if c := l.x.conditionOf(bagOf(l.text, withoutErrno(l))); c != nil && e.Here == "" {
		e.Here = "the line's other words tell of this: " + c.Name + ": " + c.Short
	}
}

// commandWords are words of lines about commands to a device's firmware, whose numbers are its own.
var commandWords = []string{"command", "cmd", "adminq", "admin", "mbx", "mailbox", "cmdq", "hwrm"}

// statusAlone is the status of a line that says neither that it is about a
// completion nor about something else: of a question that begins with it, or of
// something of RDMA that failed.
func (l *logLine) statusAlone() *Entry {
	if l.words[0] != "status" && !(l.saysFailed() && l.aboutRDMA()) || l.has("zero") || // "non-zero status: 3"
		l.has(commandWords...) {
		return nil
	}
	e := l.statusNumber("status")
	if e == nil && l.has("status") {
		e = l.statusNamed(2)
	}
	if e != nil && e.Name != "SUCCESS" && l.verb() == "" {
		return e
	}
	return nil
}

// family is the context of a family: its entries by their keys and numbers.
func (l *logLine) family(name string) *context {
	if c := l.x.contexts[name]; c != nil {
		return c
	}
	return &context{}
}

// find is an entry that the reader of logs relies on, nil where there is none.
func (l *logLine) find(family, name string) *Entry {
	if s := stores[family]; s != nil {
		return s.byName()[name]
	}
	return nil
}

// name returns the entry of a family whose name or other name stands in the line, in
// at least so many words; a name in one word must have a _ in it. Of several the
// longest counts, then the first: "receiver not ready retry exceeded" has "retry
// exceeded" in it.
func (l *logLine) name(family string, least int) (e *Entry) {
	keys, longest := l.family(family).keys, 0
	for i := range l.words {
		entries, n := keys.match(l.words[i:])
		if n <= longest || n < least && !(n == 1 && strings.Contains(l.words[i], "_")) {
			continue
		}
		e, longest = entries[0], n
	}
	return e
}

// has reports whether one of the words stands in the line.
func (l *logLine) has(words ...string) bool {
	return slices.ContainsFunc(l.words, func(w string) bool { return slices.Contains(words, w) })
}

// numberAfter is the first number among the next words after i, "" where there is none.
func (l *logLine) numberAfter(i, within int) (text string, n int64) {
	for _, w := range l.words[min(i+1, len(l.words)):min(i+1+within, len(l.words))] {
		if n, ok := number(w); ok {
			return w, n
		}
	}
	return "", 0
}

// between are words that may stand between a word that gives a number its meaning and the number.
var between = []string{"code", "status", "error", "err", "errno", "is", "was", "of", "no", "number", "nr", "value",
	"wc", "with", "ibv_wc_success"}

// valueOf is the number that one of the words is said to have: "status=12", "error code 12", but not
// "error (devIndex=0"; ok is false where there is none that fits.
func (l *logLine) valueOf(words []string, fits func(n int64) bool) (n int64, ok bool) {
	for i, w := range l.words {
		if !slices.Contains(words, w) {
			continue
		}
		at := i + 1
		for at < len(l.words) && slices.Contains(between, l.words[at]) {
			at++
		}
		if at == len(l.words) {
			continue
		}
		if n, ok := number(l.words[at]); ok && fits(n) {
			return n, true
		}
	}
	return 0, false
}

// keyed is the number that follows one of the words within a few others, of which
// none may be one of stop; ok is false where there is none that fits.
func (l *logLine) keyed(words, stop []string, within int, fits func(n int64) bool) (n int64, ok bool) {
	for i, w := range l.words {
		if !slices.Contains(words, w) {
			continue
		}
		for _, next := range l.words[i+1 : min(i+1+within, len(l.words))] {
			if slices.Contains(stop, next) || slices.Contains(words, next) {
				break
			}
			if n, ok := number(next); ok {
				if fits(n) {
					return n, true
				}
				break
			}
		}
	}
	return 0, false
}

// joinText puts two remarks into one text.
func joinText(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}
