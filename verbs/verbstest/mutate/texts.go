package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	entryLine = regexp.MustCompile(`(?m)^\[(\w+)\]( \S+)?$`)
	word      = regexp.MustCompile(`[\w.]*\w`)
	manPage   = regexp.MustCompile(`\w\($`)
)

// falseFacts finds every number and every name of an enumeration in the facts of the texts in the packages dirs. A
// number becomes the next one, a name the next of its enumeration.
func falseFacts(dirs, files []string) (found []mutant, err error) {
	texts := map[string][]byte{}
	next := map[string]string{}
	for _, file := range files {
		if texts[file], err = os.ReadFile(file); err != nil {
			return nil, err
		}
		nextNames(texts[file], next)
	}
	for _, file := range files {
		dir := path.Dir(file)
		for !slices.Contains(dirs, dir) {
			dir = path.Dir(dir)
		}
		for _, m := range factsOf(file, texts[file], next) {
			m.dir = dir
			found = append(found, m)
		}
	}
	return found, nil
}

// nextNames maps each numbered entry of a file of explanations to the following one.
func nextNames(text []byte, next map[string]string) {
	var names []string
	for _, m := range entryLine.FindAllSubmatch(text, -1) {
		if len(m[2]) > 0 {
			names = append(names, string(m[1]))
		}
	}
	for i, name := range names {
		if by := names[(i+1)%len(names)]; by != name {
			next[name] = by
		}
	}
}

// factsOf finds the changes of one text. In an explanation these are all lines but comments and citations, in a script
// the comments and what it expects: its other numbers are choices.
func factsOf(file string, text []byte, next map[string]string) (found []mutant) {
	at, line, entry, field := 0, 0, "", ""
	for l := range bytes.Lines(text) {
		line++
		start := at
		at += len(l)
		s := strings.TrimRight(string(l), "\n")
		if head := entryLine.FindStringSubmatch(s); head != nil {
			entry, field = head[1], ""
		} else if key, _, ok := strings.Cut(s, ":"); ok && !strings.HasPrefix(s, " ") {
			field = key
		}
		if path.Ext(file) == ".txt" {
			if strings.HasPrefix(s, "#") || field == "source" {
				continue
			}
		} else if !strings.HasPrefix(s, "#") && !strings.HasPrefix(s, "expect ") || field == "# clause" {
			continue
		}
		for _, in := range word.FindAllStringIndex(s, -1) {
			from := s[in[0]:in[1]]
			to, ok := next[from]
			if n, err := strconv.ParseUint(from, 10, 32); err == nil && !manPage.MatchString(s[:in[0]]) {
				to, ok = strconv.FormatUint(n+1, 10), true
			}
			if ok {
				found = append(found, mutant{path: file, line: line, function: entry, to: to,
					start: start + in[0], end: start + in[1],
					change: strings.TrimSpace(fmt.Sprintf("%s[%s -> %s]%s", s[:in[0]], from, to, s[in[1]:]))})
			}
		}
	}
	return found
}

// with returns the suite built with a changed text in place of the original.
func (s *suite) with(m *mutant, dir string) (*suite, error) {
	text, err := os.ReadFile(m.path)
	if err != nil {
		return nil, err
	}
	original, err := filepath.Abs(m.path)
	if err != nil {
		return nil, err
	}
	in := filepath.Join(dir, "text"+strconv.Itoa(m.number))
	changed := &suite{pkg: s.pkg, dir: s.dir, tests: s.tests, unchanged: s, binary: in + ".test", overlay: in + ".json"}
	if err := os.WriteFile(in+path.Ext(m.path), m.changed(text), 0o600); err != nil {
		return nil, err
	}
	return changed, writeOverlay(changed.overlay, map[string]string{original: in + path.Ext(m.path)})
}
