package region

import (
	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
)

// AllocMW carries out alloc_mw.
func AllocMW(c *core.Call) error {
	pd, err := core.ArgAs[*PD](c, "pd", nil)
	if err != nil {
		return err
	}
	name, err := c.NewName(command.KindMW)
	if err != nil {
		return err
	}
	typ := c.Cmd.MWType("type")
	checkMWType(c, pd.Device, typ)
	body := &MW{PD: pd}
	if err := c.Time(func() (err error) { body.MW, err = pd.PD.AllocMW(typ); return err }); err != nil {
		return err
	}
	body.Node = &core.Node{Name: name, Kind: command.KindMW, Uses: []*core.Node{pd.Node}, Body: body}
	c.Enter(body.Node)
	c.Done.Result = "rkey " + ccall.Hex(body.MW.RKey())
	return nil
}

// windowCaps is what a device that has windows of a type says: one of these.
var windowCaps = map[verbs.MWType]verbs.DeviceCap{
	verbs.MWType1: verbs.CapMemWindow, verbs.MWType2: verbs.CapMemWindowType2A | verbs.CapMemWindowType2B,
}

func checkMWType(c *core.Call, d *device.Device, typ verbs.MWType) {
	if want := windowCaps[typ]; verbs.DeviceCap(d.Attr.DeviceCapFlags)&want == 0 {
		c.Warn("device_cap_flags of %s lack %s", d.Name, verbs.DeviceCaps.Name(want))
	}
}

// region is what a call names: some drivers follow the NULL that a binding may be
// taken away with (rxe in rdma-core 44).
func (b *Binding) region() *MR {
	if b.MR == nil {
		return b.From
	}
	return b.MR
}

// Verbs is the binding as the provider takes it.
func (b *Binding) Verbs() verbs.MWBinding {
	what := verbs.MWBinding{Addr: b.Addr, Length: b.Length, Access: b.Access}
	if r := b.region(); r != nil {
		what.MR = r.MR
	}
	return what
}

// Values has what it binds, and the new key, for the text of a call.
func (b *Binding) Values() ccall.Source {
	mr := "NULL"
	if r := b.region(); r != nil {
		mr = r.Name
	}
	return ccall.Table(map[string]ccall.Node{
		"mr": ccall.Text(mr), "addr": ccall.Text(ccall.Hex(b.Addr)), "length": ccall.Dec(b.Length),
		"mw_access_flags": ccall.Flags(verbs.AccessFlags.CName(b.Access)), "rkey": ccall.Text(ccall.Hex(b.RKey)),
	})
}
