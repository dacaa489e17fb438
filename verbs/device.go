package verbs

import "context"

// Device is an open device (a verbs context). Its methods, and those of all
// objects created from it, may be called from any goroutine. Posts to one
// object are queued in the order of the calls.
//
// Close of every object is idempotent. Close objects before the object that
// they were created from: otherwise its Close fails with a [BusyError] or
// EBUSY, and it stays open.
type Device interface {
	// Info returns the device's entry in the provider's list.
	Info() DeviceInfo
	// QueryDevice reads the 40 basic attributes; ibv_query_device(3).
	QueryDevice() (DeviceAttr, error)
	// QueryDeviceEx reads the extended attributes; ibv_query_device_ex(3). An
	// error that matches ErrUnsupported means that the library or the driver has
	// no such call.
	QueryDeviceEx() (DeviceAttrEx, error)
	// QueryPort reads the attributes of one port, counted from 1;
	// ibv_query_port(3).
	QueryPort(port uint8) (PortAttr, error)
	// QueryGIDTable lists the rows in use of all ports' GID tables;
	// ibv_query_gid_table(3).
	QueryGIDTable() ([]GIDEntry, error)
	// QueryGID reads one row of a GID table, in use or not.
	QueryGID(port uint8, index int) (GIDEntry, error)
	// QueryPKey reads one row of a port's P_Key table, in host order.
	QueryPKey(port uint8, index int) (uint16, error)

	// AllocPD allocates a protection domain; ibv_alloc_pd(3).
	AllocPD() (PD, error)
	// AllocDM allocates device memory; ibv_alloc_dm(3). An error that matches
	// ErrUnsupported means that the library or the driver has no such call.
	AllocDM(DMSpec) (DM, error)
	// CreateCompChannel creates a channel for completion events;
	// ibv_create_comp_channel(3).
	CreateCompChannel() (CompChannel, error)
	// CreateCQ creates a completion queue; ibv_create_cq(3).
	CreateCQ(CQSpec) (CQ, error)

	// GetAsyncEvent waits for the next asynchronous event and acknowledges it;
	// ibv_get_async_event(3). If ctx ends first it returns ctx's error. Only one
	// goroutine may call it at a time.
	GetAsyncEvent(ctx context.Context) (AsyncEvent, error)

	// Close closes the device; ibv_close_device(3).
	Close() error
}

// PD is a protection domain: regions and queue pairs work together only within
// one domain. IBA 10.2.3.
type PD interface {
	// RegMR registers a memory region; ibv_reg_mr(3).
	RegMR(MRSpec) (MR, error)
	// CreateQP creates a queue pair in RESET; ibv_create_qp(3).
	CreateQP(QPSpec) (QP, error)
	// CreateSRQ creates a shared receive queue; ibv_create_srq(3).
	CreateSRQ(SRQSpec) (SRQ, error)
	// CreateAH creates an address handle; ibv_create_ah(3).
	CreateAH(AHAttr) (AH, error)
	// AllocMW allocates an unbound memory window; ibv_alloc_mw(3).
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
	// RawClock is the device's clock, a struct timespec. Devices store their
	// ticks, in the unit of completion_ts, in NSec and leave Sec 0.
	RawClock struct{ Sec, NSec int64 }
}

// RTValuesQuerier is implemented by devices that can read their clock.
type RTValuesQuerier interface {
	// QueryRTValuesEx reads the raw clock; ibv_query_rt_values_ex(3). An error that
	// matches ErrUnsupported means that library or driver have no such call.
	QueryRTValuesEx() (RTValues, error)
}
