package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"strings"
)

//go:embed harmless.txt
var harmlessText string

// readHarmless returns the reasons of known harmless mutants by what String says of them without the line.
func readHarmless() (map[string]string, error) {
	known := map[string]string{}
	for n, line := range strings.Split(harmlessText, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, reason, ok := strings.Cut(line, " # ")
		if !ok {
			return nil, fmt.Errorf("harmless.txt:%d: no reason after ' # '", n+1)
		}
		known[key] = reason
	}
	return known, nil
}

// key is how harmless.txt names a mutant.
func (m *mutant) key() string { return fmt.Sprintf("%s %s: %s", m.path, m.function, m.change()) }

// report is what became of all.
type report struct {
	known     map[string]string
	byGroup   []tally
	survivors []string
	harmless  []string
	broken    int
}

type tally struct {
	group                    *group
	noticed, hung, survivors int
}

func (t *tally) counted() int { return t.noticed + t.hung + t.survivors }

func (r *report) of(g *group) *tally {
	for i := range r.byGroup {
		if r.byGroup[i].group == g {
			return &r.byGroup[i]
		}
	}
	r.byGroup = append(r.byGroup, tally{group: g})
	return &r.byGroup[len(r.byGroup)-1]
}

func (r *report) add(m *mutant, v verdict) {
	t := r.of(m.group)
	switch v {
	case noticed:
		t.noticed++
	case hung:
		t.hung++
	case broken:
		r.broken++
	case survived:
		if reason, ok := r.known[m.key()]; ok {
			r.harmless = append(r.harmless, m.String()+" # "+reason)
			return
		}
		t.survivors++
		r.survivors = append(r.survivors, m.String())
		fmt.Fprintln(os.Stderr, "survived", m)
	}
}

func (r *report) counted() (n int) {
	for i := range r.byGroup {
		n += r.byGroup[i].counted()
	}
	return n
}

func (r *report) percent() float64 {
	return 100 - 100*float64(len(r.survivors))/float64(max(1, r.counted()))
}

func (r *report) print(w io.Writer) {
	for _, line := range r.harmless {
		fmt.Fprintln(w, "harmless", line)
	}
	for _, line := range r.survivors {
		fmt.Fprintln(w, "survived", line)
	}
	for i := range r.byGroup {
		t := &r.byGroup[i]
		fmt.Fprintf(w, "%-8s %4d tried, %d noticed, %d of them by hanging, %d survived\n", t.group.name, t.counted(), t.noticed+t.hung, t.hung, t.survivors)
	}
	fmt.Fprintf(w, "%d mutants, %.1f %% noticed, %d known to be harmless\n", r.counted(), r.percent(), len(r.harmless))
	if r.broken > 0 {
		fmt.Fprintf(w, "%d could not be tried\n", r.broken)
	}
}
