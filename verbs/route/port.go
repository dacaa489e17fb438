package route

import (
	"fmt"

	"rdmatui/verbs"
)

// ChosenPort is a port of a device, and the reason for choosing it.
type ChosenPort struct {
	PortNum uint8  // from 1
	Why     string // "the first ACTIVE port; port 1 is DOWN"
}

// Port picks the default port: the first that is ACTIVE, or port 1 if none is. states
// holds the states of all ports, from port 1 on.
func Port(states []verbs.PortState) ChosenPort {
	if len(states) <= 1 {
		return ChosenPort{1, "the only port"}
	}
	for i, st := range states {
		switch {
		case st != verbs.PortActive:
		case i == 0:
			return ChosenPort{1, fmt.Sprintf("the first ACTIVE port of %d", len(states))}
		case i == 1:
			return ChosenPort{2, "the first ACTIVE port; port 1 is " + states[0].String()}
		default:
			return ChosenPort{uint8(i + 1), fmt.Sprintf("the first ACTIVE port; ports 1 to %d are not", i)}
		}
	}
	return ChosenPort{1, fmt.Sprintf("none of %d ports is ACTIVE", len(states))}
}
