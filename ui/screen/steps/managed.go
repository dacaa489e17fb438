package steps

import (
	"net/netip"
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// Ended are the states of an identifier whose connection is over.
var Ended = map[session.IDState]bool{session.IDError: true, session.IDDisconnected: true}

// Managed is a connection of the connection manager: its client and its server, nil for one that is not here or gone,
// and the listener at which the client connects anew, "" if that is not here.
type Managed struct {
	Client, Server *session.IDView
	Listener       string
}

// ManagedOf finds the connection of an identifier that has ended, or whose queue pair has failed, and who makes it
// anew; the Mend is the zero value for one that needs nothing.
func ManagedOf(s *session.Snapshot, id *session.IDView) (c Managed, m Mend) {
	q := s.QP(id.QP)
	if id.PortSpace != verbs.PortSpaceTCP || !Ended[id.State] && (q == nil || !Failed(q)) {
		return c, m
	}
	c.Client, c.Server = sides(s, id)
	switch {
	case c.Client == nil:
		m.Else = "the client must connect again"
	case c.Client.Last != nil && c.Client.Last.Type == verbs.CMAddrError: // the next line resolves another address
	default:
		if c.Listener = listenerAt(s, c.Client.Peer); c.Listener != "" {
			m = Mend{Managed: id.Name, Does: "connects both ends anew"}
			break
		}
		m.Else = "the peer must destroy its end and listen at " + c.Client.Peer.String()
	}
	return c, m
}

// sides returns the client and the server of a connection, nil for one that is not here or gone.
func sides(snap *session.Snapshot, id *session.IDView) (client, server *session.IDView) {
	for i := range snap.IDs {
		if o := &snap.IDs[i]; o.Name == id.Name || o.Local == id.Peer && o.Peer == id.Local && o.Peer.IsValid() {
			if o.Listen == "" {
				client = o
			} else {
				server = o
			}
		}
	}
	return client, server
}

// listenerAt names the listener of this session at an address, "" for none.
func listenerAt(snap *session.Snapshot, at netip.AddrPort) string {
	for i := range snap.IDs {
		id := &snap.IDs[i]
		here := slices.ContainsFunc(snap.Devices, func(d session.DeviceView) bool {
			return slices.ContainsFunc(d.GIDs, func(g verbs.GIDEntry) bool {
				return g.GID.Addr().Unmap() == at.Addr().Unmap()
			})
		})
		if id.State == session.IDListening && id.Mode != "sync" && id.Local.Port() == at.Port() &&
			(id.Local.Addr().Unmap() == at.Addr().Unmap() || id.Local.Addr().IsUnspecified() && here) {
			return id.Name
		}
	}
	return ""
}

// Anew begins an item of the Connections screen that makes the connection of an identifier anew.
const Anew = "again "

// Run resolves it with the lines, or on Connections, which then comes to the front; then follows if the lines succeed.
func (m *Mend) Run(r *Runner, then tea.Cmd) tea.Cmd {
	if m.Managed != "" {
		return screen.Send(screen.GotoMsg{To: screen.Connections, Item: Anew + m.Managed})
	}
	return r.StartThen(then, m.Lines...)
}
