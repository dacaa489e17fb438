package mem

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// MW is a memory window. Type 1 belongs to a domain, type 2 to one queue pair while it is bound: the device has type 2B
// only. IBA 10.6.7.2.
type MW struct {
	domain *Domain
	typ    verbs.MWType
	posted atomic.Uint32 // the key of the last posted binding
	ibv    sync.Mutex    // held by BindNext, so that each binding has its own key

	// The fields below are guarded by the table's lock.
	key    uint32
	closed bool
	region *registration // the region it is bound to; nil: unbound
	view   *View         // of a bound type 2 window: its queue pair's view
	addr   uint64        // first byte, in the region
	length uint64
	access verbs.Access
}

var _ verbs.MW = (*MW)(nil)

// The owner of a window chooses the low eight bits of its key, so all keys with the same upper bits belong to the
// window.
const windowTag = 8

// WindowIndex returns the bits that all keys of a window share, and no other key has.
func WindowIndex(key uint32) uint32 { return key >> windowTag }

// AllocMW allocates an unbound window.
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
	for !t.freeForWindow(w.key) { // 0 is not
		w.key = t.random.Uint32()
	}
	w.posted.Store(w.key)
	t.windows[WindowIndex(w.key)] = w
}

// freeForWindow reports whether all keys that a window would have are free. Keys that include 0 never are.
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

// Type returns the window's type.
func (w *MW) Type() verbs.MWType { return w.typ }

// RKey returns the key of the last posted binding.
func (w *MW) RKey() uint32 { return w.posted.Load() }

// Close deallocates the window. Requests that use its keys fail from then on.
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

// unbind removes a window's binding; mu is held.
func (t *Table) unbind(w *MW) {
	if w.region != nil {
		w.region.windows--
	}
	if w.view != nil {
		w.view.windows--
	}
	w.region, w.view = nil, nil
}

// bound returns a BusyError that names the windows bound to a region, nil if there are none; mu is held.
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
