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
	dev.Mu.Lock()
	defer dev.Mu.Unlock()
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
		if err := r.mapMemory(dev.adapter.quota.Memory); err != nil {
			return err
		}
	} else if old.mapping != nil && old.mapping.ReadOnly() && r.spec.Access&verbs.LocalWrite != 0 {
		return old.mapping.Refused(r.spec.Backing, syscall.EFAULT)
	}
	mapping, err := dev.adapter.regions.replace(old, r)
	if err != nil {
		return errors.Join(err, r.mapping.Close())
	}
	old.pd.Remove(m)
	r.pd.Add(m, r.name())
	m.now = r
	return mapping.Close()
}

// changed returns what a registration is to become.
func (r *registration) changed(c verbs.MRChange) (*registration, error) {
	if r.dm != nil || r.spec.Backing.Kind == verbs.DMABuf {
		return nil, syscall.EINVAL // as of the library, whatever is asked for
	}
	to := newRegistration(r.pd, r.spec, nil)
	if c.Flags&verbs.ReregAccess != 0 {
		to.spec.Access = c.Access
	}
	if c.Flags&verbs.ReregTranslation != 0 {
		to.spec.Length, to.spec.Backing = c.Length, verbs.Backing{}
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
	return to, errors.Join(checkAccess(to.spec.Access, false), checkLength(to.spec.Length))
}
