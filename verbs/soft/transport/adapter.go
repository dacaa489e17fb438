package transport

import (
	"net/netip"
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
	// TakeMAD receives the packets for queue pair 1, called by the engine: it must not block, and must not keep the packet, which is reused.
	TakeMAD func(h *wire.Packet, path *link.Path)
	// UseHeaders is called with the change in the number of queue pairs whose programs read received IP headers.
	UseHeaders func(n int)
}

// Adapter is the state that all contexts of one card share: the tables in which packets are looked up, the quota, and the counters. It
// outlives the engine, which runs only while a context is open.
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

// FindQP returns a queue pair by number, nil if there is none.
func (a *Adapter) FindQP(num uint32) *QP { return a.qps.find(num) }

// RestNumber keeps a queue pair number from being reused before the given time.
func (a *Adapter) RestNumber(num uint32, until time.Time) { a.qps.rest(num, until) }

// Tables returns the number of queue pair numbers in use and of multicast groups.
func (a *Adapter) Tables() (numbers, groups int) { return a.qps.len(), a.groups.len() }

// ephemeral is the first UDP source port that queue pairs use, as the kernel's RoCE does.
const ephemeral = 0xc000

// SourcePort returns the UDP source port of a path. The ICRC covers it, so it must be the port that the packets really carry. If the
// carrier lets the sender choose, it is derived from all 20 bits of the flow label, as in the kernel (rdma_flow_label_to_udp_sport).
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
	return path.With(link.Header{TrafficClass: av.GRH.TrafficClass, HopLimit: av.GRH.HopLimit, FlowLabel: av.GRH.FlowLabel}), nil
}
