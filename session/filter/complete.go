package filter

import (
	"strings"

	"rdmatui/verbs/wire"
)

// Completion is one way to go on with an expression: Text replaces the bytes from From to
// To.
type Completion struct {
	Text, Doc string
	From, To  int
}

// joins are the words between conditions.
var joins = []Word{{"and", "both conditions", false}, {"or", "one of the conditions", false},
	{"not", "the condition does not hold", false}}

// Complete lists what may stand at the cursor, a byte offset in text: names of marks and
// fields, the operators of a field, or opcodes. It lists nothing for a text that is empty
// before the cursor, and nothing that is complete already.
func Complete(text string, cursor int) (list []Completion) {
	cursor = min(max(cursor, 0), len(text))
	before := split(text[:cursor])
	if len(before) == 0 {
		return nil
	}
	last := before[len(before)-1].text
	offer := func(typed, name, doc string) {
		if len(name) > len(typed) && strings.EqualFold(name[:len(typed)], typed) {
			list = append(list, Completion{name, doc, cursor - len(typed), cursor})
		}
	}
	switch {
	case strings.HasSuffix(text[:cursor], " "):
		return nil
	case comparison[last]:
		return values(before, "", cursor)
	case len(before) > 1 && comparison[before[len(before)-2].text]:
		return values(before[:len(before)-1], last, cursor)
	}
	if of, known := find(last); known && of.Field {
		for _, op := range of.operators() {
			offer("", op, of.Doc)
		}
		for i := range list {
			list[i].Text = strings.ToLower(last) + list[i].Text
			list[i].From -= len(last)
		}
	}
	for _, w := range append(Words(), joins...) {
		offer(last, w.Name, w.Doc)
	}
	return list
}

// comparison holds the operators of fields.
var comparison = func() map[string]bool {
	is := map[string]bool{}
	for _, op := range operators {
		is[op] = op != "(" && op != ")"
	}
	return is
}()

// values lists values for the field before an operator.
func values(before []token, typed string, cursor int) (list []Completion) {
	if len(before) < 2 || !strings.EqualFold(before[len(before)-2].text, "op") {
		return nil
	}
	for o := range 256 {
		if _, known := wire.Opcode(o).Info(); !known {
			continue
		}
		name := wire.Opcode(o).String()
		if at := strings.Index(strings.ToLower(name), strings.ToLower(typed)); at >= 0 && len(name) > len(typed) {
			list = append(list, Completion{name, "", cursor - len(typed), cursor})
		}
	}
	return list
}
