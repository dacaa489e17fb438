package line

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// isPlain reports whether s is printable ASCII, so that len(s) is its width.
func isPlain[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}

// narrow lists ranges of printable runes that are one cell wide, neither join nor
// combine, and are safe: what a screen of ours is made of beside ASCII.
var narrow = [...][2]rune{
	{0x20, 0x7e}, {0xa1, 0xac}, {0xae, 0x2ff}, {0x2010, 0x2027}, {0x2190, 0x21ff},
	{0x2200, 0x22ff}, {0x2500, 0x25fc}, {0x2713, 0x2718}, {0x2801, 0x28ff},
}

func isNarrow(r rune) bool {
	for _, rg := range narrow {
		if r <= rg[1] {
			return r >= rg[0]
		}
	}
	return false
}

// narrowFit walks text made of narrow runes alone: how many cells it is, and
// where byte-wise the first room cells end. ok is false if another rune occurs
// before one cell past room.
func narrowFit(s string, room int) (cells, end int, ok bool) {
	for i, r := range s {
		if !isNarrow(r) {
			return 0, 0, false
		}
		if cells == room {
			end = i
		}
		cells++
		if cells > room {
			return cells, end, true
		}
	}
	return cells, len(s), true
}

// Width returns the cells that Buf.Text would take for s on a Unicode terminal.
func Width(s string) int {
	if isPlain(s) {
		return len(s)
	}
	if n, _, ok := narrowFit(s, len(s)); ok {
		return n
	}
	return ansi.StringWidth(string(AppendEscape(nil, s)))
}

// trimBytes bounds the work spent on text that will be cut to room cells anyway.
func trimBytes(s string, room int) string {
	limit := 16 * (room + 1)
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) && limit > 16*room {
		limit--
	}
	return s[:limit]
}
