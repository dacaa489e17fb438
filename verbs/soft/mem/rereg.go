package mem

import (
	"errors"
	"syscall"

	"rdmatui/verbs"
)

const reregFlags = verbs.ReregTranslation | verbs.ReregPD | verbs.ReregAccess

// Rereg registers the region again, with new keys, in one step: it fails before anything is changed. Posted requests
// that use the old keys fail from then on; IBA 11.2.8.5.
func (m *MR) Rereg(c verbs.MRChange) error {
	return verbs.NewOpError("ibv_rereg_mr", "", m.rereg(c))
}

func (m *MR) rereg(c verbs.MRChange) error {
	if c.Flags == 0 || c.Flags&^reregFlags != 0 || c.Access != 0 && c.Flags&verbs.ReregAccess == 0 {
		return syscall.EINVAL
	}
	context, table := m.current().domain.context, m.current().domain.table
	context.Mu.Lock()
	defer context.Mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.now
	r, err := old.changed(c)
	if err != nil {
		return err
	}
	if err := r.domain.Live(); err != nil {
		return err
	}
	if c.Flags&verbs.ReregTranslation != 0 {
		if err := r.mapMemory(table.quota.Memory); err != nil {
			return err
		}
	} else if old.mapping != nil && old.mapping.ReadOnly() && r.spec.Access&verbs.LocalWrite != 0 {
		return old.mapping.Refused(r.spec.Backing, syscall.EFAULT)
	}
	mapping, err := table.replace(old, r)
	if err != nil {
		return errors.Join(err, r.mapping.Close())
	}
	old.domain.Remove(m)
	r.domain.Add(m, r.name())
	m.now = r
	return mapping.Close()
}

// changed returns the new registration after a change.
func (r *registration) changed(c verbs.MRChange) (*registration, error) {
	if r.dm != nil || r.spec.Backing.Kind == verbs.DMABuf {
		return nil, syscall.EINVAL // like the library, whatever the change
	}
	to := newRegistration(r.domain, r.spec, nil)
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
		p, ok := c.PD.(interface{ domain() *Domain })
		if !ok || p.domain().context != r.domain.context {
			return nil, verbs.ErrForeignObject
		}
		to.domain = p.domain()
	}
	return to, errors.Join(checkAccess(to.spec.Access, false), checkLength(to.spec.Length))
}
