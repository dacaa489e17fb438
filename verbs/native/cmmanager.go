package native

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// Host is the host's devices as the connection manager needs them.
type Host interface {
	// Borrow makes the device around a context that librdmacm opened, and closes.
	// letGo is called after each Close of the device's objects.
	Borrow(ctx uintptr, letGo func()) Device
	// HasDevice reports whether libibverbs finds a device.
	HasDevice() bool
}

// Device is a device around a context of librdmacm.
type Device interface {
	verbs.Device
	// Users names the objects that are alive.
	Users() []string
	// Abandon makes the device closed where no object is alive, and reports whether.
	Abandon() bool
	// EndWaits ends the calls that wait for asynchronous events.
	EndWaits()
	// CreateQPBy makes a queue pair by a call of librdmacm.
	CreateQPBy(call QPCall, pd verbs.PD, spec verbs.QPSpec) (QP, error)
}

// QPCall is how librdmacm makes and destroys a queue pair.
type QPCall struct {
	Op, Object string // for errors: the C function, and what it is called on
	// Create gets the C object of the protection domain, 0 for none, and returns
	// that of the queue pair.
	Create func(pd uintptr, attr *abi.QPInitAttr) (qp uintptr, err error)
	// Close is what Close of the queue pair does. It ends in [QP.Destroy].
	Close func() error
}

// QP is a queue pair of an identifier.
type QP interface {
	verbs.QP
	// Name is for messages: "QP 0x000011".
	Name() string
	// Destroy closes the queue pair itself; op is for errors.
	Destroy(op string) error
	// Closed reports whether it was destroyed.
	Closed() bool
}

// connectionManager is librdmacm with what of it belongs to no channel: the
// devices that it opened.
type connectionManager struct {
	host Host
	lib  *cmLibrary

	channels, ids atomic.Uint64 // made so far, for names and for the order of locks

	lookups chan struct{} // a token for each call that waits for a resolver

	mu      sync.Mutex
	devices map[uintptr]*cmDevice // by context
}

// LoadCM loads the first of the libraries that is there. Calls that may find a new device
// are made on the thread.
func LoadCM(host Host, discovery *dl.Thread, names ...string) (*connectionManager, error) {
	lib, err := loadCMLibrary(discovery, names...)
	if err != nil {
		return nil, err
	}
	return newConnectionManager(host, lib), nil
}

func newConnectionManager(host Host, lib *cmLibrary) *connectionManager {
	return &connectionManager{host: host, lib: lib, devices: map[uintptr]*cmDevice{}, lookups: make(chan struct{}, maxLookups)}
}

// managerError says what the errnos mean that librdmacm has for a host on which
// it cannot work. It finds that out in the first call of some functions.
func managerError(name string, err error) error {
	op := fail(name, "", err)
	missing := &verbs.UnsupportedError{Feature: "the connection manager"}
	switch {
	case errors.Is(err, syscall.ENODEV):
		missing.Requires = "an RDMA device"
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ENXIO):
		missing.Requires = "the kernel module rdma_ucm"
	default:
		return op
	}
	return fmt.Errorf("%w: %w", missing, op)
}
