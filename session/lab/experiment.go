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
	"text/template"

	"rdmatui/assets/lab"
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

// difference is what a driver is known to do otherwise, in some versions of the kernel.
type difference struct {
	driver            string
	kernels           KernelRange
	of, value, reason string
}

func (d *difference) isOf(driver Driver) bool {
	return d.driver == driver.Name && d.kernels.Has(driver.Kernel)
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

var load = sync.OnceValues(func() ([]*Experiment, error) { return Read(lab.Files) })

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
func Names() []string { return lab.Names() }

// Read returns the experiments of a folder of the form that assets/lab tells.
func Read(files fs.FS) ([]*Experiment, error) {
	paths, err := fs.Glob(files, "*"+lab.Ext)
	if err != nil {
		return nil, err
	}
	all := make([]*Experiment, len(paths))
	for i, path := range paths { // sorted by name
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		if all[i], err = Parse(strings.TrimSuffix(path, lab.Ext), string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return all, nil
}

// Parse reads an experiment from its file.
func Parse(name, text string) (*Experiment, error) {
	head, source, ok := strings.Cut(text, "\n\n")
	if !ok {
		return nil, fmt.Errorf("no blank line ends the head")
	}
	e := &Experiment{Name: name, file: text, source: source, specified: map[string]string{}}
	for _, entry := range entries(head) {
		key, value, ok := strings.Cut(entry, ": ")
		if !ok || value == "" {
			return nil, fmt.Errorf("%q is not a KEY: VALUE entry of the head", entry)
		}
		if err := e.take(key, value); err != nil {
			return nil, err
		}
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

// entries puts the lines of a head together.
func entries(head string) (all []string) {
	for l := range strings.Lines(head) {
		l = strings.TrimPrefix(strings.TrimRight(l, "\n"), "# ")
		if n := len(all); n > 0 && strings.HasPrefix(l, " ") {
			all[n-1] += " " + strings.TrimSpace(l)
			continue
		}
		all = append(all, l)
	}
	return all
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
	const form = "DRIVER [KERNELS] NAME=VALUE; REASON"
	what, reason, _ := strings.Cut(text, "; ")
	driver, rest, _ := strings.Cut(what, " ")
	var kernels KernelRange
	if first, more, _ := strings.Cut(rest, " "); strings.Contains(first, rangeMark) {
		var err error
		if kernels, err = ParseKernelRange(first); err != nil {
			return err
		}
		rest = more
	}
	of, value, _ := strings.Cut(rest, "=")
	if value == "" || reason == "" || strings.Contains(value, rangeMark) || !slices.Contains(observed, of) &&
		!slices.Contains(ends, of) {
		return fmt.Errorf("%q is not a difference, which has the form %s", text, form)
	}
	e.differs = append(e.differs, difference{driver, kernels, of, value, reason})
	return nil
}

// Specified is what the specification wants to be observed, alternatives parted by
// "or"; "" where it wants nothing.
func (e *Experiment) Specified(of string) string { return e.specified[of] }

// Place is where an experiment is made, which the scripts leave open.
type Place struct {
	Device   string
	PortNum  uint8 // from 1; 0: the first that is ACTIVE
	GIDIndex int   // row of the port's GID table; -1: chosen
}

// On is a device, with the port and the GID to be chosen.
func On(device string) Place { return Place{Device: device, GIDIndex: -1} }

// PortArg is the argument of open_device that names the port, "" where it is chosen.
func (p Place) PortArg() string {
	if p.PortNum == 0 {
		return ""
	}
	return fmt.Sprintf(" port_num=%d", p.PortNum)
}

// SGIDArg is the argument that names the GID, "" where it is chosen.
func (p Place) SGIDArg() string {
	if p.GIDIndex < 0 {
		return ""
	}
	return fmt.Sprintf(" sgid_index=%d", p.GIDIndex)
}

// Pieces is an SGE list of n pieces of one byte.
func (Place) Pieces(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("src:%d:1", i)
	}
	return strings.Join(list, ",")
}

// Script is the script for a place.
func (e *Experiment) Script(at Place) (string, error) {
	t, err := template.New(e.Name).Parse(e.source)
	if err == nil {
		t, err = t.ParseFS(lab.Files, "parts/*"+lab.Ext)
	}
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = t.Execute(&text, at)
	return text.String(), err
}
