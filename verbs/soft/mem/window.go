package mem

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// MW is a memory window. Type 1 belongs to a domain, type 2 while it is bound to one queue pair: the device has 2B only. IBA 10.6.7.2.
type MW struct {
	domain *Domain
	typ    verbs.MWType
	posted atomic.Uint32 // the key of the binding that was posted last
	ibv    sync.Mutex    // taken by BindNext, so that each binding has a key of its own

	// What follows is guarded by the table's lock.
	key    uint32
	closed bool
	region *registration // that it is bound to; nil: it opens nothing
	view   *View         // of a type 2 window that is bound: the queue pair's
	addr   uint64        // first byte, in the region
	length uint64
	access verbs.Access
}

var _ verbs.MW = (*MW)(nil)

// The low eight bits of a window's key are its owner's to choose, so that a window has all keys with the same others.
const windowTag = 8

// WindowIndex returns what all keys of a window have in common, and no other key has.
func WindowIndex(key uint32) uint32 { return key >> windowTag }

// AllocMW makes a window that is bound to nothing.
func (d *Domain) AllocMW(typ verbs.MWType) (verbs.MW, error) {
	w, err := d.allocMW(typ)
	if err != nil {
		return nil, verbs.NewOpError("ibv_alloc_mw", "", err)
	}
	return w, nil
}

func (d *Domain) allocMW(typ verbs.MWType) (*MW, error) {
	if typ != verbs.MWType1 && typ != verbs.MWType2 {
		return nil, syscall.EINVAL
	}
	d.context.Mu.Lock()
	defer d.context.Mu.Unlock()
	if err := d.Live(); err != nil {
		return nil, err
	}
	if err := d.table.quota.Take(&d.table.quota.MW, MaxWindows, 0); err != nil {
		return nil, err
	}
	w := &MW{domain: d, typ: typ}
	d.table.insertWindow(w)
	d.Add(w, w.name())
	return w, nil
}

func (t *Table) insertWindow(w *MW) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w.key == 0 || !t.freeForWindow(w.key) {
		w.key = t.random.Uint32()
	}
	w.posted.Store(w.key)
	t.windows[WindowIndex(w.key)] = w
}

// freeForWindow reports whether no key of a window's is taken.
func (t *Table) freeForWindow(key uint32) bool {
	if t.windows[WindowIndex(key)] != nil {
		return false
	}
	key = WindowIndex(key) << windowTag
	for tag := range uint32(1 << windowTag) {
		if t.byKey[key|tag] != nil {
			return false
		}
	}
	return key != 0
}

func (w *MW) name() string { return fmt.Sprintf("MW 0x%08x", w.posted.Load()) }

// Type returns the type.
func (w *MW) Type() verbs.MWType { return w.typ }

// RKey returns the key of the binding that was posted last.
func (w *MW) RKey() uint32 { return w.posted.Load() }

// Close deallocates the window. Requests that name it fail from then on.
func (w *MW) Close() error {
	context, t := w.domain.context, w.domain.table
	context.Mu.Lock()
	defer context.Mu.Unlock()
	t.mu.Lock()
	open := !w.closed
	if open {
		t.unbind(w)
		w.closed = true
		delete(t.windows, WindowIndex(w.key))
	}
	t.mu.Unlock()
	if open {
		w.domain.Remove(w)
		t.quota.Give(&t.quota.MW, 0)
	}
	return nil
}

// unbind makes a window open nothing; mu is held.
func (t *Table) unbind(w *MW) {
	if w.region != nil {
		w.region.windows--
	}
	if w.view != nil {
		w.view.windows--
	}
	w.region, w.view = nil, nil
}

// bound returns a BusyError that names the windows bound to a region, nil where there are none; mu is held.
func (t *Table) bound(r *registration) error {
	if r.windows == 0 {
		return nil
	}
	var users object.Users
	for _, w := range t.windows {
		if w.region == r {
			users.Add(w, w.name())
		}
	}
	return users.Busy(r.name())
}
