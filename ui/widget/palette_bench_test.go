package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

// A key searches as many items as the program has.
func BenchmarkKey(b *testing.B) {
	var many []widget.PaletteItem
	for i := range 3000 {
		many = append(many, widget.PaletteItem{Kind: "explain", Text: fmt.Sprintf("name_%d of a thing", i),
			Note: strings.Repeat("words that say what it is ", 3), Answer: i%2 == 0})
	}
	p := widget.NewPalette(theme.New("none", true), "command", many)
	for _, r := range "words wha" {
		p.Update(uitest.Key(string(r)))
	}
	for b.Loop() {
		p.Update(uitest.Key("t"))
		p.Update(uitest.Key("backspace"))
	}
}
