package explain

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Names lists what can be asked for, each once, in the order of the alphabet.
func Names() []string { return slices.Clone(allNames()) }

var allNames = sync.OnceValue(func() (names []string) {
	for _, f := range Families() {
		for i := range f.Entries {
			names = append(names, f.Entries[i].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
})

// Nearest returns at most n names that a word may have been meant for, the likeliest first.
func Nearest(word string, n int) (names []string) {
	word = key(word)
	if word == "" || len(word) > 40 {
		return nil
	}
	far, limit := map[string]int{}, max(1, len(word)/3)
	for k, entries := range theIndex().exact.of {
		d := max(len(word)-len(k), len(k)-len(word)) // at least
		if len(word) >= 3 && strings.Contains(k, word) {
			d = 1 // a part of a name is nearer than its length tells
		} else if d <= limit {
			d = distance(word, k)
		}
		if d > limit {
			continue
		}
		for _, e := range entries {
			if old, ok := far[e.Name]; !ok || d < old {
				far[e.Name] = d
			}
		}
	}
	names = slices.SortedFunc(maps.Keys(far), func(a, b string) int {
		return cmp.Or(cmp.Compare(far[a], far[b]), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return names[:min(n, len(names))]
}

// distance counts the insertions, deletions and replacements of bytes that turn a into b.
func distance(a, b string) int {
	old, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			change := old[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(old[j+1]+1, row[j]+1, change)
		}
		old, row = row, old
	}
	return old[len(b)]
}
