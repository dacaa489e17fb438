package script

import (
	"slices"
	"strings"

	"rdmatui/session/command"
)

// Line is one line of a scenario's script.
type Line struct {
	N     int    // line number in the script, from 1
	Step  int    // index among the commands, from 1; 0: the first or last line of a block
	Of    int    // number of commands in the script
	Text  string // the line
	Why   string // its purpose; "" for the end of a block
	Depth int    // number of enclosing blocks
	Block bool   // first line of a loop or try; a step enters it
	End   bool   // last line of a block; never the next line
}

// Script holds the lines of a scenario.
type Script struct {
	items []*scriptItem
	lines []Line
	steps int // lines that are commands
}

// Lines returns the script, from the first line to the last. They do not change.
func (sc *Script) Lines() []Line { return sc.lines }

// Parse parses the lines of a script.
func Parse(text string) (*Script, error) {
	sc := &Script{}
	var blocks blockReader
	for line := range strings.Lines(text) {
		item, err := blocks.Add(strings.TrimRight(line, "\r\n"))
		if err != nil {
			return nil, err
		}
		if item != nil {
			sc.items = append(sc.items, item)
			sc.list(item, 0)
		}
	}
	for i := range sc.lines {
		sc.lines[i].Of = sc.steps
	}
	return sc, blocks.finish()
}

func (sc *Script) list(it *scriptItem, depth int) {
	text := strings.TrimSpace(it.cmd.Text)
	it.index = len(sc.lines)
	if !it.block {
		sc.steps++
		sc.lines = append(sc.lines, Line{N: it.N, Step: sc.steps, Text: text, Why: it.why, Depth: depth})
		return
	}
	sc.lines = append(sc.lines, Line{N: it.N, Text: text, Why: it.why, Depth: depth, Block: true})
	for _, inner := range it.body {
		sc.list(inner, depth+1)
	}
	sc.lines = append(sc.lines, Line{N: it.last, Text: "end", Depth: depth, End: true})
}

// Names lists the names of the objects that the script makes.
func (sc *Script) Names() (names []string) {
	for i := range sc.lines {
		cmd, err := command.Parse(sc.lines[i].Text)
		if err != nil || cmd.Spec == nil {
			continue // the error comes when it is carried out
		}
		if name := cmd.String("name"); cmd.Given("name") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
