package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/ui/keymap"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// formLines returns the lines of a form of the fields of the tests, after some keys, with their styles.
func formLines(t *testing.T, focused bool, w int, list []widget.Field, keys ...string) []string {
	t.Helper()
	f := widget.NewForm(uitest.Tokens(), list...)
	f.Focused = focused
	f.SetSize(w, 20)
	for _, k := range keys {
		f.Update(uitest.Key(k))
	}
	view := widget.Render(f.Theme(), f, w, 20)
	uitest.Exact(t, view, w, 20)
	var out []string
	for l := range strings.SplitSeq(view, "\n") {
		if text := strings.TrimSpace(uitest.Text(l)); text != "" {
			out = append(out, strings.TrimSuffix(uitest.Marked(t, l, text[:min(3, len(text))]), "\n"))
		}
	}
	return out
}

// TestStyles: the mark, the name, the value and the note of each field are drawn by what they mean, and the field under
// the cursor is marked more or less, as the form has the keys or not.
func TestFormStyles(t *testing.T) {
	list := []widget.Field{
		{Name: "need", Value: "1", Note: "a note", Mark: widget.Required},
		{Name: "may", Note: "a note", Mark: widget.Optional},
		{Name: "not", Note: "a note", Mark: widget.Forbidden},
		{Name: "wrong", Value: "2", Note: "a note", Mark: widget.Forbidden, Err: "no"},
		{Name: "free", Value: "3"},
		{Name: "here", Value: "4", Note: "a note"},
	}
	rest := []string{
		" ‹Required›● ‹Label›need  ‹Value›1         ‹Dim›a note",
		" ‹Optional›○ ‹Label›may   ‹Dim›–         a note",
		" ‹Forbidden›– ‹Undefined›not   –         a note",
		" ‹Err›✗ ‹Label›wrong ‹Value›2         ‹Dim›a note",
		"    ‹Err›no",
		"‹Value›‹Label›free  ‹Value›3",
	}
	for _, tt := range []struct {
		focused bool
		here    string
	}{
		{true, "‹Value+Selection›‹Label+Selection›here‹Value+Selection›4‹Dim+Selection›a note"},
		{false, "‹Value+SelBlur›‹Label+SelBlur›here‹Value+SelBlur›4‹Dim+SelBlur›a note"},
	} {
		got := formLines(t, tt.focused, 40, list, "end")
		want := append(rest[:len(rest):len(rest)], tt.here)
		for i := range want {
			if i >= len(got) || bareForm(got[i]) != bareForm(want[i]) {
				t.Errorf("focused %v, line %d: %q, want %q", tt.focused, i, got[i:min(i+1, len(got))], want[i])
			}
		}
	}
	// What is edited covers the note, and is not selected as a whole.
	got := formLines(t, true, 40, list, "end", "e")
	if want := "‹Value›‹Label›here‹Cursor›4"; !strings.HasPrefix(bareForm(got[6]), bareForm(want)) {
		t.Errorf("to be replaced: %q, want %q", got[6], want)
	}
	got = formLines(t, true, 40, list, "end", "e", "right", "5")
	if want := "‹Value›‹Label›here‹Input›45‹Cursor›"; !strings.HasPrefix(bareForm(got[6]), bareForm(want)) ||
		strings.Contains(got[6], "note") || strings.Contains(got[6], "Selection") {
		t.Errorf("%q, want %q", got[6], want)
	}
}

// bareForm drops blanks and marks of styles that only blanks have.
func bareForm(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "‹›", "")
	return strings.NewReplacer("‹Selection›", "", "‹SelBlur›", "").Replace(s)
}

// TestWidthsOfAForm: names and values are in columns as wide as the longest, within bounds. A value is whole if there
// is room, whatever becomes of its note; less than five cells of a note are left out.
func TestWidthsOfAForm(t *testing.T) {
	long := strings.Repeat("n", 30)
	for _, tt := range []struct {
		name, value, note string
		w                 int
		want              string
	}{
		{"a", "1", "note", 40, "   a 1         note"},
		{"a", "123456789", "note", 40, "   a 123456789  note"},
		{long, "1", "note", 40, "   nnnnnnnnnnnnnnn… 1         note"},
		{long, "1", "note", 15, "   nnnnnnn… 1"},
		{"a", strings.Repeat("v", 22), "a note", 40, "   a vvvvvvvvvvvvvvvvvvvvvv  a note"},
		{"a", strings.Repeat("v", 28), "a note", 40, "   a vvvvvvvvvvvvvvvvvvvvvvvvvvvv  a no…"},
		{"a", strings.Repeat("v", 29), "a note", 40, "   a vvvvvvvvvvvvvvvvvvvvvvvvvvvvv"},
		{"a", strings.Repeat("v", 36), "a note", 40, "   a " + strings.Repeat("v", 34) + "…"},
		{"a", "1", "a note", 19, "   a 1"},
		{"a", "1", "a note", 20, "   a 1         a no…"},
	} {
		f := widget.NewForm(uitest.Tokens(), widget.Field{Name: tt.name, Value: tt.value, Note: tt.note})
		if got := uitest.Text(widget.Render(f.Theme(), f, tt.w, 1)); got != tt.want {
			t.Errorf("%d cells: %q, want %q", tt.w, got, tt.want)
		}
	}
}

// TestOpenList: below an open field are its flags, or at most six candidates around the one that is taken, the current
// one selected. From 60 cells on the help of flags begins in a column of its own.
func TestOpenList(t *testing.T) {
	flags := []widget.Field{{Name: "f", Value: "B", Kind: widget.FlagsField,
		Choices: []widget.Option{{"AA", "help a"}, {"B", "help b"},
			{strings.Repeat("C", 25), "help c"}}}}
	for _, tt := range []struct {
		w    int
		keys string
		want []string
	}{
		{60, "e", []string{"* [ ] AA                   help a", "  [x] B                    help b",
			"  [ ] CCCCCCCCCCCCCCCCCCCCCCCCC help c"}},
		{59, "e", []string{"* [ ] AA                   help a", "  [x] B                    help b",
			"  [ ] CCCCCCCCCCCCCCCCCCCCCCCCC help c"}},
		{59, "e up", []string{"* [ ] AA                   help a"}},
		{59, "e down", []string{"  [ ] AA                   help a", "* [x] B                    help b"}},
		{59, "e down down down", []string{"  [ ] AA", "  [x] B", "* [ ] CCC"}},
		{59, "e space", []string{"* [x] AA", "  [x] B", "  [ ] CCC"}},
		{59, "e down space down space", []string{"  [ ] AA", "  [ ] B", "* [x] CCC"}},
	} {
		checkOpen(t, tt.w, flags, tt.keys, tt.want)
	}
	flags[0].Choices = flags[0].Choices[:2]
	checkOpen(t, 59, flags, "e", []string{"* [ ] AA help a", "  [x] B  help b"})
	checkOpen(t, 60, flags, "e", []string{"* [ ] AA                   help a", "  [x] B                    help b"})
	flags[0].Choices = nil
	checkOpen(t, 60, flags, "e down space up", nil)

	var many []widget.Option
	for i := range 9 {
		many = append(many, widget.Option{fmt.Sprint("v", i), fmt.Sprint("help ", i)})
	}
	choice := []widget.Field{{Name: "c", Value: "v0", Kind: widget.ChoiceField, Choices: many}}
	shown := func(first, at int) (want []string) {
		for i := first; i < first+6; i++ {
			mark := map[bool]string{true: "*", false: " "}[i == at]
			want = append(want, fmt.Sprintf("%s   v%d                   help %d", mark, i, i))
		}
		return want
	}
	for _, tt := range []struct {
		keys      string
		first, at int
	}{{"e", 0, -1}, {"e tab", 0, 0}, {"e tab tab tab tab", 0, 3}, {"e tab tab tab tab tab", 1, 4},
		{"e shift+tab", 3, 8}, {"e shift+tab shift+tab shift+tab shift+tab", 2, 5}} {
		checkOpen(t, 60, choice, tt.keys, shown(tt.first, tt.at))
	}
	checkOpen(t, 60, choice, "e ctrl+u v 7", []string{"    v7                   help 7"})
	checkOpen(t, 60, choice, "e ctrl+u x", nil)
}

// checkOpen compares what is below the only field of a form; "*" is in front of what is selected.
func checkOpen(t *testing.T, w int, list []widget.Field, keys string, want []string) {
	t.Helper()
	f := widget.NewForm(uitest.Tokens(), list...)
	f.Focused = true
	f.SetSize(w, 20)
	for _, k := range strings.Fields(keys) {
		f.Update(uitest.Key(k))
	}
	rows := strings.Split(widget.Render(f.Theme(), f, w, 20), "\n")
	for i, l := range want {
		got := uitest.Text(rows[i+1])
		if mark := strings.Contains(rows[i+1], f.Theme().Selection.SGR()); mark != (l[0] == '*') ||
			!strings.HasPrefix(got, "  "+strings.Replace(l, "*", " ", 1)[1:]) {
			t.Errorf("%d cells, %s: line %d is %q, selected %v, want %q", w, keys, i+1, got, mark, l)
		}
	}
	if n := f.Rows() - 1; len(want) == 0 && n != 0 {
		t.Errorf("%d cells, %s: %d lines below the field", w, keys, n)
	}
}

// TestKeysOfTheOpenField: an open field names the keys that edit it.
func TestKeysOfTheOpenField(t *testing.T) {
	for i, want := range []keymap.Context{keymap.FieldOpen, keymap.FieldOpen, keymap.FlagsOpen, keymap.FieldOpen} {
		f := widget.NewForm(uitest.Tokens(), formFields()...)
		f.MoveTo(i)
		if got := f.Context().Name; got != keymap.FieldOpen.Name {
			t.Errorf("%s, closed: %s", f.Name(), got)
		}
		if f.Update(uitest.Key("e")); f.Context().Name != want.Name || !f.Editing() {
			t.Errorf("%s: %s, want %s", f.Name(), f.Context().Name, want.Name)
		}
		if text := f.Text(); text != "" {
			t.Errorf("%s: %q stays, though a key replaces it", f.Name(), text)
		}
		f.Update(uitest.Key("end"))
		if text := f.Text(); (text == "") == (i < 2) {
			t.Errorf("%s: text %q", f.Name(), text)
		}
		f.SetText("7")
		f.Update(uitest.Key("enter"))
		if got := f.Value(f.Name()); (got == "7") != (i != 2) {
			t.Errorf("%s: %q after 7 was set", f.Name(), got)
		}
		f.SetText("8")
		if f.Text() != "" || f.Value(f.Name()) == "8" {
			t.Errorf("%s: a closed field is edited", f.Name())
		}
	}
}

// TestSetError: an error stands below its field until it is removed.
func TestSetError(t *testing.T) {
	f := widget.NewForm(uitest.Tokens(), formFields()...)
	f.SetSize(60, 20)
	before := f.Lines()
	f.SetError("pkey_index", "too large")
	view := uitest.Text(widget.Render(f.Theme(), f, 60, 20))
	if f.Lines() != before+1 || !strings.Contains(view, "optional\n    too large\n") {
		t.Errorf("%d lines\n%s", f.Lines(), view)
	}
	f.SetError("pkey_index", "")
	f.SetError("no such field", "x")
	if f.Lines() != before {
		t.Errorf("%d lines, want %d", f.Lines(), before)
	}
}

// TestShortForm: a form that does not fit shows the field under the cursor with its error and its open list, as far as
// they fit, and says how much is below. A click goes to the field that is drawn there.
func TestShortForm(t *testing.T) {
	for _, tt := range []struct {
		keys  string
		h     int
		top   int
		below int
	}{
		{"", 3, 0, 5}, {"down", 3, 0, 5}, {"down down", 3, 1, 4}, {"end", 3, 5, 0}, {"end home", 3, 0, 5},
		{"down down down", 3, 2, 3}, {"down down down up", 3, 2, 3}, {"down down down up up", 3, 1, 4},
		{"down down e", 3, 3, 4}, {"down down e down", 3, 3, 4}, {"down down e", 2, 3, 5}, {"down down e down", 2, 4,
			4},
		{"down down e", 1, 4, 5}, {"e tab", 3, 0, 8}, {"", 20, 0, 0},
	} {
		f := widget.NewForm(uitest.Tokens(), formFields()...)
		f.SetSize(60, tt.h)
		for _, k := range strings.Fields(tt.keys) {
			f.Update(uitest.Key(k))
			f.SetSize(60, tt.h)
		}
		if f.Top() != tt.top || f.Below() != tt.below {
			t.Errorf("%q in %d lines: from line %d, %d below, want %d, %d", tt.keys, tt.h, f.Top(), f.Below(), tt.top,
				tt.below)
		}
	}
	f := widget.NewForm(uitest.Tokens(), formFields()...)
	f.SetSize(60, 4)
	f.Update(uitest.Key("end"))
	f.SetSize(60, 4) // from sq_psn on, behind the error of the second
	for y, want := range []string{"pkey_index", "sq_psn", "sq_sig_all", "qp_type"} {
		if !f.Mouse(widget.Mouse{Kind: widget.Click, Y: y}) || f.Name() != want {
			t.Errorf("a click on line %d goes to %s, want %s", y, f.Name(), want)
		}
	}
	if f.Mouse(widget.Mouse{Kind: widget.Click, Y: 4}) || f.Mouse(widget.Mouse{Kind: widget.Click, Y: -1}) {
		t.Error("a click outside goes to a field")
	}
	for _, tt := range []struct {
		kind widget.MouseKind
		want string
	}{{widget.WheelDown, "qp_type"}, {widget.WheelUp, "sq_sig_all"}, {widget.WheelDown, "qp_type"}} {
		if !f.Mouse(widget.Mouse{Kind: tt.kind}) || f.Name() != tt.want {
			t.Errorf("the wheel goes to %s, want %s", f.Name(), tt.want)
		}
	}
	f.Update(uitest.Key("home"))
	f.Update(uitest.Key("e"))
	if f.Mouse(widget.Mouse{Kind: widget.WheelDown}) || f.Name() != "path_mtu" {
		t.Error("the wheel leaves an open field")
	}
}

// TestCandidatesFollowTheText: what is listed below an open field is asked for again with each key, and forgotten with
// the field.
func TestCandidatesFollowTheText(t *testing.T) {
	f := widget.NewForm(uitest.Tokens(), widget.Field{Name: "a"},
		widget.Field{Name: "b", Kind: widget.ChoiceField, Choices: []widget.Option{{"x", ""}, {"y", ""}}},
		widget.Field{Name: "c"})
	var asked []string
	f.Complete = func(name, text string, cursor int) []widget.Candidate {
		asked = append(asked, fmt.Sprint(name, " ", text, " ", cursor))
		return []widget.Candidate{{Text: text + "!"}}
	}
	f.SetSize(60, 20)
	for _, k := range []string{"e", "1", "left", "2", "enter", "down", "e"} {
		f.Update(uitest.Key(k))
	}
	if got := strings.Join(asked, ", "); got != "a  0, a 1 1, a 1 0, a 21 1" {
		t.Errorf("asked for %s", got)
	}
	if n := len(f.Candidates()); n != 2 {
		t.Errorf("%d choices are listed", n)
	}
	f.Complete = nil
	for _, k := range []string{"esc", "down", "e"} {
		f.Update(uitest.Key(k))
	}
	if n := len(f.Candidates()); n != 0 || f.Name() != "c" {
		t.Errorf("on %s %d candidates of another field are listed", f.Name(), n)
	}
}
