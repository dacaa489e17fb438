package fair

// Turns is who has had a turn among those who wait, so that a source with many entries delays the others by one entry each time round, and
// not by all it has. It remembers no more sources than wait. The zero value is ready to use; it is not safe for concurrent use.
type Turns[S comparable] struct {
	last map[S]uint64
	n    uint64
}

// Next returns which of those who wait goes next, given the source of each, the oldest first: the oldest entry of the source whose last turn
// was the longest ago. sources must not be empty.
func (t *Turns[S]) Next(sources []S) int {
	waiting := make(map[S]uint64, len(sources))
	next := 0
	for i, s := range sources {
		waiting[s] = t.last[s]
		if waiting[s] < t.last[sources[next]] {
			next = i
		}
	}
	t.n++
	waiting[sources[next]] = t.n
	t.last = waiting
	return next
}
