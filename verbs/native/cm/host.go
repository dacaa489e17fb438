package cm

import (
	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
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
	// Abandon closes the device unless objects are alive, and reports whether it did.
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
