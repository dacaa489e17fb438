package explain

import (
	"regexp"
	"slices"
	"strings"
)

// troubleBegins are what words begin with that tell of trouble where nothing is said to have failed, troubleWords such
// words.
var (
	troubleBegins  = wordLists["trouble begins"]
	troubleLetters = byLetter(troubleBegins)
	troubleWords   = wordLists["trouble"]
	// troublePhrases are such words beside each other.
	troublePhrases = phrases("trouble phrases")
)

// phrases are the words of a list that stand beside each other there: could+not.
func phrases(list string) (pairs [][]string) {
	for _, words := range wordLists[list] {
		pairs = append(pairs, strings.Split(words, "+"))
	}
	return pairs
}

// warnings are the marks of loggers by which a line is a warning, whatever its words.
var warnings = []string{"warn", "warning"}

// permits are words by which a line says that "only" something else is possible.
var permits = []string{"supported", "allowed", "permitted"}

// finePhrases are words beside each other by which a line says that nothing failed.
var finePhrases = phrases("fine phrases")

// troubled reports that something failed in the line, or is not as it should be.
func troubled(l *logLine) bool {
	if !l.kinds.hasAny(wordTrouble) {
		return false
	}
	if hasAnyPhrase(l.words, finePhrases) || l.has("successfully") && !l.saysFailed() {
		return false
	}
	return l.saysFailed() || hasAnyPhrase(l.words, troublePhrases) || l.has(troubleWords...) ||
		l.has(warnings...) || l.has("only") && l.has(permits...) ||
		slices.ContainsFunc(l.words, troubleLetters.begin)
}

// rdmaWords are words of lines that are about RDMA, though they name neither it nor a part of the kernel.
var rdmaWords = wordLists["rdma"]

// mftMark is how the tools for firmware and fabrics of NVIDIA, as flint and ibdiagnet, begin errors and warnings.
var mftMark = regexp.MustCompile(`^-[EW]- `)

// nearWords are words of lines that may be about RDMA, though others have them too.
var nearWords = wordLists["near"]
