package line

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"rdmatui/ui/theme"
)

// What does not fit goes whole, the least important first; nothing else is drawn for it.
func TestPieces(t *testing.T) {
	text := func(s string, drop int) Piece { return Piece{1, drop, func(b *Buf) { b.Text(s, uni.Value) }} }
	list := []Piece{text("status", 0), text("", 3), text("qp a", 2), text("wr 7", 1), text("12.3", 2)}
	for _, tt := range []struct {
		w    int
		want string
	}{
		{24, "status qp a wr 7 12.3   "},
		{21, "status qp a wr 7 12.3"},
		{20, "status qp a wr 7    "},
		{15, "status wr 7    "},
		{10, "status    "},
		{4, "sta…"},
	} {
		b := New(theme.New("none", true))
		r := b.Begin(tt.w)
		b.Pieces(list...)
		b.End(r)
		if got := ansi.Strip(b.String()); got != tt.want {
			t.Errorf("%d cells: %q, want %q", tt.w, got, tt.want)
		}
	}
}
