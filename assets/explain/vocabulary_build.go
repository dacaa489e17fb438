package explain

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

// newVocabulary takes the words of all tables and of all rules.
func newVocabulary(x *index, messages *messageIndex) *vocabulary {
	v := &vocabulary{x: x, begins: make([][]beginning, 1), numbers: map[int64]bool{}}
	v.words.slots, v.pairs.slots = make([]kindSlot, 1<<16), make([]kindSlot, 1<<16)
	v.addFailures()
	v.addVerbs()
	v.addRules()
	v.addKeys()
	v.addPatterns()
	v.addMessages(messages)
	return v
}

// addFailures takes the words by which something failed, and those that say that a line is about RDMA.
func (v *vocabulary) addFailures() {
	v.add(wordFail|wordTrouble, slices.Concat(failWords, []string{"ibv_wc_success"})...)
	v.addBegin(wordFail|wordTrouble, failBegins...)
	for _, p := range failPhrases {
		v.addPair(wordFail|wordTrouble, p[0], p[1])
	}
	v.add(wordTrouble, troubleWords...)
	for _, p := range troublePhrases {
		v.addPair(wordTrouble, p[0], p[1])
	}
	v.add(wordTrouble, warnings...)
	v.add(wordTrouble, "only")
	v.add(wordFail|wordTrouble, "found") // see noneFound
	v.add(0, permits...)
	v.addBegin(wordTrouble, troubleBegins...)
	v.add(0, slices.Concat(finePhrases...)...)
	v.add(wordAbout, rdmaWords...)
	v.addBegin(wordAbout, rdmaBegins...)
	v.add(wordWithout, "without")
}

// addVerbs takes the words by which verbs are spoken of.
func (v *vocabulary) addVerbs() {
	for w := range actions {
		v.add(wordAction, w)
	}
	for name := range objects {
		v.add(wordObject, name)
		v.add(wordObject, strings.Split(name, "_")...) // its words may stand beside each other
	}
	v.add(wordVerb, "rtr", "rts") // to which only one verb leads
	for w := range managerVerbs {
		v.add(wordManagerVerb, w)
	}
	for w := range shortVerbs {
		v.add(wordVerb, w)
	}
	for verb := range v.x.verbs {
		v.add(wordVerb, verb)
	}
	v.add(0, slices.Concat(beforeObjects, afterObjects, heads, noErrnos, socketWords)...)
}

// addRules takes the words that rules of logs ask for.
func (v *vocabulary) addRules() {
	v.add(wordSaysErrno, saysErrno...)
	v.add(wordAssert, "check", "assertion", "assert")
	v.add(wordErrno, "errno")
	v.add(wordCompletion, slices.Concat(aboutCompletion, perhapsCompletion)...)
	v.add(wordTells|wordCompletion, vendorWords...)
	for _, w := range vendorSays {
		v.addPair(wordTells|wordCompletion, "vendor", w)
	}
	v.addPair(wordCompletion, "completed", "with")
	v.add(wordTells, "synd", "syndrome", lastRow)
	v.add(wordStatus, slices.Concat(statusWords...)...)
	v.add(wordManager, aboutManager...)
	v.addBegin(wordTells, "reject")
	v.add(wordTells, "rej", "fi_eq_readerr")
	v.add(wordAsync, aboutAsync...)
	v.add(wordEvent, "event", "cm_event")
	v.add(wordDevice, "device")
	v.add(wordEFA, "efa")
	v.addBegin(wordEFA, efaBegins...)
	v.add(wordEFANumber, "prov_err", "prov_errno", "message")
	v.add(wordGives, between...)
	v.add(wordGives, "reason")
	v.add(0, "plugin", "plugins")
	v.add(0, ownNumbers...)
	v.add(0, "eq", "completed", "asynchronous", "unexpected", "successfully", "zero", "init", "rtr", "rts", "reset",
		"instead", "of", "for", "on", "port", "hw", "cqe", "exception")
	v.addBegin(0, "expect", "wait")
	for _, d := range otherDrivers {
		v.addBegin(0, d.begin)
	}
	v.add(0, tokens(heading.String())...)
	v.add(wordMark, tokens(calmMark.String())...)
	v.add(wordMark, tokens(debugMark.String())...)
}

// addKeys takes the names and numbers of the entries that logs are searched for.
func (v *vocabulary) addKeys() {
	for name, whole := range map[string]wordKinds{
		"wc_status": wordTells, "async_event": wordTells, "cm_event": wordTells, "errno": wordErrno,
		"env": wordTells, "counter": wordTells, "doca_error": wordTells, "reject_reason": 0, "transition": 0,
		"wr_opcode": wordCompletion, "conn_param": 0, "qp_attr": 0, "device_attr": 0, "port_attr": 0,
	} {
		c := v.x.contexts[name]
		if c == nil {
			continue
		}
		for k := range c.keys.of {
			if name == "env" || name == "counter" {
				v.add(whole, k) // these are one word each
			} else {
				v.addKey(k, whole)
			}
		}
		if name == "cm_event" {
			for b := range c.keys.begins {
				v.add(wordManagerEvent, b)
			}
			for k := range c.keys.of {
				v.add(wordGives, k) // "unreachable (7)"
			}
		}
	}
	for _, c := range v.x.contexts {
		for n := range c.numbers {
			v.addNumber(n)
		}
	}
	for n := range v.x.errnos {
		v.addNumber(n)
	}
}

// addKey takes a name in each way in which its words may be joined by _.
func (v *vocabulary) addKey(key string, k wordKinds) {
	v.add(0, strings.Split(key, "_")...)
	if whole := strings.Contains(key, "_") || k == wordErrno && startsAlone(key[0]); whole {
		v.add(k, key)
	}
	for i := range len(key) {
		if key[i] != '_' {
			continue
		}
		for j := i + 1; j <= len(key); j++ {
			if j == len(key) || key[j] == '_' {
				v.addPair(k, key[:i], key[i+1:j])
			}
		}
	}
}

// addNumber takes a number that means something, also as it reads without 0x.
func (v *vocabulary) addNumber(n int64) {
	n = max(n, -n)
	decimal, _ := number(strconv.FormatInt(n, 16)) // 0 where it has letters
	for _, n := range []int64{n, decimal} {
		if v.numbers[n] = true; small(n) {
			v.small.set(uint64(n))
		}
	}
}

// addPatterns takes the words of patterns and conditions.
func (v *vocabulary) addPatterns() {
	for _, p := range v.x.conditions {
		for _, e := range p.elements {
			v.addElement(0, e)
		}
	}
	for i, p := range v.x.patterns {
		for _, e := range p.elements {
			v.addElement(0, e)
		}
		first, second := v.rarest(p.pattern)
		v.addElement(1<<(firstBits+i%patternGroups), first)
		v.addElement(1<<(secondBits+i%patternGroups), second)
	}
}

// rarest are two elements of a pattern that few lines have: one that tells of trouble counts as the rarest. Of a
// pattern of one element both are that.
func (v *vocabulary) rarest(p pattern) (first, second []string) {
	weight := func(e []string) int {
		if !slices.ContainsFunc(e, v.untroubled) {
			return 1000
		}
		return elementWeight(e)
	}
	elements := slices.SortedStableFunc(slices.Values(p.elements), func(a, b []string) int {
		return cmp.Compare(weight(b), weight(a))
	})
	return elements[0], elements[min(1, len(elements)-1)]
}

// untroubled reports that a word of an element says nothing of trouble.
func (v *vocabulary) untroubled(word string) bool {
	if begin, open := strings.CutSuffix(word, "*"); open {
		return !v.beginKinds([]byte(begin)).hasAny(wordTrouble)
	}
	return !v.kindsOf(word).hasAny(wordTrouble)
}

// elementWeight is the more, the fewer lines have one of the words.
func elementWeight(element []string) int {
	weight := len(element[0]) - 4*len(element)
	for _, w := range element {
		if strings.HasSuffix(w, "*") {
			weight -= 8
		}
	}
	return weight
}

// addMessages takes the words of messages.
func (v *vocabulary) addMessages(x *messageIndex) {
	for w := range x.with {
		v.add(0, w)
	}
	for _, m := range x.all {
		v.add(0, slices.Concat(m.segments...)...)
	}
	for s := range x.speakers() {
		v.add(0, s)
		v.addBegin(0, s)
	}
	for w := range x.words {
		v.add(wordMessage, w)
	}
	for p := range x.pairs {
		v.addPair(wordMessage, p[0], p[1])
	}
}

//go:embed words.list
var wordListText string

// wordLists are the lists of words that logs are read by, by their names.
var wordLists = func() map[string][]string {
	lists, name := map[string][]string{}, ""
	for l := range strings.Lines(wordListText) {
		if before, words, named := strings.Cut(l, ": "); named {
			name, l = before, words
		}
		if l[0] != '#' {
			lists[name] = append(lists[name], strings.Fields(l)...)
		}
	}
	return lists
}()
