package link

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// Options vary a UDP [Endpoint]. The zero value is what users get.
type Options struct {
	// NoGSO sends each datagram by itself, where segmentation offload is suspected of spoiling packets.
	NoGSO bool
	// Crashed is told of a panic in the link's goroutines.
	Crashed verbs.CrashHook
}

// Endpoint is UDP port 4791 of one local address. It holds the port from [Bind] on, whether a link is attached or not, so that an
// address once chosen stays. It is given up when the endpoint is closed or no longer referred to.
type Endpoint struct {
	addr     netip.Addr
	sock     *socket
	netdev   net.Interface // that has the address; zero where it cannot be found
	opts     Options
	pool     Pool
	attached atomic.Bool
}

// Bind takes the port on one address of this host, IPv4 or IPv6. It fails with EADDRINUSE where somebody else has it, be it the kernel's
// own RoCE in this network namespace, and with EADDRNOTAVAIL where the address is not this host's.
func Bind(addr netip.Addr, opts Options) (*Endpoint, error) {
	addr = addr.Unmap()
	if !addr.IsValid() || addr.IsUnspecified() || addr.IsMulticast() {
		return nil, fmt.Errorf("%s is not the address of a host: %w", addr, syscall.EADDRNOTAVAIL)
	}
	sock, err := openSocket(netip.AddrPortFrom(addr, wire.Port))
	if err != nil {
		return nil, err
	}
	e := &Endpoint{addr: addr.WithZone(""), sock: sock, netdev: interfaceOf(addr), opts: opts}
	if e.netdev.Index != 0 {
		sock.sendBy(e.netdev.Index, e.addr)
	}
	return e, nil
}

// Addr returns the address, without a zone.
func (e *Endpoint) Addr() netip.Addr { return e.addr }

// ReceiveBuffer returns how many bytes the kernel keeps for packets that were not taken yet, its own overhead included.
func (e *Endpoint) ReceiveBuffer() int { return e.sock.receiveBuffer() }

// Close gives the port up.
func (e *Endpoint) Close() error { return e.sock.conn.Close() }

// Attach starts a link; there is one at a time. wake is called, from any goroutine, when there is something to do again; see [Link]. Where
// a [Watch] can be had that, and not wake, tells of what arrives at the link's own address.
func (e *Endpoint) Attach(wake func()) (*UDP, error) {
	if e.attached.Swap(true) {
		return nil, fmt.Errorf("address %s: %w", e.addr, syscall.EBUSY)
	}
	u := &UDP{Endpoint: e, wake: wake, blocked: make(chan struct{}, 1), asyncReady: make(chan struct{}, 1), quit: make(chan struct{})}
	u.out.init(u, !e.opts.NoGSO && e.sock.canSegment())
	u.in.init(u, e.sock, netip.AddrPortFrom(e.addr, wire.Port))
	if err := e.sock.conn.SetDeadline(time.Time{}); err != nil {
		e.attached.Store(false)
		return nil, err
	}
	if !watches {
		u.running.Go(u.in.listen)
	}
	u.running.Go(u.drain)
	u.running.Go(u.asyncSender)
	return u, nil
}

// UDP is a link over an ordinary UDP socket. A goroutine sends what the kernel had no room for, one what it takes long over, and a third
// says when something has arrived where no [Watch] does.
type UDP struct {
	*Endpoint
	wake       func()
	in         receiver
	groups     groups
	out        outbox
	blocked    chan struct{} // the outbox is not empty and its socket full
	asyncReady chan struct{} // the outbox has something for the asyncSender
	quit       chan struct{}
	running    sync.WaitGroup
	once       sync.Once
	count      struct{ sent, received, badICRC, oddID, noRoom, unreachable, pauses atomic.Uint64 }
}

var _ Link = (*UDP)(nil)

// Addrs returns the address that the link is bound to.
func (u *UDP) Addrs() []netip.Addr { return []netip.Addr{u.addr} }

// Pool returns the endpoint's packet pool.
func (u *UDP) Pool() *Pool { return &u.pool }

// Receive takes what has arrived at the sockets.
func (u *UDP) Receive(into []*Packet, limit int) []*Packet {
	had := len(into)
	into = u.in.take(into, limit)
	return u.groups.take(into, limit-(len(into)-had))
}

// Counters reads the link's counters.
func (u *UDP) Counters() Counters {
	return Counters{
		Sent: u.count.sent.Load(), Received: u.count.received.Load(), BadICRC: u.count.badICRC.Load(), OddID: u.count.oddID.Load(),
		NoRoom: u.count.noRoom.Load(), Unreachable: u.count.unreachable.Load(), Pauses: u.count.pauses.Load(),
	}
}

// Close ends the goroutines and waits for them. The endpoint keeps its port.
func (u *UDP) Close() error {
	u.once.Do(func() {
		close(u.quit)
		u.sock.conn.SetDeadline(time.Unix(1, 0)) // what waits in the kernel returns
		u.in.close()
		u.groups.close()
		u.running.Wait()
		u.out.close()
		u.attached.Store(false)
	})
	return nil
}

// errorPause is how long a link rests after an error of the socket, so that one that stays does not cost a core.
const errorPause = 10 * time.Millisecond

// goOn reports whether a goroutine whose socket failed is to try again: not where the link or its endpoint is closed.
func (u *UDP) goOn(err error) bool {
	if errors.Is(err, net.ErrClosed) {
		return false
	}
	select {
	case <-u.quit:
		return false
	case <-time.After(errorPause):
		return true
	}
}

// interfaceOf finds the network interface that has an address; it is zero where there is none. All of 127.0.0.0/8 belongs to the
// loopback interface though only one address is listed.
func interfaceOf(addr netip.Addr) net.Interface {
	faces, _ := net.Interfaces()
	for _, f := range faces {
		if zone := addr.Zone(); zone != "" && zone != f.Name {
			continue
		}
		own, _ := f.Addrs()
		for _, a := range own {
			p, err := netip.ParsePrefix(a.String())
			if err == nil && (p.Addr() == addr.WithZone("") || addr.IsLoopback() && p.Contains(addr)) {
				return f
			}
		}
	}
	return net.Interface{}
}

// ShowHeaders says whether packets that arrive bear the IP header that they came with, as [Path.Header]. Otherwise it is what a packet bears
// by default: to be told takes time with every packet.
func (e *Endpoint) ShowHeaders(on bool) { e.sock.showHeaders(on) }

// Netdev returns the network interface that has the address and its MTU in bytes; "" where it cannot be found.
func (e *Endpoint) Netdev() (name string, mtu int) { return e.netdev.Name, e.netdev.MTU }
