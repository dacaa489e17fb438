package native

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs"
)

// connectionManager is librdmacm with what of it belongs to no channel: the
// devices that it opened.
type connectionManager struct {
	ibv *library
	lib *cmLibrary

	channels, ids atomic.Uint64 // made so far, for names and for the order of locks

	lookups chan struct{} // a token for each call that waits for a resolver

	mu      sync.Mutex
	devices map[uintptr]*cmDevice // by context
}

func newConnectionManager(ibv *library, lib *cmLibrary) *connectionManager {
	return &connectionManager{ibv: ibv, lib: lib, devices: map[uintptr]*cmDevice{}, lookups: make(chan struct{}, maxLookups)}
}

// connectionManager loads the library at the first call, as library does.
func (p *Provider) connectionManager() (*connectionManager, error) {
	ibv, err := p.library() // first, so that it chooses the drivers
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cm == nil {
		lib, err := loadCMLibrary(p.cmNames...)
		if err != nil {
			return nil, err
		}
		p.cm = newConnectionManager(ibv, lib)
	}
	return p.cm, nil
}

var _ verbs.CMProvider = (*Provider)(nil)

// CreateEventChannel implements verbs.CMProvider. The error matches
// verbs.ErrUnsupported where the library is missing, the host has no RDMA device
// or the kernel no connection manager.
func (p *Provider) CreateEventChannel() (verbs.CMEventChannel, error) {
	cm, err := p.connectionManager()
	if err != nil {
		return nil, err
	}
	ch, err := cm.createEventChannel()
	if err != nil {
		return nil, err
	}
	return ch, nil
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
