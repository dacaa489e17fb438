package screen_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
)

// The copy message cuts a long text between two letters, with an ellipsis.
func TestCopySaysSome(t *testing.T) {
	for text, cut := range map[string]bool{"a b": false, strings.Repeat("é", screen.SaidOfCopy): true,
		"a" + strings.Repeat("é", screen.SaidOfCopy): true} {
		for _, c := range screen.Copy(text)().(tea.BatchMsg) {
			f, ok := c().(screen.FlashMsg)
			if ok &&
				(strings.HasSuffix(f.Text, "…") != cut || !utf8.ValidString(f.Text) || strings.Contains(f.Text, `\x`)) {
				t.Errorf("%.10q: %q", text, f.Text)
			}
		}
	}
}
