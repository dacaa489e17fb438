package device

import (
	"context"
	"errors"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/core/coretest"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
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
	then      func() // what happens while the port is read; nil: nothing more
}

func (c *card) QueryPort(uint8) (verbs.PortAttr, error) {
	p := verbs.PortAttr{State: c.state}
	if then := c.then; then != nil {
		c.then = nil
		then()
	}
	return p, c.port
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
		s := &core.Session{Opts: core.Options{Network: &route.Network{}}}
		d := &Device{Dev: &tt.card, Ports: []verbs.PortAttr{{PortNum: 1, State: 1}}, why: []error{tt.was}}
		before := s.Snapshot().Version
		ReadPorts(s, d)
		if changed := s.Snapshot().Version != before; changed != tt.read || d.Ports[0].State != tt.state ||
			d.Ports[0].PortNum != 1 || (len(d.GIDs.Rows) == 1) != tt.read {
			t.Errorf("%s: changed %v, %+v, %d GIDs", name, changed, d.Ports[0], len(d.GIDs.Rows))
		}
		if want := tt.port; tt.read && d.why[0] != want {
			t.Errorf("%s: %v, want %v", name, d.why[0], want)
		}
	}
}

// TestPortOrder: a port that has gone down while another reader still sees it ACTIVE is shown as down.
func TestPortOrder(t *testing.T) {
	const down verbs.PortState = 1
	for name, read := range map[string]func(*core.Session, *Device) error{
		"event": func(s *core.Session, d *Device) error { ReadPorts(s, d); return nil },
		"query_port": func(s *core.Session, d *Device) error {
			cmd, err := command.Parse("query_port dev port_num=1")
			if err != nil {
				return err
			}
			return QueryPort(&core.Call{S: s, Ctx: context.Background(), Cmd: cmd})
		},
	} {
		c := &card{state: verbs.PortActive}
		s := coretest.New(core.Options{Network: &route.Network{}}, nil)
		d := &Device{Node: &core.Node{Name: "dev", Kind: command.KindDevice}, Dev: c,
			Ports: []verbs.PortAttr{{PortNum: 1, State: verbs.PortActive}}, why: []error{nil}}
		d.Body = d
		s.Graph.Add(d.Node)
		c.then = func() {
			c.state = down
			ReadPorts(s, d)
		}
		if err := read(s, d); err != nil || d.Ports[0].State != down {
			t.Errorf("%s: %s, %v", name, d.Ports[0].State, err)
		}
	}
}
