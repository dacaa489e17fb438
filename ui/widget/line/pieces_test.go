package line

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"rdmatui/ui/theme"
)

// What does not fit goes whole, the least important first; nothing else is drawn for it.
func TestPieces(t *testing.T) {
	text := func(s string, drop int) Piece {
		return Piece{Gap: 1, Drop: drop, Draw: func(b *Buf) { b.Text(s, uni.Value) }}
	}
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

// Parts that stand far begin as late as there is room for them.
func TestFarPieces(t *testing.T) {
	text := func(s string, far bool) Piece {
		return Piece{Gap: 1, Far: far, Draw: func(b *Buf) { b.Text(s, uni.Value) }}
	}
	for w, want := range map[int]string{15: "qp a     3 of 7", 11: "qp a 3 of 7", 8: "qp a 3 …"} {
		b := New(theme.New("none", true))
		r := b.Begin(w)
		b.Pieces(text("qp a", false), text("3", true), text("of 7", true))
		b.End(r)
		if got := ansi.Strip(b.String()); got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
}
