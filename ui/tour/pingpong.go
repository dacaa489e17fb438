package tour

import (
	"strings"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// pingpong exchanges messages with the stock program.
var pingpong = &Tour{
	ID: "rc-pingpong", Name: "Talk to " + stockProgram,
	About: "Our end here, the stock program elsewhere, 1,000 SENDs each way.",
	Steps: []*Step{&ourEnd, &otherEnd},
	Learned: [3]string{
		"Two programs need each other's qp_num, PSN and GID before they can connect.",
		"ibv_rc_pingpong sends them as a line of text over TCP, port 18515.",
		"Each SEND takes a RECV that was posted before it, or it waits: RNR.",
	},
	Next: "s plays it step by step; \"Connect with rdma_cm\" needs no exchange.",
}

const scenarioName = "rc-pingpong"

// leaveOther stops another scenario or an experiment, which has the keys of the list.
var leaveOther = Move{When: both(field("phase", "running"), not(field("scenario", scenarioName))), On: screen.Scenarios,
	Key: &keymap.ScenarioRun.Stop, Does: "stop what runs here: it is not " + scenarioName}

var ourEnd = Step{
	Name: "start our end",
	Why:  "Be the server, or the client of an address (e). The peer is elsewhere.",
	Parts: []Part{{Name: "our end waits for the peer", Event: func(_ *World, e *timeline.Event) bool {
		return e.Kind == timeline.KindNote && e.Note != nil && e.Note.Ready || met(nil, e)
	}}},
	Moves: []Move{
		{When: field("phase", "ended"), On: screen.Scenarios, Key: &keymap.ScenarioRun.Stop,
			Does: "go back to the list"},
		leaveOther,
		{When: not(field("scenario", scenarioName)), On: screen.Scenarios, Key: &keymap.List.Home,
			Does: "choose " + scenarioName},
		{When: field("other end", "here"), On: screen.Scenarios, Key: &keymap.Scenarios.Both,
			Does: "have the other end elsewhere"},
		{When: both(field("role", "client"), field("address", "")), On: screen.Scenarios, Key: &keymap.Scenarios.Role,
			Does: "be the server, which waits for a client"},
		{When: not(field("phase", "running")), On: screen.Scenarios, Key: &keymap.Form.Submit, Does: "run our end"},
		{On: screen.Scenarios, Does: "wait: our end is being made"},
	},
}

var otherEnd = Step{
	Name: "start the other end",
	Why:  "Both ends tell each other where they are, connect, and count round trips.",
	WhyNow: func(w *World) string {
		if w.HaveStock {
			return stockProgram + " and rdmatui speak the same protocol."
		}
		return stockProgram + " is not on this machine: rdmatui takes its place."
	},
	Parts: []Part{
		{Name: "addresses exchanged", Event: met},
		{Name: "in RTS", Event: func(_ *World, e *timeline.Event) bool {
			return e.Kind == timeline.KindState && e.State != nil && e.State.To == verbs.QPRTS
		}},
		{Name: "all messages there and back", Event: func(_ *World, e *timeline.Event) bool {
			return did(e, "pingpong")
		}},
	},
	Moves: []Move{
		{When: field("phase", "ended"), On: screen.Scenarios, Key: &keymap.ScenarioRun.Stop,
			Does: "go back to the list, and run our end again"},
		leaveOther,
		{When: not(field("phase", "running")), On: screen.Scenarios, Key: &keymap.Form.Submit,
			Does: "run our end again"},
		{On: screen.Scenarios, Says: elsewhere},
	},
}

// met reports whether an event ends an exchange with a peer.
func met(_ *World, e *timeline.Event) bool { return did(e, "exchange") }

// usual removes options that are the stock program's defaults from a command.
var usual = strings.NewReplacer(" -p 18515", "", " -n 1000", "", " -s 4096", "", " -m 1024", "")

// elsewhere says what to type at the other end, and where.
func elsewhere(w *World) string {
	if w.HaveStock {
		return "other host: " + usual.Replace(w.Field("partner"))
	}
	return "second terminal: " + w.Field("own")
}
