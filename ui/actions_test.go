package ui

import (
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"rdmatui/assets"
	"rdmatui/session/command"
	"rdmatui/session/lab"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
)

// What a person types in their own words finds first what does it.
func TestActionsAreFound(t *testing.T) {
	r := newRig(t, 120, 40, "open_device soft0")
	for typed, want := range map[string]string{
		"post an RDMA_WRITE":     "post RDMA_WRITE",
		"rdma write":             "post RDMA_WRITE",
		"post a recv":            "post RECV",
		"break the rkey":         "break the rkey of a WRITE",
		"lose 10 % of packets":   "lose 10 % of the packets",
		"lose packets":           "lose 10 % of the packets",
		"save packets to a file": "save the packets to a file (pcap)",
		"pcap":                   "save the packets to a file (pcap)",
		"second instance":        "join a second instance",
		"save c program":         "save as a C program or a script",
		"latency":                "measure latency and bandwidth",
		"rdma does not work":     "find out why RDMA does not work",
		"?rkey":                  "", // any explanation
	} {
		r.Keys("ctrl+p")
		r.Type(typed)
		f := r.app.finder
		if f == nil {
			t.Fatalf("%q: the palette is not open", typed)
		}
		var got widget.PaletteItem
		if i := f.Chosen(); i >= 0 {
			got = f.all()[i].PaletteItem
		}
		if asks := typed[0] == '?'; got.Text != want && !asks || got.Answer != asks {
			t.Errorf("%q finds first %q, want %q", typed, got.Text, want)
		}
		r.Keys("esc")
	}
}

// Each action leads to something that exists: a screen with its key, an experiment, a page, a command.
func TestActionsLead(t *testing.T) {
	pages, experiments := assets.PageNames(), lab.Names()
	contexts := map[screen.ID]keymap.Context{screen.Home: keymap.HomeScreen,
		screen.Devices: keymap.DevicesScreen, screen.BringUp: keymap.BringupScreen,
		screen.Completions: keymap.CompletionsScreen,
		screen.Wire:        keymap.WireScreen, screen.Journal: keymap.JournalScreen}
	for _, a := range actionsOf() {
		if a.page != "" && !slices.Contains(pages, a.page) {
			t.Errorf("%s: no page %q", a.text, a.page)
		}
		if a.to == screen.Scenarios && !slices.Contains(experiments, a.item) {
			t.Errorf("%s: no experiment %q", a.text, a.item)
		}
		if a.key != "" && !slices.ContainsFunc(contexts[a.to].Groups, func(g keymap.Group) bool {
			return slices.ContainsFunc(g.Keys, func(b key.Binding) bool { return slices.Contains(b.Keys(), a.key) })
		}) {
			t.Errorf("%s: the screen has no key %q", a.text, a.key)
		}
		named := func(s *command.Spec) bool { return s.Name == strings.Fields(a.line)[0] }
		if a.line != "" && a.line != explainWord+" " && !slices.ContainsFunc(command.Commands, named) {
			t.Errorf("%s: no command begins %q", a.text, a.line)
		}
	}
}
