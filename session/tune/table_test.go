package tune

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// labelFacts are what the labels of variants say, each with the values that the setup must have.
var labelFacts = []struct {
	says string
	has  func(*setup) []int
}{
	{`\b(?:SEND|WRITE|READ|IMM) of (\d+) (?:bytes|KiB)`, func(s *setup) []int { return []int{s.size} }},
	{`across (\d+) MiB`, func(s *setup) []int { return []int{s.span} }},
	{`(\d+) (?:pieces|SGEs)`, func(s *setup) []int { return []int{s.pieces} }},
	{`one in (\d+) signalled`, func(s *setup) []int { return []int{s.signal} }},
	{`(\d+) in a call`, func(s *setup) []int { return []int{s.list} }},
	{`bursts of (\d+) SENDs`, func(s *setup) []int { return []int{s.depth} }},
	{`an event for (\d+) completions or after (\d+) µs`, func(s *setup) []int {
		return []int{int(s.moderation.Count), int(s.moderation.Period)}
	}},
	{`(\d+) outstanding on each of (\d+) QPs`, func(s *setup) []int { return []int{s.depth, s.pairs} }},
	{`(\d+) outstanding(?: on 1 QP)?$`, func(s *setup) []int { return []int{s.depth} }},
	{`on (\d+) QPs`, func(s *setup) []int { return []int{s.pairs} }},
	{`path MTU (\d+)`, func(s *setup) []int { return []int{s.mtu.Bytes()} }},
	{`max_rd_atomic (\d+)`, func(s *setup) []int { return []int{s.rdAtomic} }},
}

// TestLabels: the numbers in a label are those of the variant's setup.
func TestLabels(t *testing.T) {
	matched := make([]bool, len(labelFacts))
	for i := range Experiments {
		e := &Experiments[i]
		for _, v := range []*variant{&e.without, &e.with} {
			for k, f := range labelFacts {
				m := regexp.MustCompile(f.says).FindStringSubmatch(v.label)
				if m == nil {
					continue
				}
				matched[k] = true
				for g, want := range f.has(&v.setup) {
					n, _ := strconv.Atoi(m[g+1])
					for unit, bytes := range map[string]int{"KiB": 1 << 10, "MiB": 1 << 20} {
						if strings.HasSuffix(m[0], unit) {
							n *= bytes
						}
					}
					if n != want {
						t.Errorf("%s: %q has %d in %q", e.Name, v.label, want, m[0])
					}
				}
			}
		}
	}
	for k, f := range labelFacts {
		if !matched[k] {
			t.Errorf("no label says %q", f.says)
		}
	}
}
