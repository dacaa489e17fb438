package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

//go:embed harmless.txt
var harmlessText string

// readHarmless returns the reasons of the known harmless mutants by their key.
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

// key returns the name of a mutant in harmless.txt.
func (m *mutant) key() string { return fmt.Sprintf("%s %s: %s", m.path, m.function, m.change) }

// report holds the results of all mutants.
type report struct {
	known     map[string]string
	tallies   []tally
	survivors []string
	harmless  []string
	failing   []string // tests that fail without a change, so they notice nothing
}

// tally counts the mutants of one package.
type tally struct {
	dir                                string
	noticed, hung, survivors, harmless int
}

func (t *tally) counted() int { return t.noticed + t.hung + t.survivors }

func (r *report) of(dir string) *tally {
	for i := range r.tallies {
		if r.tallies[i].dir == dir {
			return &r.tallies[i]
		}
	}
	r.tallies = append(r.tallies, tally{dir: dir})
	return &r.tallies[len(r.tallies)-1]
}

func (r *report) add(m *mutant, v verdict) {
	t := r.of(m.dir())
	switch v {
	case noticed:
		t.noticed++
		return
	case hung:
		t.hung++
		return
	}
	if reason, ok := r.known[m.key()]; ok {
		t.harmless++
		r.harmless = append(r.harmless, m.String()+" # "+reason)
		return
	}
	line := m.String()
	if v == unreached {
		line += " (no test reaches it)"
	}
	t.survivors++
	r.survivors = append(r.survivors, line)
	fmt.Fprintln(os.Stderr, "survived", line)
}

func (r *report) counted() (n int) {
	for i := range r.tallies {
		n += r.tallies[i].counted()
	}
	return n
}

func (r *report) percent() float64 {
	return 100 - 100*float64(len(r.survivors))/float64(max(1, r.counted()))
}

func (r *report) print(w io.Writer, took time.Duration) {
	for _, list := range []struct {
		word  string
		lines []string
	}{{"harmless", r.harmless}, {"survived", r.survivors}, {"left out", r.failing}} {
		for _, line := range list.lines {
			fmt.Fprintln(w, list.word, line)
		}
	}
	for i := range r.tallies {
		t := &r.tallies[i]
		fmt.Fprintf(w, "%-24s %4d tried, %d noticed, %d of them by hanging, %d survived, %d more are harmless\n",
			t.dir, t.counted(), t.noticed+t.hung, t.hung, t.survivors, t.harmless)
	}
	all := r.counted() + len(r.harmless)
	fmt.Fprintf(w, "%d mutants, %.1f %% noticed, %d more known to be harmless, %.1f s each\n",
		r.counted(), r.percent(), len(r.harmless), took.Seconds()/float64(max(1, all)))
}
