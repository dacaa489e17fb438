package explain

import (
	"slices"
	"strings"
)

// conditionIndex finds the elements of conditions that a word stands for.
type conditionIndex struct {
	exact  map[string][]int          // places of elements by their words
	begins map[string][]elementBegin // by the first beginLen characters
	first  []int                     // the place of each condition's first element, and one more behind the last
}

// elementBegin is what a word begins with that stands for an element.
type elementBegin struct {
	text string
	at   int
}

func newConditionIndex(x *index) *conditionIndex {
	c := &conditionIndex{exact: map[string][]int{}, begins: map[string][]elementBegin{}, first: []int{0}}
	at := 0
	for _, p := range x.conditions {
		for _, element := range p.elements {
			for _, e := range element {
				if begin, open := strings.CutSuffix(e, "*"); open {
					code := begin[:beginLen]
					c.begins[code] = append(c.begins[code], elementBegin{begin, at})
				} else {
					c.exact[e] = append(c.exact[e], at)
				}
			}
			at++
		}
		c.first = append(c.first, at)
	}
	return c
}

// endings are how words of one stem end, and what the stem may end in.
var endings = []struct {
	end   string
	stems []string
}{
	{"ies", []string{"y"}}, {"ied", []string{"y"}}, {"ing", []string{"", "e"}}, {"ed", []string{"", "e"}},
	{"ation", []string{"e", "ate"}}, {"ion", []string{"", "e"}},
}

// minStem is how long the rest of a word is at least that its ending is taken from.
const minStem = 4

// places are those of the elements of a word as it is, else of its stem: "resolved" stands for "resolve".
func (c *conditionIndex) places(word string) []int {
	if at := c.exact[word]; len(at) > 0 {
		return at
	}
	for _, e := range endings {
		stem, ends := strings.CutSuffix(word, e.end)
		if !ends || len(stem) < minStem {
			continue
		}
		for _, s := range e.stems {
			if at := c.exact[stem+s]; len(at) > 0 {
				return at
			}
		}
	}
	return nil
}

// weights are those of the word in the bag that says most for each element, 0 where there is none.
func (c *conditionIndex) weights(b bag, messages *messageIndex) []float64 {
	most := make([]float64, c.first[len(c.first)-1])
	for w, whole := range b {
		exact := c.places(w)
		var begins []elementBegin
		if whole && len(w) >= beginLen {
			begins = c.begins[w[:beginLen]]
		}
		if len(exact)+len(begins) == 0 {
			continue
		}
		weight := messages.weight(w)
		if !whole {
			weight *= phraseWeight
		}
		for _, at := range exact {
			most[at] = max(most[at], weight)
		}
		for _, e := range begins {
			if strings.HasPrefix(w, e.text) {
				most[e.at] = max(most[e.at], weight)
			}
		}
	}
	return most
}

// conditionOf is the condition whose words are in the bag and say most, nil where there is none.
func (x *index) conditionOf(b bag) (best *Entry) {
	x.conditionOnce.Do(func() { x.conditionIndex = newConditionIndex(x) })
	weights, most := x.conditionIndex.weights(b, theMessages()), 0.0
	for i := range x.conditions {
		if sum := x.conditions[i].sum(weights[x.conditionIndex.first[i]:x.conditionIndex.first[i+1]]); sum > most {
			best, most = x.conditions[i].entry, sum
		}
	}
	return best
}

// consequences are what follows from any other condition, and their words say so much less than theirs.
var consequences = []string{"RDMA is not used", "an error without a reason"}

const consequenceWeight = 0.4

// sum is how much the words say that stand for the elements of a condition, 0 where one of them has none.
func (p *linePattern) sum(weights []float64) (sum float64) {
	for _, w := range weights {
		if w == 0 {
			return 0
		}
		sum += w
	}
	switch {
	case p.entry.raw.general == "":
		sum *= specificWeight
	case slices.Contains(consequences, p.entry.Name):
		sum *= consequenceWeight
	}
	return sum
}
