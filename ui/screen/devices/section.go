package devices

import (
	"charm.land/bubbles/v2/key"

	inv "rdmatui/devices"
	"rdmatui/ui/keymap"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// sectionID numbers the sections of what is known about a device.
type sectionID int

const (
	attributes sectionID = iota
	ports
	gids
	counters
	host
	holders
	diagnosis // of the whole host, not of one device
	sections
)

// section is one of them: its tab, its key, its columns and which of those fit their
// content. Sections made from a device's detail also have their rows, and a text for
// when there are none.
type section struct {
	name  string
	key   *key.Binding
	cols  []widget.TableColumn
	fit   []int
	rows  func(*inv.Detail) []row
	empty string
}

// valueColumns are a name, its value and its meaning.
var valueColumns = []widget.TableColumn{
	{Title: "field", Space: widget.Space{Size: longestName, Min: 10}},
	{Title: "value", Space: widget.Space{Size: 19, Min: 8, Weight: 1}},
	{Title: "meaning", Space: widget.Space{Min: leastMeaning, Weight: 1000, Drop: 1}},
}

var gidColumns = []widget.TableColumn{
	{Title: "port", Align: line.Right, Space: widget.Space{Size: 4, Drop: 5}},
	{Title: "index", Align: line.Right, Space: widget.Space{Size: 5}},
	{Title: "GID", Space: widget.Space{Size: 24, Min: 15, Weight: 2}},
	{Title: "type", Space: widget.Space{Size: 7}},
	{Title: "netdev", Space: widget.Space{Size: 8, Min: 6, Weight: 1, Drop: 3}},
	{Title: "address", Space: widget.Space{Size: 15, Min: 13, Weight: 1, Drop: 4}},
}

var counterColumns = []widget.TableColumn{
	{Title: "counter", Space: widget.Space{Size: 22, Min: 10}},
	{Title: "value", Align: line.Right, Space: widget.Space{Size: 14}},
	{Title: "a second", Align: line.Right, Space: widget.Space{Size: 9}},
	{Title: "trend", Space: widget.Space{Size: 12, Min: 8, Weight: 1, Drop: 2}},
	{Title: "meaning", Space: widget.Space{Size: 36, Min: 24, Weight: 3, Drop: 1}},
}

var holderColumns = []widget.TableColumn{
	{Title: "who", Space: widget.Space{Size: 15, Min: 8}},
	{Title: "pid", Align: line.Right, Space: widget.Space{Size: 7, Drop: 1}},
	{Title: "what", Space: widget.Space{Min: 12, Weight: 1}},
}

// sectionTable is in the order of sectionID.
var sectionTable = [sections]section{
	{"attributes", &keymap.Devices.Attributes, valueColumns, []int{0, 1}, attributeRows, "no attribute"},
	{"ports", &keymap.Devices.Ports, valueColumns, []int{0, 1}, portRows, "the device has no port"},
	{"GIDs", &keymap.Devices.GIDs, gidColumns, []int{2}, gidRows,
		"the GID table is empty: give the port's netdev an IP address"},
	{"counters", &keymap.Devices.Counters, counterColumns, []int{0, 1}, nil, "the device has no counters"},
	{"host", &keymap.Devices.Host, valueColumns, []int{0, 1}, hostRows, ""},
	{"users", &keymap.Devices.Holders, holderColumns, []int{0, 1}, nil, "no process uses the device"},
	{"doctor", &keymap.Devices.Doctor, nil, nil, nil, ""},
}

// reading is the note of a section that is being read.
const reading = "reading…"

// fill makes a section's rows from what is known about the selected device.
func (s *Screen) fill(id sectionID) {
	k, sh := s.at(), s.sheets[id]
	switch {
	case sh == nil:
	case k == nil && !s.loaded:
		sh.set(nil, "reading the devices…", dim)
	case k == nil:
		sh.set(nil, "no device", dim)
	case id == counters:
		s.fillCounters(k, sh)
	case id == holders:
		s.fillHolders(k, sh)
	case k.detail == nil && k.err != "":
		sh.set(nil, k.err, bad)
	case k.detail == nil:
		sh.set(nil, reading, dim)
	default:
		sh.set(sectionTable[id].rows(k.detail), sectionTable[id].empty, dim)
	}
}

func (s *Screen) fillCounters(k *known, sh *sheet) {
	switch {
	case k.counters.err != "":
		sh.set(nil, k.counters.err, bad)
	case k.counters.at.IsZero():
		sh.set(nil, reading, dim)
	default:
		sh.set(k.counters.rows(), sectionTable[counters].empty, dim)
	}
}

func (s *Screen) fillHolders(k *known, sh *sheet) {
	rows := holderRows(k.held, s.own)
	switch {
	case len(rows) > 0:
		sh.set(rows, "", dim)
	case !k.kernel:
		sh.set(nil, s.name+" belongs to this program; no other process can use it", dim)
	case k.heldErr != "":
		sh.set(nil, k.heldErr, bad)
	case k.held == nil:
		sh.set(nil, reading, dim)
	default:
		sh.set(nil, sectionTable[holders].empty, dim)
	}
}

// fillAll fills every section.
func (s *Screen) fillAll() {
	for id := range sections {
		s.fill(id)
	}
}
