package session_test

import (
	"net/netip"
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestWarningsOfPaths: an address vector is checked against the port's link layer and GID table.
func TestWarningsOfPaths(t *testing.T) {
	v4, v6 := verbs.GIDFromAddr(netip.MustParseAddr("10.0.0.1")), verbs.GIDFromAddr(netip.MustParseAddr("fe80::1"))
	for name, tt := range map[string]struct {
		port  verbs.PortAttr
		lines []warned
	}{
		"Ethernet": {verbs.PortAttr{State: verbs.PortActive, LinkLayer: verbs.LinkEthernet}, []warned{
			{"create_ah dgid=10.0.0.2 sgid_index=0", ""},
			{"create_ah dgid=fe80::2 sgid_index=1", ""},
			{"create_ah dgid=fe80::2 sgid_index=0",
				"sgid_index 0 is ::ffff:10.0.0.1 and dgid fe80::2: IPv4 and IPv6 do not mix"},
			{"create_ah dgid=10.0.0.2 sgid_index=1",
				"sgid_index 1 is fe80::1 and dgid ::ffff:10.0.0.2: IPv4 and IPv6 do not mix"},
			{"create_ah dgid=10.0.0.2 sgid_index=2", ""}, // RoCE v1 has no IP addresses
			{"create_ah dgid=10.0.0.2 sgid_index=3", "sgid_index 3: that row of the GID table of port 1 is not in use"},
			{"create_ah dgid=:: sgid_index=1", "dgid is zero"},
			{"create_ah dlid=3 is_global=0", "is_global is 0, but every path of this port needs a GRH"},
		}},
		"InfiniBand": {sessiontest.InfiniBand(verbs.PortActive, 7), []warned{
			{"create_ah dlid=3", ""},
			{"create_ah sl=1", "dlid is 0: InfiniBand addresses a peer by its LID"},
			{"create_ah dgid=fe80::2 sgid_index=1 dlid=3", ""},
			{"create_ah dgid=fe80::2 sgid_index=1", "dlid is 0: InfiniBand addresses a peer by its LID"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := sessiontest.NewFaked(t, core.Options{})
			f.Ports = []verbs.PortAttr{tt.port}
			f.Gids = []verbs.GIDEntry{
				{PortNum: 1, Index: 0, GID: v4, Type: verbs.GIDTypeRoCEv2},
				{PortNum: 1, Index: 1, GID: v6, Type: verbs.GIDTypeRoCEv2},
				{PortNum: 1, Index: 2, GID: v6, Type: verbs.GIDTypeRoCEv1},
			}
			sessiontest.RunScript(t, s, "open_device\nalloc_pd")
			wantWarnings(t, s, tt.lines)
		})
	}
}

// TestWarningsOfEvents: without a completion channel there are no events, and a queue that is not live is taken by
// hand.
func TestWarningsOfEvents(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, "open_device\ncreate_comp_channel ch\ncreate_cq with channel=ch\ncreate_cq without")
	wantWarnings(t, s, []warned{
		{"req_notify_cq with", ""}, {"req_notify_cq without", "without has no completion channel: no event can come"},
	})
	for _, tt := range []struct{ line, want string }{
		{"cq_mode without mode=busy", "taken by commands"}, {"live on", "taken busy"},
		{"live off", "taken by commands"},
	} {
		sessiontest.Execute(t, s, tt.line)
		if text := sessiontest.Execute(t, s, "cq_stats without").Result; !strings.Contains(text, tt.want) {
			t.Errorf("after %s: %s", tt.line, text)
		}
	}
}

// TestWarningsOfConnections: warnings about requests, answers and groups of the connection manager.
func TestWarningsOfConnections(t *testing.T) {
	s, _, _ := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, `
rdma_create_id listen mode=sync
rdma_bind_addr listen 10.0.0.1 port=7471
rdma_listen listen
rdma_create_id id mode=event
rdma_resolve_addr id 10.0.0.2 port=7471
rdma_get_cm_event id=id
rdma_resolve_route id
rdma_get_cm_event id=id
rdma_create_id other mode=event
rdma_resolve_addr other 10.0.0.2 port=9
rdma_get_cm_event id=other
alloc_pd pd device=fake0-cm
create_cq cq device=fake0-cm
rdma_create_qp id qp pd=pd send_cq=cq recv_cq=cq
`)
	bytes := func(n int) string { return `private_data="` + strings.Repeat("x", n) + `"` }
	wantWarnings(t, s, []warned{
		{"rdma_connect other qp_num=9 " + bytes(56), ""},
		{"rdma_join_multicast id 239.0.0.1", ""},
		{"rdma_join_multicast id 10.0.0.9", "10.0.0.9 is not a multicast address"},
		{"rdma_connect id qp_num=9 " + bytes(57),
			"57 bytes of private data are too many: at most 56; qp_num is ignored: id has the queue pair qp"},
		{"rdma_get_request listen name=asked", ""},
		{"rdma_accept asked " + bytes(197), "197 bytes of private data are too many: at most 196; asked has no queue pair: rdma_create_qp asked first, or give qp_num of one that you bring up by hand"},
	})
}
