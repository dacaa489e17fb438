package session

import (
	"errors"
	"fmt"
	"strconv"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// PD is a protection domain.
type PD struct {
	*core.Node
	pd  verbs.PD
	dev *device
}

// Close implements [core.Body].
func (d *PD) Close() error { return d.pd.Close() }

// Fields implements [core.Body].
func (d *PD) Fields() []core.Field {
	return []core.Field{{Name: "device", Text: func() (string, error) { return d.dev.Name, nil }}}
}

// MR is a memory region.
type MR struct {
	*core.Node
	mr verbs.MR
	pd *PD // guarded by Session.mu, as it can be changed
	dm *DM // that it is over; nil: host memory

	windows shownWindows // bound to it
}

// Close implements [core.Body].
func (r *MR) Close() error {
	if err := r.mr.Close(); err != nil {
		return err
	}
	r.windows.release()
	return nil
}

// Fields implements [core.Body].
func (r *MR) Fields() []core.Field {
	return []core.Field{
		{Name: "addr", Text: func() (string, error) { return cHex(r.mr.Addr()), nil }},
		{Name: "lkey", Text: func() (string, error) { return cHex(r.mr.LKey()), nil }},
		{Name: "rkey", Text: func() (string, error) { return cHex(r.mr.RKey()), nil }},
		{Name: "length", Text: func() (string, error) { return fmt.Sprint(r.mr.Spec().Length), nil }},
	}
}

// FieldAt reads be32.8: the number at an offset of the region.
func (r *MR) FieldAt(name string) (text string, known bool, err error) {
	form, offset, ok := core.CutNumber(name)
	if !ok {
		return "", false, nil
	}
	p := make([]byte, command.NumberSize(form))
	if size := r.mr.Spec().Length; uint64(offset+len(p)) > size {
		return "", true, fmt.Errorf("%s has %d bytes: there is no %s", r.Name, size, name)
	}
	if _, err := r.mr.ReadAt(p, int64(offset)); err != nil {
		return "", true, err
	}
	n, _ := command.ReadNumber(form, p)
	return strconv.FormatUint(n, 10), true, nil
}

func allocPD(c *core.Call) error {
	d, err := deviceArg(c)
	if err != nil {
		return err
	}
	name, err := c.NewName(command.KindPD)
	if err != nil {
		return err
	}
	c.Done.Call = fmt.Sprintf("ibv_alloc_pd(%s)", d.Name)
	body := &PD{dev: d}
	if err := c.Time(func() (err error) { body.pd, err = d.dev.AllocPD(); return err }); err != nil {
		return err
	}
	body.Node = &core.Node{Name: name, Kind: command.KindPD, Uses: []*core.Node{d.Node}, Body: body}
	c.Enter(body.Node)
	c.Done.Result = name
	return nil
}

func regMR(c *core.Call) error {
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
		err = pd.dev.lackOfMR(spec.Access, spec.Length)
	}
	if err != nil {
		return err
	}
	c.Done.Call = regMRCall(pd.Node, dm, &spec)
	if spec.Access&(verbs.RemoteWrite|verbs.RemoteAtomic) != 0 && spec.Access&verbs.LocalWrite == 0 {
		c.Warn("REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too")
	}
	if limit := pd.dev.attr.MaxMRSize; spec.Length > limit {
		c.Warn("length is more than max_mr_size %d", limit)
	}
	body := &MR{pd: pd}
	if err := c.Time(func() (err error) { body.mr, err = pd.pd.RegMR(spec); return err }); err != nil {
		return err
	}
	body.Node = &core.Node{Name: name, Kind: command.KindMR, Uses: []*core.Node{pd.Node}, Body: body}
	if dm != nil {
		body.dm, body.Uses = dm, append(body.Uses, dm.Node)
	}
	c.Enter(body.Node)
	c.Done.Result = fmt.Sprintf("addr 0x%x, lkey 0x%x, rkey 0x%x", body.mr.Addr(), body.mr.LKey(), body.mr.RKey())
	if spec.Backing.Kind != verbs.Anonymous {
		length := body.mr.Spec().Length
		c.Choose("length", fmt.Sprint(length))
		c.Done.Result += fmt.Sprintf(", %d bytes of %s", length, spec.Backing)
	}
	return nil
}

func writeMem(c *core.Call) error {
	r, err := core.ArgAs[*MR](c, "mr", nil)
	if err != nil {
		return err
	}
	offset := int64(c.Cmd.Uint("offset"))
	length := r.mr.Spec().Length
	data, err := bytesArg(c, "data", length-min(length, uint64(offset)))
	if err != nil {
		return err
	}
	n, err := r.mr.WriteAt(data, offset)
	if err != nil {
		return outside(r, err, offset, len(data))
	}
	c.S.Changed()
	c.Done.Result = fmt.Sprintf("%d bytes written", n)
	return nil
}

// outside says of a failed access what the region's limits are.
func outside(r *MR, err error, offset int64, n int) error {
	if errors.Is(err, verbs.ErrDeviceMemory) {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	return fmt.Errorf("%d bytes at offset %d of %s, which has %d: %w", n, offset, r.Name, r.mr.Spec().Length, err)
}

// maxShown bounds what read_mem puts into its result.
const maxShown = 4096

func readMem(c *core.Call) error {
	r, err := core.ArgAs[*MR](c, "mr", nil)
	if err != nil {
		return err
	}
	offset, length := c.Cmd.Uint("offset"), r.mr.Spec().Length
	if offset >= length {
		return fmt.Errorf("offset %d is beyond the end of %s, which has %d bytes", offset, r.Name, length)
	}
	p := make([]byte, min(c.Cmd.Uint("length"), length-offset, maxShown))
	if _, err := r.mr.ReadAt(p, int64(offset)); err != nil {
		return outside(r, err, int64(offset), len(p))
	}
	c.Done.Result = describeBytes(p)
	return nil
}

// describeBytes shows bytes as hex, and as text with what is no plain
// character escaped.
func describeBytes(p []byte) string {
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
	return n.Body.(*MR).mr.ReadAt(p, off)
}

// View implements [core.Body].
func (d *PD) View(v *core.Snapshot) {
	v.PDs = append(v.PDs, core.PDView{Name: d.Name, Device: d.dev.Name})
}

// View implements [core.Body].
func (r *MR) View(v *core.Snapshot) {
	spec := r.mr.Spec()
	v.MRs = append(v.MRs, core.MRView{
		Name: r.Name, PD: r.pd.Name, Device: r.pd.dev.Name, Addr: r.mr.Addr(), Length: spec.Length,
		LKey: r.mr.LKey(), RKey: r.mr.RKey(), Access: spec.Access,
	})
}
