package transport

import (
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// Config is the configuration of an adapter, set by the device above.
type Config struct {
	Name    string
	Addrs   []netip.Addr // by GID index
	MTU     verbs.MTU    // the largest that the carrier supports
	Source  uint16       // UDP source port of all packets; 0: each queue pair has its own
	Polled  bool         // packets must be polled for: programs may do so
	Settle  bool         // a poll of a completion queue waits until all posted requests are served
	Random  *object.Random
	Memory  *memory.Budget // budget of the adapter's objects
	Crashed verbs.CrashHook
	// TakeMAD receives the packets for queue pair 1, called by the engine: it must not block, and must not keep the
	// packet, which is reused.
	TakeMAD func(h *wire.Packet, path *link.Path)
	// UseHeaders is called with the change in the number of queue pairs whose programs read received IP headers.
	UseHeaders func(n int)
}

// Counters counts the transport events of one adapter. Received request packets that are out of sequence are counted in
// OutOfSequence or Duplicates; packets dropped before a queue pair accepts them, in Malformed, UnknownQP or WrongPeer.
type Counters struct {
	Malformed, UnknownQP, WrongPeer, OutOfSequence, Duplicates, RNRSent, RNRReceived,
	SequenceNAKs, Timeouts, Retransmits, Retries, RetriesUsed, RNRRetriesUsed,
	AccessErrors, InvalidRequests, Dropped, QKeyViolations, Sends, Recvs,
	MADsSent, MADsReceived atomic.Uint64
}

// Adapter is the state that all contexts of one card share: the tables in which packets are looked up, the quota, and
// the counters. It outlives the engine, which runs only while a context is open.
type Adapter struct {
	Config
	Regions mem.Table
	Quota   object.Quota
	Counts  Counters
	qps     qpTable
	groups  groupTable
}

// Init creates the tables, empty at first.
func (a *Adapter) Init(c Config) {
	a.Config = c
	a.Quota.Memory = c.Memory
	a.Quota.Device = memory.New(mem.MaxDeviceMemory, "max_dm_size")
	a.Regions.Init(c.Random, &a.Quota)
	a.qps.init()
}

// ephemeral is the first UDP source port that queue pairs use, as the kernel's RoCE does.
const ephemeral = 0xc000

// SourcePort returns the UDP source port of a path. The ICRC covers it, so it must be the port that the packets really
// carry. If the carrier lets the sender choose, it is derived from all 20 bits of the flow label, as in the kernel
// (rdma_flow_label_to_udp_sport).
func (a *Adapter) SourcePort(flowLabel uint32) uint16 {
	switch {
	case a.Source != 0:
		return a.Source
	case flowLabel != 0:
		return ephemeral | uint16(flowLabel^flowLabel>>14)
	}
	return ephemeral | uint16(a.Random.Uint32())
}

// pathTo creates the path to the peer or multicast group of an address vector.
func (a *Adapter) pathTo(av *verbs.AHAttr) (*link.Path, error) {
	if !av.IsGlobal || av.PortNum != 1 || int(av.GRH.SGIDIndex) >= len(a.Addrs) {
		return nil, syscall.EINVAL
	}
	to := av.GRH.DGID.Addr()
	if to.IsUnspecified() {
		return nil, syscall.EINVAL
	}
	from := netip.AddrPortFrom(a.Addrs[av.GRH.SGIDIndex], a.SourcePort(av.GRH.FlowLabel))
	path, err := link.NewPath(from, netip.AddrPortFrom(to, wire.Port))
	if err != nil {
		return nil, syscall.EINVAL // the GIDs are of two address families
	}
	return path.With(link.Header{TrafficClass: av.GRH.TrafficClass, HopLimit: av.GRH.HopLimit,
		FlowLabel: av.GRH.FlowLabel}), nil
}

// Device is one opening of an adapter, a verbs context, and the owner of its objects.
type Device struct {
	object.Context
	adapter *Adapter
	eng     *Engine
}

// Init opens the context; the engine is running. The user closes it or, with managed, the last of the connection
// manager's identifiers on it. end is called when it is closed.
func (d *Device) Init(a *Adapter, e *Engine, managed bool, end func()) {
	d.adapter, d.eng = a, e
	d.Context.Init(managed, end)
}

func (d *Device) fail(op string, err error) error { return verbs.NewOpError(op, d.adapter.Name, err) }

// AllocDM allocates device memory.
func (d *Device) AllocDM(spec verbs.DMSpec) (verbs.DM, error) {
	m, err := d.adapter.Regions.AllocDM(&d.Context, spec)
	if err != nil {
		return nil, d.fail("ibv_alloc_dm", err)
	}
	return m, nil
}

// QueryRTValuesEx reads the clock that completion_ts uses.
func (d *Device) QueryRTValuesEx() (values verbs.RTValues, err error) {
	if err := d.CheckOpen(); err != nil {
		return values, d.fail("ibv_query_rt_values_ex", err)
	}
	values.RawClock.NSec = int64(time.Since(d.eng.begun))
	return values, nil
}
