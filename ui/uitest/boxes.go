package uitest

import (
	"fmt"
	"strings"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// Boxes returns the frames of a view without styles, in the order of their upper left corners: the first word of the
// title, the size, and the column and line of the corner, such as "request 41x11+0+0".
func Boxes(view string) (boxes []string) {
	g := theme.New("none", true).Glyphs
	var cells [][]rune // one rune per cell; wide ones are followed by a blank
	for l := range strings.SplitSeq(view, "\n") {
		var row []rune
		for _, r := range l {
			row = append(row, r)
			for range line.Width(string(r)) - 1 {
				row = append(row, ' ')
			}
		}
		cells = append(cells, row)
	}
	at := func(x, y int) string {
		if y < len(cells) && x < len(cells[y]) {
			return string(cells[y][x])
		}
		return ""
	}
	for y := range cells {
		for x := range cells[y] {
			if at(x, y) != g.TL {
				continue
			}
			w, h := 1, 1
			for at(x+w-1, y) != g.TR && at(x+w-1, y) != "" {
				w++
			}
			for at(x, y+h-1) != g.BL && at(x, y+h-1) != "" {
				h++
			}
			title := ""
			if words := strings.Fields(string(cells[y][x+1 : x+w-1])); len(words) > 0 {
				title = words[0]
			}
			boxes = append(boxes, fmt.Sprintf("%s %dx%d+%d+%d", title, w, h, x, y))
		}
	}
	return boxes
}
