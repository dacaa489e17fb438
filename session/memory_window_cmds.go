package session

import (
	"fmt"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

func allocMW(c *core.Call) error {
	pd, err := core.ArgAs[*PD](c, "pd", nil)
	if err != nil {
		return err
	}
	name, err := c.NewName(command.KindMW)
	if err != nil {
		return err
	}
	typ, err := verbs.MWTypes.Parse(c.Cmd.String("type"))
	if err != nil {
		return err
	}
	checkMWType(c, pd.dev, typ)
	c.Done.Call = fmt.Sprintf("ibv_alloc_mw(%s, %s)", pd.Name, verbs.MWTypes.CName(typ))
	body := &MW{pd: pd}
	if err := c.Time(func() (err error) { body.mw, err = pd.pd.AllocMW(typ); return err }); err != nil {
		return err
	}
	body.Node = &core.Node{Name: name, Kind: command.KindMW, Uses: []*core.Node{pd.Node}, Body: body}
	c.Enter(body.Node)
	c.Done.Result = "rkey " + cHex(body.mw.RKey())
	return nil
}

// windowCaps is what a device that has windows of a type says: one of these.
var windowCaps = map[verbs.MWType]verbs.DeviceCap{
	verbs.MWType1: verbs.CapMemWindow, verbs.MWType2: verbs.CapMemWindowType2A | verbs.CapMemWindowType2B,
}

func checkMWType(c *core.Call, d *device, typ verbs.MWType) {
	if want := windowCaps[typ]; verbs.DeviceCap(d.attr.DeviceCapFlags)&want == 0 {
		c.Warn("device_cap_flags of %s lack %s", d.Name, verbs.DeviceCaps.Name(want))
	}
}

// region is what a call names: some drivers follow the NULL that a binding may be
// taken away with (rxe in rdma-core 44).
func (b *binding) region() *MR {
	if b.mr == nil {
		return b.from
	}
	return b.mr
}

// verbs is the binding as the provider takes it.
func (b *binding) verbs() verbs.MWBinding {
	what := verbs.MWBinding{Addr: b.addr, Length: b.length, Access: b.access}
	if r := b.region(); r != nil {
		what.MR = r.mr
	}
	return what
}

// cInfo is a struct ibv_mw_bind_info.
func (b *binding) cInfo() string {
	var info cStruct
	mr := "NULL"
	if r := b.region(); r != nil {
		mr = r.Name
	}
	info.set("mr", mr)
	info.set("addr", cHex(b.addr))
	info.set("length", fmt.Sprint(b.length))
	info.set("mw_access_flags", verbs.AccessFlags.CName(b.access))
	return info.String()
}
