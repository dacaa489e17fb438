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

func TestDialogGolden(t *testing.T) {
	for _, uni := range []bool{true, false} {
		for _, size := range [][2]int{{80, 12}, {30, 8}, {6, 3}} {
			d := widget.NewDialog(theme.New("none", uni), time.Now, "Quit?",
				"2 QP and 1 CQ are alive. They are destroyed\x1b[2J first.", "yes", "no")
			base := strings.TrimSuffix(strings.Repeat(strings.Repeat(".", size[0])+"\n", size[1]), "\n")
			got := d.Over(base, size[0], size[1])
			uitest.Fits(t, got, size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("%dx%d-%v", size[0], size[1], uni), uitest.Text(got))
		}
	}
}

func TestDialogKeys(t *testing.T) {
	tests := []struct {
		keys []string
		want widget.DialogResult
	}{
		{[]string{"enter"}, 0}, {[]string{"right", "enter"}, 1}, {[]string{"tab", "tab", "enter"}, 0},
		{[]string{"left", "enter"}, 1},
		{[]string{"esc"}, widget.DialogCanceled}, {[]string{"y"}, 0}, {[]string{"n"}, 1},
		{[]string{"x"}, widget.DialogPending},
	}
	for _, tt := range tests {
		now := time.Unix(0, 0)
		d := widget.NewDialog(theme.New("none", true), func() time.Time { return now }, "t", "x", "yes", "no")
		early := widget.DialogPending
		if k := tt.keys[0]; k == "y" || k == "n" { // no screen has these: they are meant for the question
			early = tt.want
		}
		for _, k := range tt.keys {
			if got := d.Update(uitest.Key(k)); got != early || d.At != 0 {
				t.Errorf("%v within the grace period: %d, want %d", tt.keys, got, early)
			}
		}
		now = now.Add(widget.DialogGrace)
		var got widget.DialogResult
		for _, k := range tt.keys {
			got = d.Update(uitest.Key(k))
		}
		if got != tt.want {
			t.Errorf("%v: %d, want %d", tt.keys, got, tt.want)
		}
	}
}
