package link

import (
	"net/netip"
	"sync"

	"rdmatui/verbs/wire"
)

// Header is the fields of the IP header that the sender chooses and a router may change. The ICRC does not cover them.
type Header struct {
	TrafficClass uint8  // DSCP in the upper 6 bits, ECN in the lower 2; IPv4: type of service
	HopLimit     uint8  // IPv4: time to live
	FlowLabel    uint32 // 20 bits; 0 with IPv4, which has none
}

// DefaultHopLimit is the hop limit of a packet where nothing else is asked for.
const DefaultHopLimit = 64

// defaultHeader is what a packet bears where nothing is asked for.
var defaultHeader = Header{HopLimit: DefaultHopLimit}

// Path is the two ends of a packet's way and its IP header, with the CRC prepared for it. It does not change once made and may be shared.
type Path struct {
	Src, Dst netip.AddrPort
	Header
	icrc wire.ICRC
}

// NewPath prepares a path; both ends must be of one address family. IPv4 packets bear "don't fragment" and identification 0, as a
// datagram socket with path MTU discovery sends them. Traffic class and flow label are 0, and the hop limit is [DefaultHopLimit].
func NewPath(src, dst netip.AddrPort) (*Path, error) {
	icrc, err := wire.NewICRC(wire.Path{Src: src, Dst: dst, DF: true})
	if err != nil {
		return nil, err
	}
	return &Path{src, dst, defaultHeader, icrc}, nil
}

const maxFlowLabel = 1<<20 - 1

// With returns the path with another IP header. A hop limit of 0 stands for [DefaultHopLimit], since no packet may leave with 0; of the flow
// label 20 bits count, and on IPv4 none.
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

// Packet is one UDP payload in a buffer that is used again and again. Whoever holds it owns it: [Link.Send] passes it on,
// [Link.Receive] hands it over, [Pool.Put] gives it back.
type Packet struct {
	Path *Path
	// Data is the packet from BTH to pad before it is sent, and with the ICRC behind it on the link and after it.
	Data []byte
	// damage is what [Faulty] chose; it is done once the ICRC is made.
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

// AppendSealed appends to dst the packet as it will be on the link, for an IPv4 identification of 0; the packet is as it was.
func (p *Packet) AppendSealed(dst []byte) []byte {
	return p.Path.icrc.Append(0, append(dst, p.Data...))
}

func (p *Packet) intact() bool { return p.Path.icrc.Verify(0, p.Data) }

// maxIdle bounds the packets that a pool keeps: about 20 MiB.
const maxIdle = 4096

// Pool keeps packets for reuse. The zero value is ready; all methods may be called from any goroutine.
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

// Put takes packets back. The caller must not use them any more.
func (l *Pool) Put(ps []*Packet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, ps[:min(len(ps), maxIdle-len(l.idle))]...)
}
