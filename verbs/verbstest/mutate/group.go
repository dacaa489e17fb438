package main

import (
	"context"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
)

// group is a part of the tree with the packages whose tests must notice a change in it, in addition to the changed
// package's own tests.
type group struct {
	name string
	dirs []string
	then []string
}

var groups = []group{
	{"wire", []string{"verbs/wire", "verbs/wire/mad"}, []string{"./verbs/soft"}},
	{"soft", []string{"verbs/soft", "verbs/soft/internal/object", "verbs/soft/transport",
		"verbs/soft/mem", "verbs/soft/cm", "verbs/soft/link", "verbs/soft/internal/mmsg"},
		[]string{"./verbs/soft", "./session", "./verbs/verbstest/..."}},
	{"session", []string{"session", "session/core", "session/core/coretest", "session/ccall",
		"session/device", "session/region",
		"session/queue", "session/post", "session/bringup", "session/packets", "session/cm", "session/traffic",
		"session/perftest", "session/bench", "session/measure", "session/tune",
		"session/script", "session/scenario", "session/labrun", "session/command",
		"session/command/syntax", "session/timeline", "session/oob", "session/capture",
		"session/conversation", "session/filter", "session/bothends", "session/trace", "session/recorder",
		"session/stages", "session/lab",
		"session/export", "session/incident", "session/preflight", "session/world"},
		[]string{"./session/command", "./session", "./ui/..."}},
	{"devices", []string{"devices"}, []string{"./ui/screen/devices", "./ui/cli"}},
}

// load reads the group's packages.
func (g *group) load(ctx context.Context) (sources []*source, err error) {
	for _, dir := range g.dirs {
		s, err := load(ctx, dir)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// choose returns the first n mutants that compile, in the order that the seed determines.
func (g *group) choose(ctx context.Context, sources []*source, n int, seed uint64) (chosen []*mutant) {
	type candidate struct {
		*source
		mutant
	}
	var all []candidate
	for _, s := range sources {
		for _, path := range s.paths() {
			if !behaviour(path) {
				continue
			}
			for _, m := range s.mutantsOf(path) {
				m.group = g
				all = append(all, candidate{s, m})
			}
		}
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := 0; i < len(all) && len(chosen) < n && ctx.Err() == nil; i++ {
		all[i].number = 1
		if all[i].compiles(&all[i].mutant, chosen) {
			chosen = append(chosen, &all[i].mutant)
		}
	}
	return chosen
}

// behaviour reports whether a file is code that the tests of this platform run.
func behaviour(file string) bool {
	name := strings.TrimSuffix(path.Base(file), ".go")
	return !slices.ContainsFunc([]string{"_table", "_string", "doc"}, func(end string) bool {
		return strings.HasSuffix(name, end)
	})
}
