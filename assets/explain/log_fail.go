package explain

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// failBegins are what words begin with that say that something failed, failPhrases are such words beside each other.
var (
	failBegins  = wordLists["fail begins"]
	failLetters = byLetter(failBegins)
	failWords   = wordLists["fail"]
	failPhrases = phrases("fail phrases")
)

// saysFailed reports whether something in the line failed.
func (l *logLine) saysFailed() bool { return l.facts().fails }

func (l *logLine) findFails() bool {
	if l.has("successfully") || strings.Contains(l.text, "==") && l.has("ibv_wc_success") {
		return !l.has("successfully")
	}
	for i, w := range l.words {
		if w == "errors" && i > 0 && (l.words[i-1] == "0" || l.words[i-1] == "no") {
			continue
		}
		if failing(w) || thrown(w) || strings.Contains(w, "_err_") && errorName.MatchString(l.text) ||
			slices.ContainsFunc(failPhrases, func(p []string) bool { return begins(l.words[i:], p) }) {
			return true
		}
	}
	return noneFound(l.words)
}

// maxNone is how many words stand at most between "no" and "found".
const maxNone = 6

// noneFound reports that the line says that nothing of a kind was found: "No available spml components were found".
func noneFound(words []string) bool {
	for i, w := range words[:max(len(words)-1, 0)] {
		if w == "no" && !slices.ContainsFunc(finePhrases, func(p []string) bool { return begins(words[i:], p) }) &&
			slices.Contains(words[i+1:min(i+1+maxNone, len(words))], "found") {
			return true
		}
	}
	return false
}

// thrown reports that the word is the name of an exception of Java or Python: NoClassDefFoundError, RuntimeException.
func thrown(word string) bool {
	return !strings.Contains(word, "_") && slices.ContainsFunc(throwEnds, func(end string) bool {
		return len(word) > len(end) && strings.HasSuffix(word, end)
	})
}

// errorName is the name of an error of a library: UCS_ERR_NO_RESOURCE.
var errorName = regexp.MustCompile(`\b[A-Z][A-Z0-9]*_ERR_[A-Z_]+\b`)

var throwEnds = []string{"error", "exception"}

// failsUnknown reports that something of RDMA failed in the line.
func (l *logLine) failsUnknown() bool {
	return l.saysFailed() && !l.calm() && (l.aboutRDMA() || l.verb() != "")
}

// verbFailed are the messages of logs that answer for a verb that failed without an errno, by the state that a
// queue pair was to reach.
var verbFailed = map[string]string{
	"ibv_create_qp": "Unable to create QP", "ibv_reg_mr": "Couldn't allocate MR",
	"ibv_modify_qp rtr": "Failed to modify QP to RTR", "ibv_modify_qp init": "Failed to modify QP to INIT",
	"ibv_modify_qp rts": "Failed to modify QP to RTS", "ibv_query_gid": "the GID index cannot be used",
}

// beyondLimit are words of lines in which a verb asks for more than the limit that they name.
var beyondLimit = []string{"unsupported", "exceeds", "exceeded", "exceed", "invalid", "large", "requested"}

// limit is the attribute that a line names whose limit was exceeded, nil where there is none.
func limit(l *logLine) *Entry {
	if e := attribute(l); e != nil && l.has(beyondLimit...) && strings.HasPrefix(e.Name, "max_") {
		return e
	}
	return nil
}

// failedVerb answers for a verb that failed without an errno: by a message of logs, else by what the verb does, with
// the condition that the line speaks of and the errnos that the verb is known to return.
func (l *logLine) failedVerb() (found []finding) {
	if !l.saysFailed() || l.verb() == "" || l.errno() != nil {
		return nil
	}
	if e := limit(l); e != nil {
		found := cause(true, e)
		found[0].Failed = l.verb()
		return found
	}
	name := verbFailed[l.verb()]
	for _, state := range []string{"init", "rtr", "rts"} {
		if l.has(state) && name == "" {
			name = verbFailed[l.verb()+" "+state]
		}
	}
	if e := l.find("log", name); e != nil {
		f := finding{Entry: *e, rank: rankErrno, sure: true}
		if c := l.x.conditionOf(bagOfLine(l)); c != nil && c.Name != "the queue pair failed" {
			f.Here = "perhaps " + c.Name + ": " + c.Short
		}
		return []finding{f}
	}
	for _, family := range calls {
		e := l.find(family, l.verb())
		if e == nil {
			continue
		}
		f := finding{Entry: *e, rank: rankErrno, sure: true}
		f.Here = "it failed, and the log does not tell its errno; those that it is known to return follow"
		found = append(found, f)
	}
	if len(found) == 0 {
		return nil
	}
	found = append(found, beside(l.x.errnosOf(l.verb())...)...)
	if e := l.x.conditionOf(bagOfLine(l)); e != nil {
		found[0].Here = "it failed, and the log does not tell its errno; perhaps " + e.Name + ": " + e.Short
	}
	return found
}

// whatFailed finds what a line says that failed: "failed to open the endpoint", "endpoint creation failed".
var whatFailed = []*regexp.Regexp{
	regexp.MustCompile(`\b((?:ibv|rdma|fi|ucp|uct|mlx5dv|efadv|cxil|doca)_[a-z]\w+)(?:\(\))?[^.;:]{0,60}? (?:failed|failure|returned|returns)\b`),
	regexp.MustCompile(`\b(?:error|failure)\b.{0,40}? from ((?:ibv|rdma|fi|ucp|uct|cxil|doca)_[a-z]\w+)\b`),
	regexp.MustCompile(`\b([A-Za-z]\w*_\w+)(?:\([^()]*\))?:? (?:has )?(?:failed|failure|error|returned|returns)\b`),
	regexp.MustCompile(`(?:^|\s)(/(?:sys|dev|proc)/\S+): [A-Z]`),
	regexp.MustCompile(`\boperation (\w+_\w+)\b.{0,80}? failed\b`),
	regexp.MustCompile(`(?i)\b(?:error|failure)\b.{0,60}? (?:from|in|of|by) ([a-z]\w*_\w+)\(\)`),
	regexp.MustCompile(`(?i)\b(?:fail(?:ed|s|ure)?|unable) to ([^.:,;()\[\]<>|]{3,60})`),
	regexp.MustCompile(`(?i)\b(?:couldn't|could not|cannot|can't|can not) ([^.:,;()\[\]<>|]{3,60})`),
	regexp.MustCompile(`(?i)([^.:,;()\[\]<>|]{3,60}?) (?:has )?(?:failed|failure|error)\b`),
	regexp.MustCompile(`\b([A-Za-z][A-Za-z0-9_]*_[A-Za-z0-9_]+)(?:\(\))?: \S`),
}

// subject is what the line says that failed, "" where it does not.
func (l *logLine) subject() string {
	for _, re := range whatFailed {
		if m := re.FindStringSubmatch(l.text); m != nil && namesSomething(m[1]) {
			return strings.TrimSpace(strings.ToValidUTF8(m[1], "?"))
		}
	}
	return ""
}

// namesSomething reports that a text is no remainder of an address, a number or a version: "88@o2ib", "0 failed with".
func namesSomething(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && !strings.Contains(text, "@") && kinds[text[0]] != kindDigit && text[0] < utf8.RuneSelf &&
		slices.ContainsFunc(tokens(text), func(w string) bool { return len(w) > 3 && !failing(w) && !allDigits(w) })
}

// failing reports that a word says that something failed.
func failing(word string) bool {
	return failLetters.begin(word) || slices.Contains(failWords, word)
}

// timedOut reports that the line says that something did not come in time.
func timedOut(l *logLine) bool {
	return l.has("timeout", "timedout") || hasPhrase(l.words, "timed", "out") || hasPhrase(l.words, "times", "out")
}

// hasPhrase reports that words stand beside each other.
func hasPhrase(words []string, phrase ...string) bool {
	return hasAnyPhrase(words, [][]string{phrase})
}

// ownNumber reports that the line has a number of Open MPI that is no errno: Returned "Unreachable" (-12) instead of
// "Success" (0).
func ownNumber(l *logLine) bool { return strings.Contains(l.text, `instead of "Success"`) }

// hasAnyPhrase reports that two words of one of the phrases stand beside each other.
func hasAnyPhrase(words []string, any [][]string) bool {
	for i := range words {
		if slices.ContainsFunc(any, func(p []string) bool { return begins(words[i:], p) }) {
			return true
		}
	}
	return false
}

// noCompletion are words of lines that name an opcode, but do not tell how a request ended.
var noCompletion = wordLists["no completion"]

// failedCompletion answers for a request that failed, of which the line has no status.
func (l *logLine) failedCompletion() []finding {
	opcode := l.name("wr_opcode", 2)
	if !l.saysFailed() || l.errnoAlone() != nil || l.verb() != "" && (l.errno() != nil || opcode != nil) || l.calm() ||
		!l.aboutCompletion() && (opcode == nil || l.has(noCompletion...)) || l.vendorAt() > 0 || timedOut(l) ||
		l.has("link", "physical") || assertion.MatchString(l.text) {
		return nil
	}
	if e := l.find("log", "A completion failed"); e != nil {
		found := cause(strings.Contains(l.text, "="), e)
		if opcode != nil {
			found[0].Here = "the request was " + opcode.Name + ": " + opcode.Short
		}
		return found
	}
	return nil
}
