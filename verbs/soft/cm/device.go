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

// Config is the environment of a manager.
type Config struct {
	Devices func() []Device
	// KernelRoutes reports whether the devices' addresses are the host's, so that its routing table applies.
	KernelRoutes func() bool
	Random       *object.Random
	Memory       *memory.Budget
	Crashed      verbs.CrashHook
}

// Device is the part of a device that the manager uses. The calls never wait for the manager's lock, which may be held.
type Device interface {
	Addrs() []netip.Addr // by GID index
	GUID() verbs.GUID    // the node GUID
	MTU() verbs.MTU      // the port's active MTU
	SourcePort() uint16  // of the manager's own packets
	// Open opens the device for one identifier; the context's Retain and Release count further ones. The context ends
	// with the last identifier and the last object created on it.
	Open() (Context, error)
	// SendMAD queues a management datagram; the caller must no longer change data. It is lost if the device is closed
	// or its queue is full.
	SendMAD(path *link.Path, data []byte)
	// RestNumber keeps a queue pair number from being reused before the given time.
	RestNumber(qpn uint32, until time.Time)
	FindQP(qpn uint32) QP // nil: none
	Counters() *Counters  // updated by the manager
}

// Context is an opening of a device that identifiers share. Its Close does nothing: it belongs to the manager.
type Context interface {
	verbs.Device
	Retain() bool                  // adds an identifier; false: the context has ended
	Release()                      // removes an identifier
	CheckPD(domain verbs.PD) error // returns an error if the domain does not belong to this context
	// CreateQP creates a queue pair for an identifier.
	CreateQP(domain verbs.PD, spec verbs.QPSpec) (QP, error)
}

// QP is a queue pair that the manager moves through its states.
type QP interface {
	verbs.QP
	// SetOwner sets the identifier that is notified when the queue pair is closed, and when its first packet arrives.
	SetOwner(owner object.Owner)
	SharesRecvs() bool // its RECVs come from a shared receive queue
	// Probe asks the peer's queue pair for a sign of life; false means that it cannot have a peer.
	Probe() bool
	// Answers reports whether a packet of the peer has arrived since the probe.
	Answers() bool
}

// Counters counts the manager's events on one device.
type Counters struct {
	MADsDropped, RequestsExpired, RequestsEvicted, RequestsRefused, RequestsUnanswered,
	SIDRAnswersDropped, TimewaitsCut,
	DoubtsDispelled atomic.Uint64
}
