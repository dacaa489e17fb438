package cm

import (
	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

// Host is the part of package native that the connection manager uses.
type Host interface {
	// Borrow creates the device for a context that librdmacm opened and will
	// close. letGo is called after each Close of one of the device's objects.
	Borrow(ctx uintptr, letGo func()) Device
	// HasDevice reports whether libibverbs finds a device.
	HasDevice() bool
}

// Device is a device around a context of librdmacm.
type Device interface {
	verbs.Device
	// Users names the live objects.
	Users() []string
	// Abandon closes the device unless objects are alive, and reports whether it did.
	Abandon() bool
	// EndWaits ends the calls that wait for asynchronous events.
	EndWaits()
	// CreateQPBy creates a queue pair with a call of librdmacm.
	CreateQPBy(call QPCall, pd verbs.PD, spec verbs.QPSpec) (QP, error)
}

// QPCall tells how librdmacm creates and destroys a queue pair.
type QPCall struct {
	Op, Object string // for errors: the C function, and the object that it is called on
	// Create takes the C object of the protection domain, 0 for none, and returns
	// that of the queue pair.
	Create func(pd uintptr, attr *abi.QPInitAttr) (qp uintptr, err error)
	// Close is the queue pair's Close. It finally calls [QP.Destroy].
	Close func() error
}

// QP is a queue pair of an identifier.
type QP interface {
	verbs.QP
	// Name returns the name for messages: "QP 0x000011".
	Name() string
	// Destroy destroys the queue pair itself; op is for errors.
	Destroy(op string) error
	// Closed reports whether it was destroyed.
	Closed() bool
}
