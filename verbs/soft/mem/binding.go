package mem

import (
	"syscall"

	"rdmatui/verbs"
)

// Binding holds the validated parameters of a BIND_MW.
type Binding struct {
	window *MW
	key    uint32
	region *registration // nil: unbind
	addr   uint64
	length uint64
	access verbs.Access
}

// BindNext calls post with the key for the next binding of a type 1 window. Calls for the same window are serialized.
func (v *View) BindNext(window verbs.MW, post func(key uint32) error) error {
	w, err := v.window(window, verbs.MWType1)
	if err != nil {
		return err
	}
	w.ibv.Lock()
	defer w.ibv.Unlock()
	return post(verbs.NextRKey(w.RKey()))
}

// window returns the context's object behind a verbs.MW of the given type.
func (v *View) window(window verbs.MW, typ verbs.MWType) (*MW, error) {
	if window == nil {
		return nil, syscall.EINVAL
	}
	w, ok := window.(*MW)
	if !ok || w.domain.context != v.domain.context {
		return nil, verbs.ErrForeignObject
	}
	if w.typ != typ {
		return nil, syscall.EINVAL
	}
	return w, nil
}

// NewBinding does the checks that are possible at post time, as libibverbs does.
func (v *View) NewBinding(wr *verbs.BindWR, typ verbs.MWType) (*Binding, error) {
	if wr == nil {
		return nil, syscall.EINVAL
	}
	w, err := v.window(wr.MW, typ)
	if err != nil {
		return nil, err
	}
	b := &Binding{window: w, key: wr.RKey, addr: wr.Addr, length: wr.Length, access: wr.Access}
	switch {
	case wr.Access&^(remoteRights|verbs.ZeroBased) != 0:
		return nil, syscall.EINVAL
	case typ == verbs.MWType1 && wr.Access&verbs.ZeroBased != 0: // o10-36.2.2
		return nil, syscall.EINVAL
	case WindowIndex(wr.RKey) != WindowIndex(w.RKey()):
		return nil, syscall.EINVAL
	case wr.MR == nil && (wr.Addr != 0 || wr.Length != 0):
		return nil, syscall.EINVAL
	case wr.MR == nil:
		return b, nil
	}
	m, ok := wr.MR.(*MR)
	if !ok {
		return nil, verbs.ErrForeignObject
	}
	b.region = m.current()
	if typ == verbs.MWType1 && b.region.domain != w.domain { // only ibv_bind_mw checks it; Bind does for type 2
		return nil, syscall.EPERM
	}
	if b.length == 0 {
		b.region = nil
	}
	return b, nil
}

// Posted makes the key of a posted binding the window's key.
func (b *Binding) Posted() { b.window.posted.Store(b.key) }

// Bind executes a binding, or changes nothing; IBA 10.6.7.2.3.
func (v *View) Bind(b *Binding) bool {
	t := v.table
	t.mu.Lock()
	defer t.mu.Unlock()
	w := b.window
	switch {
	case w.closed || w.domain != v.domain:
		return false
	case w.typ == verbs.MWType2 && (w.region != nil || b.region == nil): // o10-37.2.30, o10-37.2.40
		return false
	case b.region != nil && !t.mayShow(b):
		return false
	}
	t.unbind(w)
	w.key, w.addr, w.length, w.access = b.key, b.addr, b.length, b.access
	if w.region = b.region; w.region != nil {
		w.region.windows++
	}
	if w.typ == verbs.MWType2 {
		w.view = v
		v.windows++
	}
	return true
}

// mayShow checks a binding against its region, which may have been deregistered.
func (t *Table) mayShow(b *Binding) bool {
	r := b.region
	rights := r.spec.Access
	return t.byKey[r.key] == r && r.domain == b.window.domain && // C10-72
		rights&verbs.MWBind != 0 && // C10-73
		(b.access&remoteWrites == 0 || rights&verbs.LocalWrite != 0) && // C10-74
		r.holds(b.addr, b.length) // C10-75
}

// Invalidate unbinds the type 2 window bound on the view's queue pair that has the key.
func (v *View) Invalidate(key uint32) bool {
	t := v.table
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.windows[WindowIndex(key)]
	if w == nil || w.key != key || w.view != v { // a type 1 window has no queue pair
		return false
	}
	t.unbind(w)
	return true
}

// FreeWindows unbinds the windows of a queue pair that is destroyed or reset: only that queue pair could use or end the
// binding.
func (v *View) FreeWindows() {
	t := v.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if v.windows == 0 {
		return
	}
	for _, w := range t.windows {
		if w.view == v {
			t.unbind(w)
		}
	}
}
