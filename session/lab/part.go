package lab

import "strings"

// Part is a part of an experiment's or a rule's script.
type Part int

// The parts, in their order.
const (
	SettingUp      Part = iota // what fails here is no part of the experiment
	Trying                     // what happens here is observed
	SettingUpAgain             // what was lost is made anew
	WayBack                    // the same queue pairs work again
	Judging                    // of a rule: every line must succeed
)

// partNames stand in the lines that begin the parts.
var partNames = [...]string{
	SettingUp: "setting up", Trying: "experiment", SettingUpAgain: "setting up again", WayBack: "way back",
	Judging: "rule",
}

// String returns the heading of the part.
func (p Part) String() string { return partNames[p] }

// partMark begins a line that begins a part.
const partMark = "#: "

// Parts tells which part each line of a script is in, the first line first. lines is the
// script with blank lines where parts begin.
func Parts(script string) (lines string, parts []Part) {
	var out strings.Builder
	now := SettingUp
	for l := range strings.Lines(script) {
		if name, ok := strings.CutPrefix(strings.TrimRight(l, "\n"), partMark); ok {
			for p, n := range partNames {
				if n == name {
					now = Part(p)
				}
			}
			l = "\n"
		}
		parts = append(parts, now)
		out.WriteString(l)
	}
	return out.String(), parts
}
