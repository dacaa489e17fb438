package wire

import (
	"fmt"
	"slices"

	"rdmatui/session/capture"
	"rdmatui/ui/widget/line"
)

// untold are the fields that the packets of a session's devices do not have.
var untold = []string{"ip_id", "df"}

// addCarried adds the headers that carry the packet, each on a line of its own. The ports stand beside the addresses.
func (d *detail) addCarried(r *row) {
	f := &r.Frame
	layer, text := "", ""
	for i := range capture.Fields() {
		c := &capture.Fields()[i]
		if !c.Has(f) || c.Layer == "UDP" || r.Live && slices.Contains(untold, c.Name) {
			continue
		}
		piece := "  " + c.Name + " " + carriedValue(c, f)
		switch {
		case c.Layer != layer:
			d.addCarrier(text)
			layer, text = c.Layer, c.Layer
		case len(text)+len(piece) > summaryWidth:
			d.addCarrier(text)
			text = ""
		}
		text += piece
	}
	d.addCarrier(text)
}

func (d *detail) addCarrier(text string) {
	if text != "" {
		d.lines = append(d.lines, detailLine{draw: func(b *line.Buf) { b.Text(text, d.th.Dim) }})
	}
}

// carriedValue is a field's value, with its meaning if it has one.
func carriedValue(c *capture.Field, f *capture.Frame) string {
	switch {
	case c.Of == nil:
		return c.Text(f)
	case c.Text == nil:
		return fmt.Sprint(c.Of(f))
	}
	if name := c.Text(f); name != "" {
		return fmt.Sprintf("%d (%s)", c.Of(f), name)
	}
	return fmt.Sprint(c.Of(f))
}
