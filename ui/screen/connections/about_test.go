package connections

import (
	"maps"
	"net/netip"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// TestPlace: an identifier's addresses and device are told as far as they are known; a peer has a GID of its address
// on Ethernet only, and the host's addresses help only where a listener has none of its own.
func TestPlace(t *testing.T) {
	th := &theme.Theme{Glyphs: theme.New("none", true).Glyphs}
	local, peer := netip.MustParseAddrPort("10.9.0.1:7471"), netip.MustParseAddrPort("10.9.0.2:7471")
	unspecified := netip.MustParseAddrPort("0.0.0.0:7471")
	const here = "10.9.0.1, 10.9.0.3"
	type rows map[string]string
	for _, tt := range []struct {
		name     string
		id       session.IDView
		ethernet bool
		want     rows
	}{
		{"new", session.IDView{}, true, rows{}},
		{"bound", session.IDView{Local: local, Device: "rxe0", PortNum: 2}, true,
			rows{"local address": "10.9.0.1:7471", "device": "rxe0 port 2, opened by the manager"}},
		{"listening everywhere", session.IDView{State: session.IDListening, Local: unspecified}, true,
			rows{"local address": "0.0.0.0:7471", "reached at": here}},
		{"listening", session.IDView{State: session.IDListening, Local: local}, true,
			rows{"local address": "10.9.0.1:7471"}},
		{"not listening", session.IDView{Local: unspecified}, true, rows{"local address": "0.0.0.0:7471"}},
		{"with a peer", session.IDView{Local: local, Peer: peer, QP: "qp"}, true, rows{"local address": "10.9.0.1:7471",
			"peer": "10.9.0.2:7471", "peer's gid": "::ffff:10.9.0.2", "queue pair": "qp"}},
		{"on InfiniBand", session.IDView{Peer: peer}, false, rows{"peer": "10.9.0.2:7471"}},
		{"a request", session.IDView{Listen: "listen"}, true, rows{"came in on": "listen"}},
		{"a member", session.IDView{Groups: []netip.Addr{netip.MustParseAddr("239.1.2.3")}}, true,
			rows{"group": "239.1.2.3"}},
	} {
		tt.id.PortSpace, tt.id.Mode, tt.id.Provider = verbs.PortSpaceTCP, "event", "soft"
		a := newAbout(th)
		a.place(&tt.id, &facts{ethernet: tt.ethernet, reachedAt: here})
		got := rows{}
		for _, draw := range a.rows {
			b := line.New(th)
			b.Begin(120)
			draw(b)
			text := strings.TrimSpace(b.String())
			label := strings.TrimSpace(text[:min(len(text), labelWidth)])
			got[label] = strings.TrimSpace(text[min(len(text), labelWidth):])
		}
		if got["events"] != "event (soft)" || !strings.HasPrefix(got["port space"], "TCP") {
			t.Errorf("%s: %q", tt.name, got)
		}
		delete(got, "events")
		delete(got, "port space")
		if !maps.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
