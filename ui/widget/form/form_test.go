package form

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

func fields() []Field {
	return []Field{
		{Name: "path_mtu", Value: "1024", Note: "port: 1024", Mark: Required, Kind: Choice,
			Choices: []Option{{"512", ""}, {"1024", "port"}, {"4096", ""}}},
		{Name: "dest_qp_num", Value: "0x000012", Note: "from b", Mark: Required, Err: "no QP b\x1b[2J"},
		{Name: "qp_access_flags", Value: "REMOTE_READ|ODD", Mark: Optional, Kind: Flags,
			Choices: []Option{{"REMOTE_WRITE", "peer may write"}, {"REMOTE_READ", "peer may read"}}},
		{Name: "pkey_index", Mark: Optional, Note: "optional"},
		{Name: "sq_psn", Mark: Forbidden, Note: "not in this transition"},
		{Name: "sq_sig_all", Value: "0", Kind: Bool},
		{Name: "qp_type", Value: "RC", Kind: Static},
	}
}

func TestGolden(t *testing.T) {
	open := map[string][]string{
		"closed": nil, "text": {"down", "e", "right", "8"},
		"choice": {"e", "tab"}, "flags": {"down", "down", "space", "down"},
	}
	for name, keys := range open {
		for _, uni := range []bool{true, false} {
			for _, size := range [][2]int{{60, 12}, {30, 5}, {10, 3}} {
				th := theme.New("none", uni)
				f := New(th, fields()...)
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
		kind  EventKind // of the last key
	}{
		{"next choice", []string{"right"}, "path_mtu", "4096", Changed},
		{"choice wraps", []string{"right", "space"}, "path_mtu", "512", Changed},
		{"choice back", []string{"left"}, "path_mtu", "512", Changed},
		{"typed", []string{"down", "e", "ctrl+u", "7", "enter"}, "dest_qp_num", "7", Changed},
		{"typed unchanged", []string{"down", "e", "enter"}, "dest_qp_num", "0x000012", Used},
		{"cancelled", []string{"down", "e", "9", "esc"}, "dest_qp_num", "0x000012", Used},
		{"down takes it", []string{"down", "e", "9", "down"}, "dest_qp_num", "9", Changed},
		{"q is text while editing", []string{"down", "e", "q", "enter"}, "dest_qp_num", "q", Changed},
		{"added to", []string{"down", "e", "end", "9", "enter"}, "dest_qp_num", "0x0000129", Changed},
		{"its last digit", []string{"down", "e", "backspace", "9", "enter"}, "dest_qp_num", "0x000019", Changed},
		{"typed again", []string{"down", "e", "9", "enter", "e", "8", "7", "enter"}, "dest_qp_num", "87", Changed},
		{"a choice may be typed", []string{"e", "ctrl+u", "7", "enter"}, "path_mtu", "7", Changed},
		{"flags keep what they do not know", []string{"down", "down", "space", "space", "enter"}, "qp_access_flags",
			"REMOTE_WRITE|REMOTE_READ|ODD", Changed},
		{"flags cancelled", []string{"down", "down", "space", "space", "esc"}, "qp_access_flags",
			"REMOTE_READ|ODD", Used},
		{"bool", []string{"end", "up", "space"}, "sq_sig_all", "1", Changed},
		{"cleared", []string{"down", "delete"}, "dest_qp_num", "", Changed},
		{"static stays", []string{"end", "delete", "e", "9"}, "qp_type", "RC", None},
		{"enter runs", []string{"down", "enter"}, "dest_qp_num", "0x000012", Submit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := New(theme.New("none", true), fields()...)
			f.SetSize(60, 20)
			var ev Event
			for _, k := range tt.keys {
				ev = f.Update(uitest.Key(k))
			}
			if got := f.Value(tt.field); got != tt.want || ev.Kind != tt.kind {
				t.Errorf("value %q event %d, want %q %d", got, ev.Kind, tt.want, tt.kind)
			}
			if ev.Kind == Changed && (ev.Name != tt.field || ev.Value != tt.want) {
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
		f := New(theme.New("none", true), fields()...)
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
	f := New(theme.New("none", true), Field{Name: "dgid"})
	f.Complete = func(name, text string, cursor int) []Candidate {
		return []Candidate{{Text: "b.gid"}, {Text: "b.qp_num"}}
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
	f := New(theme.New("none", true), fields()...)
	f.Select("qp_access_flags")
	f.Update(uitest.Key("space"))
	f.SetFields(fields()[1:])
	if f.Name() != "qp_access_flags" || !f.Editing() {
		t.Errorf("on %s, editing %v", f.Name(), f.Editing())
	}
	f.SetFields([]Field{{Name: "qp_access_flags"}}) // of another kind now
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
	devices := []Option{{Value: "rxe0"}, {Value: "rxe1"}}
	for name, tt := range map[string]struct{ before, after Field }{
		"the choices come":  {Field{Kind: Text}, Field{Kind: Choice, Choices: devices}},
		"there are more":    {Field{Kind: Choice, Choices: devices[:1]}, Field{Kind: Choice, Choices: devices}},
		"there are none":    {Field{Kind: Choice, Choices: devices}, Field{Kind: Text}},
		"there are as many": {Field{Kind: Choice, Choices: devices}, Field{Kind: Choice, Choices: devices}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.before.Name, tt.after.Name = "device", "device"
			f := New(theme.New("none", true), tt.before)
			for _, k := range []string{"e", "r", "x"} {
				f.Update(uitest.Key(k))
			}
			f.SetFields([]Field{{Name: "port"}, tt.after})
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
	one, two := []Option{{Value: "a"}}, []Option{{Value: "a"}, {Value: "b"}}
	for _, fd := range []Field{
		{Kind: Text}, {Kind: Text, Value: "1"}, {Kind: Static}, {Kind: Static, Value: "1"}, {Kind: Bool},
		{Kind: Flags, Choices: two},
		{Kind: Choice}, {Kind: Choice, Choices: one}, {Kind: Choice, Choices: one, Value: "a"},
		{Kind: Choice, Choices: two, Value: "a"},
	} {
		for key, says := range map[string]func(*Form) bool{"space": (*Form).Cycles, "e": (*Form).Edits,
			"delete": (*Form).Clears} {
			f := New(th, fd)
			want := says(f)
			ev := f.Update(uitest.Key(key))
			if did := ev.Kind == Changed || f.Editing(); did != want {
				t.Errorf("%+v: %s does something: %v, the form says %v", fd, key, did, want)
			}
		}
	}
	if f := New(th); f.Cycles() || f.Edits() || f.Clears() {
		t.Error("a form without fields can be edited")
	}
}
