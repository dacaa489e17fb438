package link

import "net/netip"

// Link is one device's attachment to a carrier. Send and Receive are each called by one goroutine at a time.
type Link interface {
	// Addrs lists the addresses that packets reach this link by.
	Addrs() []netip.Addr
	// Pool is where packets for Send are taken from and received ones go back to.
	Pool() *Pool
	// Send seals the packets and passes them on. They belong to the link from now on. It never waits; a packet that cannot be
	// delivered is lost, as on any network.
	Send(batch []*Packet)
	// Ready reports whether data may be sent now. Where it says no, wake is called when that has changed. It is advice: short
	// packets such as acknowledgements may be sent at any time.
	Ready() bool
	// Receive appends at most limit packets that have arrived whole to into. Where it appends none, wake is called once when
	// there are some; of a link over a socket its [Watch] tells instead, where there is one.
	Receive(into []*Packet, limit int) []*Packet
	// Join makes the link a member of a multicast group, IPv4 or IPv6: it receives whatever any link of the carrier sends to the
	// group, itself included, and sees the group as Path.Dst, the sender as Path.Src. Nobody needs to be a member to send. Each
	// member gets a copy of its own; what is sent to a group without members is lost. A link may join several times, and is a
	// member until it has left as often. Join fails with EINVAL for what is no multicast address and with net.ErrClosed after
	// Close; it takes effect before it returns.
	Join(group netip.Addr) error
	// Leave ends a membership; it fails with EADDRNOTAVAIL where there is none. Close ends all.
	Leave(group netip.Addr) error
	// Counters reads how many packets the link has seen.
	Counters() Counters
	// Close detaches. Packets that wait are lost.
	Close() error
}

// Counters is what a link has seen since it was attached.
type Counters struct {
	Sent, Received uint64 // packets
	BadICRC        uint64 // arrived damaged and dropped
	OddID          uint64 // arrived with a CRC that is right only for an IPv4 identification that does not fit the sender; dropped
	NoRoom         uint64 // arrived when the queue was full and dropped
	Unreachable    uint64 // sent to an address that nobody has, or where that can be known to a group without members
	Pauses         uint64 // times that the link was not ready for data
}

// Plus returns the sums of both.
func (c Counters) Plus(d Counters) Counters {
	c.Sent += d.Sent
	c.Received += d.Received
	c.BadICRC += d.BadICRC
	c.OddID += d.OddID
	c.NoRoom += d.NoRoom
	c.Unreachable += d.Unreachable
	c.Pauses += d.Pauses
	return c
}

// Verdict is what a fault hook decides about one packet.
type Verdict uint8

// The verdicts. A hook damages a packet by changing its Data, which is sealed already.
const (
	Deliver Verdict = iota
	Drop
)

// Fault decides about each packet between sealing and delivery. It is called from the senders' goroutines, at once from several.
type Fault func(p *Packet) Verdict

// Tap sees each sealed packet before the fault hook does. It must be quick, and copy what it keeps. It is called as [Fault] is.
type Tap func(p *Packet)
