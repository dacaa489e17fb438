package explain

import "strings"

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

// weights are those of the word in the bag that says most for each element, 0 where there is none.
func (c *conditionIndex) weights(b bag, messages *messageIndex) []float64 {
	most := make([]float64, c.first[len(c.first)-1])
	for w, whole := range b {
		exact := c.exact[w]
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

// sum is how much the words say that stand for the elements of a condition, 0 where one of them has none.
func (p *linePattern) sum(weights []float64) (sum float64) {
	for _, w := range weights {
		if w == 0 {
			return 0
		}
		sum += w
	}
	if p.entry.raw.general == "" {
		sum *= specificWeight
	}
	return sum
}
