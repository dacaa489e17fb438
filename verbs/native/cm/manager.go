// Package cm is the host's connection manager: librdmacm's event channels and
// identifiers behind the interfaces of package verbs.
//
// It finds and calls the library's functions, and copies events. It uses the host's
// devices and queue pairs through interfaces; it posts no requests, and leaves all
// decisions to the library.
//
// # Locks
//
// An identifier has a lock that calls hold for reading and Close for writing, like a
// device in package native. An event channel has a lock that is held while an event is
// taken, converted and acknowledged, and while an identifier of the channel or its
// queue pair is destroyed: taking an event may make C work on either. The manager's
// lock guards which of its devices are in use.
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

// Manager is librdmacm with the state that belongs to no channel: the devices that it
// opened.
type Manager struct {
	host Host
	lib  *library

	channels, ids atomic.Uint64 // created so far, for names and for the order of locks

	lookups chan struct{} // one token for each call that waits for a resolver

	mu      sync.Mutex
	devices map[uintptr]*device // by context
}

// Load loads the first available library. Calls that may find a new device run on the
// thread discovery, as for libibverbs.
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

// managerError explains the errnos that librdmacm returns on a host where it cannot
// work. It detects that in the first call of some functions.
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
