package device

import (
	"errors"
	"testing"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/choice"
)

// TestNeedsGRH: every path needs a GRH where ports have no LIDs.
func TestNeedsGRH(t *testing.T) {
	for _, tt := range []struct {
		port verbs.PortAttr
		want bool
	}{
		{verbs.PortAttr{LinkLayer: verbs.LinkEthernet}, true},
		{verbs.PortAttr{LinkLayer: verbs.LinkInfiniBand, LID: 3}, false},
		{verbs.PortAttr{LinkLayer: verbs.LinkInfiniBand, LID: 3, Flags: verbs.PortGRHRequired}, true},
		{verbs.PortAttr{LinkLayer: verbs.LinkUnspecified}, true}, // EFA
		{verbs.PortAttr{LinkLayer: verbs.LinkUnspecified, LID: 3}, false},
	} {
		d := &Device{Ports: []verbs.PortAttr{tt.port}}
		if got := d.NeedsGRH(1); got != tt.want {
			t.Errorf("%s, LID %d, flags %d: %v", tt.port.LinkLayer, tt.port.LID, tt.port.Flags, got)
		}
	}
}

// card is a device with one port.
type card struct {
	verbs.Device
	state     verbs.PortState
	port, gid error
}

func (c *card) QueryPort(uint8) (verbs.PortAttr, error) {
	return verbs.PortAttr{State: c.state}, c.port
}
func (c *card) QueryGIDTable() ([]verbs.GIDEntry, error) {
	return []verbs.GIDEntry{{PortNum: 1}}, c.gid
}

// TestReadPorts: what a port event has changed is read, and shown.
func TestReadPorts(t *testing.T) {
	gone := errors.New("gone")
	for name, tt := range map[string]struct {
		card
		was   error // of the last time
		read  bool
		state verbs.PortState
	}{
		"up":                    {card{state: verbs.PortActive}, nil, true, verbs.PortActive},
		"removed":               {card{state: verbs.PortActive, port: gone}, nil, false, 1},
		"unreadable as before":  {card{state: verbs.PortActive, port: gone}, gone, true, 1},
		"readable now":          {card{state: verbs.PortActive}, gone, true, verbs.PortActive},
		"no table of addresses": {card{state: verbs.PortActive, gid: gone}, nil, false, 1},
	} {
		s := &core.Session{Opts: core.Options{Network: &choice.Network{}}}
		d := &Device{Dev: &tt.card, Ports: []verbs.PortAttr{{PortNum: 1, State: 1}}, why: []error{tt.was}}
		before := s.Snapshot().Version
		readPorts(s, d)
		if changed := s.Snapshot().Version != before; changed != tt.read || d.Ports[0].State != tt.state ||
			d.Ports[0].PortNum != 1 || (len(d.GIDs.Rows) == 1) != tt.read {
			t.Errorf("%s: changed %v, %+v, %d GIDs", name, changed, d.Ports[0], len(d.GIDs.Rows))
		}
		if want := tt.port; tt.read && d.why[0] != want {
			t.Errorf("%s: %v, want %v", name, d.why[0], want)
		}
	}
}
