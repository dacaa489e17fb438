package widget_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

func TestInputKeys(t *testing.T) {
	tests := []struct {
		keys []string
		want string
		pos  int
	}{
		{[]string{"x"}, "one twox", 8}, {[]string{"left", "x"}, "one twxo", 7}, {[]string{"home", "x"}, "xone two", 1},
		{[]string{"ctrl+a", "right", "delete"}, "oe two", 1}, {[]string{"ctrl+a", "ctrl+e", "backspace"}, "one tw", 6},
		{[]string{"ctrl+w"}, "one ", 4}, {[]string{"ctrl+w", "ctrl+w", "ctrl+w"}, "", 0},
		{[]string{"alt+b", "ctrl+u"}, "two", 0},
		{[]string{"home", "alt+f", "ctrl+k"}, "one", 3}, {[]string{"home", "left", "backspace"}, "one two", 0},
		{[]string{"end", "right", "delete"}, "one two", 7}, {[]string{"space", "é"}, "one two é", 10},
	}
	for _, tt := range tests {
		in := widget.NewInput(theme.New("none", true))
		in.SetValue("one two")
		for _, k := range tt.keys {
			if !in.Update(uitest.Key(k)) {
				t.Errorf("%v: %s was not used", tt.keys, k)
			}
		}
		if in.Value() != tt.want || in.Cursor() != tt.pos {
			t.Errorf("%v: %q at %d, want %q at %d", tt.keys, in.Value(), in.Cursor(), tt.want, tt.pos)
		}
	}
}

// The first key or paste replaces an offered text; a key that moves or deletes keeps it.
func TestOffer(t *testing.T) {
	paste := tea.PasteMsg{Content: "p"}
	for _, tt := range []struct {
		name string
		msgs []tea.Msg
		want string
	}{
		{"nothing", nil, "one two"},
		{"a letter", []tea.Msg{uitest.Key("x"), uitest.Key("y")}, "xy"},
		{"a blank", []tea.Msg{uitest.Key("space"), uitest.Key("y")}, " y"},
		{"a paste", []tea.Msg{paste, paste}, "pp"},
		{"backspace", []tea.Msg{uitest.Key("backspace"), uitest.Key("x")}, "one twx"},
		{"end", []tea.Msg{uitest.Key("end"), uitest.Key("x")}, "one twox"},
		{"home", []tea.Msg{uitest.Key("home"), paste}, "pone two"},
		{"left", []tea.Msg{uitest.Key("left"), uitest.Key("x")}, "one twxo"},
		{"right", []tea.Msg{uitest.Key("right"), uitest.Key("x")}, "one twox"},
		{"delete", []tea.Msg{uitest.Key("delete"), uitest.Key("x")}, "one twox"},
		{"a word", []tea.Msg{uitest.Key("ctrl+w"), uitest.Key("x")}, "one x"},
		{"an unknown key", []tea.Msg{uitest.Key("f5"), uitest.Key("x")}, "x"},
	} {
		in := widget.NewInput(theme.New("none", true))
		in.Offer("one two")
		for _, msg := range tt.msgs {
			in.Update(msg)
		}
		if in.Value() != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, in.Value(), tt.want)
		}
	}
}

func TestPasteIsOneCleanLine(t *testing.T) {
	in := widget.NewInput(theme.New("none", true))
	in.Update(tea.PasteMsg{Content: "a\tb\nc\x1b[2J\xff"})
	if in.Value() != "a b c[2J" {
		t.Errorf("got %q", in.Value())
	}
}

// The cursor's cell is always in the window, whatever the width.
func TestInputScroll(t *testing.T) {
	for _, text := range []string{"0123456789abcdef", "日本語日本語日本語", ""} {
		for w := 2; w < 20; w++ {
			th := theme.New("none", true)
			in := widget.NewInput(th)
			in.SetValue(text)
			for range len([]rune(text)) + 1 {
				got := widget.Render(th, in, w, 1)
				uitest.Exact(t, got, w, 1)
				if want := th.Cursor.SGR(); !strings.Contains(got, want) {
					t.Errorf("%q at %d in %d cells: no cursor in %q", text, in.Cursor(), w, got)
				}
				in.Update(uitest.Key("left"))
			}
		}
	}
}

// Text that is scrolled out of sight leaves a mark at its side, never in place of
// what is under the cursor.
func TestScrollMarks(t *testing.T) {
	const text = "0123456789abcdef"
	th := theme.New("none", true)
	for w := 4; w < 20; w++ {
		in := widget.NewInput(th)
		in.SetValue(text)
		for in.Cursor() > 0 {
			in.Update(uitest.Key("left"))
			got := widget.Render(th, in, w, 1)
			shown := strings.TrimRight(uitest.Text(got), " ")
			middle := strings.Trim(shown, "…")
			at := strings.Index(text, middle)
			if at < 0 || strings.HasPrefix(shown, "…") != (at > 0) ||
				strings.HasSuffix(shown, "…") != (at+len(middle) < len(text)) {
				t.Errorf("%d cells, cursor at %d: %q", w, in.Cursor(), shown)
			}
			if !strings.Contains(got, th.Cursor.SGR()+text[in.Cursor():][:1]) {
				t.Errorf("%d cells: not %q under the cursor: %q", w, text[in.Cursor():][:1], got)
			}
		}
	}
}
