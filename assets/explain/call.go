package explain

import "slices"

// calls are the families of functions: what they say of one comes before its errnos.
var calls = []string{"verb_call", "cm_call"}

// leading are the families whose entry says what a word is; other entries of the same name stand beside it.
var leading = append([]string{"word", "term", "socket"}, calls...)

// errnosAfter returns the errnos of a call, nil if the entries are none.
func (x *index) errnosAfter(entries []*Entry) []*Entry {
	if len(entries) == 0 || !slices.Contains(calls, entries[0].Family) {
		return nil
	}
	return x.errnosOf(entries[0].Name)
}

// lead moves the entry that says what the words name to the front. Where they name more than that, a message comes
// before the words of its speaker.
func lead(found []Entry, words []string) {
	words = withoutFillers(words)
	at := slices.IndexFunc(found, func(e Entry) bool { return slices.Contains(leading, e.Family) && e.name(words) })
	if at < 0 {
		message := func(e Entry) bool { return e.Family == MessageFamily || e.Family == "log" }
		at = slices.IndexFunc(found, message)
	}
	if at > 0 {
		e := found[at]
		copy(found[1:at+1], found[:at])
		found[0] = e
	}
}

// Leads reports whether the first of several entries is what the text names, so that it is shown in full before the
// others: a call before its errnos, a term before statuses or events of the same name.
func Leads(entries []Entry, text string) bool {
	return len(entries) > 1 && slices.Contains(leading, entries[0].Family) &&
		entries[0].name(withoutFillers(tokens(text)))
}

func withoutFillers(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return fillers[w] })
}
