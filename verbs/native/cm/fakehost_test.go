//go:build linux

package cm

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/failure"
)

// fakeHost stands in for the host's devices: an object on one is an entry in a list.
type fakeHost struct {
	has     bool  // libibverbs finds a device
	destroy error // the error of destroying a queue pair
}

func (h *fakeHost) HasDevice() bool { return h.has }

func (h *fakeHost) Borrow(_ uintptr, letGo func()) Device {
	return &fakeDevice{host: h, letGo: letGo, objects: map[*fakeObject]string{}}
}

// fakeDevice is a device of fakeHost; tests call no other methods of verbs.Device.
type fakeDevice struct {
	verbs.Device
	host  *fakeHost
	letGo func()

	mu      sync.Mutex
	closed  bool
	objects map[*fakeObject]string
}

// fakeObject stands in for any object of a device.
type fakeObject struct {
	verbs.PD
	verbs.CQ
	dev *fakeDevice
}

func (d *fakeDevice) add(name string) (*fakeObject, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, verbs.ErrClosed
	}
	o := &fakeObject{dev: d}
	d.objects[o] = name
	return o, nil
}

func (o *fakeObject) Close() error {
	o.dev.mu.Lock()
	delete(o.dev.objects, o)
	o.dev.mu.Unlock()
	o.dev.letGo()
	return nil
}

func (d *fakeDevice) Info() verbs.DeviceInfo { return verbs.DeviceInfo{Name: "fake0"} }

func (d *fakeDevice) AllocPD() (verbs.PD, error) { return d.add("PD") }

func (d *fakeDevice) Users() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var names []string
	for _, name := range d.objects {
		names = append(names, name)
	}
	slices.SortFunc(names, cmp.Compare[string])
	return names
}

func (d *fakeDevice) Abandon() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = d.closed || len(d.objects) == 0
	return d.closed
}

func (d *fakeDevice) EndWaits() {}

// domainPtr is the address of every domain's C object.
const domainPtr = 0xd0

func (d *fakeDevice) CreateQPBy(call QPCall, pd verbs.PD, _ verbs.QPSpec) (QP, error) {
	var domain uintptr
	if pd != nil {
		if pd.(*fakeObject).dev != d {
			return nil, failure.Of(call.Op, call.Object, verbs.ErrForeignObject)
		}
		domain = domainPtr
	}
	ptr, err := call.Create(domain, &abi.QPInitAttr{})
	if err != nil {
		return nil, failure.Of(call.Op, call.Object, err)
	}
	if ptr == 0 {
		return nil, failure.Of(call.Op, call.Object, syscall.ENOENT)
	}
	o, err := d.add("QP")
	return &fakeQP{object: o, close: call.Close}, err
}

// fakeQP is a queue pair of fakeHost.
type fakeQP struct {
	verbs.QP
	object *fakeObject
	close  func() error

	mu     sync.Mutex
	closed bool
}

func (q *fakeQP) Name() string { return "QP 0x000011" }

func (q *fakeQP) Close() error { return q.close() }

func (q *fakeQP) Closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

func (q *fakeQP) Destroy(op string) error {
	if err := q.object.dev.host.destroy; err != nil {
		return failure.Of(op, q.Name(), err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errors.New("destroyed twice")
	}
	q.closed = true
	return q.object.Close()
}
