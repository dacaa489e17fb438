package traffic

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"rdmatui/session/core"
	"rdmatui/session/oob"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// servePeer accepts connections until a client follows the protocol, and continues
// the exchange with that one. It disconnects the others and notes each.
func servePeer(ctx context.Context, c *core.Call, p *peer, qps []*queue.QP) (theirs []oob.Record, err error) {
	l, err := listenForPeer(c, qps[0])
	if err != nil {
		return nil, err
	}
	c.S.Emit(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Ready: true,
		Text: fmt.Sprintf("waiting for a peer on TCP port %d of %s", l.Port(), addrList(l))}})
	refusals := oob.Refusals{Note: func(format string, args ...any) { c.S.Note(timeline.LevelWarn, format, args...) }}
	err = l.Serve(ctx, oob.Part{
		Receive: p.receive,
		Finish: func(ctx context.Context, conn *oob.Conn, records []oob.Record) error {
			c.S.Note(timeline.LevelInfo, "a peer connected from %s", conn.RemoteAddr())
			for i, q := range qps {
				Readdress(c, q, &p.own[i], onLink(records[i].GID.Addr(), conn.Peer()), true)
			}
			if p.conn, theirs = conn, records; c.Cmd.Bool("hold") {
				return nil
			}
			return p.finish(ctx, c)
		},
		Refused: refusals.Refused,
		Crashed: c.S.Opts.Crashed,
	})
	refusals.End()
	if err != nil {
		return nil, err
	}
	return theirs, nil
}

// onLink returns a peer's address; a link-local one gets the zone of the connection.
func onLink(addr, conn netip.Addr) netip.Addr {
	if addr.IsLinkLocalUnicast() {
		return addr.WithZone(conn.Zone())
	}
	return addr
}

// listenForPeer listens on the address of listen=. Without one it listens on the
// device's network and on loopback, since most users who run both ends on one host
// connect to localhost.
func listenForPeer(c *core.Call, q *queue.QP) (*oob.Listener, error) {
	port, at := uint16(c.Cmd.Uint("port")), c.Cmd.String("listen")
	if at == oob.AnyAddress {
		return oob.Listen(port)
	}
	if at != "" {
		addr, err := netip.ParseAddr(at)
		if err != nil {
			return nil, fmt.Errorf("listen=%s: any, or an IP address of this host is expected", at)
		}
		return oob.Listen(port, addr)
	}
	addrs := oob.Beside(AddrsOf(c.S, q))
	l, err := oob.Listen(port, addrs...)
	if errors.Is(err, syscall.EADDRNOTAVAIL) { // they are those of another network namespace
		return oob.Listen(port)
	}
	if local := netip.AddrFrom4([4]byte{127, 0, 0, 1}); err == nil && len(addrs) > 0 && !slices.Contains(addrs, local) {
		if err := l.Add(local); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, err
}

// AddrsOf returns the IP addresses that the GIDs of a queue pair's port stand for, if
// they stand for any.
func AddrsOf(s *core.Session, q *queue.QP) (addrs []netip.Addr) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	d := q.PD.Device
	if d.Port(q.Port()).LinkLayer != verbs.LinkEthernet {
		return nil
	}
	seen := map[netip.Addr]bool{}
	for _, e := range d.GIDs.Rows {
		addr := e.GID.Addr()
		if e.GID.IsLinkLocal() {
			addr = addr.WithZone(e.Netdev)
		}
		if e.PortNum == q.Port() && !seen[addr] && !e.GID.IsZero() {
			seen[addr] = true
			addrs = append(addrs, addr)
		}
	}
	return addrs
}

func addrList(l *oob.Listener) string {
	var words []string
	for _, at := range l.Addrs() {
		if at.Addr().IsUnspecified() {
			return "every address"
		}
		words = append(words, at.Addr().String())
	}
	return strings.Join(words, ", ")
}
