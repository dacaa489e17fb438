package session

import (
	"fmt"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// deviceMemory is memory of a device.
type deviceMemory struct {
	*node
	dm  verbs.DM
	dev *device
}

func (m *deviceMemory) close() error { return m.dm.Close() }

func (m *deviceMemory) fields() []objectField {
	return []objectField{{"length", func() (string, error) { return fmt.Sprint(m.dm.Spec().Length), nil }}}
}

func (m *deviceMemory) view(v *Snapshot) {
	v.DMs = append(v.DMs, DMView{m.name, m.dev.name, m.dm.Spec().Length})
}

func allocDM(c *call) error {
	d, err := deviceArg(c)
	if err != nil {
		return err
	}
	name, err := c.newName(command.KindDM)
	if err != nil {
		return err
	}
	spec := verbs.DMSpec{Length: c.cmd.Uint("length"), LogAlignReq: uint32(c.cmd.Uint("log_align_req"))}
	if d.ex != nil {
		if d.ex.MaxDMSize == 0 {
			return &AttrError{d.name, "device memory", "max_dm_size", "register host memory with reg_mr"}
		}
		if spec.Length > d.ex.MaxDMSize {
			c.warn("length is more than max_dm_size %d", d.ex.MaxDMSize)
		}
	}
	var attr cStruct
	attr.set("length", fmt.Sprint(spec.Length))
	attr.set("log_align_req", fmt.Sprint(spec.LogAlignReq))
	c.done.Call = fmt.Sprintf("ibv_alloc_dm(%s, %s)", d.name, attr.String())
	body := &deviceMemory{dev: d}
	if err := c.time(func() (err error) { body.dm, err = d.dev.AllocDM(spec); return err }); err != nil {
		return err
	}
	body.node = &node{name: name, kind: command.KindDM, uses: []*node{d.node}, res: body}
	c.enter(body.node)
	c.done.Result = fmt.Sprintf("%d bytes", spec.Length)
	return nil
}

// dmBacking is the device memory that a region is to be over, nil where the line names none.
func dmBacking(c *call, spec *verbs.MRSpec) (*deviceMemory, error) {
	if !c.cmd.Has("dm") {
		return nil, nil
	}
	m, err := argAs[*deviceMemory](c, "dm", nil)
	if err != nil {
		return nil, err
	}
	spec.Backing = verbs.Backing{Kind: verbs.DeviceMemory, DM: m.dm, Offset: c.cmd.Uint("offset")}
	if spec.Access&verbs.ZeroBased == 0 {
		c.warn("a region of device memory needs ZERO_BASED: its addresses count from 0")
	}
	return m, nil
}

func memcpyToDM(c *call) error {
	return memcpy(c, "ibv_memcpy_to_dm(%[1]s, %[2]d, %[3]s, %[4]d)", func(m *deviceMemory, r *region, p []byte, dmOffset, offset int64) error {
		if _, err := r.mr.ReadAt(p, offset); err != nil {
			return outside(r, err, offset, len(p))
		}
		return c.time(func() error { _, err := m.dm.WriteAt(p, dmOffset); return err })
	})
}

func memcpyFromDM(c *call) error {
	return memcpy(c, "ibv_memcpy_from_dm(%[3]s, %[1]s, %[2]d, %[4]d)", func(m *deviceMemory, r *region, p []byte, dmOffset, offset int64) error {
		if err := c.time(func() error { _, err := m.dm.ReadAt(p, dmOffset); return err }); err != nil {
			return err
		}
		if _, err := r.mr.WriteAt(p, offset); err != nil {
			return outside(r, err, offset, len(p))
		}
		c.s.changed()
		return nil
	})
}

// memcpy copies between device memory and a region of host memory; shown is the call.
func memcpy(c *call, shown string, copy func(m *deviceMemory, r *region, p []byte, dmOffset, offset int64) error) error {
	m, err := argAs[*deviceMemory](c, "dm", nil)
	if err != nil {
		return err
	}
	r, err := argAs[*region](c, "mr", func(n *node) bool { return n.res.(*region).mr.Spec().Backing.Kind != verbs.DeviceMemory })
	if err != nil {
		return err
	}
	dmOffset, offset := c.cmd.Uint("dm_offset"), c.cmd.Uint("offset")
	size, room := m.dm.Spec().Length, r.mr.Spec().Length
	if !c.cmd.Has("length") {
		c.choose("length", fmt.Sprint(min(size-min(size, dmOffset), room-min(room, offset))))
	}
	n := c.cmd.Uint("length")
	if offset > room || n > room-offset {
		return fmt.Errorf("%d bytes at offset %d of %s, which has %d", n, offset, r.name, room)
	}
	if dmOffset > size || n > size-dmOffset {
		c.warn("%d bytes at dm_offset %d of %s, which has %d", n, dmOffset, m.name, size)
		n = min(n, size) // more is never copied: the call fails
	}
	address := r.name + "->addr"
	if offset > 0 {
		address = fmt.Sprintf("(char *)%s->addr + %d", r.name, offset)
	}
	c.done.Call = fmt.Sprintf(shown, m.name, dmOffset, address, c.cmd.Uint("length"))
	if err := copy(m, r, make([]byte, n), int64(dmOffset), int64(offset)); err != nil {
		return err
	}
	c.done.Result = fmt.Sprintf("%d bytes copied", n)
	return nil
}
