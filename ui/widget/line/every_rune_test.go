package line

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// among are neighbours that a rune, for which % stands, may join or be joined by:
// a letter, a blank of the padding, a consonant that forms conjuncts,
// a syllable that takes jamo, an emoji, itself.
var among = []string{"%", "a%", "% ", "क%क", "한%한", "\U0001f600%\U0001f600", "%%"}

// No rune of Unicode makes a text wider by one way of counting than by the other,
// whatever stands beside it.
func TestEveryRune(t *testing.T) {
	bad := map[string][]rune{}
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r <= 0xdfff || !unicode.IsPrint(r) && !unicode.Is(unicode.M, r) {
			continue // becomes an escape wherever it stands
		}
		for _, text := range among {
			safe := Escape(strings.ReplaceAll(text, "%", string(r)))
			if ansi.StringWidth(safe) != ansi.StringWidthWc(safe) {
				bad[text] = append(bad[text], r)
			}
		}
	}
	for text, runes := range bad {
		t.Errorf("%q for %d runes: %U …", text, len(runes), runes[:min(len(runes), 40)])
	}
}
