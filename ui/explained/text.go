// Package explained formats the entries of assets/explain, with the current values
// filled in.
package explained

import (
	"fmt"
	"strconv"
	"strings"

	"rdmatui/assets/explain"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// labelWidth is the width of the label column.
const labelWidth = 8

// Text formats an entry in full, in escaped lines of at most w cells.
func Text(e explain.Entry, w int) string {
	var b strings.Builder
	put := func(label, mark, text string) {
		if text == "" {
			return
		}
		for _, l := range widget.Wrap(nil, line.Escape(text), max(w-labelWidth-len(mark), 20)) {
			fmt.Fprintf(&b, "%-*s%s%s\n", labelWidth, label, mark, l)
			label, mark = "", strings.Repeat(" ", len(mark))
		}
	}
	list := func(label string, texts []string, mark func(i int) string) {
		for i, t := range texts {
			put(label, mark(i), t)
			label = ""
		}
	}
	dash := func(int) string { return "- " }
	if put("cause", "", e.Cause); e.Cause != "" {
		b.WriteByte('\n')
	}
	head, short := Head(e), e.Short
	if e.Family == explain.MessageFamily { // its text is known to who asks
		head, short = e.Short, "the "+e.What+" "+strconv.Quote(e.Name)
	}
	if e.Line > 0 {
		head = fmt.Sprintf("line %d: %s", e.Line, head)
	}
	for _, text := range []string{head, short} {
		for _, l := range widget.Wrap(nil, line.Escape(text), max(w, 20)) {
			b.WriteString(l + "\n")
		}
	}
	b.WriteByte('\n')
	put("here", "", e.Here)
	put("line", "", e.Said)
	put("about", "", e.Of)
	put("wrong", "", e.Wrong)
	put("means", "", e.Means)
	put("seen by", "", e.Notices)
	list("causes", e.Causes, func(i int) string { return fmt.Sprintf("%d ", i+1) })
	list("check", e.Check, dash)
	list("try", e.Try, dash)
	put("source", "", e.Source)
	return b.String()
}

// Head names an entry: "RETRY_EXC_ERR, status of a work completion, 12, IBV_WC_RETRY_EXC_ERR".
func Head(e explain.Entry) string {
	parts := []string{e.Name, e.What}
	switch {
	case e.Failed != "":
		parts[0] = e.Failed + ": " + e.Name
	case e.Name == explain.OtherName && e.Asked != "":
		parts[0] = e.Asked
	}
	if v, ok := e.Value(); ok {
		parts = append(parts, number(e, v))
	}
	if e.CName != "" {
		parts = append(parts, e.CName)
	}
	return strings.Join(parts, ", ")
}

// number formats an entry's number in its usual base.
func number(e explain.Entry, v int64) string {
	if e.Hex {
		return fmt.Sprintf("0x%x", v)
	}
	return fmt.Sprint(v)
}
