package queue

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// AH is an address handle: the destination of datagrams.
type AH struct {
	*core.Node
	AH verbs.AH
	PD *region.PD
}

// Close implements [core.Body].
func (a *AH) Close() error { return a.AH.Close() }

// Fields implements [core.Body].
func (a *AH) Fields() []core.Field { return nil }

// CreateAH carries out create_ah.
func CreateAH(c *core.Call) error {
	pd, err := core.ArgAs[*region.PD](c, "pd", nil)
	if err != nil {
		return err
	}
	if err := pd.Device.Info.Lack(verbs.Datagrams); err != nil {
		return err
	}
	name, err := c.NewName(command.KindAH)
	if err != nil {
		return err
	}
	attr, err := pathOrTold(c, pd)
	if err != nil {
		return err
	}
	domain := pd.Name
	c.Done.C = ccall.Lazy(func() ccall.Node { return ccall.CreateAH(domain, ccall.AHAttr(&attr)) })
	body := &AH{PD: pd}
	if err := c.Time(func() (err error) { body.AH, err = pd.PD.CreateAH(attr); return err }); err != nil {
		return err
	}
	body.Node = &core.Node{Name: name, Kind: command.KindAH, Uses: []*core.Node{pd.Node}, Body: body}
	c.Enter(body.Node)
	c.Done.Result = name
	return nil
}

// pathOrTold returns the address vector that a line describes, or the one in an
// identifier's events.
func pathOrTold(c *core.Call, pd *region.PD) (verbs.AHAttr, error) {
	if !c.Cmd.Has("id") {
		return pathOf(c, pd), nil
	}
	i, err := core.ArgAs[identifier](c, "id", nil)
	if err != nil {
		return verbs.AHAttr{}, err
	}
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	told := i.ToldPath()
	if told == (verbs.AHAttr{}) {
		return told, fmt.Errorf("%s has no address yet: ESTABLISHED of datagrams and MULTICAST_JOIN provide one",
			i.Object().Name)
	}
	return told, nil
}

// pathOf builds an address vector from the arguments of a line.
func pathOf(c *core.Call, pd *region.PD) verbs.AHAttr {
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	if !c.Cmd.Has("port_num") {
		c.Choose("port_num", fmt.Sprint(datagramPort(c.S, pd)))
	}
	d, port, dgid := pd.Device, uint8(c.Cmd.Uint("port_num")), c.Cmd.GID("dgid")
	if !c.Cmd.Has("is_global") {
		// A peer addressed by LID sends a GID of zeros.
		c.Choose("is_global", ccall.Bool(d.NeedsGRH(port) || !dgid.IsZero()))
	}
	if c.Cmd.Bool("is_global") && !c.Cmd.Has("sgid_index") {
		if e, err := d.ChooseGID(port, dgid); err != nil {
			c.Warn("%v", err)
		} else {
			c.Choose("sgid_index", fmt.Sprint(e.Index))
		}
	}
	attr := verbs.AHAttr{
		GRH: verbs.GlobalRoute{
			DGID: dgid, FlowLabel: uint32(c.Cmd.Uint("flow_label")), SGIDIndex: uint8(c.Cmd.Uint("sgid_index")),
			HopLimit: uint8(c.Cmd.Uint("hop_limit")), TrafficClass: uint8(c.Cmd.Uint("traffic_class")),
		},
		DLID: uint16(c.Cmd.Uint("dlid")), SL: uint8(c.Cmd.Uint("sl")), SrcPathBits: uint8(c.Cmd.Uint("src_path_bits")),
		StaticRate: uint8(c.Cmd.Uint("static_rate")), IsGlobal: c.Cmd.Bool("is_global"), PortNum: port,
	}
	device.CheckPath(c, d, &attr)
	return attr
}

// View implements [core.Body].
func (a *AH) View(v *core.Snapshot) {
	v.AHs = append(v.AHs, core.AHView{Name: a.Name, PD: a.PD.Name, Device: a.PD.Device.Name, Attr: a.AH.Attr()})
}
