package verbs

import "fmt"

// PortChoice is a port of a device, and why it was taken.
type PortChoice struct {
	PortNum uint8  // from 1
	Why     string // "the first ACTIVE port; port 1 is DOWN"
}

// ChoosePort picks the port that is used where none is named: the first that is
// ACTIVE, or port 1 where none is. states are those of all ports, from port 1 on.
func ChoosePort(states []PortState) PortChoice {
	if len(states) <= 1 {
		return PortChoice{1, "the only port"}
	}
	for i, st := range states {
		switch {
		case st != PortActive:
		case i == 0:
			return PortChoice{1, fmt.Sprintf("the first ACTIVE port of %d", len(states))}
		case i == 1:
			return PortChoice{2, "the first ACTIVE port; port 1 is " + states[0].String()}
		default:
			return PortChoice{uint8(i + 1), fmt.Sprintf("the first ACTIVE port; ports 1 to %d are not", i)}
		}
	}
	return PortChoice{1, fmt.Sprintf("none of %d ports is ACTIVE", len(states))}
}
