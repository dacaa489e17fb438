package link

import "net/netip"

// Link is one device's attachment to a carrier. Send and Receive may each be called by one goroutine at a time.
type Link interface {
	// Addrs returns the addresses at which this link receives packets.
	Addrs() []netip.Addr
	// Pool returns the pool that packets for Send come from and received packets return to.
	Pool() *Pool
	// Send seals the packets and transmits them; the link takes ownership. It never blocks. Packets that cannot be
	// delivered are lost, as on any network.
	Send(batch []*Packet)
	// Ready reports whether data may be sent now. If not, wake is called when that changes. It is advice: short packets
	// such as acknowledgements may always be sent.
	Ready() bool
	// Receive appends at most limit intact packets to into. If there are none, wake is called once when some arrive;
	// for a link over a socket its [Watch], if there is one, reports them instead.
	Receive(into []*Packet, limit int) []*Packet
	// Join adds the link to a multicast group, IPv4 or IPv6: it receives all packets that any link of the carrier,
	// itself included, sends to the group, with the group as Path.Dst and the sender as Path.Src. Sending does not
	// require membership. Each member gets its own copy; packets to a group without members are lost. A link may join
	// several times and remains a member until it has left as often. Join fails with EINVAL if the address is not
	// multicast and with net.ErrClosed after Close; it takes effect before it returns.
	Join(group netip.Addr) error
	// Leave ends a membership; it fails with EADDRNOTAVAIL if there is none. Close ends all.
	Leave(group netip.Addr) error
	// Counters returns the link's packet counters.
	Counters() Counters
	// Close detaches the link. Queued packets are lost.
	Close() error
}

// Counters counts a link's packets since it was attached.
type Counters struct {
	Sent, Received uint64 // packets
	BadICRC        uint64 // arrived damaged and dropped
	// arrived with a CRC that is right only for an IPv4 identification inconsistent with the sender's others; dropped
	OddID       uint64
	NoRoom      uint64 // arrived when the queue was full and dropped
	Unsent      uint64 // dropped before they were sent: too many waited for room in the socket, or the link was closed
	Unreachable uint64 // sent to an unused address or, where that can be known, to a group without members
	Pauses      uint64 // times that the link was not ready for data
}

// Plus returns the sum of both.
func (c Counters) Plus(d Counters) Counters {
	c.Sent += d.Sent
	c.Received += d.Received
	c.BadICRC += d.BadICRC
	c.OddID += d.OddID
	c.NoRoom += d.NoRoom
	c.Unsent += d.Unsent
	c.Unreachable += d.Unreachable
	c.Pauses += d.Pauses
	return c
}

// Verdict is the decision of a fault hook about one packet.
type Verdict uint8

// The verdicts. A hook damages a packet by changing its Data, which is already sealed.
const (
	Deliver Verdict = iota
	Drop
)

// Fault decides about each packet between sealing and delivery. The senders' goroutines call it concurrently.
type Fault func(p *Packet) Verdict

// Tap sees each sealed packet before the fault hook. It must be fast, and copy what it keeps. It is called
// concurrently, like [Fault].
type Tap func(p *Packet)
