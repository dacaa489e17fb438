package lab

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"rdmatui/assets"
)

// Rule is a sentence of the specification that is tried on a device, with a script of its own.
type Rule struct {
	Name   string // AREA/NAME
	Says   string // what must hold
	Source string // where the specification, the kernel or a man page says so

	needs   []need
	differs []difference
	file    string // all of it
	script  string // the template of the script
}

var loadRules = sync.OnceValues(func() ([]*Rule, error) { return ReadRules(assets.Lab) })

// Rules returns all rules, sorted by name.
func Rules() ([]*Rule, error) { return loadRules() }

// RuleNames lists all rules without reading a file.
func RuleNames() []string { return assets.RuleNames() }

// Areas lists what rules are about, sorted, without reading a file.
func Areas() (areas []string) {
	for _, name := range RuleNames() {
		area, _, _ := strings.Cut(name, "/")
		if !slices.Contains(areas, area) {
			areas = append(areas, area)
		}
	}
	return areas
}

// AllRules is the word for all rules in place of an area.
const AllRules = "rules"

// FindRules returns the rule of that name, or all rules of the area of that name, or of AllRules.
func FindRules(name string) ([]*Rule, error) {
	all, err := loadRules()
	if err != nil {
		return nil, err
	}
	var found []*Rule
	for _, r := range all {
		if r.Name == name || r.Area() == name || name == AllRules {
			found = append(found, r)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("there is no rule or area %q; 'rdmatui lab --rules --list' lists them", name)
	}
	return found, nil
}

// ReadRules returns the rules of a folder of the form that assets/lab tells.
func ReadRules(files fs.FS) ([]*Rule, error) {
	return readAll(files, assets.Rules+"/", "*/*", ParseRule)
}

// ParseRule reads a rule from its file.
func ParseRule(name, text string) (*Rule, error) {
	r := &Rule{Name: name, file: text}
	var err error
	if r.script, err = readHead(text, r.take); err != nil {
		return nil, err
	}
	if r.Says == "" || r.Source == "" {
		return nil, fmt.Errorf("the head lacks a rule or a source")
	}
	if n := strings.Count("\n"+r.script, "\n"+partMark+Judging.String()+"\n"); n != 1 {
		return nil, fmt.Errorf("the script has %d lines %q, not one", n, partMark+Judging.String())
	}
	return r, nil
}

// take takes one entry of the head.
func (r *Rule) take(key, value string) error {
	switch key {
	case "rule":
		r.Says = value
	case "source":
		r.Source = value
	case "needs":
		for word := range strings.FieldsSeq(value) {
			n, err := readNeed(word)
			if err != nil {
				return err
			}
			r.needs = append(r.needs, n)
		}
	case "differs":
		d, result, err := readDifference(value)
		if err != nil {
			return err
		}
		if d.value = result; strings.Contains(result, " ") {
			return fmt.Errorf("the result %q of a difference is not one word", result)
		}
		r.differs = append(r.differs, d)
	default:
		return fmt.Errorf("a head of a rule has no entry %q", key)
	}
	return nil
}

// With is the rule with some of its file's text replaced, as strings.NewReplacer does: another rule.
func (r *Rule) With(oldnew ...string) (*Rule, error) {
	return ParseRule(r.Name, strings.NewReplacer(oldnew...).Replace(r.file))
}

// Area is what the rule is about: "mr", "cq".
func (r *Rule) Area() string {
	area, _, _ := strings.Cut(r.Name, "/")
	return area
}

// Script is the script for a place.
func (r *Rule) Script(at Place) (string, error) { return expand(r.Name, r.script, at) }

// difference returns why a driver is known to show a result, nil if it is not.
func (r *Rule) difference(driver Driver, result string) *difference {
	i := slices.IndexFunc(r.differs, func(d difference) bool { return d.isOf(driver) && d.value == result })
	if i < 0 {
		return nil
	}
	return &r.differs[i]
}
