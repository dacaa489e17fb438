// Package region is the memory of a session: protection domains, regions, windows
// and device memory, the bytes in them, and the checks of a request's pieces. It
// knows neither queues nor what is posted to them.
package region

import (
	"errors"
	"fmt"
	"strconv"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// PD is a protection domain.
type PD struct {
	*core.Node
	PD     verbs.PD
	Device *device.Device
}

// Close implements [core.Body].
func (d *PD) Close() error { return d.PD.Close() }

// Fields implements [core.Body].
func (d *PD) Fields() []core.Field {
	return []core.Field{{Name: "device", Text: func() (string, error) { return d.Device.Name, nil }}}
}

// MR is a memory region.
type MR struct {
	*core.Node
	MR verbs.MR
	PD *PD // guarded by Session.mu, as it can be changed
	dm *DM // that it is over; nil: host memory

	windows Windows // bound to it
}

// Close implements [core.Body].
func (r *MR) Close() error {
	if err := r.MR.Close(); err != nil {
		return err
	}
	r.windows.Release()
	return nil
}

// Fields implements [core.Body].
func (r *MR) Fields() []core.Field {
	return []core.Field{
		{Name: "addr", Text: func() (string, error) { return ccall.Hex(r.MR.Addr()), nil }},
		{Name: "lkey", Text: func() (string, error) { return ccall.Hex(r.MR.LKey()), nil }},
		{Name: "rkey", Text: func() (string, error) { return ccall.Hex(r.MR.RKey()), nil }},
		{Name: "length", Text: func() (string, error) { return fmt.Sprint(r.MR.Spec().Length), nil }},
	}
}

// FieldAt reads be32.8: the number at an offset of the region.
func (r *MR) FieldAt(name string) (text string, known bool, err error) {
	form, offset, ok := core.CutNumber(name)
	if !ok {
		return "", false, nil
	}
	p := make([]byte, command.NumberSize(form))
	if size := r.MR.Spec().Length; uint64(offset+len(p)) > size {
		return "", true, fmt.Errorf("%s has %s: there is no %s", r.Name, format.Counted(size, "byte"), name)
	}
	if _, err := r.MR.ReadAt(p, int64(offset)); err != nil {
		return "", true, err
	}
	n, _ := command.ReadNumber(form, p)
	return strconv.FormatUint(n, 10), true, nil
}

// AllocPD carries out alloc_pd.
func AllocPD(c *core.Call) error {
	d, err := device.Arg(c)
	if err != nil {
		return err
	}
	name, err := c.NewName(command.KindPD)
	if err != nil {
		return err
	}
	body := &PD{Device: d}
	if err := c.Time(func() (err error) { body.PD, err = d.Dev.AllocPD(); return err }); err != nil {
		return err
	}
	body.Node = &core.Node{Name: name, Kind: command.KindPD, Uses: []*core.Node{d.Node}, Body: body}
	c.Enter(body.Node)
	c.Done.Result = name
	return nil
}

// RegMR carries out reg_mr.
func RegMR(c *core.Call) error {
	pd, err := core.ArgAs[*PD](c, "pd", nil)
	if err != nil {
		return err
	}
	name, err := c.NewName(command.KindMR)
	if err != nil {
		return err
	}
	spec := verbs.MRSpec{Length: c.Cmd.Uint("length"), Access: c.Cmd.Access("access"), Backing: c.Cmd.Backing()}
	dm, err := dmBacking(c, &spec)
	c.Verb = spec.Backing.Verb()
	if err == nil {
		err = lackOfMR(pd.Device, spec.Access, spec.Length)
	}
	if err != nil {
		return err
	}
	domain := pd.Name
	c.Done.C = ccall.Lazy(func() ccall.Node { return ccall.Text(regMRCall(domain, dm, &spec)) })
	if spec.Access&(verbs.RemoteWrite|verbs.RemoteAtomic) != 0 && spec.Access&verbs.LocalWrite == 0 {
		c.Warn("REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too")
	}
	if limit := pd.Device.Attr.MaxMRSize; spec.Length > limit {
		c.Warn("length is more than max_mr_size %d", limit)
	}
	body := &MR{PD: pd}
	if err := c.Time(func() (err error) { body.MR, err = pd.PD.RegMR(spec); return err }); err != nil {
		return err
	}
	body.Node = &core.Node{Name: name, Kind: command.KindMR, Uses: []*core.Node{pd.Node}, Body: body}
	if dm != nil {
		body.dm, body.Uses = dm, append(body.Uses, dm.Node)
	}
	c.Enter(body.Node)
	c.Done.Result = fmt.Sprintf("addr 0x%x, lkey 0x%x, rkey 0x%x", body.MR.Addr(), body.MR.LKey(), body.MR.RKey())
	if spec.Backing.Kind != verbs.Anonymous {
		length := body.MR.Spec().Length
		c.Choose("length", fmt.Sprint(length))
		c.Done.Result += fmt.Sprintf(", %s of %s", format.Counted(length, "byte"), spec.Backing)
	}
	return nil
}

// WriteMem carries out write_mem.
func WriteMem(c *core.Call) error {
	r, err := core.ArgAs[*MR](c, "mr", nil)
	if err != nil {
		return err
	}
	offset := int64(c.Cmd.Uint("offset"))
	length := r.MR.Spec().Length
	data, err := BytesArg(c, "data", length-min(length, uint64(offset)))
	if err != nil {
		return err
	}
	checkInUse(c, r, uint64(offset), uint64(len(data)))
	n, err := r.MR.WriteAt(data, offset)
	if err != nil {
		return Outside(r, err, offset, len(data))
	}
	c.Done.Result = format.Counted(n, "byte") + " written"
	return nil
}

// Outside says of a failed access what the region's limits are.
func Outside(r *MR, err error, offset int64, n int) error {
	if errors.Is(err, verbs.ErrDeviceMemory) {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	return fmt.Errorf("%s at offset %d of %s, which has %s: %w", format.Counted(n, "byte"), offset, r.Name,
		format.Count(r.MR.Spec().Length), err)
}

// maxShown bounds what read_mem puts into its result.
const maxShown = 4096

// ShowMem carries out read_mem.
func ShowMem(c *core.Call) error {
	r, err := core.ArgAs[*MR](c, "mr", nil)
	if err != nil {
		return err
	}
	offset, length := c.Cmd.Uint("offset"), r.MR.Spec().Length
	if offset >= length {
		return fmt.Errorf("offset %d is beyond the end of %s, which has %s", offset, r.Name,
			format.Counted(length, "byte"))
	}
	p := make([]byte, min(c.Cmd.Uint("length"), length-offset, maxShown))
	if _, err := r.MR.ReadAt(p, int64(offset)); err != nil {
		return Outside(r, err, int64(offset), len(p))
	}
	c.Done.Result = DescribeBytes(p)
	return nil
}

// DescribeBytes shows bytes as hex, and as text with what is no plain
// character escaped.
func DescribeBytes(p []byte) string {
	return fmt.Sprintf("%x %s", p, strconv.QuoteToASCII(string(p)))
}

// ReadMem copies bytes of the named memory region. It returns how many there
// were, and io.EOF where the region ends before p is full.
func ReadMem(s *core.Session, name string, off int64, p []byte) (int, error) {
	s.Mu.RLock()
	n, err := s.Graph.Find(name, command.KindMR)
	s.Mu.RUnlock()
	if err != nil {
		return 0, err
	}
	return n.Body.(*MR).MR.ReadAt(p, off)
}

// View implements [core.Body].
func (d *PD) View(v *core.Snapshot) {
	v.PDs = append(v.PDs, core.PDView{Name: d.Name, Device: d.Device.Name})
}

// View implements [core.Body].
func (r *MR) View(v *core.Snapshot) {
	spec := r.MR.Spec()
	v.MRs = append(v.MRs, core.MRView{
		Name: r.Name, PD: r.PD.Name, Device: r.PD.Device.Name, Addr: r.MR.Addr(), Length: spec.Length,
		LKey: r.MR.LKey(), RKey: r.MR.RKey(), Access: spec.Access,
	})
}
