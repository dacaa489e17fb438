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

// Config is what an adapter is given by the device above.
type Config struct {
	Name    string
	Addrs   []netip.Addr // by GID index
	MTU     verbs.MTU    // the largest that the carrier takes
	Source  uint16       // the UDP source port of all packets; 0 lets each queue pair have its own
	Polled  bool         // something has to look whether packets have come: programs may
	Settle  bool         // a poll of a completion queue waits until all that was posted is served
	Random  *object.Random
	Memory  *memory.Budget // of objects
	Crashed verbs.CrashHook
	// TakeMAD is given the packets for queue pair 1, by the engine: it must not wait, and the packet is another one afterwards.
	TakeMAD func(h *wire.Packet, path *link.Path)
	// UseHeaders is told how many queue pairs more, or less, show their programs the IP headers of packets.
	UseHeaders func(n int)
}

// Adapter is what the objects of one card share, whichever context they are made on: the tables that packets are looked up in, the quota, and the
// counters. They outlive the engine, which runs while a context is open.
type Adapter struct {
	Config
	Regions mem.Table
	Quota   object.Quota
	Counts  Counters
	qps     qpTable
	groups  groupTable
}

// Init makes the tables, which are empty.
func (a *Adapter) Init(c Config) {
	a.Config = c
	a.Quota.Memory = c.Memory
	a.Quota.Device = memory.New(mem.MaxDeviceMemory, "max_dm_size")
	a.Regions.Init(c.Random, &a.Quota)
	a.qps.init()
}

// FindQP returns a queue pair by its number, nil where there is none.
func (a *Adapter) FindQP(num uint32) *QP { return a.qps.find(num) }

// RestNumber keeps a queue pair's number from being given to another one before a time.
func (a *Adapter) RestNumber(num uint32, until time.Time) { a.qps.rest(num, until) }

// Tables counts the numbers of queue pairs in use, and the multicast groups.
func (a *Adapter) Tables() (numbers, groups int) { return a.qps.len(), a.groups.len() }

// ephemeral is the first UDP source port that queue pairs use, as the kernel's RoCE does.
const ephemeral = 0xc000

// SourcePort returns the UDP source port of a path: the ICRC covers it, so it is what the packets really bear. Where the carrier lets it be
// chosen it comes from the flow label, as the kernel makes it (rdma_flow_label_to_udp_sport): all 20 bits of it count.
func (a *Adapter) SourcePort(flowLabel uint32) uint16 {
	switch {
	case a.Source != 0:
		return a.Source
	case flowLabel != 0:
		return ephemeral | uint16(flowLabel^flowLabel>>14)
	}
	return ephemeral | uint16(a.Random.Uint32())
}

// pathTo prepares the way to the peer, or the multicast group, of an address vector.
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
