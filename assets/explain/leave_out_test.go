package explain

import (
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"rdmatui/verbs/verbstest/race"
)

// TestLeaveOneOut measures what is said of the messages of a project of which no message is known: each file's rows
// are read without that file. An answer counts if it names the row's verb, the entry that the row leads to, or a
// quarter of the row's own words, each by its weight. By chance: the same answer held against another row.
func TestLeaveOneOut(t *testing.T) {
	race.Needless(t)
	k, all := newKeywords(theMessages().all), theMessages
	defer func() { theMessages = all }()
	rows, right, chance := 0, 0, 0
	for _, left := range messageFileNames() {
		x, own := without(t, left)
		theMessages = func() *messageIndex { return x }
		for i := 0; i < len(own); i += 4 { // every fourth is enough to notice a change
			rows++
			a := Read(own[i].speaker + ": " + filled(own[i].Name))
			if len(a.Entries) == 0 {
				continue
			}
			if k.names(own[i], a.Entries[0]) {
				right++
			}
			if k.names(own[(i*7919+13)%len(own)], a.Entries[0]) {
				chance++
			}
		}
	}
	t.Logf("%d rows: %d %% are told, %d %% by chance", rows, right*100/rows, chance*100/rows)
	if right*100 < rows*30 || chance*100 > rows*8 {
		t.Errorf("of %d rows %d are told, fewer than 30 %%, or %d by chance, more than 8 %%", rows, right, chance)
	}
}

// without is an index of messages that has neither those of a file nor others in the same words, and the file's own.
func without(t testing.TB, left string) (x *messageIndex, own []*message) {
	x = newMessageIndex()
	own = messagesOf(t, left)
	same := map[string]bool{}
	for _, m := range own {
		same[strings.ToLower(wordsOf(m.Name))] = true
	}
	for _, name := range messageFileNames() {
		for _, m := range messagesOf(t, name) {
			if name != left && !same[strings.ToLower(wordsOf(m.Name))] {
				x.add(m)
			}
		}
	}
	return x, own
}

func messagesOf(t testing.TB, name string) []*message {
	content, err := fs.ReadFile(messageFiles, name)
	if err != nil {
		t.Fatal(err)
	}
	all, err := parseMessages(name, string(content))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// keywords have of each word how much it says: the more, the fewer rows have it.
type keywords map[string]float64

func newKeywords(all []*message) keywords {
	k := keywords{}
	for _, m := range all {
		for w := range wordsIn(m.Short) {
			k[w]++
		}
	}
	for w, n := range k {
		k[w] = math.Log(float64(len(all)) / n)
	}
	return k
}

func wordsIn(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range tokensOf(text, 1<<16, 1<<16) {
		if !common[w] && len(w) > 1 && !allDigits(w) {
			set[strings.TrimSuffix(w, "s")] = true
		}
	}
	return set
}

// names reports whether the answer names what the row is about. What it repeats of the line itself does not count.
func (k keywords) names(m *message, e Entry) bool {
	verb := strings.TrimPrefix(strings.TrimPrefix(m.verb, "ibv_"), "rdma_")
	if verb != "" && strings.Contains(strings.Join([]string{e.Name, e.Failed, e.Here, e.Short}, " "), verb) {
		return true
	}
	if slices.Contains(m.see, reference{e.Family, e.Name}) {
		return true
	}
	said := wordsIn(strings.Join(slices.Concat([]string{e.Name, e.CName, e.What, e.Short, e.Means, e.Here},
		e.Causes), " "))
	have, of := 0.0, 0.0
	for w := range wordsIn(m.Short) {
		of += k[w]
		if said[w] {
			have += k[w]
		}
	}
	return have >= of/4
}
