package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
)

// group is a part of what ships, with the packages whose tests must notice a change in it, in addition to the changed
// package's own tests.
type group struct {
	name string
	// under lists directories: the group holds each package below them that no other group names more closely.
	under []string
	then  []string
	// kernel means that some of its tests need a kernel with an RDMA device. On another machine a mutant that no test
	// reaches does not count.
	kernel bool
	texts  bool // it changes the embedded texts, not the code

	dirs  []string // of its packages, each after those that it imports
	files []string // its code or its texts
	lines int
}

// The whole program's tests, ui/program, are in no list: they reach nearly all code and check little of it.
var groups = []*group{
	{name: "wire", under: []string{"verbs/wire"}, then: []string{"./verbs/soft"}},
	{name: "soft", under: []string{"verbs/soft"}, then: []string{"./verbs/soft", "./verbs/soft/cm", "./session",
		"./verbs/verbstest/..."}},
	{name: "native", under: []string{"verbs/native"}, kernel: true},
	{name: "verbs", under: []string{"verbs"}, then: []string{"./verbs/...", "./session/..."}},
	{name: "devices", under: []string{"devices"}, then: []string{"./ui/screen/devices", "./ui/cli"}},
	{
		name:  "bench",
		under: []string{"session/bench", "session/measure", "session/tune", "session/traffic"},
		then:  []string{"./session/command", "./session", "./ui/screen/measure", "./ui/cli"},
	},
	{
		name: "session", under: []string{"session"},
		then: []string{"./session/command", "./session", "./ui/screen/...", "./ui/cli"},
	},
	{name: "ui", under: []string{"ui"}, then: []string{"./ui/screen/...", "./ui"}},
	{name: "cli", under: []string{"ui/cli", "."}},
	{name: "assets", under: []string{"assets"}, then: []string{"./session/...", "./ui/explained"}},
	{
		name: "texts", texts: true, under: []string{"assets/explain"},
		then: []string{"./session/incident", "./ui/explained"},
	},
	{
		name: "scripts", texts: true, under: []string{"assets/lab", "assets/scenarios"},
		then: []string{"./session/lab", "./session/scenario", "./session"},
	},
}

// leastPart is the least number of mutants of a group, as far as all groups can have it.
const leastPart = 10

// parts shares n mutants among groups by their lines, with a least number for each.
func parts(n int, among []*group) map[*group]int {
	least, lines := min(leastPart, n/len(among)), 0
	for _, g := range among {
		lines += g.lines
	}
	shares := map[*group]int{}
	// What the smallest ones get in addition to their share is taken from the larger ones.
	bySize := slices.SortedStableFunc(slices.Values(among), func(a, b *group) int { return a.lines - b.lines })
	for _, g := range bySize {
		shares[g] = max(least, (n*g.lines+lines/2)/max(1, lines))
		n, lines = n-shares[g], lines-g.lines
	}
	return shares
}

// fill gives each group its part of the packages that the program consists of.
func fill(ctx context.Context, groups []*group) error {
	lines, err := listed(ctx, `{{.ImportPath}}{{range .GoFiles}}={{.}}{{end}}{{range .EmbedFiles}}={{.}}{{end}}`,
		"-deps", ".")
	if err != nil {
		return err
	}
	for _, line := range lines {
		fields := strings.Split(line, "=")
		dir, ours := strings.CutPrefix(fields[0]+"/", modulePath+"/")
		if !ours {
			continue
		}
		dir = path.Clean(dir)
		for _, name := range fields[1:] {
			if err := holder(groups, dir, name).hold(dir, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// holder returns the group of a file, or nil.
func holder(groups []*group, dir, name string) (found *group) {
	closest, dir := -1, path.Dir(path.Join(dir, name)) // an embedded file may be below its package
	for _, g := range groups {
		if g.texts != (path.Ext(name) != ".go") {
			continue
		}
		for _, under := range g.under {
			if (dir == under || strings.HasPrefix(dir, under+"/")) && len(under) > closest {
				found, closest = g, len(under)
			}
		}
	}
	return found
}

// hold adds a file to the group.
func (g *group) hold(dir, name string) error {
	if g == nil {
		if path.Ext(name) == ".go" {
			return fmt.Errorf("no group holds %s", path.Join(dir, name))
		}
		return nil // an embedded file that is no text: part of the exporter
	}
	if !slices.Contains(g.dirs, dir) {
		g.dirs = append(g.dirs, dir)
	}
	if !g.texts && !behaviour(name) {
		return nil
	}
	file := path.Join(dir, name)
	text, err := os.ReadFile(file)
	g.files = append(g.files, file)
	g.lines += codeLines(text)
	return err
}

// codeLines counts the lines that are neither blank nor a comment.
func codeLines(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
			n++
		}
	}
	return n
}

// load reads the group's packages.
func (g *group) load(ctx context.Context) (sources []*source, err error) {
	if g.texts {
		return nil, nil
	}
	for _, dir := range g.dirs {
		s, err := load(ctx, dir)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// candidate is a mutant that may not compile.
type candidate struct {
	mutant
	*source // nil for a text
}

// candidates returns all mutants of the group.
func (g *group) candidates(sources []*source) (all []candidate, err error) {
	add := func(s *source, mutants []mutant) {
		for _, m := range mutants {
			m.group = g
			all = append(all, candidate{m, s})
		}
	}
	if g.texts {
		mutants, err := falseFacts(g.dirs, g.files)
		add(nil, mutants)
		return all, err
	}
	for _, s := range sources {
		for _, path := range s.paths() {
			if behaviour(path) {
				add(s, s.mutantsOf(path))
			}
		}
	}
	return all, nil
}

// choose returns the first n mutants that compile, in the order that the seed determines.
func (g *group) choose(ctx context.Context, sources []*source, n int, seed uint64) (chosen []*mutant, err error) {
	all, err := g.candidates(sources)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := 0; i < len(all) && len(chosen) < n && ctx.Err() == nil; i++ {
		m := &all[i].mutant
		m.number = 1
		if s := all[i].source; s == nil || s.compiles(m, chosen) {
			chosen = append(chosen, m)
		}
	}
	for i, m := range chosen {
		m.number = i + 1
	}
	return chosen, nil
}

// behaviour reports whether a file is code that the tests of this platform run.
func behaviour(file string) bool {
	name := strings.TrimSuffix(path.Base(file), ".go")
	return !slices.ContainsFunc([]string{"_table", "_string", "doc"}, func(end string) bool {
		return strings.HasSuffix(name, end)
	})
}
