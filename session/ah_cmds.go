package session

import (
	"fmt"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// addressHandle is where datagrams go.
type addressHandle struct {
	*node
	ah verbs.AH
	pd *domain
}

func (a *addressHandle) close() error          { return a.ah.Close() }
func (a *addressHandle) fields() []objectField { return nil }

func createAH(c *call) error {
	pd, err := argAs[*domain](c, "pd", nil)
	if err != nil {
		return err
	}
	if err := pd.dev.info.Lack(verbs.Datagrams); err != nil {
		return err
	}
	name, err := c.newName(command.KindAH)
	if err != nil {
		return err
	}
	attr, err := pathOrTold(c, pd)
	if err != nil {
		return err
	}
	c.done.Call = createAHCall(pd.node, &attr)
	body := &addressHandle{pd: pd}
	if err := c.time(func() (err error) { body.ah, err = pd.pd.CreateAH(attr); return err }); err != nil {
		return err
	}
	body.node = &node{name: name, kind: command.KindAH, uses: []*node{pd.node}, res: body}
	c.enter(body.node)
	c.done.Result = name
	return nil
}

// pathOrTold is the address vector that a line describes, or the one that an
// identifier was told.
func pathOrTold(c *call, pd *domain) (verbs.AHAttr, error) {
	if !c.cmd.Has("id") {
		return pathOf(c, pd), nil
	}
	i, err := argAs[*cmID](c, "id", nil)
	if err != nil {
		return verbs.AHAttr{}, err
	}
	c.s.mu.RLock()
	defer c.s.mu.RUnlock()
	if i.ud.AH == (verbs.AHAttr{}) {
		return verbs.AHAttr{}, fmt.Errorf("%s was told no address: ESTABLISHED of datagrams and MULTICAST_JOIN tell one", i.name)
	}
	return i.ud.AH, nil
}

// pathOf makes an address vector of a line that describes one.
func pathOf(c *call, pd *domain) verbs.AHAttr {
	c.s.mu.RLock()
	defer c.s.mu.RUnlock()
	if !c.cmd.Has("port_num") {
		c.choose("port_num", fmt.Sprint(datagramPort(c.s, pd)))
	}
	d, port, dgid := pd.dev, uint8(c.cmd.Uint("port_num")), c.cmd.GID("dgid")
	if !c.cmd.Has("is_global") {
		// A peer that is reached by its LID tells zeros for its GID.
		c.choose("is_global", cBool(d.needsGRH(port) || !dgid.IsZero()))
	}
	if c.cmd.Bool("is_global") && !c.cmd.Has("sgid_index") {
		if e, err := d.chooseGID(port, dgid); err != nil {
			c.warn("%v", err)
		} else {
			c.choose("sgid_index", fmt.Sprint(e.Index))
		}
	}
	attr := verbs.AHAttr{
		GRH: verbs.GlobalRoute{
			DGID: dgid, FlowLabel: uint32(c.cmd.Uint("flow_label")), SGIDIndex: uint8(c.cmd.Uint("sgid_index")),
			HopLimit: uint8(c.cmd.Uint("hop_limit")), TrafficClass: uint8(c.cmd.Uint("traffic_class")),
		},
		DLID: uint16(c.cmd.Uint("dlid")), SL: uint8(c.cmd.Uint("sl")), SrcPathBits: uint8(c.cmd.Uint("src_path_bits")),
		StaticRate: uint8(c.cmd.Uint("static_rate")), IsGlobal: c.cmd.Bool("is_global"), PortNum: port,
	}
	checkPath(c, d, &attr)
	return attr
}

func (a *addressHandle) view(v *Snapshot) {
	v.AHs = append(v.AHs, AHView{Name: a.name, PD: a.pd.name, Device: a.pd.dev.name, Attr: a.ah.Attr()})
}
