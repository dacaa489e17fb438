package session

import (
	"errors"
	"fmt"
	"strconv"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// domain is a protection domain.
type domain struct {
	*node
	pd  verbs.PD
	dev *device
}

func (d *domain) close() error { return d.pd.Close() }

func (d *domain) fields() []objectField {
	return []objectField{{"device", func() (string, error) { return d.dev.name, nil }}}
}

// region is a memory region.
type region struct {
	*node
	mr verbs.MR
	pd *domain       // guarded by Session.mu, as it can be changed
	dm *deviceMemory // that it is over; nil: host memory

	windows shownWindows // bound to it
}

func (r *region) close() error {
	if err := r.mr.Close(); err != nil {
		return err
	}
	r.windows.release()
	return nil
}

func (r *region) fields() []objectField {
	return []objectField{
		{"addr", func() (string, error) { return cHex(r.mr.Addr()), nil }},
		{"lkey", func() (string, error) { return cHex(r.mr.LKey()), nil }},
		{"rkey", func() (string, error) { return cHex(r.mr.RKey()), nil }},
		{"length", func() (string, error) { return fmt.Sprint(r.mr.Spec().Length), nil }},
	}
}

// fieldAt reads be32.8: the number at an offset of the region.
func (r *region) fieldAt(name string) (text string, known bool, err error) {
	form, offset, ok := cutNumber(name)
	if !ok {
		return "", false, nil
	}
	p := make([]byte, command.NumberSize(form))
	if size := r.mr.Spec().Length; uint64(offset+len(p)) > size {
		return "", true, fmt.Errorf("%s has %d bytes: there is no %s", r.name, size, name)
	}
	if _, err := r.mr.ReadAt(p, int64(offset)); err != nil {
		return "", true, err
	}
	n, _ := command.ReadNumber(form, p)
	return strconv.FormatUint(n, 10), true, nil
}

func allocPD(c *call) error {
	d, err := deviceArg(c)
	if err != nil {
		return err
	}
	name, err := c.newName(command.KindPD)
	if err != nil {
		return err
	}
	c.done.Call = fmt.Sprintf("ibv_alloc_pd(%s)", d.name)
	body := &domain{dev: d}
	if err := c.time(func() (err error) { body.pd, err = d.dev.AllocPD(); return err }); err != nil {
		return err
	}
	body.node = &node{name: name, kind: command.KindPD, uses: []*node{d.node}, res: body}
	c.enter(body.node)
	c.done.Result = name
	return nil
}

func regMR(c *call) error {
	pd, err := argAs[*domain](c, "pd", nil)
	if err != nil {
		return err
	}
	name, err := c.newName(command.KindMR)
	if err != nil {
		return err
	}
	spec := verbs.MRSpec{Length: c.cmd.Uint("length"), Access: c.cmd.Access("access"), Backing: c.cmd.Backing()}
	dm, err := dmBacking(c, &spec)
	c.verb = spec.Backing.Verb()
	if err == nil {
		err = pd.dev.lackOfMR(spec.Access, spec.Length)
	}
	if err != nil {
		return err
	}
	c.done.Call = regMRCall(pd.node, dm, &spec)
	if spec.Access&(verbs.RemoteWrite|verbs.RemoteAtomic) != 0 && spec.Access&verbs.LocalWrite == 0 {
		c.warn("REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too")
	}
	if limit := pd.dev.attr.MaxMRSize; spec.Length > limit {
		c.warn("length is more than max_mr_size %d", limit)
	}
	body := &region{pd: pd}
	if err := c.time(func() (err error) { body.mr, err = pd.pd.RegMR(spec); return err }); err != nil {
		return err
	}
	body.node = &node{name: name, kind: command.KindMR, uses: []*node{pd.node}, res: body}
	if dm != nil {
		body.dm, body.uses = dm, append(body.uses, dm.node)
	}
	c.enter(body.node)
	c.done.Result = fmt.Sprintf("addr 0x%x, lkey 0x%x, rkey 0x%x", body.mr.Addr(), body.mr.LKey(), body.mr.RKey())
	if spec.Backing.Kind != verbs.Anonymous {
		length := body.mr.Spec().Length
		c.choose("length", fmt.Sprint(length))
		c.done.Result += fmt.Sprintf(", %d bytes of %s", length, spec.Backing)
	}
	return nil
}

// regionByLKey finds the region of a device that a local key opens.
func regionByLKey(s *base, dev *device, lkey uint32) *region {
	return regionWhere(s, dev, func(r *region) bool { return r.mr.LKey() == lkey })
}

func regionWhere(s *base, dev *device, fits func(*region) bool) *region {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, n := range s.graph.nodes {
		if r, ok := n.res.(*region); ok && r.pd.dev == dev && fits(r) {
			return r
		}
	}
	return nil
}

func writeMem(c *call) error {
	r, err := argAs[*region](c, "mr", nil)
	if err != nil {
		return err
	}
	offset := int64(c.cmd.Uint("offset"))
	length := r.mr.Spec().Length
	data, err := bytesArg(c, "data", length-min(length, uint64(offset)))
	if err != nil {
		return err
	}
	n, err := r.mr.WriteAt(data, offset)
	if err != nil {
		return outside(r, err, offset, len(data))
	}
	c.s.changed()
	c.done.Result = fmt.Sprintf("%d bytes written", n)
	return nil
}

// outside says of a failed access what the region's limits are.
func outside(r *region, err error, offset int64, n int) error {
	if errors.Is(err, verbs.ErrDeviceMemory) {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	return fmt.Errorf("%d bytes at offset %d of %s, which has %d: %w", n, offset, r.name, r.mr.Spec().Length, err)
}

// maxShown bounds what read_mem puts into its result.
const maxShown = 4096

func readMem(c *call) error {
	r, err := argAs[*region](c, "mr", nil)
	if err != nil {
		return err
	}
	offset, length := c.cmd.Uint("offset"), r.mr.Spec().Length
	if offset >= length {
		return fmt.Errorf("offset %d is beyond the end of %s, which has %d bytes", offset, r.name, length)
	}
	p := make([]byte, min(c.cmd.Uint("length"), length-offset, maxShown))
	if _, err := r.mr.ReadAt(p, int64(offset)); err != nil {
		return outside(r, err, int64(offset), len(p))
	}
	c.done.Result = describeBytes(p)
	return nil
}

// describeBytes shows bytes as hex, and as text with what is no plain
// character escaped.
func describeBytes(p []byte) string {
	return fmt.Sprintf("%x %s", p, strconv.QuoteToASCII(string(p)))
}

// ReadMem copies bytes of the named memory region. It returns how many there
// were, and io.EOF where the region ends before p is full.
func ReadMem(s *base, name string, off int64, p []byte) (int, error) {
	s.mu.RLock()
	n, err := s.graph.find(name, command.KindMR)
	s.mu.RUnlock()
	if err != nil {
		return 0, err
	}
	return n.res.(*region).mr.ReadAt(p, off)
}

func (d *domain) view(v *Snapshot) { v.PDs = append(v.PDs, PDView{d.name, d.dev.name}) }

func (r *region) view(v *Snapshot) {
	spec := r.mr.Spec()
	v.MRs = append(v.MRs, MRView{
		Name: r.name, PD: r.pd.name, Device: r.pd.dev.name, Addr: r.mr.Addr(), Length: spec.Length,
		LKey: r.mr.LKey(), RKey: r.mr.RKey(), Access: spec.Access,
	})
}
