// Package fair decides who goes where a table that strangers fill is full: the one who has the most entries, so that nobody can keep the
// others out.
package fair

// Nobody is the answer of [Victim] where the newcomer is the one to refuse.
const Nobody = -1

// Victim returns which entry of a full table makes room for one more of newcomer's. The table is given as the source of each entry, the
// oldest first. It is the oldest entry of the source that has the most; of several that have as many, the oldest of all. Where the newcomer
// itself has the most already it is Nobody: its own entries must go first.
func Victim[S comparable](sources []S, newcomer S) int {
	count := map[S]int{}
	most := 0
	for _, s := range sources {
		count[s]++
		most = max(most, count[s])
	}
	if count[newcomer] >= most {
		return Nobody
	}
	for i, s := range sources {
		if count[s] == most {
			return i
		}
	}
	return Nobody
}
