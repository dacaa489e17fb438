package widget_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

func formFields() []widget.Field {
	return []widget.Field{
		{Name: "path_mtu", Value: "1024", Note: "port: 1024", Mark: widget.Required, Kind: widget.ChoiceField,
			Choices: []widget.Option{{"512", ""}, {"1024", "port"}, {"4096", ""}}},
		{Name: "dest_qp_num", Value: "0x000012", Note: "from b", Mark: widget.Required, Err: "no QP b\x1b[2J"},
		{Name: "qp_access_flags", Value: "REMOTE_READ|ODD", Mark: widget.Optional, Kind: widget.FlagsField,
			Choices: []widget.Option{{"REMOTE_WRITE", "peer may write"}, {"REMOTE_READ", "peer may read"}}},
		{Name: "pkey_index", Mark: widget.Optional, Note: "optional"},
		{Name: "sq_psn", Mark: widget.Forbidden, Note: "not in this transition"},
		{Name: "sq_sig_all", Value: "0", Kind: widget.BoolField},
		{Name: "qp_type", Value: "RC", Kind: widget.StaticField},
	}
}

func TestFormGolden(t *testing.T) {
	open := map[string][]string{
		"closed": nil, "text": {"down", "e", "right", "8"},
		"choice": {"e", "tab"}, "flags": {"down", "down", "space", "down"},
	}
	for name, keys := range open {
		for _, uni := range []bool{true, false} {
			for _, size := range [][2]int{{60, 12}, {30, 5}, {10, 3}} {
				th := theme.New("none", uni)
				f := widget.NewForm(th, formFields()...)
				f.Focused = true
				for _, k := range keys {
					f.Update(uitest.Key(k))
				}
				got := widget.Render(th, f, size[0], size[1])
				uitest.Exact(t, got, size[0], size[1])
				uitest.Golden(t, fmt.Sprintf("%s-%dx%d-%v", name, size[0], size[1], uni), uitest.Text(got))
			}
		}
	}
}

func TestEdits(t *testing.T) {
	tests := []struct {
		name  string
		keys  []string
		field string
		want  string
		kind  widget.FormEventKind // of the last key
	}{
		{"next choice", []string{"right"}, "path_mtu", "4096", widget.FormChanged},
		{"choice wraps", []string{"right", "space"}, "path_mtu", "512", widget.FormChanged},
		{"choice back", []string{"left"}, "path_mtu", "512", widget.FormChanged},
		{"typed", []string{"down", "e", "ctrl+u", "7", "enter"}, "dest_qp_num", "7", widget.FormChanged},
		{"typed unchanged", []string{"down", "e", "enter"}, "dest_qp_num", "0x000012", widget.FormUsed},
		{"cancelled", []string{"down", "e", "9", "esc"}, "dest_qp_num", "0x000012", widget.FormUsed},
		{"down takes it", []string{"down", "e", "9", "down"}, "dest_qp_num", "9", widget.FormChanged},
		{"q is text while editing", []string{"down", "e", "q", "enter"}, "dest_qp_num", "q", widget.FormChanged},
		{"added to", []string{"down", "e", "end", "9", "enter"}, "dest_qp_num", "0x0000129", widget.FormChanged},
		{"its last digit", []string{"down", "e", "backspace", "9", "enter"}, "dest_qp_num", "0x000019",
			widget.FormChanged},
		{"typed again", []string{"down", "e", "9", "enter", "e", "8", "7", "enter"}, "dest_qp_num", "87",
			widget.FormChanged},
		{"a choice may be typed", []string{"e", "ctrl+u", "7", "enter"}, "path_mtu", "7", widget.FormChanged},
		{"flags keep what they do not know", []string{"down", "down", "space", "space", "enter"}, "qp_access_flags",
			"REMOTE_WRITE|REMOTE_READ|ODD", widget.FormChanged},
		{"flags cancelled", []string{"down", "down", "space", "space", "esc"}, "qp_access_flags",
			"REMOTE_READ|ODD", widget.FormUsed},
		{"bool", []string{"end", "up", "space"}, "sq_sig_all", "1", widget.FormChanged},
		{"cleared", []string{"down", "delete"}, "dest_qp_num", "", widget.FormChanged},
		{"static stays", []string{"end", "delete", "e", "9"}, "qp_type", "RC", widget.FormUnused},
		{"enter runs", []string{"down", "enter"}, "dest_qp_num", "0x000012", widget.FormSubmit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := widget.NewForm(theme.New("none", true), formFields()...)
			f.SetSize(60, 20)
			var ev widget.FormEvent
			for _, k := range tt.keys {
				ev = f.Update(uitest.Key(k))
			}
			if got := f.Value(tt.field); got != tt.want || ev.Kind != tt.kind {
				t.Errorf("value %q event %d, want %q %d", got, ev.Kind, tt.want, tt.kind)
			}
			if ev.Kind == widget.FormChanged && (ev.Name != tt.field || ev.Value != tt.want) {
				t.Errorf("event %+v", ev)
			}
		})
	}
}

// TestErrorGoesWithTheValue: the error of a field is about its value, and goes when that changes; a key that changes
// nothing leaves it.
func TestErrorGoesWithTheValue(t *testing.T) {
	for keys, stays := range map[string]bool{"down e 7 enter": false, "down delete": false, "down e enter": true,
		"down e 7 esc": true} {
		f := widget.NewForm(theme.New("none", true), formFields()...)
		f.SetSize(60, 20)
		for _, k := range strings.Fields(keys) {
			f.Update(uitest.Key(k))
		}
		if got := f.Fields()[1].Err != ""; got != stays {
			t.Errorf("%s: the error stays %t, want %t", keys, got, stays)
		}
	}
}

func TestCompleteAndPaste(t *testing.T) {
	f := widget.NewForm(theme.New("none", true), widget.Field{Name: "dgid"})
	f.Complete = func(name, text string, cursor int) []widget.Candidate {
		return []widget.Candidate{{Text: "b.gid"}, {Text: "b.qp_num"}}
	}
	for _, k := range []string{"e", "tab", "tab"} {
		f.Update(uitest.Key(k))
	}
	f.Update(tea.PasteMsg{Content: "+1\n"})
	f.Update(uitest.Key("enter"))
	if got := f.Value("dgid"); got != "b.qp_num+1" {
		t.Errorf("got %q", got)
	}
}

func TestSetFieldsKeepsPlace(t *testing.T) {
	f := widget.NewForm(theme.New("none", true), formFields()...)
	f.Select("qp_access_flags")
	f.Update(uitest.Key("space"))
	f.SetFields(formFields()[1:])
	if f.Name() != "qp_access_flags" || !f.Editing() {
		t.Errorf("on %s, editing %v", f.Name(), f.Editing())
	}
	f.SetFields([]widget.Field{{Name: "qp_access_flags"}}) // of another kind now
	if f.Editing() {
		t.Error("still open")
	}
	f.SetFields(nil)
	f.Update(uitest.Key("e"))
	if f.Name() != "" || f.Editing() {
		t.Error("an empty form is being edited")
	}
}

// TestSetFieldsKeepsWhatIsTyped: choices that come while a value is typed, such as the host's devices, do not close the
// field.
func TestSetFieldsKeepsWhatIsTyped(t *testing.T) {
	devices := []widget.Option{{Value: "rxe0"}, {Value: "rxe1"}}
	for name, tt := range map[string]struct{ before, after widget.Field }{
		"the choices come": {widget.Field{Kind: widget.TextField},
			widget.Field{Kind: widget.ChoiceField, Choices: devices}},
		"there are more": {widget.Field{Kind: widget.ChoiceField, Choices: devices[:1]},
			widget.Field{Kind: widget.ChoiceField, Choices: devices}},
		"there are none": {widget.Field{Kind: widget.ChoiceField, Choices: devices},
			widget.Field{Kind: widget.TextField}},
		"there are as many": {widget.Field{Kind: widget.ChoiceField, Choices: devices},
			widget.Field{Kind: widget.ChoiceField, Choices: devices}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.before.Name, tt.after.Name = "device", "device"
			f := widget.NewForm(theme.New("none", true), tt.before)
			for _, k := range []string{"e", "r", "x"} {
				f.Update(uitest.Key(k))
			}
			f.SetFields([]widget.Field{{Name: "port"}, tt.after})
			for _, k := range []string{"e", "1", "enter"} {
				f.Update(uitest.Key(k))
			}
			if got := f.Value("device"); got != "rxe1" {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A key of a field does something exactly where the form says so.
func TestKeysOfAField(t *testing.T) {
	th := theme.New("none", true)
	one, two := []widget.Option{{Value: "a"}}, []widget.Option{{Value: "a"}, {Value: "b"}}
	for _, fd := range []widget.Field{
		{Kind: widget.TextField}, {Kind: widget.TextField, Value: "1"},
		{Kind: widget.StaticField}, {Kind: widget.StaticField, Value: "1"}, {Kind: widget.BoolField},
		{Kind: widget.FlagsField, Choices: two},
		{Kind: widget.ChoiceField}, {Kind: widget.ChoiceField, Choices: one},
		{Kind: widget.ChoiceField, Choices: one, Value: "a"},
		{Kind: widget.ChoiceField, Choices: two, Value: "a"},
	} {
		for key, says := range map[string]func(*widget.Form) bool{"space": (*widget.Form).Cycles,
			"e":      (*widget.Form).Edits,
			"delete": (*widget.Form).Clears} {
			f := widget.NewForm(th, fd)
			want := says(f)
			ev := f.Update(uitest.Key(key))
			if did := ev.Kind == widget.FormChanged || f.Editing(); did != want {
				t.Errorf("%+v: %s does something: %v, the form says %v", fd, key, did, want)
			}
		}
	}
	if f := widget.NewForm(th); f.Cycles() || f.Edits() || f.Clears() {
		t.Error("a form without fields can be edited")
	}
}
