package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Environment variables that tell a running test which mutant is selected, and where to record the mutants that it
// reaches.
const (
	chosenEnv  = "RDMATUI_MUTANT"
	reachedEnv = "RDMATUI_MUTANTS_REACHED"
)

// helperName is the file that the overlay adds to each changed package.
const helperName = "mutant_is.go"

// helperImports are the imports of the helper.
var helperImports = []string{"os", "strconv", "sync/atomic"}

// helper returns the content of that file: its mutantIs reports whether a mutant is the selected one. It renames its
// imports, because the package's tests may use their names.
func (s *source) helper(mutants int) []byte {
	return fmt.Appendf(nil, `package %s

import (
	mutantOS "os"
	mutantStrconv "strconv"
	mutantAtomic "sync/atomic"
)

var mutantChosen, _ = mutantStrconv.Atoi(mutantOS.Getenv(%q))
var mutantsReached = mutantOS.Getenv(%q)
var mutantReached [%d]mutantAtomic.Bool

func mutantIs(number int) bool {
	if mutantsReached != "" && !mutantReached[number].Swap(true) {
		if f, err := mutantOS.OpenFile(mutantsReached, mutantOS.O_APPEND|mutantOS.O_CREATE|mutantOS.O_WRONLY, 0o600); err == nil {
			f.WriteString(mutantStrconv.Itoa(number) + "\n")
			f.Close()
		}
	}
	return number == mutantChosen
}
`, s.name, chosenEnv, reachedEnv, mutants+1)
}

// beside returns a file with each mutant beside the code that it replaces, and a call of mutantIs that selects one of
// the two. So one build serves all mutants.
func beside(text []byte, mutants []*mutant) []byte {
	mutants = slices.SortedFunc(slices.Values(mutants), func(a, b *mutant) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var b strings.Builder
	writeBeside(&b, text, 0, len(text), mutants)
	return []byte(b.String())
}

func writeBeside(b *strings.Builder, text []byte, from, to int, mutants []*mutant) {
	for len(mutants) > 0 {
		m := mutants[0]
		after := slices.IndexFunc(mutants, func(other *mutant) bool { return other.start >= m.end })
		if after < 0 {
			after = len(mutants)
		}
		before, end := fmt.Sprintf("if mutantIs(%d) { %s } else { ", m.number, m.to), " }"
		if m.kind != "" {
			before, end = fmt.Sprintf("func() %s { if mutantIs(%d) { return %s }; return ", m.kind, m.number, m.to),
				" }()"
		}
		b.Write(text[from:m.start])
		b.WriteString(before)
		writeBeside(b, text, m.start, m.end, mutants[1:after])
		b.WriteString(end)
		from, mutants = m.end, mutants[after:]
	}
	b.Write(text[from:to])
}

// overlay writes the changed files and the overlay list for the go command (go help build).
func overlay(dir string, sources []*source, mutants []*mutant) (string, error) {
	over := map[string]string{}
	write := func(path string, text []byte) error {
		at, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		over[at] = filepath.Join(dir, fmt.Sprintf("%d.go", len(over)))
		return os.WriteFile(over[at], text, 0o600)
	}
	for _, s := range sources {
		if err := write(filepath.Join(s.dir, helperName), s.helper(len(mutants))); err != nil {
			return "", err
		}
		for _, path := range s.paths() {
			own := slices.DeleteFunc(slices.Clone(mutants), func(m *mutant) bool { return m.path != path })
			if len(own) == 0 {
				continue
			}
			if err := write(path, beside(s.text[path], own)); err != nil {
				return "", err
			}
		}
	}
	list := filepath.Join(dir, "overlay.json")
	return list, writeOverlay(list, over)
}

// writeOverlay writes the list of replaced files, which is named list itself.
func writeOverlay(list string, over map[string]string) error {
	text, err := json.Marshal(map[string]map[string]string{"Replace": over})
	if err != nil {
		return err
	}
	return os.WriteFile(list, text, 0o600)
}
