package widget_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// TestPlace: the dialog stands in the middle, 58 cells wide or as wide as the screen but for two cells, with as many
// rows of its text as fit. On a screen that is too small for it there is none.
func TestPlace(t *testing.T) {
	for _, tt := range []struct {
		w, h   int
		text   string
		x, y   int // of its corner, -1: none
		bw, bh int
		lines  int // of text
	}{
		{100, 20, "one", 21, 7, 58, 5, 1}, {100, 20, "one\ntwo\n\nfour", 21, 6, 58, 8, 4}, {60, 9, "one", 1, 2, 58, 5,
			1},
		{59, 9, "one", 1, 2, 57, 5, 1}, {12, 9, "one", 1, 2, 10, 5, 1}, {11, 9, "one", -1, 0, 0, 0, 0},
		{60, 5, "one", 1, 0, 58, 4, 0}, {60, 4, "one", -1, 0, 0, 0, 0}, {60, 7, "a\nb\nc", 1, 0, 58, 6, 2},
		{100, 12, strings.Repeat("word ", 21) + "word", 21, 3, 58, 6, 2},
	} {
		d := widget.NewDialog(theme.New("none", true), time.Now, "Quit?", tt.text, "yes", "no")
		base := strings.TrimSuffix(strings.Repeat(strings.Repeat(".", tt.w)+"\n", tt.h), "\n")
		rows := strings.Split(uitest.Text(d.Over(base, tt.w, tt.h)), "\n")
		if tt.x < 0 {
			if strings.Join(rows, "\n") != base {
				t.Errorf("%dx%d: there is a dialog", tt.w, tt.h)
			}
			continue
		}
		edge := strings.Repeat(".", tt.x)
		for y, l := range rows {
			inside := y >= tt.y && y < tt.y+tt.bh
			cell := []rune(l)
			switch {
			case !inside && strings.Trim(l, ".") != "":
				t.Errorf("%dx%d: row %d is %q", tt.w, tt.h, y, l)
			case inside && (!strings.HasPrefix(l, edge) || !strings.ContainsRune("╭│╰", cell[tt.x]) ||
				!strings.ContainsRune("╮│╯", cell[tt.x+tt.bw-1])):
				t.Errorf("%dx%d: row %d is %q", tt.w, tt.h, y, l)
			}
		}
		if tt.lines > 0 {
			if answers := rows[tt.y+tt.lines+2]; !strings.Contains(answers, "│ [yes] ") {
				t.Errorf("%dx%d: the answers are %q\n%s", tt.w, tt.h, answers, strings.Join(rows, "\n"))
			}
		}
	}
}

// TestAnswers: the selected answer stands out, in brackets; the keys go round.
func TestAnswers(t *testing.T) {
	now := time.Unix(0, 0)
	th := uitest.Tokens()
	d := widget.NewDialog(th, func() time.Time { return now }, "title", "text", "a", "b", "c")
	now = now.Add(widget.DialogGrace)
	for _, tt := range []struct {
		key string
		at  int
	}{{"", 0}, {"left", 2}, {"left", 1}, {"right", 2}, {"right", 0}, {"shift+tab", 2}, {"tab", 0}} {
		if tt.key != "" && d.Update(uitest.Key(tt.key)) != widget.DialogPending {
			t.Errorf("%s answers", tt.key)
		}
		base := strings.TrimSuffix(strings.Repeat(strings.Repeat(".", 40)+"\n", 9), "\n")
		view := d.Over(base, 40, 9)
		want := fmt.Sprintf("[%c]", 'a'+rune(tt.at))
		if text := uitest.Text(view); d.At != tt.at || !strings.Contains(text, want) || strings.Count(text, "[") != 1 {
			t.Errorf("%s: answer %d, want %d\n%s", tt.key, d.At, tt.at, text)
		}
		for _, l := range strings.Split(view, "\n") {
			if strings.Contains(uitest.Text(l), want) && !strings.Contains(l,
				th.TabActive.SGR()[:len(th.TabActive.SGR())-1]) {
				t.Errorf("%s: %q is not marked", tt.key, want)
			}
			if strings.Contains(uitest.Text(l), "title") && !strings.Contains(l, strings.Trim(th.FrameTitle.SGR(),
				"\x1b[m")) {
				t.Errorf("the dialog has no focus: %q", l)
			}
		}
	}
	for key, want := range map[string]widget.DialogResult{"y": widget.DialogPending, "n": widget.DialogPending,
		"enter": 0, "esc": widget.DialogCanceled} {
		if got := d.Update(uitest.Key(key)); got != want {
			t.Errorf("%s: %d, want %d", key, got, want)
		}
	}
	if d := widget.NewDialog(th, time.Now, "t", "x"); len(d.Answers) != 1 || d.Answers[0] != "ok" {
		t.Errorf("without answers: %q", d.Answers)
	}
}
