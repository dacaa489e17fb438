package native

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// object is the common part of everything created from an open device.
type object struct {
	dev  *device
	ptr  uintptr   // the C object; 0 once closed. Guarded by dev.mu.
	name string    // for messages: "QP 0x000011"
	from []uintptr // the C objects that it was created from
	self any       // the Go object, for callers that only have the pointer
}

// check returns an error if the object cannot be used with others of dev. The
// caller holds dev.mu.
func (o *object) check(dev *device) error {
	switch {
	case o.dev != dev:
		return verbs.ErrForeignObject
	case o.ptr == 0:
		return verbs.ErrClosed
	}
	return nil
}

// use starts a call on the object: nothing is closed until done is called.
func (o *object) use() error {
	o.dev.mu.RLock()
	if o.ptr == 0 {
		o.dev.mu.RUnlock()
		return verbs.ErrClosed
	}
	return nil
}

func (o *object) done() { o.dev.mu.RUnlock() }

func (o *object) closed() bool {
	o.dev.mu.RLock()
	defer o.dev.mu.RUnlock()
	return o.ptr == 0
}

// destroy calls the C function that frees the object. After a failure the
// object is unchanged. The caller holds dev.mu for writing.
func (o *object) destroy(op string, free dl.ErrnoFunc) error {
	if o.ptr == 0 {
		return nil
	}
	if err := free.Call(o.ptr); err != nil {
		return failure.Of(op, o.name, o.dev.live.whyBusy(o.ptr, o.name, err))
	}
	o.dev.live.remove(o.ptr)
	o.ptr = 0
	return nil
}

// register holds a device's live objects by C pointer.
type register struct {
	mu      sync.RWMutex
	objects map[uintptr]*object
}

// add sets the common fields and registers the object. The caller holds dev.mu,
// so that no Close runs between the C call and add.
func (d *device) add(o *object, self any, ptr uintptr, name string, from ...uintptr) {
	*o = object{dev: d, ptr: ptr, name: name, from: from, self: self}
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	d.live.objects[ptr] = o
}

func (r *register) remove(ptr uintptr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.objects, ptr)
}

// moved records the objects that an object depends on from now on.
func (r *register) moved(o *object, from ...uintptr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o.from = from
}

// find returns the Go object for a C pointer, nil if it is unknown.
func (r *register) find(ptr uint64) any {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if o := r.objects[uintptr(ptr)]; o != nil {
		return o.self
	}
	return nil
}

// whyBusy replaces EBUSY by an error that names the objects that still use this
// one.
func (r *register) whyBusy(ptr uintptr, name string, err error) error {
	if !errors.Is(err, syscall.EBUSY) {
		return err
	}
	users := r.names(func(o *object) bool { return slices.Contains(o.from, ptr) })
	if len(users) == 0 {
		return err
	}
	return &verbs.BusyError{Object: name, UsedBy: users}
}

func (r *register) names(of func(*object) bool) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var names []string
	for _, o := range r.objects {
		if of(o) {
			names = append(names, o.name)
		}
	}
	slices.SortFunc(names, cmp.Compare[string])
	return names
}
