package widget

// Space says how much of the space a column or pane wants, in cells.
type Space struct {
	Size   int // wanted size; with a weight, the size before spare space is shared
	Min    int // may be squeezed to this; 0: to Size, or 1 if that is 0
	Weight int // share of spare space
	Drop   int // squeezed, then left out when space is short: the highest first; 0: last, never
}

func (it Space) floor() int {
	switch {
	case it.Min > 0:
		return it.Min
	case it.Size > 0:
		return it.Size
	}
	return 1
}

// Divide divides total cells, with gap cells between neighbours, and appends one
// size an item to dst; 0 means the item is left out. Sizes and gaps never add up
// to more than total.
func Divide(dst []int, total, gap int, items []Space) []int {
	base := len(dst)
	for _, it := range items {
		dst = append(dst, max(it.Size, it.floor()))
	}
	size := dst[base:]
	drop(size, total, gap, items)
	squeeze(size, total-gaps(size, gap), items)
	share(size, total-gaps(size, gap)-sum(size), items)
	return dst
}

// drop leaves items out until the minima of the others fit.
func drop(size []int, total, gap int, items []Space) {
	for {
		need, victim := gaps(size, gap), -1
		for i, it := range items {
			if size[i] == 0 {
				continue
			}
			need += it.floor()
			if it.Drop > 0 && (victim < 0 || it.Drop >= items[victim].Drop) {
				victim = i
			}
		}
		if need <= total || victim < 0 {
			return
		}
		size[victim] = 0
	}
}

// squeeze takes from the items in the order in which they are left out, of equal ones
// from the last: down to their minimum, and if that is not enough, down to nothing.
func squeeze(size []int, room int, items []Space) {
	level := 0
	for _, it := range items {
		level = max(level, it.Drop)
	}
	for ; level >= 0; level-- {
		squeezeLevel(size, room, items, level, Space.floor)
	}
	squeezeLevel(size, room, items, 0, func(Space) int { return 0 })
}

// squeezeLevel takes from the items of one level what exceeds the room.
func squeezeLevel(size []int, room int, items []Space, level int, least func(Space) int) {
	for i := len(size) - 1; i >= 0; i-- {
		if over := sum(size) - max(room, 0); over > 0 && items[i].Drop == level {
			size[i] -= min(over, max(size[i]-least(items[i]), 0))
		}
	}
}

// share gives spare cells away by weight; rounding never loses one.
func share(size []int, spare int, items []Space) {
	weights := 0
	for i, it := range items {
		if size[i] > 0 {
			weights += it.Weight
		}
	}
	for i, it := range items {
		if spare <= 0 || weights <= 0 {
			return
		}
		if size[i] == 0 || it.Weight == 0 {
			continue
		}
		n := spare * it.Weight / weights
		size[i] += n
		spare -= n
		weights -= it.Weight
	}
}

func gaps(size []int, gap int) int {
	n := -1
	for _, s := range size {
		if s > 0 {
			n++
		}
	}
	return max(n, 0) * gap
}

func sum(size []int) int {
	n := 0
	for _, s := range size {
		n += s
	}
	return n
}
