package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// group is a part of the tree, and the packages whose tests should notice a change in it beside the changed one's own.
type group struct {
	name string
	dirs []string
	then []string
}

var groups = []group{
	{"wire", []string{"verbs/wire"}, []string{"./verbs/soft"}},
	{"soft", []string{"verbs/soft", "verbs/soft/link"}, []string{"./verbs/soft", "./session", "./verbs/verbstest/..."}},
	{"session", []string{"session", "session/command", "session/timeline", "session/oob", "session/capture", "session/lab", "session/export"},
		[]string{"./session", "./ui/...", "."}},
	{"devices", []string{"devices"}, []string{"./ui/screen/devices", "./ui/cli"}},
}

// find returns the mutants of each group, or of one.
func find(groups []group, only string) (all [][]mutant, err error) {
	for i := range groups {
		g := &groups[i]
		if only != "" && only != g.name {
			continue
		}
		var found []mutant
		for _, dir := range g.dirs {
			paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
			if err != nil {
				return nil, err
			}
			for _, path := range paths {
				if !behaviour(path) {
					continue
				}
				src, err := os.ReadFile(path)
				if err != nil {
					return nil, err
				}
				mutants, err := mutantsOf(path, src)
				if err != nil {
					return nil, err
				}
				for m := range mutants {
					mutants[m].group = g
				}
				found = append(found, mutants...)
			}
		}
		all = append(all, found)
	}
	return all, nil
}

// behaviour reports whether a file is code that the tests of this platform run.
func behaviour(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".go")
	return !slices.ContainsFunc([]string{"_test", "_table", "_other", "_string", "doc"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// choose puts the mutants in the order in which the seed takes them: each group in turn, so that a small one has as many as a large one.
func choose(all [][]mutant, seed uint64) (chosen []mutant) {
	random := rand.New(rand.NewPCG(seed, 0))
	left := 0
	for _, mutants := range all {
		random.Shuffle(len(mutants), func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })
		left += len(mutants)
	}
	for at := 0; len(chosen) < left; at++ {
		for _, mutants := range all {
			if at < len(mutants) {
				chosen = append(chosen, mutants[at])
			}
		}
	}
	return chosen
}
