package cm

import (
	"net/netip"
	"sync/atomic"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
)

// Config is what a manager works with.
type Config struct {
	Devices func() []Device
	// KernelRoutes says that the devices' addresses are the host's, and its routing table tells the way.
	KernelRoutes func() bool
	Random       *object.Random
	Memory       *memory.Budget
	Crashed      verbs.CrashHook
}

// Device is what the manager needs of a device. None of the calls waits for the manager's lock, which may be held.
type Device interface {
	Addrs() []netip.Addr // by GID index
	GUID() verbs.GUID    // of the node
	MTU() verbs.MTU      // the port's active MTU
	SourcePort() uint16  // of packets of the manager's
	// Open opens the device for one identifier; Retain and Release of the context count the others. It ends with the last of them and of
	// what was made on it.
	Open() (Context, error)
	// SendMAD has a management datagram sent, whose data do not change any more. It is lost where the device is closed or has no room.
	SendMAD(path *link.Path, data []byte)
	// RestNumber keeps a queue pair's number from being given to another one before a time.
	RestNumber(qpn uint32, until time.Time)
	FindQP(qpn uint32) QP // nil: none
	Counters() *Counters  // those that the manager counts in
}

// Context is an opening of a device that identifiers share. To close it does nothing: it is the manager's.
type Context interface {
	verbs.Device
	Retain() bool                  // false: the context has ended
	Release()                      // ends what Retain began
	CheckPD(domain verbs.PD) error // refuses a domain that is not of this context
	// CreateQP creates a queue pair for an identifier.
	CreateQP(domain verbs.PD, spec verbs.QPSpec) (QP, error)
}

// QP is a queue pair that the manager moves through its states.
type QP interface {
	verbs.QP
	// SetOwner has the identifier told when the queue pair is closed, and when its first packet comes.
	SetOwner(owner object.Owner)
	SharesRecvs() bool // its RECVs come from a shared queue
	// Probe asks the peer's queue pair for a sign of life; false means that there is no such peer.
	Probe() bool
	// Answers reports whether a packet of the peer's has come since the probe.
	Answers() bool
}

// Counters is what the manager counts of one device.
type Counters struct {
	MADsDropped, RequestsExpired, RequestsEvicted, RequestsRefused, RequestsUnanswered, SIDRAnswersDropped, TimewaitsCut,
	DoubtsDispelled atomic.Uint64
}
