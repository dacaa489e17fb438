package conversation

import (
	"strings"

	"rdmatui/verbs/wire"
)

// FilterCompletion is one way to go on with an expression: Text replaces the bytes from From to
// To.
type FilterCompletion struct {
	Text, Doc string
	From, To  int
}

// joins are the words between conditions.
var joins = []FilterWord{{"and", "both conditions", false}, {"or", "one of the conditions", false},
	{"not", "the condition does not hold", false}}

// CompleteFilter lists what may stand at the cursor, a byte offset in text: names of marks and
// fields, the operators of a field, or opcodes. It lists nothing for a text that is empty
// before the cursor, and nothing that is complete already.
func CompleteFilter(text string, cursor int) (list []FilterCompletion) {
	cursor = min(max(cursor, 0), len(text))
	before := splitFilter(text[:cursor])
	if len(before) == 0 {
		return nil
	}
	last := before[len(before)-1].text
	offer := func(typed, name, doc string) {
		if len(name) > len(typed) && strings.EqualFold(name[:len(typed)], typed) {
			list = append(list, FilterCompletion{name, doc, cursor - len(typed), cursor})
		}
	}
	switch {
	case strings.HasSuffix(text[:cursor], " "):
		return nil
	case comparison[last]:
		return fieldValues(before, "", cursor)
	case len(before) > 1 && comparison[before[len(before)-2].text]:
		return fieldValues(before[:len(before)-1], last, cursor)
	}
	if of, known := findField(last); known && of.Field {
		for _, op := range of.operators() {
			offer("", op, of.Doc)
		}
		for i := range list {
			list[i].Text = strings.ToLower(last) + list[i].Text
			list[i].From -= len(last)
		}
	}
	for _, w := range append(FilterWords(), joins...) {
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

// fieldValues lists values for the field before an operator.
func fieldValues(before []token, typed string, cursor int) (list []FilterCompletion) {
	if len(before) < 2 || !strings.EqualFold(before[len(before)-2].text, "op") {
		return nil
	}
	for o := range 256 {
		if _, known := wire.Opcode(o).Info(); !known {
			continue
		}
		name := wire.Opcode(o).String()
		if at := strings.Index(strings.ToLower(name), strings.ToLower(typed)); at >= 0 && len(name) > len(typed) {
			list = append(list, FilterCompletion{name, "", cursor - len(typed), cursor})
		}
	}
	return list
}
