package tune

import (
	"encoding/json"
	"math"
	"slices"
)

// Verdict is the outcome of an experiment.
type Verdict uint8

// Verdicts.
const (
	Same        Verdict = iota // no difference beyond noise
	Better                     // the technique helps
	Worse                      // the technique costs
	Unavailable                // the device or the host lacks what the technique needs
	Failed                     // the measurement failed
)

var verdicts = [...]string{"no difference beyond noise", "better", "worse", "not available", "failed"}

// String returns the verdict in words.
func (v Verdict) String() string { return verdicts[v] }

// MarshalJSON encodes the words.
func (v Verdict) MarshalJSON() ([]byte, error) { return json.Marshal(v.String()) }

// Summary describes the values of turns.
type Summary struct {
	Median        float64 `json:"median"`
	LowerQuartile float64 `json:"lower_quartile"`
	UpperQuartile float64 `json:"upper_quartile"`
}

// summarize returns the summary of values, which must not be empty.
func summarize(values []float64) Summary {
	sorted := slices.Sorted(slices.Values(values))
	return Summary{quantile(sorted, 0.5), quantile(sorted, 0.25), quantile(sorted, 0.75)}
}

// quantile returns the value below which the share p of the sorted values lies. It
// interpolates between neighbours.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// margin is the smallest relative difference that counts.
const margin = 0.15

// Rule explains the verdicts.
const Rule = "Both variants take turns. The value of a turn is the best of 12 short measurements, since other programs " +
	"on the host only make them worse; events are counted over all 12. Each turn without the technique is compared " +
	"with the turn with it of the same time, which cancels slow changes of the host. The technique is better or worse " +
	"if the median of these ratios differs from 1 by at least 15 % and a sign test finds, at the level of 1 %, that " +
	"most of them lie on that side of 1. There are 13 pairs of turns, and up to 41 where the result is not yet clear."

// comparison is what the turns of both variants say.
type comparison struct {
	change  Summary // of the ratios with/without, minus 1
	verdict Verdict
	unclear bool // more turns may change the verdict
}

// compare compares the values of turns in pairs. less: small values are good.
func compare(without, with []float64, less bool) comparison {
	ratios := make([]float64, min(len(without), len(with)))
	above, below := 0, 0
	for i := range ratios {
		switch ratios[i] = ratio(with[i], without[i]); {
		case ratios[i] > 1:
			above++
		case ratios[i] < 1:
			below++
		}
	}
	r := summarize(ratios)
	size, others, better := r.Median, below, !less
	if r.Median < 1 {
		size, others, better = 1/r.Median, above, less
	}
	certain := others <= strays(len(ratios))
	c := comparison{change: Summary{r.Median - 1, r.LowerQuartile - 1, r.UpperQuartile - 1}}
	if certain && size >= 1+margin {
		c.verdict = Worse
		if better {
			c.verdict = Better
		}
	}
	c.unclear = size > 1+margin/3 && (!certain || size < 1+2*margin)
	return c
}

// mostRatio bounds a ratio, which a turn without a single event would make infinite.
const mostRatio = 1000

// ratio returns with/without, from 1/mostRatio to mostRatio. Two equal values, 0 among
// them, give 1.
func ratio(with, without float64) float64 {
	if with == without {
		return 1
	}
	return min(max(with/without, 1.0/mostRatio), mostRatio)
}

// strays returns how many of n ratios may lie on the other side of 1 than the rest. If
// both sides were equally likely, so few would occur in 1 % of all cases at most. −1:
// n is too small.
func strays(n int) int {
	const level = 0.01
	term := math.Pow(0.5, float64(n)) // of the binomial distribution
	k := -1
	for sum := 2 * term; sum <= level; sum += 2 * term {
		k++
		term *= float64(n-k) / float64(k+1)
	}
	return k
}
