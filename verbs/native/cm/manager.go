// Package cm is the connection manager of the host: librdmacm's event channels and
// identifiers behind the interfaces of package verbs.
//
// It finds the library's functions, calls them, and copies events. Devices and queue
// pairs are the host's, which it sees by the interfaces that it asks for; it posts
// nothing, and decides nothing that the library decides.
//
// # Locks
//
// An identifier has a lock that calls hold for reading, and Close for writing, as
// the device has in package native. An event channel has one that is held while an
// event is taken, converted and acknowledged and while an identifier of the channel
// or its queue pair is destroyed: to take an event C may do work on either. The
// manager's own guards which of its devices are in use.
//
// Order: the identifier's, the channels' by age, the manager's, the device's, a
// queue's.
package cm

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// Manager is librdmacm with what belongs to no channel: the devices that it opened.
type Manager struct {
	host Host
	lib  *library

	channels, ids atomic.Uint64 // made so far, for names and for the order of locks

	lookups chan struct{} // a token for each call that waits for a resolver

	mu      sync.Mutex
	devices map[uintptr]*device // by context
}

// Load loads the first of the libraries that is there. Calls that may find a new
// device are made on the thread discovery, as libibverbs' are.
func Load(host Host, discovery *dl.Thread, names ...string) (*Manager, error) {
	lib, err := loadLibrary(discovery, names...)
	if err != nil {
		return nil, err
	}
	return newManager(host, lib), nil
}

func newManager(host Host, lib *library) *Manager {
	return &Manager{host: host, lib: lib, devices: map[uintptr]*device{}, lookups: make(chan struct{}, maxLookups)}
}

// managerError says what the errnos mean that librdmacm has for a host on which
// it cannot work. It finds that out in the first call of some functions.
func managerError(name string, err error) error {
	op := failure.Of(name, "", err)
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
