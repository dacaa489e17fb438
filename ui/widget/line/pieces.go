package line

// Piece is a part of a line that is shown whole or not at all.
type Piece struct {
	Gap  int  // blanks before it, unless it is the first
	Drop int  // left out when space is short, the highest first; 0: never
	Far  bool // stands with those after it at the end of the region
	Draw func(b *Buf)
}

// Pieces appends as many parts as there is room for. Those that always stay are cut
// where even they are too long.
func (b *Buf) Pieces(list ...Piece) {
	wide := b.widths(list)
	for total(list, wide) > b.Room() {
		at := -1
		for i, p := range list {
			if wide[i] > 0 && p.Drop > 0 && (at < 0 || p.Drop >= list[at].Drop) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		wide[at] = 0
	}
	b.draw(list, wide)
}

// AllPieces appends all parts, cut at the end where there is no room for them.
func (b *Buf) AllPieces(list ...Piece) { b.draw(list, b.widths(list)) }

func (b *Buf) draw(list []Piece, wide []int) {
	first, spare := true, b.Room()-total(list, wide)
	for i, p := range list {
		if wide[i] == 0 {
			continue
		}
		if p.Far {
			b.Space(spare)
			spare = 0
		}
		if !first {
			b.Space(p.Gap)
		}
		p.Draw(b)
		first = false
	}
}

func (b *Buf) widths(list []Piece) []int {
	wide := make([]int, len(list))
	for i, p := range list {
		wide[i] = b.measure(p.Draw)
	}
	return wide
}

// total is the cells of the parts that are wide, with what is between them.
func total(list []Piece, wide []int) (n int) {
	for i, p := range list {
		if wide[i] > 0 && n > 0 {
			n += p.Gap
		}
		n += wide[i]
	}
	return n
}

// measure returns how many cells draw would write had it all the room there is.
func (b *Buf) measure(draw func(b *Buf)) int {
	was := *b
	b.left, b.limit, b.from = b.col, 1<<20, b.col
	draw(b)
	cells, out, tmp := b.col-was.col, b.out, b.tmp
	*b = was
	b.out, b.tmp = out[:len(was.out)], tmp
	return cells
}
