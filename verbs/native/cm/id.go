package cm

import (
	"net/netip"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// ID is a struct rdma_cm_id.
type ID struct {
	cm   *Manager
	ps   verbs.CMPortSpace
	name string

	// mu is held for reading during calls, for writing to change the fields below or the
	// queue pair. A change of ptr or ch also requires the channel's lock.
	mu  sync.RWMutex
	ptr uintptr // the C object; 0 once closed
	ch  *Channel

	state idState
}

// idState is a copy of an identifier's state, for callers that read it while calls are
// in progress. C changes the original without a lock, in calls and when events are
// taken.
type idState struct {
	mu          sync.Mutex
	dev         *device // nil until bound
	listens     bool
	seeks       bool // counted in the channel's seekers
	portNum     uint8
	local, peer netip.AddrPort
	qp          QP
	groups      map[netip.Addr]bool // joined and not left
}

// use starts a call on the identifier: it is not closed until done is called.
func (i *ID) use() error {
	i.mu.RLock()
	if i.ptr == 0 {
		i.mu.RUnlock()
		return verbs.ErrClosed
	}
	return nil
}

func (i *ID) done() { i.mu.RUnlock() }

// refresh copies the state from C. The caller holds mu or the channel's lock.
func (i *ID) refresh() {
	raw := dl.View[abi.CMID](i.ptr)
	s := &i.state
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dev == nil && raw.Verbs != 0 {
		s.dev = i.cm.bind(raw.Verbs)
	}
	i.setSeeks(s.dev == nil || s.listens)
	s.portNum = raw.PortNum
	s.local, s.peer = sockaddr(&raw.Route.Addr.Src), sockaddr(&raw.Route.Addr.Dst)
}

// seek counts an identifier among the channel's seekers, or no longer. The caller holds mu or the channel's lock.
func (i *ID) seek(on bool) {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	i.setSeeks(on)
}

// setSeeks is seek with the state's lock held.
func (i *ID) setSeeks(on bool) {
	if on == i.state.seeks {
		return
	}
	i.state.seeks = on
	if on {
		i.ch.seekers.Add(1)
	} else {
		i.ch.seekers.Add(-1)
	}
}

func (i *ID) bound() *device {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	return i.state.dev
}

func (i *ID) datagrams() bool {
	return i.ps == verbs.PortSpaceUDP || i.ps == verbs.PortSpaceIPoIB
}

// PortSpace implements verbs.CMID.
func (i *ID) PortSpace() verbs.CMPortSpace { return i.ps }

// Device implements verbs.CMID.
func (i *ID) Device() verbs.Device {
	if dev := i.bound(); dev != nil {
		return dev.Device
	}
	return nil
}

// PortNum implements verbs.CMID.
func (i *ID) PortNum() uint8 {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	return i.state.portNum
}

// LocalAddr implements verbs.CMID.
func (i *ID) LocalAddr() netip.AddrPort {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	return i.state.local
}

// PeerAddr implements verbs.CMID.
func (i *ID) PeerAddr() netip.AddrPort {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	return i.state.peer
}

// QP implements verbs.CMID.
func (i *ID) QP() verbs.QP {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	if i.state.qp == nil {
		return nil
	}
	return i.state.qp
}

// Migrate implements verbs.CMID.
func (i *ID) Migrate(to verbs.CMEventChannel) error {
	const op = "rdma_migrate_id"
	if to == nil {
		return failure.Of(op, i.name, syscall.EINVAL) // C would create a channel whose calls block
	}
	ch, ok := to.(*Channel)
	if !ok || ch.cm != i.cm {
		return failure.Of(op, i.name, verbs.ErrForeignObject)
	}
	if err := i.moveTo(ch); err != nil {
		return failure.Of(op, i.name, err)
	}
	ch.events.Nudge() // the kernel wakes nobody for moved events
	return nil
}

func (i *ID) moveTo(ch *Channel) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ptr == 0 {
		return verbs.ErrClosed
	}
	defer lockBoth(i.ch, ch)()
	if ch.ptr == 0 {
		return verbs.ErrClosed
	}
	if _, err := i.cm.lib.migrateID.Call(i.ptr, ch.ptr); err != nil {
		return err
	}
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	seeks := i.state.seeks
	i.setSeeks(false)
	delete(i.ch.ids, i.ptr)
	ch.ids[i.ptr] = i
	i.ch = ch
	i.setSeeks(seeks)
	return nil
}

// lockBoth locks two channels, which may be the same, always in the same order.
func lockBoth(a, b *Channel) (unlock func()) {
	if a.serial > b.serial {
		a, b = b, a
	}
	a.mu.Lock()
	if a == b {
		return a.mu.Unlock
	}
	b.mu.Lock()
	return func() { b.mu.Unlock(); a.mu.Unlock() }
}

// Close implements verbs.CMID.
func (i *ID) Close() error {
	const op = "rdma_destroy_id"
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ptr == 0 {
		return nil
	}
	if qp := i.state.qp; qp != nil { // changes require i.mu
		return failure.Of(op, i.name, &verbs.BusyError{Object: i.name, UsedBy: []string{qp.Name()}})
	}
	i.leaveAll() // C does not free them
	dev, err := i.destroy()
	if err != nil {
		return failure.Of(op, i.name, err)
	}
	if dev != nil {
		i.cm.unbind(dev)
	}
	return nil
}

// destroy returns the device that the identifier was bound to: an event may bind it
// until then.
func (i *ID) destroy() (*device, error) {
	i.ch.mu.Lock()
	defer i.ch.mu.Unlock()
	dev := i.bound()
	if dev != nil {
		if err := i.cm.keep(dev); err != nil {
			return nil, err
		}
	}
	if _, err := i.cm.lib.destroyID.Call(i.ptr); err != nil {
		return nil, err
	}
	i.seek(false)
	delete(i.ch.ids, i.ptr)
	i.ptr = 0
	return dev, nil
}
