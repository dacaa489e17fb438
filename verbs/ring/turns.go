package ring

// Turns schedules waiting entries round-robin by source, so that a source with many entries delays the others by one
// entry per round. It remembers no more sources than are waiting. The zero value is ready to use; it is not safe for
// concurrent use.
type Turns[S comparable] struct {
	last map[S]uint64
	n    uint64
}

// Next returns the index of the entry to serve next: the oldest entry of the source that was served longest ago.
// sources holds the source of each waiting entry, oldest first, and must not be empty.
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
