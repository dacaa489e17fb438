package traffic

import (
	"context"
	"fmt"
	"net/netip"

	"rdmatui/session/core"
	"rdmatui/session/oob"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
)

// servePeer accepts connections until a client follows the protocol, and continues
// the exchange with that one. It disconnects the others and notes each.
func servePeer(ctx context.Context, c *core.Call, p *peer, qps []*queue.QP) (theirs []oob.Record, err error) {
	l, err := oob.ListenFor(qps[0].PD.Device.Addrs(c.S, qps[0].Port()), "listen=", c.Cmd.String("listen"),
		uint16(c.Cmd.Uint("port")))
	if err != nil {
		return nil, err
	}
	c.S.Emit(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Ready: true,
		Text: fmt.Sprintf("waiting for a peer on TCP port %d of %s", l.Port(), l)}})
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
