package soft

import (
	"errors"
	"syscall"

	"rdmatui/verbs"
)

const reregFlags = verbs.ReregTranslation | verbs.ReregPD | verbs.ReregAccess

// Rereg registers the region anew, with keys of its own, in one step: it fails before anything is changed. What is posted and names the
// old keys fails from then on; IBA 11.2.8.5.
func (m *mr) Rereg(c verbs.MRChange) error {
	return verbs.NewOpError("ibv_rereg_mr", "", m.rereg(c))
}

func (m *mr) rereg(c verbs.MRChange) error {
	if c.Flags == 0 || c.Flags&^reregFlags != 0 || c.Access != 0 && c.Flags&verbs.ReregAccess == 0 {
		return syscall.EINVAL
	}
	dev := m.current().pd.dev
	dev.mu.Lock()
	defer dev.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.now
	r, err := old.changed(c)
	if err != nil {
		return err
	}
	if err := r.pd.live(); err != nil {
		return err
	}
	if c.Flags&verbs.ReregTranslation != 0 {
		if r.bytes, err = dev.adapter.quota.memory.Alloc(r.spec.Length); err != nil {
			return err
		}
	}
	bytes, err := dev.adapter.regions.replace(old, r)
	if err != nil {
		return errors.Join(err, dev.adapter.quota.memory.Free(r.bytes))
	}
	old.pd.remove(m)
	r.pd.add(m, r.name())
	m.now = r
	return dev.adapter.quota.memory.Free(bytes)
}

// changed returns what a registration is to become.
func (r *registration) changed(c verbs.MRChange) (*registration, error) {
	to := &registration{pd: r.pd, spec: r.spec}
	if c.Flags&verbs.ReregAccess != 0 {
		to.spec.Access = c.Access
	}
	if c.Flags&verbs.ReregTranslation != 0 {
		to.spec.Length = c.Length
	}
	if c.Flags&verbs.ReregPD != 0 {
		if c.PD == nil {
			return nil, syscall.EINVAL
		}
		p, ok := c.PD.(*pd)
		if !ok || p.dev != r.pd.dev {
			return nil, verbs.ErrForeignObject
		}
		to.pd = p
	}
	return to, checkRegion(to.spec)
}
