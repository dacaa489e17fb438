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
	Text  string // the line
	Why   string // its purpose; "" for the end of a block
	Depth int    // number of enclosing blocks
	Block bool   // first line of a loop or try; a step enters it
	End   bool   // last line of a block; never the next line
}

// Script holds the lines of a scenario.
type Script struct {
	Items []*scriptItem
	Lines []Line
	Index map[*scriptItem]int // in lines
	Steps int                 // lines that are commands
}

// Parse parses the lines of a script.
func Parse(text string) (*Script, error) {
	sc := &Script{Index: map[*scriptItem]int{}}
	var blocks blockReader
	for line := range strings.Lines(text) {
		item, err := blocks.Add(strings.TrimRight(line, "\r\n"))
		if err != nil {
			return nil, err
		}
		if item != nil {
			sc.Items = append(sc.Items, item)
			sc.list(item, 0)
		}
	}
	return sc, blocks.finish()
}

func (sc *Script) list(it *scriptItem, depth int) {
	text := strings.TrimSpace(it.Text)
	sc.Index[it] = len(sc.Lines)
	if !it.block {
		sc.Steps++
		sc.Lines = append(sc.Lines, Line{N: it.N, Step: sc.Steps, Text: text, Why: it.why, Depth: depth})
		return
	}
	sc.Lines = append(sc.Lines, Line{N: it.N, Text: text, Why: it.why, Depth: depth, Block: true})
	for _, inner := range it.body {
		sc.list(inner, depth+1)
	}
	sc.Lines = append(sc.Lines, Line{N: it.last, Text: "end", Depth: depth, End: true})
}

// Names lists the names of the objects that the script makes.
func (sc *Script) Names() (names []string) {
	for i := range sc.Lines {
		cmd, err := command.Parse(sc.Lines[i].Text)
		if err != nil || cmd.Spec == nil {
			continue // the error comes when it is carried out
		}
		if name := cmd.String("name"); cmd.Given("name") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
