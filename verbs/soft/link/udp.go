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

// Options configure a UDP [Endpoint]. The zero value is the default.
type Options struct {
	// NoGSO sends each datagram separately, in case segmentation offload damages packets.
	NoGSO bool
	// Crashed is called if a goroutine of the link panics.
	Crashed verbs.CrashHook
}

// Endpoint is UDP port 4791 of one local address. It holds the port from [Bind] on, with or without a link, so that a
// chosen address stays available. The port is released when the endpoint is closed or garbage collected.
type Endpoint struct {
	addr     netip.Addr
	sock     *socket
	netdev   net.Interface // that has the address; zero if unknown
	opts     Options
	pool     Pool
	attached atomic.Bool
}

// Bind binds the port on one address of this host, IPv4 or IPv6. It fails with EADDRINUSE if the port is taken,
// possibly by the kernel's own RoCE in this network namespace, and with EADDRNOTAVAIL if the address does not belong to
// this host.
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

// ReceiveBuffer returns the size of the kernel's receive buffer in bytes, including its own overhead.
func (e *Endpoint) ReceiveBuffer() int { return e.sock.receiveBuffer() }

// Close releases the port.
func (e *Endpoint) Close() error { return e.sock.conn.Close() }

// Attach starts a link; an endpoint has one at a time. wake is called, from any goroutine, when there is work again;
// see [Link]. If a [Watch] is available, it reports packets at the link's own address instead of wake.
func (e *Endpoint) Attach(wake func()) (*UDP, error) {
	if e.attached.Swap(true) {
		return nil, fmt.Errorf("address %s: %w", e.addr, syscall.EBUSY)
	}
	u := &UDP{
		Endpoint: e, wake: wake, blocked: make(chan struct{}, 1),
		asyncReady: make(chan struct{}, 1), quit: make(chan struct{}),
	}
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

// UDP is a link over an ordinary UDP socket. One goroutine sends what the socket had no room for, one sends batches
// that take the kernel long, and, without a [Watch], a third reports arriving packets.
type UDP struct {
	*Endpoint
	wake       func()
	in         receiver
	groups     groups
	out        outbox
	blocked    chan struct{} // the outbox is not empty and its socket is full
	asyncReady chan struct{} // the outbox has work for the asyncSender
	quit       chan struct{}
	running    sync.WaitGroup
	once       sync.Once
	count      struct{ sent, received, badICRC, oddID, unsent, unreachable, pauses atomic.Uint64 }
}

var _ Link = (*UDP)(nil)

// Addrs returns the address that the link is bound to.
func (u *UDP) Addrs() []netip.Addr { return []netip.Addr{u.addr} }

// Pool returns the endpoint's packet pool.
func (u *UDP) Pool() *Pool { return &u.pool }

// Receive takes packets from the sockets.
func (u *UDP) Receive(into []*Packet, limit int) []*Packet {
	had := len(into)
	into = u.in.take(into, limit)
	return u.groups.take(into, limit-(len(into)-had))
}

// Counters returns the link's counters.
func (u *UDP) Counters() Counters {
	return Counters{
		Sent: u.count.sent.Load(), Received: u.count.received.Load(), BadICRC: u.count.badICRC.Load(),
		OddID: u.count.oddID.Load(), Unsent: u.count.unsent.Load(),
		Unreachable: u.count.unreachable.Load(), Pauses: u.count.pauses.Load(),
	}
}

// Close stops the goroutines and waits for them. The endpoint keeps its port.
func (u *UDP) Close() error {
	u.once.Do(func() {
		close(u.quit)
		u.sock.conn.SetDeadline(time.Unix(1, 0)) // ends calls that block in the kernel
		u.in.close()
		u.groups.close()
		u.running.Wait()
		u.out.close()
		u.attached.Store(false)
	})
	return nil
}

// errorPause is the pause after a socket error, so that a persistent error does not use a full core.
const errorPause = 10 * time.Millisecond

// goOn reports whether a goroutine should retry after a socket error: not if the link or its endpoint is closed.
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

// interfaceOf returns the network interface that has an address, zero if there is none. All of 127.0.0.0/8 belongs to
// the loopback interface, although only one address is listed.
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

// ShowHeaders selects whether received packets carry their IP header as [Path.Header], or the default header. Reading
// the header costs time for every packet.
func (e *Endpoint) ShowHeaders(on bool) { e.sock.showHeaders(on) }

// Netdev returns the network interface that has the address and its MTU in bytes; "" if unknown.
func (e *Endpoint) Netdev() (name string, mtu int) { return e.netdev.Name, e.netdev.MTU }
