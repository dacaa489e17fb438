package scenario

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"rdmatui/assets/scenarios"
	"rdmatui/session/script"
)

// NewScript fills in the scenario's script. The objects that it makes are called
// as there, or all of them NAME-… where one of those names is taken.
func (p *Params) NewScript(taken func(name string) bool) (*script.Script, error) {
	_, source, err := p.source()
	if err != nil {
		return nil, err
	}
	sc, err := p.Fill(source)
	if err != nil {
		return nil, err
	}
	names := sc.Names()
	clash := func(prefix string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return taken(prefix + n) })
	}
	if !clash("") {
		return sc, nil
	}
	prefix := p.Name + "-"
	for i := 2; clash(prefix); i++ {
		prefix = fmt.Sprintf("%s%d-", p.Name, i)
	}
	return p.Fill(renamed(source, names, prefix))
}

// source is the template: its head, and the lines below.
func (p *Params) source() (head, lines string, err error) {
	source, err := fs.ReadFile(scenarios.Files, p.Name+".rdma")
	head, lines, _ = strings.Cut(string(source), "\n\n")
	if err == nil && lines == "" {
		err = fmt.Errorf("the script of %s has no head", p.Name)
	}
	return head, lines, err
}

func (p *Params) execute(source string) (string, error) {
	t, err := template.New(p.Name).Parse(source)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = t.Execute(&text, *p)
	return text.String(), err
}

// Fill fills in the parameters.
func (p *Params) Fill(source string) (*script.Script, error) {
	text, err := p.execute(source)
	if err != nil {
		return nil, err
	}
	return script.Parse(text)
}

// literal is what no name stands in: an action of the template, or a quoted text.
var literal = regexp.MustCompile(`\{\{.*?\}\}|"[^"]*"`)

// renamed puts a prefix before the names of objects in a template. One that an
// action numbers, such as conn{{.}}, is known by what stands before the number.
func renamed(source string, names []string, prefix string) string {
	known := map[string]bool{}
	for _, n := range names {
		known[n], known[strings.TrimRight(n, "0123456789")] = true, true
	}
	var out strings.Builder
	for line := range strings.Lines(source) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			out.WriteString(line)
			continue
		}
		at := 0
		for _, span := range literal.FindAllStringIndex(line, -1) {
			out.WriteString(renameWords(line[at:span[0]], known, prefix))
			out.WriteString(line[span[0]:span[1]])
			at = span[1]
		}
		out.WriteString(renameWords(line[at:], known, prefix))
	}
	return out.String()
}

// lineWord is a word of a line, with the sign that makes it an argument's name.
var lineWord = regexp.MustCompile(`[A-Za-z0-9_]+=?`)

func renameWords(text string, known map[string]bool, prefix string) string {
	return lineWord.ReplaceAllStringFunc(text, func(word string) string {
		if known[word] {
			return prefix + word
		}
		return word
	})
}
