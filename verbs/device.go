package verbs

import "context"

// Device is an open device (a verbs context). Its methods, and those of all
// objects made from it, may be called from any goroutine; one object's posts
// are taken in the order in which the calls are made.
//
// Close of every object is idempotent. Objects are closed before what they
// were made from: otherwise Close fails with a [BusyError] or EBUSY and the
// object stays.
type Device interface {
	// Info describes the device as the provider's list does.
	Info() DeviceInfo
	// QueryDevice reads the 40 basic attributes; ibv_query_device(3).
	QueryDevice() (DeviceAttr, error)
	// QueryDeviceEx reads the extended ones. An error that matches
	// ErrUnsupported means that the library or driver has no such call.
	QueryDeviceEx() (DeviceAttrEx, error)
	// QueryPort reads one port, from 1; ibv_query_port(3).
	QueryPort(port uint8) (PortAttr, error)
	// QueryGIDTable lists the used rows of all ports' GID tables.
	QueryGIDTable() ([]GIDEntry, error)
	// QueryGID reads one row, used or not.
	QueryGID(port uint8, index int) (GIDEntry, error)
	// QueryPKey reads one row of a port's P_Key table, in host order.
	QueryPKey(port uint8, index int) (uint16, error)

	// AllocPD allocates a protection domain; ibv_alloc_pd(3).
	AllocPD() (PD, error)
	// AllocDM takes some of the device's own memory; ibv_alloc_dm(3). An error that
	// matches ErrUnsupported means that library or driver have no such call.
	AllocDM(DMSpec) (DM, error)
	// CreateCompChannel creates a channel for completion events;
	// ibv_create_comp_channel(3).
	CreateCompChannel() (CompChannel, error)
	// CreateCQ creates a completion queue; ibv_create_cq(3).
	CreateCQ(CQSpec) (CQ, error)

	// GetAsyncEvent waits for the next asynchronous event and acknowledges it.
	// It returns ctx's error when ctx ends first. One caller at a time.
	GetAsyncEvent(ctx context.Context) (AsyncEvent, error)

	// Close closes the device; ibv_close_device(3).
	Close() error
}

// PD is a protection domain: regions and queue pairs work together only inside
// one. IBA 10.2.3.
type PD interface {
	// RegMR registers a memory region; ibv_reg_mr(3).
	RegMR(MRSpec) (MR, error)
	// CreateQP creates a queue pair in RESET; ibv_create_qp(3).
	CreateQP(QPSpec) (QP, error)
	// CreateSRQ creates a shared receive queue; ibv_create_srq(3).
	CreateSRQ(SRQSpec) (SRQ, error)
	// CreateAH creates an address handle; ibv_create_ah(3).
	CreateAH(AHAttr) (AH, error)
	// AllocMW makes a memory window that shows nothing yet; ibv_alloc_mw(3).
	AllocMW(MWType) (MW, error)
	// Close deallocates the domain; ibv_dealloc_pd(3).
	Close() error
}

// AH is an address handle; ibv_create_ah(3).
type AH interface {
	// Attr returns the address vector that the handle was created with.
	Attr() AHAttr
	// Close destroys the handle; ibv_destroy_ah(3).
	Close() error
}

// RTValues are struct ibv_values_ex with IBV_VALUES_MASK_RAW_CLOCK.
type RTValues struct {
	// RawClock is the device's own clock, a struct timespec. Devices put their ticks,
	// as completion_ts counts them, into NSec and leave Sec 0.
	RawClock struct{ Sec, NSec int64 }
}

// RTValuesQuerier is implemented by devices that can tell values of the moment.
type RTValuesQuerier interface {
	// QueryRTValuesEx reads the raw clock; ibv_query_rt_values_ex(3). An error that
	// matches ErrUnsupported means that library or driver have no such call.
	QueryRTValuesEx() (RTValues, error)
}
