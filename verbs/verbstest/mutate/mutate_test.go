package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const sample = `package p

func f(a, b int) bool {
	if a < b && b != 7 {
		g(a)
		mu.Lock()
		a += 1
		b = a
		return true
	}
	return false
}

func (x T) String() string { return "a" + "b" }
`

func TestMutantsOf(t *testing.T) {
	mutants, err := mutantsOf("p.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range mutants {
		got = append(got, mutants[i].change())
		if string(mutants[i].changed()) == sample {
			t.Errorf("%s changes nothing", &mutants[i])
		}
	}
	slices.Sort(got)
	want := []string{
		"!= -> ==", "&& -> ||", "+= -> -=", "1 -> 2", "7 -> 8", "< -> <=",
		"a < b && b != 7 -> false && (a < b && b != 7)", "a < b && b != 7 -> true || (a < b && b != 7)",
		"false -> true", "true -> false", "without b = a", "without g(a)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// TestChoice: the same seed chooses the same, from each group in turn.
func TestChoice(t *testing.T) {
	all := func() [][]mutant {
		groups := [][]mutant{make([]mutant, 50), make([]mutant, 3)}
		for g := range groups {
			for i := range groups[g] {
				groups[g][i] = mutant{path: string(rune('a' + g)), line: i}
			}
		}
		return groups
	}
	name := func(mutants []mutant) string {
		var b strings.Builder
		for i := range mutants {
			b.WriteString(mutants[i].String() + "\n")
		}
		return b.String()
	}
	first := choose(all(), 1)
	if len(first) != 53 || name(first) != name(choose(all(), 1)) || name(first) == name(choose(all(), 2)) {
		t.Errorf("%d chosen, or not by the seed", len(first))
	}
	if small := name(first[:6]); strings.Count(small, "b:") != 3 {
		t.Errorf("the small group does not come in turn:\n%s", small)
	}
}

// TestTrial: a change that a test sees is noticed, one that does not compile does not count, one that changes nothing survives.
func TestTrial(t *testing.T) {
	t.Chdir("../../..")
	g := &group{name: "own"}
	path := "verbs/verbstest/mutate/testdata/sample/sample.go"
	all, err := find([]group{{name: "own", dirs: []string{"verbs/verbstest/mutate/testdata/sample"}}}, "own")
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	want := map[string]verdict{"> -> >=": survived, "+ -> -": noticed, "+ -> - text": refused}
	seen := 0
	for i := range all[0] {
		m := &all[0][i]
		m.group = g
		key := m.change()
		if m.function == "text" {
			key += " text"
		}
		w, ok := want[key]
		if !ok {
			continue
		}
		seen++
		if got := m.try(t.Context(), time.Minute); got != w || m.path != path {
			t.Errorf("%s: verdict %d, want %d", m, got, w)
		}
	}
	if seen != len(want) {
		t.Errorf("%d of %d changes were found", seen, len(want))
	}
}

func TestHarmlessHaveReasons(t *testing.T) {
	if _, err := readHarmless(); err != nil {
		t.Error(err)
	}
}
