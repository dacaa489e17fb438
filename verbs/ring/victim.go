package ring

// Nobody is the result of [Victim] if the newcomer should be refused.
const Nobody = -1

// Victim decides which entry of a full table to evict when unknown peers can fill it, so that no source can keep the
// others out. It returns the index of the entry that is evicted for an entry of newcomer: the oldest entry of the
// source with the most entries; if several sources have the most, the oldest entry of any of them. sources holds the
// source of each entry, oldest first. If newcomer itself has the most, the result is Nobody: it must not displace the
// entries of others.
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
