package explain

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// bag is the words of a line without their order, the parts of the names among them, and objects of several words as
// one: "RegisterMemoryRegion" has register, memory, region and mr. What is false there is two words beside each other,
// which only an element without * asks for.
type bag map[string]bool

func bagOf(text string, words []string) bag {
	b := bag{}
	add := func(words []string) {
		for i, w := range words {
			b[w] = true
			if o, n := objectAt(words[i:]); n > 1 {
				b[o] = true
			}
		}
	}
	add(words)
	for name := range strings.FieldsFuncSeq(text[:min(len(text), maxLineBytes)], notInName) {
		if parts := nameParts(name); len(parts) > 1 {
			add(parts)
		}
	}
	return b
}

// weight tells how much a word says: of one that few messages have more than of one that many have.
func (x *messageIndex) weight(word string) float64 {
	return math.Log(float64(len(x.all)+1) / float64(len(x.with[word])+1))
}

// namedAnyway are attributes that lines name to say which object they are about.
var namedAnyway = []string{"qp_num", "dest_qp_num", "qp_state", "port_num", "node_guid", "sys_image_guid", "fw_ver",
	"vendor_id", "vendor_part_id", "hw_ver", "sm_lid", "private_data", "device_cap_flags"}

// attribute is the attribute of a queue pair, a connection, a device or a port that the line names, nil where it
// names none.
func attribute(l *logLine) *Entry {
	for _, w := range l.words {
		if !strings.Contains(w, "_") || slices.Contains(namedAnyway, w) {
			continue
		}
		for _, family := range []string{"conn_param", "qp_attr", "device_attr", "port_attr"} {
			if e := l.family(family).keys.of[w]; len(e) == 1 {
				return e[0]
			}
		}
	}
	return nil
}

// aboutAny reports that the line is about RDMA, by a name or by words that nothing else has.
func aboutAny(l *logLine) bool {
	return l.kinds.hasAny(wordAbout) && (l.aboutRDMA() || l.has(rdmaWords...))
}

// errorMark is how programs mark errors, which questions do not.
var errorMark = regexp.MustCompile(`\b(?:ERROR|FATAL|WARNING): `)

// waits are words for what a line says was waited for.
var waits = []string{"waiting", "accept", "handshake", "poll"}

// likely finds what the line is about: an attribute that it names, else a condition by words in any order, else the
// message most like it. It is for lines of which nothing else is known. Of several conditions the one counts whose
// words say most.
func likely(l *logLine) []finding {
	if !troubled(l) || l.calm() {
		return nil
	}
	f, b := finding{rank: rankLikely, sure: errorMark.MatchString(l.text)}, bagOfLine(l)
	e := l.x.conditionOf(b)
	if timedOut(l) && l.has(waits...) {
		e = l.find("condition", "no answer in time")
	}
	if asserted := assertion.FindStringSubmatch(l.text); asserted != nil {
		said := "failed assertion " + asserted[1]
		e = cmp.Or(l.x.conditionOf(bagOf(said, tokens(said))), e)
	}
	if named := attribute(l); named != nil {
		f.Entry, f.Here = *named, "the message itself is unknown here; it names this"
		if e != nil {
			f.Here += ", and its words tell of this: " + e.Name + ": " + e.Short
		}
	} else if e != nil {
		f.Entry, f.more = *e, func(e *Entry) { e.Here = toldByWords(b) }
		switch {
		case e.raw.general != "":
			f.rank = rankVague
		case e.Name == "an access control refuses": // what else failed around it follows from that
			f.rank = rankErrno
		}
	} else if m := theMessages().nearest(b, minNear); m != nil && l.saysFailed() {
		f.Entry, f.Here = m.Entry, "the message itself is unknown here; this is the one most like it"
	} else if errno := errnoAtEnd(l); errno != nil && aboutAny(l) && l.saysFailed() {
		f.Entry, f.Here = *errno, "the number that the line ends with, taken for an errno"
	} else {
		return nil
	}
	return []finding{f}
}

// toldByWords says that a condition was found by the words of a line.
func toldByWords(b bag) string {
	here := "the message itself is unknown here; its words tell of this"
	if m := theMessages().nearest(b, minNearBeside); m != nil {
		here += fmt.Sprintf("; the known message most like it, of %s, means: %s", m.speaker, m.Short)
	}
	return here
}

// assertion finds what a program took for granted, in the message of assert(3) and of those like it. It tells more
// than the names of the file and the function around it.
var assertion = regexp.MustCompile("Assertion [`'\"](.{1,200}?)[`'\"] failed")

// withoutErrno are the words of the line that are no text of an errno.
func withoutErrno(l *logLine) (words []string) {
	keys := l.family("errno").keys
	for i := 0; i < len(l.words); i++ {
		if _, n := keys.match(l.words[i:]); n > 1 {
			i += n - 1
			continue
		}
		words = append(words, l.words[i])
	}
	return words
}

// specificWeight is how much more words say of a condition that is not general.
const specificWeight = 1.6

// phraseWeight is how much more two words say that stand beside each other.
const phraseWeight = 1.5

// minNear is how much of the weight of both, the line and a message, the words must have that both have in them.
// Beside a condition that says what is most likely, a message must be nearer.
const (
	minNear       = 0.45
	minNearBeside = 0.58
)

// nearest is the message whose words the line shares most, nil where none has enough of them. Words are taken in
// their order, as sums of the same weights in another one may differ.
func (x *messageIndex) nearest(b bag, least float64) (best *message) {
	x.weighOnce.Do(func() {
		x.weigh()
		x.scratch.New = func() any {
			return &nearScratch{shared: make([]float64, len(x.all)), words: make([]int, len(x.all))}
		}
	})
	s := x.scratch.Get().(*nearScratch)
	defer x.scratch.Put(s)
	all := 0.0
	for _, w := range slices.Sorted(maps.Keys(b)) {
		weight := x.weight(w)
		if len(x.with[w]) == 0 || common[w] {
			continue
		}
		all += weight * weight
		for _, at := range x.with[w] {
			if s.words[at] == 0 {
				s.touched = append(s.touched, at)
			}
			s.shared[at] += weight * weight
			s.words[at]++
		}
	}
	most := least
	for _, at := range s.touched {
		m, sum, words := x.all[at], s.shared[at], s.words[at]
		s.shared[at], s.words[at] = 0, 0
		if words < fewSpecific {
			continue
		}
		if near := sum / math.Sqrt(m.weight*all); near > most || near == most && best != nil && m.Name < best.Name {
			best, most = m, near
		}
	}
	s.touched = s.touched[:0]
	return best
}

// nearScratch is what nearest counts for each message: all zero between two calls.
type nearScratch struct {
	shared  []float64 // sums of squared weights of shared words
	words   []int     // so many words are shared
	touched []int     // the messages that share any
}

// weigh sums up the weights of each message's words.
func (x *messageIndex) weigh() {
	for _, m := range x.all {
		for _, w := range slices.Sorted(maps.Keys(m.bag)) {
			if !common[w] {
				m.weight += x.weight(w) * x.weight(w)
			}
		}
	}
}

// whereabouts are the names of files and threads that a line gives as its place, whose words do not tell what failed.
var whereabouts = regexp.MustCompile(`\blibfabric:\d+:\d+:[\w:]*?:\w+:\w+:|\bOpen MPI\b|\[[A-Z][A-Z_]+[A-Z0-9_]*\]|(?:/[\w.+-]+){5,}|\b(?:ERROR|WARN|WARNING|FATAL|CRITICAL)\b|\b(?:Runtime|Value|OS|IO|Type|Key|Protocol)(?:Error|Exception)\b|[Ee]xception in thread (?:"[^"]*"|\S+)|\(\d+,[\w.-]+\)|\bin file \S+ at line \d+|` +
	`[\w./-]*\w\.(?:c|cc|cpp|cu|h|hpp|go|py|pyx|rs|java)\b(?::\d+)?`)

// bagOfLine is the words of the line without their order, and two that stand beside each other as one: a condition
// may ask for not_supported.
func bagOfLine(l *logLine) bag {
	f := l.facts()
	if f.bag == nil {
		text, words := l.text[:min(len(l.text), maxLineBytes)], l.words
		if strings.ContainsAny(text, ".,\"[") || strings.Contains(text, " at line ") ||
			strings.Contains(text, "Open MPI") || strings.Contains(text, "libfabric:") { // else none, and takes long
			text = whereabouts.ReplaceAllString(text, " ")
			words = tokensOf(text, maxLineBytes, maxLineBytes)
		}
		f.bag = bagOf(text, words)
		for i := range words[:max(len(words)-1, 0)] {
			if two := words[i] + "_" + words[i+1]; !f.bag[two] {
				f.bag[two] = false // it is no word by itself
			}
		}
	}
	return f.bag
}
