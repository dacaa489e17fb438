package cm

import (
	"fmt"
	"net/netip"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// idState is the state of an identifier. The state of its connection is in [conn].
type idState uint8

const (
	idIdle idState = iota
	idBound
	idAddrResolved
	idRouteResolved
	idListening
	idConnecting // after Connect or a request; never left
	idDisconnected
	idClosed
)

// ID is a communication identifier. manager.mu guards all fields.
type ID struct {
	manager *Manager
	channel *Channel
	space   verbs.CMPortSpace
	state   idState

	local, peer netip.AddrPort
	device      Device  // valid if context is
	context     Context // nil: not bound to a device
	sgid        uint8   // GID index of the local address
	others      []Context
	qp          QP // nil: none
	conn        *conn
	groups      []netip.Addr // joined

	tos               uint8
	reuse, onlyFamily bool
	ownTimeout        bool // timeout was set by an option
	timeout           uint8
	backlog, waiting  int // of a listener: its limit, and the requests not yet taken from the channel
	listener          *ID // of a request that was not taken yet; nil for all others
}

var _ verbs.CMID = (*ID)(nil)

// newID creates an identifier; manager.mu is held.
func (m *Manager) newID(c *Channel, space verbs.CMPortSpace) (*ID, error) {
	if !verbs.CMPortSpaces.Known(space) {
		return nil, syscall.EINVAL
	}
	if err := m.Memory.Take(object.ObjectBytes); err != nil {
		return nil, err
	}
	id := &ID{manager: m, channel: c, space: space}
	c.Add(id, id.name())
	return id, nil
}

func (id *ID) name() string { return "cm_id " + id.space.String() }

// fail wraps an error; nil stays nil.
func (id *ID) fail(op string, err error) error { return verbs.NewOpError(op, "", err) }

// datagrams reports whether the port space is one of datagrams.
func (id *ID) datagrams() bool {
	return id.space == verbs.PortSpaceUDP || id.space == verbs.PortSpaceIPoIB
}

func (id *ID) qpType() verbs.QPType {
	if id.datagrams() {
		return verbs.UD
	}
	return verbs.RC
}

// tell puts an event on the channel.
func (id *ID) tell(ev verbs.CMEvent) {
	ev.ID = id
	id.channel.events.Put(ev)
}

// PortSpace returns the port space.
func (id *ID) PortSpace() verbs.CMPortSpace { return id.space }

// Device returns the shared context, nil if the identifier is not bound to a device.
func (id *ID) Device() verbs.Device {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	if id.context == nil {
		return nil
	}
	return id.context
}

// PortNum returns 1, or 0 if the identifier is not bound to a device.
func (id *ID) PortNum() uint8 {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	if id.context == nil {
		return 0
	}
	return 1
}

// LocalAddr returns the local address.
func (id *ID) LocalAddr() netip.AddrPort {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.local
}

// PeerAddr returns the peer's address.
func (id *ID) PeerAddr() netip.AddrPort {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.peer
}

// QP returns the queue pair, nil if there is none.
func (id *ID) QP() verbs.QP {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	if id.qp == nil {
		return nil
	}
	return id.qp
}

// SetOption sets one option; rdma_set_option(3).
func (id *ID) SetOption(option verbs.CMOption, value uint64) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_set_option", id.setOption(option, value))
}

func (id *ID) setOption(option verbs.CMOption, value uint64) error {
	limits := map[verbs.CMOption]uint64{
		verbs.CMOptTOS: 255, verbs.CMOptReuseAddr: 1, verbs.CMOptAFOnly: 1, verbs.CMOptACKTimeout: object.MaxTimer,
	}
	limit, known := limits[option]
	switch {
	case id.state == idClosed:
		return verbs.ErrClosed
	case !known:
		return syscall.ENOSYS
	case value > limit,
		option == verbs.CMOptReuseAddr && value == 0 && id.state != idIdle,
		option == verbs.CMOptAFOnly && id.state > idBound,
		option == verbs.CMOptACKTimeout && id.datagrams():
		return syscall.EINVAL
	}
	switch option {
	case verbs.CMOptTOS:
		id.tos = uint8(value)
	case verbs.CMOptReuseAddr:
		id.reuse = value != 0
	case verbs.CMOptAFOnly:
		id.onlyFamily = value != 0
	case verbs.CMOptACKTimeout:
		id.ownTimeout, id.timeout = true, uint8(value)
	}
	return nil
}

// Migrate moves the identifier and its pending events to another channel.
func (id *ID) Migrate(to verbs.CMEventChannel) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	c, ours := to.(*Channel)
	switch {
	case id.state == idClosed:
		return id.fail("rdma_migrate_id", verbs.ErrClosed)
	case !ours || c.manager != id.manager:
		return id.fail("rdma_migrate_id", verbs.ErrForeignObject)
	case c.Closed:
		return id.fail("rdma_migrate_id", verbs.ErrClosed)
	case c == id.channel:
		return nil
	}
	events := id.channel.withdraw(id)
	id.channel.Remove(id)
	id.channel = c
	c.Add(id, id.name())
	for _, ev := range events {
		if request := ev.ID.(*ID); request != id { // an untaken request moves with its listener
			request.channel.Remove(request)
			request.channel = c
			c.Add(request, request.name())
		}
		c.events.Put(ev)
	}
	return nil
}

// Close destroys the identifier and ends its connection. It fails while the identifier has a queue
// pair.
func (id *ID) Close() error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	if id.state == idClosed {
		return nil
	}
	if id.qp != nil {
		return id.fail("rdma_destroy_id", &verbs.BusyError{
			Object: "cm_id", UsedBy: []string{"QP " + id.qp.Num().String()},
		})
	}
	id.close()
	return nil
}

// close is Close for an identifier without a queue pair; manager.mu is held.
func (id *ID) close() {
	for _, ev := range id.channel.withdraw(id) {
		if request := ev.ID.(*ID); request != id {
			request.close()
		}
	}
	if id.conn != nil {
		id.conn.abandon()
	}
	id.manager.ports.release(id)
	id.state = idClosed
	id.manager.Memory.Give(object.ObjectBytes)
	id.taken()
	id.channel.Remove(id)
	id.letOthersGo()
	if id.context != nil {
		id.context.Release()
	}
}

// String returns the identifier's name with its local address and its peer, for messages.
func (id *ID) String() string { return fmt.Sprintf("%s from %s to %s", id.name(), id.local, id.peer) }
