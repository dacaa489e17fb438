package region

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// DM is memory of a device.
type DM struct {
	*core.Node
	dm     verbs.DM
	Device *device.Device
}

// Close implements [core.Body].
func (m *DM) Close() error { return m.dm.Close() }

// Fields implements [core.Body].
func (m *DM) Fields() []core.Field {
	return []core.Field{{Name: "length", Text: func() (string, error) { return fmt.Sprint(m.dm.Spec().Length), nil }}}
}

// View implements [core.Body].
func (m *DM) View(v *core.Snapshot) {
	v.DMs = append(v.DMs, core.DMView{Name: m.Name, Device: m.Device.Name, Length: m.dm.Spec().Length})
}

// AllocDM carries out alloc_dm.
func AllocDM(c *core.Call) error {
	d, err := device.Arg(c)
	if err != nil {
		return err
	}
	name, err := c.NewName(command.KindDM)
	if err != nil {
		return err
	}
	spec := verbs.DMSpec{Length: c.Cmd.Uint("length"), LogAlignReq: uint32(c.Cmd.Uint("log_align_req"))}
	if d.Ex != nil {
		if d.Ex.MaxDMSize == 0 {
			return &AttrError{d.Name, "device memory", "max_dm_size", "register host memory with reg_mr"}
		}
		if spec.Length > d.Ex.MaxDMSize {
			c.Warn("length is more than max_dm_size %d", d.Ex.MaxDMSize)
		}
	}
	body := &DM{Device: d}
	if err := c.Time(func() (err error) { body.dm, err = d.Dev.AllocDM(spec); return err }); err != nil {
		return err
	}
	body.Node = &core.Node{Name: name, Kind: command.KindDM, Uses: []*core.Node{d.Node}, Body: body}
	c.Enter(body.Node)
	c.Done.Result = format.Counted(spec.Length, "byte")
	return nil
}

// dmBacking is the device memory that a region is to be over, nil where the line names none.
func dmBacking(c *core.Call, spec *verbs.MRSpec) (*DM, error) {
	if !c.Cmd.Has("dm") {
		return nil, nil
	}
	m, err := core.ArgAs[*DM](c, "dm", nil)
	if err != nil {
		return nil, err
	}
	spec.Backing = verbs.Backing{Kind: verbs.DeviceMemory, DM: m.dm, Offset: c.Cmd.Uint("offset")}
	if spec.Access&verbs.ZeroBased == 0 {
		c.Warn("a region of device memory needs access ZERO_BASED: its addresses count from 0")
	}
	return m, nil
}

// MemcpyToDM carries out memcpy_to_dm.
func MemcpyToDM(c *core.Call) error {
	return memcpy(c,
		func(m *DM, r *MR, p []byte, dmOffset, offset int64) error {
			if _, err := r.MR.ReadAt(p, offset); err != nil {
				return Outside(r, err, offset, len(p))
			}
			return c.Time(func() error { _, err := m.dm.WriteAt(p, dmOffset); return err })
		})
}

// MemcpyFromDM carries out memcpy_from_dm.
func MemcpyFromDM(c *core.Call) error {
	return memcpy(c,
		func(m *DM, r *MR, p []byte, dmOffset, offset int64) error {
			if err := c.Time(func() error { _, err := m.dm.ReadAt(p, dmOffset); return err }); err != nil {
				return err
			}
			if _, err := r.MR.WriteAt(p, offset); err != nil {
				return Outside(r, err, offset, len(p))
			}
			return nil
		})
}

// memcpy copies between device memory and a region of host memory.
func memcpy(c *core.Call, copy func(m *DM, r *MR, p []byte, dmOffset, offset int64) error) error {
	m, err := core.ArgAs[*DM](c, "dm", nil)
	if err != nil {
		return err
	}
	r, err := core.ArgAs[*MR](c, "mr", func(n *core.Node) bool {
		return n.Body.(*MR).MR.Spec().Backing.Kind != verbs.DeviceMemory
	})
	if err != nil {
		return err
	}
	dmOffset, offset := c.Cmd.Uint("dm_offset"), c.Cmd.Uint("offset")
	size, room := m.dm.Spec().Length, r.MR.Spec().Length
	if !c.Cmd.Has("length") {
		c.Choose("length", fmt.Sprint(min(size-min(size, dmOffset), room-min(room, offset))))
	}
	n := c.Cmd.Uint("length")
	if offset > room || n > room-offset {
		return fmt.Errorf("%s at offset %d of %s, which has %s", format.Counted(n, "byte"), offset, r.Name,
			format.Count(room))
	}
	if dmOffset > size || n > size-dmOffset {
		c.Warn("%s at dm_offset %d of %s, which has %s", format.Counted(n, "byte"), dmOffset, m.Name,
			format.Count(size))
		n = min(n, size) // more is never copied: the call fails
	}
	address := r.Name + "->addr"
	if offset > 0 {
		address = fmt.Sprintf("(char *)%s->addr + %d", r.Name, offset)
	}
	c.Done.C = ccall.Line(c.Cmd, map[string]string{"mr": address})
	if err := copy(m, r, make([]byte, n), int64(dmOffset), int64(offset)); err != nil {
		return err
	}
	c.Done.Result = format.Counted(n, "byte") + " copied"
	return nil
}
