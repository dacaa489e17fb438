package session

import (
	"slices"
	"strings"

	"rdmatui/session/command"
)

// ScenarioLine is one line of a scenario's script.
type ScenarioLine struct {
	N     int    // where it stands in the script, from 1
	Step  int    // which of the commands it is, from 1; 0: it is the frame of a block
	Text  string // the line
	Why   string // what it is for; "" of the end of a block
	Depth int    // how many blocks it is in
	Block bool   // it is the first of a loop or try; a step goes into it
	End   bool   // it is the last of one, and never comes next
}

// script is what a scenario carries out.
type script struct {
	items []*scriptItem
	lines []ScenarioLine
	index map[*scriptItem]int // in lines
	steps int                 // lines that are commands
}

// scriptOf puts the lines of a script together.
func scriptOf(text string) (*script, error) {
	sc := &script{index: map[*scriptItem]int{}}
	var blocks blockReader
	for line := range strings.Lines(text) {
		item, err := blocks.add(strings.TrimRight(line, "\r\n"))
		if err != nil {
			return nil, err
		}
		if item != nil {
			sc.items = append(sc.items, item)
			sc.list(item, 0)
		}
	}
	return sc, blocks.finish()
}

func (sc *script) list(it *scriptItem, depth int) {
	text := strings.TrimSpace(it.text)
	sc.index[it] = len(sc.lines)
	if !it.block {
		sc.steps++
		sc.lines = append(sc.lines, ScenarioLine{N: it.n, Step: sc.steps, Text: text, Why: it.why, Depth: depth})
		return
	}
	sc.lines = append(sc.lines, ScenarioLine{N: it.n, Text: text, Why: it.why, Depth: depth, Block: true})
	for _, inner := range it.body {
		sc.list(inner, depth+1)
	}
	sc.lines = append(sc.lines, ScenarioLine{N: it.last, Text: "end", Depth: depth, End: true})
}

// names lists what the script calls the objects that it makes.
func (sc *script) names() (names []string) {
	for i := range sc.lines {
		cmd, err := command.Parse(sc.lines[i].Text)
		if err != nil || cmd.Spec == nil {
			continue // carrying it out says why
		}
		if name := cmd.String("name"); cmd.Given("name") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
