package main

import (
	_ "embed"
	"fmt"
	"io"
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
	kernel    bool // a kernel with an RDMA device is here, so all tests run
	tallies   []tally
	survivors []string
	harmless  []string
	elsewhere []string // no test that runs on this machine reaches them
	failing   []string // tests that fail without a change, so they notice nothing
}

// tally counts the mutants of one package.
type tally struct {
	group, dir                                    string
	noticed, hung, survivors, harmless, elsewhere int
}

func (t *tally) counted() int { return t.noticed + t.survivors }

func (t *tally) percent() float64 { return 100 * float64(t.noticed) / float64(max(1, t.counted())) }

// add adds the numbers of another tally.
func (t *tally) add(o *tally) {
	t.noticed += o.noticed
	t.hung += o.hung
	t.survivors += o.survivors
	t.harmless += o.harmless
	t.elsewhere += o.elsewhere
}

func (t *tally) print(w io.Writer, name string) {
	fmt.Fprintf(w, "%-26s %5.1f %%: %d of %d noticed, %d of them by hanging, %d survived", name, t.percent(), t.noticed,
		t.counted(), t.hung, t.survivors)
	for _, more := range []struct {
		n    int
		what string
	}{{t.harmless, "harmless"}, {t.elsewhere, "not reached on this machine"}} {
		if more.n > 0 {
			fmt.Fprintf(w, "; %d more %s", more.n, more.what)
		}
	}
	fmt.Fprintln(w)
}

func (r *report) of(m *mutant) *tally {
	for i := range r.tallies {
		if t := &r.tallies[i]; t.group == m.group.name && t.dir == m.dir {
			return t
		}
	}
	r.tallies = append(r.tallies, tally{group: m.group.name, dir: m.dir})
	return &r.tallies[len(r.tallies)-1]
}

func (r *report) add(m *mutant) {
	t := r.of(m)
	switch m.verdict {
	case hung:
		t.hung++
		fallthrough
	case noticed:
		t.noticed++
		return
	}
	line := m.String()
	if reason, ok := r.known[m.key()]; ok {
		t.harmless++
		r.harmless = append(r.harmless, line+" # "+reason)
		return
	}
	if m.verdict == unreached && m.group.kernel && !r.kernel {
		t.elsewhere++
		r.elsewhere = append(r.elsewhere, line)
		return
	}
	if m.verdict == unreached {
		line += " (no test reaches it)"
	}
	t.survivors++
	r.survivors = append(r.survivors, line)
}

// total sums up the packages of a group, or of all for "".
func (r *report) total(group string) (sum tally) {
	for i := range r.tallies {
		if group == "" || r.tallies[i].group == group {
			sum.add(&r.tallies[i])
		}
	}
	return sum
}

func (r *report) print(w io.Writer, took time.Duration) {
	for _, list := range []struct {
		word  string
		lines []string
	}{
		{"harmless", r.harmless}, {"not reached on this machine", r.elsewhere}, {"survived", r.survivors},
		{"left out", r.failing},
	} {
		for _, line := range list.lines {
			fmt.Fprintln(w, list.word, line)
		}
	}
	for i := range r.tallies {
		r.tallies[i].print(w, r.tallies[i].dir)
	}
	for _, g := range groups {
		if sum := r.total(g.name); sum != (tally{}) {
			sum.print(w, "group "+g.name)
		}
	}
	sum := r.total("")
	sum.print(w, "total")
	all := sum.counted() + sum.harmless + sum.elsewhere
	fmt.Fprintf(w, "%d mutants, %.1f s each\n", all, took.Seconds()/float64(max(1, all)))
}
