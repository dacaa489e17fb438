package scenario

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"text/template"

	"rdmatui/assets"
	"rdmatui/session/command"
	"rdmatui/session/script"
)

// NewScript fills in the scenario's script. The objects that it makes are called
// as there, or all of them NAME-… where one of those names is taken.
func (p *Params) NewScript(taken func(name string) bool) (*script.Script, error) {
	_, source, err := p.source()
	if err != nil {
		return nil, err
	}
	text, err := p.execute(source)
	if err != nil {
		return nil, err
	}
	sc, err := script.Parse(text)
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
	return script.Parse(renamed(text, names, prefix))
}

// source is the template: its head, and the lines below.
func (p *Params) source() (head, lines string, err error) {
	source, err := fs.ReadFile(assets.Scenarios, p.Name+".rdma")
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

// renamed puts a prefix before the names of the script's own objects. An exchange of several queue pairs makes the
// peers NAME-1, NAME-2 and so on.
func renamed(text string, names []string, prefix string) string {
	rename := func(name string) string {
		stem := name[:max(strings.LastIndexByte(name, '-'), 0)]
		if slices.Contains(names, name) || slices.Contains(names, stem) {
			return prefix + name
		}
		return name
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.CutSuffix(line, "\n")
		cmd, err := command.Parse(line)
		if err == nil { // otherwise the error comes when it is carried out
			line = cmd.Renamed(rename)
		}
		out.WriteString(line)
		if end {
			out.WriteByte('\n')
		}
	}
	return out.String()
}
