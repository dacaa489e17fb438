package queue

import (
	"errors"
	"fmt"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// CreateAHFromWC carries out create_ah_from_wc: it makes an address handle for the
// sender of a datagram, from the last completion taken and the GRH in front of the
// message.
func CreateAHFromWC(c *core.Call) error {
	pd, err := core.ArgAs[*region.PD](c, "pd", nil)
	if err != nil {
		return err
	}
	if err := pd.Device.Info.Lack(verbs.Datagrams); err != nil {
		return err
	}
	cq, err := core.ArgAs[*CQ](c, "cq", func(n *core.Node) bool { return n.Body.(*CQ).dev == pd.Device })
	if err != nil {
		return err
	}
	mr, err := core.ArgAs[*region.MR](c, "mr", nil)
	if err != nil {
		return err
	}
	name, err := c.NewName(command.KindAH)
	if err != nil {
		return err
	}
	grh := make([]byte, verbs.GRHLen)
	offset := int64(c.Cmd.Uint("offset"))
	if _, err := mr.MR.ReadAt(grh, offset); err != nil {
		return region.Outside(mr, err, offset, len(grh))
	}
	c.S.Mu.RLock()
	if !c.Cmd.Has("port_num") {
		c.Choose("port_num", fmt.Sprint(datagramPort(c.S, pd)))
	}
	attr, err := WayBack(pd.Device, &cq.taken, grh, uint8(c.Cmd.Uint("port_num")))
	c.S.Mu.RUnlock()
	if err != nil {
		return err
	}
	body := &AH{PD: pd}
	if err := c.Time(func() (err error) { body.AH, err = pd.PD.CreateAH(attr); return err }); err != nil {
		return err
	}
	body.Node = &core.Node{Name: name, Kind: command.KindAH, Uses: []*core.Node{pd.Node}, Body: body}
	c.Enter(body.Node)
	c.Done.Result = fmt.Sprintf("%s to %s", name, attr.GRH.DGID)
	return nil
}

// WayBack returns the address vector of a datagram's sender; IBA 11.2.3.1. Session.mu
// is held.
func WayBack(d *device.Device, wc *verbs.WC, grh []byte, port uint8) (verbs.AHAttr, error) {
	attr := verbs.AHAttr{PortNum: port, DLID: wc.SLID, SL: wc.SL, SrcPathBits: wc.DLIDPathBits}
	if !wc.Opcode.IsRecv() || wc.Failed() {
		return attr, errors.New("the last polled completion is not that of a received message")
	}
	if wc.WCFlags&verbs.WCGRH == 0 {
		return attr, nil
	}
	var h wire.GRH
	if err := h.Decode(grh); err != nil {
		return attr, errors.New("the 40 bytes at offset are not a GRH: offset must be the start of the RECV")
	}
	src, dst := verbs.GIDFromAddr(h.SGID), verbs.GIDFromAddr(h.DGID)
	attr.IsGlobal, attr.GRH = true, verbs.GlobalRoute{
		DGID: src, HopLimit: 64, TrafficClass: h.TrafficClass, FlowLabel: h.FlowLabel,
	}
	for _, e := range d.GIDs.Rows {
		if e.PortNum == port && e.GID == dst &&
			(e.Type == verbs.GIDTypeRoCEv2 || d.Port(port).LinkLayer != verbs.LinkEthernet) {
			attr.GRH.SGIDIndex = uint8(e.Index)
			return attr, nil
		}
	}
	e, err := d.ChooseGID(port, src) // the datagram was sent to a group
	attr.GRH.SGIDIndex = uint8(e.Index)
	return attr, err
}
