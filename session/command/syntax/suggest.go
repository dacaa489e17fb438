package syntax

import "strings"

// Suggest returns what the user most likely meant by a word, "" where nothing
// is near.
func Suggest(word string, from []string) string {
	if len(word) > MaxNameLen {
		return ""
	}
	word = strings.ToLower(word)
	best, bestDistance := "", max(1, len(word)/3)+1
	for _, candidate := range from {
		lower := strings.ToLower(candidate)
		d := distance(word, lower)
		if len(word) >= 3 && strings.HasPrefix(lower, word) {
			d = 1 // a beginning is nearer than its length tells
		}
		if d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// meant begins the hint that names what a word may have been meant to be.
const meant = "did you mean "

// Meant is the word that the hint of an error suggests in place of its token, "" for
// none.
func (e *Error) Meant() string {
	word, ok := strings.CutPrefix(e.Hint, meant)
	if !ok || e.Token == "" {
		return ""
	}
	return strings.TrimSuffix(word, "?")
}

// DidYouMean is a hint for an error, with the alternatives where nothing is
// near and they are few.
func DidYouMean(word string, from []string) string {
	if s := Suggest(word, from); s != "" {
		return meant + s + "?"
	}
	const few = 12
	if len(from) == 0 || len(from) > few {
		return ""
	}
	return "one of " + strings.Join(from, " ")
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	older, old := make([]int, len(b)+1), make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(old[j+1]+1, row[j]+1, old[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}
