package session_test

import (
	"net/netip"
	"strings"
	"testing"

	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestFieldsOfObjects: the fields that references can read of each kind of object, and the error for a missing one.
func TestFieldsOfObjects(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	f.AddrInfos = sessiontest.AddrSays()
	f.Ports = []verbs.PortAttr{{State: verbs.PortActive, ActiveMTU: verbs.MTU1024,
		LinkLayer: verbs.LinkEthernet, LID: 7}}
	f.Gids = []verbs.GIDEntry{{PortNum: 1, GID: verbs.GIDFromAddr(netip.MustParseAddr("10.0.0.1")),
		Type: verbs.GIDTypeRoCEv2}}
	sessiontest.RunLines(t, s, strings.Replace(oneOfEach, "dlid=9", "dgid=10.0.0.2", 1)+`
rdma_create_id far mode=sync
rdma_resolve_addr far 10.0.0.2 port=7471
write_mem src u8:5
write_mem src be32:258 offset=4
`)
	for ref, want := range map[string]string{ // "!": part of the error
		"fake0.max_qp_wr": "16384", "fake0.gid": "::ffff:10.0.0.1", "fake0.lid": "7", "fake0.port_num": "1",
		"fake0.nothing": "!nothing", "pd.device": "fake0", "pd.lkey": "!lkey", "channel.fd": "!fd",
		"ah.dlid": "!dlid", "src.addr": "0x1000", "src.lkey": "0x11", "src.rkey": "0x12", "src.length": "64",
		"src.u8.0": "5", "src.be32.4": "258", "src.be32.61": "!src", "srq.max_wr": "64", "srq.srq_limit": "0",
		"srq.nothing": "!nothing", "a.qp_num": "0x000011", "a.gid": "::ffff:10.0.0.1", "a.lid": "7",
		"a.state": "RTS", "a.qp_type": "RC", "a.dest_qp_num": "0x000012", "peer.qp_num": "0x000012",
		"peer.psn": "0x000003", "peer.gid": "::ffff:10.0.0.2", "peer.lid": "0",
		"cq.cqe":      "64",
		"events.mode": "event",
		"id.state":    "IDLE", "id.ps": "TCP", "id.local_addr": "!not known yet", "id.peer_addr": "!not known yet",
		"id.gid": "!not known yet", "id.qp_num": "!rdma_create_qp id", "id.device": "!not bound",
		"id.event": "!event", "id.private_data.be32.0": "!0 bytes of private data",
		"id.private_data.be31.0": "!private_data", "listen.port": "7471", "listen.local_addr": "10.0.0.1:7471",
		"listen.gid": "::ffff:10.0.0.1", "listen.device": "fake0-cm", "far.peer_addr": "10.0.0.2:7471",
		"far.peer_port": "7471", "far.peer_gid": "::ffff:10.0.0.2", "far.port_num": "1",
		"far.event": "ADDR_RESOLVED", "far.status": "0", "far.state": "ADDR_RESOLVED", "far.private_data": "0x",
		"far.responder_resources": "0", "far.initiator_depth": "0", "far.remote_qpn": "0x000000",
		"far.remote_qkey": "0x0", "res.dst_addr": "10.0.0.2:7471", "nobody.qp_num": "!nobody",
	} {
		object, field, _ := strings.Cut(ref, ".")
		got, err := s.Core().LookUp(object, field)
		if text, fails := strings.CutPrefix(want, "!"); fails != (err != nil) || fails &&
			!strings.Contains(err.Error(), text) || !fails && got != want {
			t.Errorf("%s: %q, %v; want %q", ref, got, err, want)
		}
	}
}
