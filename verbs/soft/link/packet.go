package link

import (
	"net/netip"
	"sync"

	"rdmatui/verbs/wire"
)

// Header holds the IP header fields that the sender chooses and a router may change. The ICRC does not cover them.
type Header struct {
	TrafficClass uint8  // DSCP in the upper 6 bits, ECN in the lower 2; IPv4: type of service
	HopLimit     uint8  // IPv4: time to live
	FlowLabel    uint32 // 20 bits; 0 with IPv4, which has no flow label
}

// DefaultHopLimit is the hop limit of a packet if none is specified.
const DefaultHopLimit = 64

// defaultHeader is the header of a packet if none is specified.
var defaultHeader = Header{HopLimit: DefaultHopLimit}

// Path is the source, destination and IP header of packets, with their part of the CRC precomputed. It is immutable and
// may be shared.
type Path struct {
	Src, Dst netip.AddrPort
	Header
	icrc wire.ICRC
}

// NewPath creates a path; both addresses must be of one family. IPv4 packets have "don't fragment" set and
// identification 0, like those of a datagram socket with path MTU discovery. Traffic class and flow label are 0, and
// the hop limit is [DefaultHopLimit].
func NewPath(src, dst netip.AddrPort) (*Path, error) {
	icrc, err := wire.NewICRC(wire.Path{Src: src, Dst: dst, DF: true})
	if err != nil {
		return nil, err
	}
	return &Path{src, dst, defaultHeader, icrc}, nil
}

const maxFlowLabel = 1<<20 - 1

// With returns the path with another IP header. A hop limit of 0 means [DefaultHopLimit], since no packet may leave
// with 0. Only the lower 20 bits of the flow label count, and none on IPv4.
func (p *Path) With(h Header) *Path {
	if h.HopLimit == 0 {
		h.HopLimit = DefaultHopLimit
	}
	if h.FlowLabel &= maxFlowLabel; p.Src.Addr().Unmap().Is4() {
		h.FlowLabel = 0
	}
	with := *p
	with.Header = h
	return &with
}

// Packet is one UDP payload in a reusable buffer. It has one owner at a time: [Link.Send] takes ownership,
// [Link.Receive] gives it to the caller, [Pool.Put] returns the packet to the pool.
type Packet struct {
	Path *Path
	// Data is the packet from BTH to pad before it is sent, followed by the ICRC once it is on the link.
	Data []byte
	// damage is chosen by [Faulty] and applied after the ICRC is computed.
	damage damage
	room   [wire.MaxLen]byte
}

// Reset empties the packet; appending to Data up to wire.MaxLen bytes does not allocate.
func (p *Packet) Reset() { p.Data, p.damage = p.room[:0], damage{} }

// seal appends the ICRC.
func (p *Packet) seal() { p.sealAs(0) }

// sealAs appends the ICRC for a given IPv4 identification.
func (p *Packet) sealAs(id uint16) {
	p.Data = p.Path.icrc.Append(id, p.Data)
	p.damage.turn(p.Data)
	p.damage = damage{}
}

// AppendSealed appends the packet to dst as the link sends it, with an IPv4 identification of 0; the packet itself is
// unchanged.
func (p *Packet) AppendSealed(dst []byte) []byte {
	return p.Path.icrc.Append(0, append(dst, p.Data...))
}

func (p *Packet) intact() bool { return p.Path.icrc.Verify(0, p.Data) }

// maxIdle is the maximum number of packets in a pool: about 20 MiB.
const maxIdle = 4096

// Pool keeps packets for reuse. The zero value is ready to use; its methods may be called from any goroutine.
type Pool struct {
	mu   sync.Mutex
	idle []*Packet
}

// Get appends n empty packets to into.
func (l *Pool) Get(into []*Packet, n int) []*Packet {
	l.mu.Lock()
	keep := max(len(l.idle)-n, 0)
	taken := l.idle[keep:]
	into = append(into, taken...)
	clear(taken)
	l.idle = l.idle[:keep]
	l.mu.Unlock()
	for range n - len(taken) {
		into = append(into, new(Packet))
	}
	for _, p := range into[len(into)-n:] {
		p.Reset()
	}
	return into
}

// Put returns packets to the pool. The caller must no longer use them.
func (l *Pool) Put(ps []*Packet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, ps[:min(len(ps), maxIdle-len(l.idle))]...)
}
