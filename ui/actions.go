package ui

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	devscreen "rdmatui/ui/screen/devices"
	"rdmatui/ui/tour"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// action is something that a person wants done, in the words by which they look for it, and what leads there.
type action struct {
	text, note string
	to         screen.ID // the screen that is shown
	item       string    // what is chosen there; "" for nothing
	key        string    // the key that is then pressed there; "" for none
	line       string    // instead of a screen: the line that the console opens with
	page       string    // instead of a screen: the page of the manual
}

// actions is what the palette offers first, in the order of a first day. One for each opcode is added by [actionsOf].
var actions = []action{
	{text: "create and connect two queue pairs", note: "creates all that is missing, then press c",
		to: screen.BringUp, key: "b"},
	{text: "take a queue pair to its next state", note: "modify_qp, an attribute at a time", to: screen.BringUp},
	{text: "see all objects and what joins them", to: screen.Home, key: keymap.Global.Map.Keys()[0],
		note: "the map: a graph of PD, MR, QP, CQ, channel, cm_id and peer"},
	{text: "register a memory region", line: "reg_mr ", note: "with its length and access rights"},
	{text: "poll a completion queue", line: "poll_cq ", note: "completions that were polled are on the screen 4"},
	{text: "connect to a host with rdma_cm", to: screen.Connections, note: "press c there"},
	{text: "wait for a connection: listen", to: screen.Connections, note: "press l there"},
	{text: "wait for a second instance", to: screen.BringUp, key: "W", note: "of rdmatui, on this host or another"},
	{text: "join a second instance", to: screen.BringUp, key: "J",
		note: "swaps qp_num, PSN, GID and regions with the one that waits, and connects"},
	{text: "open a second instance, two hosts", page: "peers", note: "how two instances, or a stock program, meet"},

	{text: "break the rkey of a WRITE", to: screen.Scenarios, item: "bad-rkey", note: "WRITE with the wrong key"},
	{text: "post no RECV: receiver not ready", to: screen.Scenarios, item: "no-recv",
		note: "RNR NAKs until rnr_retry ends"},
	{text: "break the rights of a region", to: screen.Scenarios, item: "no-remote-access"},
	{text: "leave out an attribute: EINVAL", to: screen.Scenarios, item: "missing-attribute",
		note: "modify_qp: Invalid argument"},
	{text: "lose the peer: retries run out", to: screen.Scenarios, item: "peer-gone"},
	{text: "lose 10 % of the packets", line: "fault loss=10%", note: "on a software device"},
	{text: "delay packets", line: "fault delay=2ms", note: "on a software device"},
	{text: "reorder packets", line: "fault reorder=10%", note: "on a software device"},
	{text: "duplicate packets", line: "fault duplicate=10%", note: "on a software device"},
	{text: "corrupt packets", line: "fault corrupt=1%", note: "on a software device"},
	{text: "stop all faults: lose no packets", line: "fault off", note: "on a software device"},

	{text: "why did a request fail?", to: screen.Completions, note: "the incident: enter on a failed completion"},
	{text: "explain an error or a line of a log", line: explainWord + " "},
	{text: "find out why RDMA does not work", to: screen.Devices, item: devscreen.Doctor, note: "the doctor"},
	{text: "list the GIDs of a device", to: screen.Devices, key: "i"},

	{text: "save the packets to a file (pcap)", to: screen.Wire, key: "w"},
	{text: "save the completions to a file", to: screen.Completions, key: "w"},
	{text: "save as a C program or a script", to: screen.Journal, key: "w"},
	{text: "open a file of packets", page: "wire", note: "rdmatui wire FILE: pcap, pcapng and others"},
	{text: "measure latency and bandwidth", to: screen.Measure},
}

// actionsOf lists the actions, with one to post each operation.
func actionsOf() (all []action) {
	for _, op := range verbs.WROpcodes.Values() {
		if op.Traits().Posted() {
			all = append(all, action{text: "post " + op.String(), to: screen.Post, item: op.String()})
		}
	}
	all = append(all, action{text: "post RECV", to: screen.Post, item: "RECV"})
	return append(actions[:len(actions):len(actions)], all...)
}

// actions lists what people look for by what they want.
func (f *finder) actions() (all []find) {
	for _, act := range actionsOf() {
		note := act.note
		if note == "" && act.line == "" {
			note = f.app.tabs[act.to].name
		}
		all = append(all, find{widget.PaletteItem{Kind: "do", Text: act.text, Note: note, Key: act.key},
			func() tea.Cmd { return f.act(act) }})
	}
	for _, t := range tour.All {
		all = append(all, find{widget.PaletteItem{Kind: "tour", Text: t.Name, Note: t.About},
			func() tea.Cmd { return screen.Send(tour.Start{ID: t.ID}) }})
	}
	return all
}

// act leads to an action.
func (f *finder) act(act action) tea.Cmd {
	a := f.app
	switch {
	case act.line != "":
		a.console.Open(act.line)
		return nil
	case act.page != "":
		layPage(a, act.page)
		return nil
	}
	a.console.Close()
	cmd := a.goToItem(screen.GotoMsg{To: act.to, Item: act.item})
	if act.key != "" {
		cmd = tea.Batch(cmd, a.key(keymap.Press(act.key)))
	}
	return cmd
}
