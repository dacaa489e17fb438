package export

import (
	"embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// runtimeFiles are the functions that programs call beside those of the libraries,
// each in a file of its name. A program has those that it uses.
//
//go:embed runtime/*.c
var runtimeFiles embed.FS

// snippet is one of these functions.
type snippet struct {
	text     string
	includes []string
}

// pattern returns a regular expression that is compiled when it is first used.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var includeLine = pattern(`(?m)^#include <(.*)>\n`)

// snippets returns all of them by name. They are read when they are first needed: most
// runs export nothing.
var snippets = sync.OnceValue(readSnippets)

func readSnippets() map[string]snippet {
	all := map[string]snippet{}
	entries, err := runtimeFiles.ReadDir("runtime")
	if err != nil {
		panic(err) // embedded in the program
	}
	for _, e := range entries {
		b, err := runtimeFiles.ReadFile("runtime/" + e.Name())
		if err != nil {
			panic(err)
		}
		text := string(b)
		one := snippet{text: strings.TrimSpace(includeLine().ReplaceAllString(text, ""))}
		for _, m := range includeLine().FindAllStringSubmatch(text, -1) {
			one.includes = append(one.includes, m[1])
		}
		all[strings.TrimSuffix(e.Name(), ".c")] = one
	}
	return all
}

// alsoNeeds maps identifiers in a snippet's text to the snippets that define them.
var alsoNeeds = map[string]string{"all_taken": "taken_wc", "number_taken": "taken_wc", "number_cm_events": "cm_events"}

// usedWords lists the identifiers of C text outside of strings and comments.
func usedWords(text string) []string {
	return identifiers().FindAllString(notCode().ReplaceAllString(text, " "), -1)
}

var notCode = pattern(`(?s)"(\\.|[^"\\])*"|'(\\.|[^'\\])+'|/\*.*?\*/`)

// closure returns the snippets that text uses, each after those that it depends on,
// and the headers of all.
func closure(text string) (ordered []string, includes []string) {
	seen := map[string]bool{}
	headers := map[string]bool{}
	var visit func(text string)
	visit = func(text string) {
		words := map[string]bool{}
		for _, w := range usedWords(text) {
			if other := alsoNeeds[w]; other != "" {
				w = other
			}
			words[w] = true
		}
		for _, w := range slices.Sorted(maps.Keys(words)) {
			one, known := snippets()[w]
			if !known || seen[w] {
				continue
			}
			seen[w] = true
			visit(one.text)
			ordered = append(ordered, w)
			for _, h := range one.includes {
				headers[h] = true
			}
		}
	}
	visit(text)
	return ordered, slices.Sorted(maps.Keys(headers))
}
