// Package lab knows the failures that can be made on purpose: what each is, what the
// specification says of it, and how what happened compares with that. It carries them out
// in sessions of their own.
package lab

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"rdmatui/assets"
)

// Experiment is a failure made on purpose. By convention a is the queue pair that
// requests and b the one that responds.
type Experiment struct {
	Name   string
	Title  string // what is done
	Expect string // what will be seen, in words
	Says   string // what the specification says
	Clause string // where it does

	specified map[string]string // alternatives, by what is observed
	differs   []difference
	file      string // all of it
	source    string // the template of the script
}

// What is observed, in the order in which it is told; the states of queue pairs follow,
// by name.
const (
	Refused   = "refused"   // the errno of the calls that failed, None without one
	Requester = "requester" // the statuses of a's completions
	Responder = "responder" // those of b's
	Event     = "event"     // the asynchronous events
)

// None is observed where nothing happened, Any is specified where anything may.
const (
	None = "none"
	Any  = "any"
)

var observed = []string{Refused, Requester, Responder, Event}

// ends are the queue pairs of an experiment.
var ends = []string{"a", "b"}

var load = sync.OnceValues(func() ([]*Experiment, error) { return Read(assets.Lab) })

// Experiments returns all of them by name.
func Experiments() ([]*Experiment, error) { return load() }

// Find returns the experiment of that name.
func Find(name string) (*Experiment, error) {
	all, err := load()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(e *Experiment) bool { return e.Name == name }); i >= 0 {
		return all[i], nil
	}
	return nil, fmt.Errorf("there is no experiment %q; 'rdmatui lab' lists them", name)
}

// Names lists all experiments without reading a file.
func Names() []string { return assets.ExperimentNames() }

// Read returns the experiments of a folder of the form that assets/lab tells.
func Read(files fs.FS) ([]*Experiment, error) { return readAll(files, "", "*", Parse) }

// Parse reads an experiment from its file.
func Parse(name, text string) (*Experiment, error) {
	e := &Experiment{Name: name, file: text, specified: map[string]string{}}
	var err error
	if e.source, err = readHead(text, e.take); err != nil {
		return nil, err
	}
	for _, of := range observed {
		if e.specified[of] == "" {
			e.specified[of] = None
		}
	}
	if e.Title == "" || e.Expect == "" || e.Says == "" || e.Clause == "" || e.specified["a"]+e.specified["b"] == "" {
		return nil, fmt.Errorf("the head lacks a title, expect, says, clause or states")
	}
	return e, nil
}

// With is the experiment with some of its file's text replaced, as strings.NewReplacer
// does: another experiment.
func (e *Experiment) With(oldnew ...string) (*Experiment, error) {
	return Parse(e.Name, strings.NewReplacer(oldnew...).Replace(e.file))
}

// take takes one entry of the head.
func (e *Experiment) take(key, value string) error {
	texts := map[string]*string{"title": &e.Title, "expect": &e.Expect, "says": &e.Says, "clause": &e.Clause}
	switch {
	case texts[key] != nil:
		*texts[key] = value
	case slices.Contains(observed, key):
		e.specified[key] = value
	case key == "states":
		for state := range strings.FieldsSeq(value) {
			qp, want, ok := strings.Cut(state, "=")
			if !ok || !slices.Contains(ends, qp) {
				return fmt.Errorf("%q is not a QP=STATE pair", state)
			}
			e.specified[qp] = want
		}
	case key == "differs":
		return e.takeDifference(value)
	default:
		return fmt.Errorf("a head has no entry %q", key)
	}
	return nil
}

// takeDifference reads "DRIVER [KERNELS] NAME=VALUE; REASON".
func (e *Experiment) takeDifference(text string) error {
	d, result, err := readDifference(text)
	if err != nil {
		return err
	}
	of, value, _ := strings.Cut(result, "=")
	if value == "" || !slices.Contains(observed, of) && !slices.Contains(ends, of) {
		return fmt.Errorf("%q is not a difference, which has the form %s NAME=VALUE; REASON", text, differenceStart)
	}
	d.of, d.value = of, value
	e.differs = append(e.differs, d)
	return nil
}

// Specified is what the specification wants to be observed, alternatives parted by
// "or"; "" where it wants nothing.
func (e *Experiment) Specified(of string) string { return e.specified[of] }

// Script is the script for a place.
func (e *Experiment) Script(at Place) (string, error) { return expand(e.Name, e.source, at) }
