package home

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
)

// about says what each screen is for.
var about = [screen.Count]string{
	screen.Devices:     "every attribute, port, GID and counter, with its meaning",
	screen.BringUp:     "a queue pair from RESET to RTS, one transition at a time",
	screen.Post:        "SEND, WRITE, READ and atomics by hand, and the memory at both ends",
	screen.Completions: "every field of every completion, and why one failed",
	screen.Connections: "rdma_cm: listen, connect, accept, disconnect, and the events",
	screen.Wire:        "the packets of the software devices, decoded; faults on purpose",
	screen.Scenarios:   "ping-pong, rping and others against the stock programs; the error lab",
	screen.Journal:     "everything that was done, as a script or as C",
	screen.Measure:     "bandwidth and latency as perftest measures them, live",
}

// screenItems returns the other screens, one line each.
func screenItems(s *Screen) (out []item) {
	for id := screen.Devices; id < screen.Count; id++ {
		out = append(out, item{name: screen.Names[id], does: "go to the screen",
			lines: [][]span{{{fmt.Sprint(int(id)), &s.th.Key, 0}, {screen.Names[id], &s.th.Value, 2},
				{about[id], &s.th.Dim, 15}}},
			open: func() tea.Cmd { return screen.Send(screen.GotoMsg{To: id}) }})
	}
	return out
}
