package traffic_test

import (
	"fmt"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/oob"
	"rdmatui/session/preflight"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// instances makes two sessions on devices of one fabric, each with a region that its peer may access and one that it
// may not.
func instances(t *testing.T) (server, client *session.Session) {
	p := soft.New(soft.Options{})
	var both [2]*session.Session
	for i := range both {
		s := session.New(core.Options{Providers: []verbs.Provider{p}})
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		for _, line := range []string{fmt.Sprintf("open_device soft%d", i), "alloc_pd pd", "reg_mr src length=64",
			"alloc_pd other", "reg_mr far pd=other length=64 access=REMOTE_READ",
			fmt.Sprintf("reg_mr dst-%d pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE", i), "create_cq cq",
			"create_qp a pd=pd"} {
			sessiontest.Execute(t, s, line)
		}
		both[i] = s
	}
	return both[0], both[1]
}

// meet runs the exchange in both sessions.
func meet(t *testing.T, server, client *session.Session, serverArgs, clientArgs string) {
	t.Helper()
	port, ended := sessiontest.Serving(t, server, "exchange p qp=a"+serverArgs)
	sessiontest.Execute(t, client, fmt.Sprintf("exchange p qp=a address=127.0.0.1 port=%d%s", port, clientArgs))
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// TestRegionsAreExchanged: after the exchange each end can WRITE to the peer's region by name.
func TestRegionsAreExchanged(t *testing.T) {
	server, client := instances(t)
	meet(t, server, client, "", "")
	for i, s := range []*session.Session{server, client} {
		sessiontest.Execute(t, s, "connect_qps a p")
		snap := s.Snapshot()
		told := snap.Peers[0].Regions
		if len(told) != 1 || told[0].Name != fmt.Sprintf("dst_%d", 1-i) || told[0].Length != 4096 ||
			told[0].Access != verbs.LocalWrite|verbs.RemoteWrite {
			t.Fatalf("%+v", told)
		}
	}
	for i, s := range []*session.Session{server, client} {
		sessiontest.Execute(t, s, `write_mem src "hello"`)
		sessiontest.Execute(t, s,
			fmt.Sprintf("post_send a RDMA_WRITE sge=src:0:5 remote_addr=p.dst_%d.addr+8 rkey=p.dst_%[1]d.rkey", 1-i))
		sessiontest.Execute(t, s, "poll_cq cq timeout=10s")
		sessiontest.Execute(t, []*session.Session{client, server}[i], fmt.Sprintf(`expect mem dst-%d 8 "hello"`, 1-i))
	}
	sessiontest.Execute(t, client, "post_send a RDMA_WRITE sge=src:0:5 remote_addr=p.addr rkey=p.rkey")
	sessiontest.Execute(t, client, "poll_cq cq timeout=10s")
	sessiontest.Execute(t, server, `expect mem dst-0 0 "hello"`)
	const line = "post_send a RDMA_WRITE rkey=p."
	if offered := fmt.Sprint(client.Complete(line, len(line))); !strings.Contains(offered, "dst_0.rkey") {
		t.Errorf("offered: %s", offered)
	}
}

// TestRegionsAreChecked: requests are checked against the regions that the peer sent.
func TestRegionsAreChecked(t *testing.T) {
	server, client := instances(t)
	meet(t, server, client, "", "")
	sessiontest.Execute(t, client, "connect_qps a p")
	snap := client.Snapshot()
	m := snap.Peers[0].Regions[0]
	for _, tt := range []struct {
		op   verbs.WROpcode
		rkey uint32
		off  uint64
		want string
	}{
		{verbs.WRRDMAWrite, m.RKey, 4080, "p.dst_0 grants REMOTE_WRITE; p.dst_0 has 16 bytes at 4080"},
		{verbs.WRRDMAWrite, m.RKey, 4081, "16 bytes at 4081 are not inside p.dst_0, which has 4,096"},
		{verbs.WRRDMARead, m.RKey, 0, "p.dst_0 lacks REMOTE_READ"},
		{verbs.WRRDMAWrite, m.RKey + 1, 0, "is of no region that p has told"},
	} {
		r := preflight.Request{
			Snapshot: &snap, WR: verbs.SendWR{Opcode: tt.op, RKey: tt.rkey, RemoteAddr: m.Addr + tt.off,
				SGList: []verbs.SGE{{Length: 16}}},
		}
		var texts []string
		for _, f := range r.Send(snap.QP("a")) {
			texts = append(texts, f.Text)
		}
		if got := strings.Join(texts, "; "); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s", tt.want, got)
		}
	}
}

// TestRegionsKeptBack: an end that sends no regions receives none, and the exchange is as with the stock program.
func TestRegionsKeptBack(t *testing.T) {
	for _, args := range [][2]string{{" regions=0", ""}, {"", " regions=0"}, {" regions=0", " regions=0"}} {
		server, client := instances(t)
		meet(t, server, client, args[0], args[1])
		for _, s := range []*session.Session{server, client} {
			snap := s.Snapshot()
			if p := snap.Peer("p"); p == nil || len(p.Regions) != 0 || p.QPN == 0 {
				t.Errorf("%q: %+v", args, p)
			}
		}
	}
}

// TestRegionsAtTheEnd: with hold=1 regions arrive with exchange_finish.
func TestRegionsAtTheEnd(t *testing.T) {
	server, client := instances(t)
	port, ended := sessiontest.Serving(t, server, "exchange p qp=a hold=1")
	got := make(chan error, 1)
	go func() {
		_, err := client.Exec(t.Context(), fmt.Sprintf("exchange p qp=a address=127.0.0.1 port=%d", port))
		got <- err
	}()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if done := sessiontest.Execute(t, server, "exchange_finish p"); !strings.Contains(done.Result,
		"finished; regions: dst_1 (4 KiB, rkey 0x") {
		t.Error(done.Result)
	}
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	if snap := client.Snapshot(); len(snap.Peers[0].Regions) != 1 {
		t.Errorf("%+v", snap.Peers)
	}
}

// TestHostileRegions: a client that sends malformed regions is disconnected, and the server waits for another.
func TestHostileRegions(t *testing.T) {
	server, client := instances(t)
	port, ended := sessiontest.Serving(t, server, "exchange p qp=a")
	c, err := oob.Dial(t.Context(), "127.0.0.1", port)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Send(t.Context(), oob.Record{QPN: 7, PSN: 8}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	evil := []oob.Region{{Name: "a\x1b[2J b", Addr: 1, Length: 1}}
	if _, _, err := c.EndAsClient(t.Context(), evil); err != nil {
		t.Fatal(err)
	}
	sessiontest.Execute(t, client, fmt.Sprintf("exchange p qp=a address=127.0.0.1 port=%d", port))
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	snap := server.Snapshot()
	if len(snap.Peers) != 1 || len(snap.Peers[0].Regions) != 1 || snap.Peers[0].Regions[0].Name != "dst_1" {
		t.Errorf("%+v", snap.Peers)
	}
	if !sessiontest.Noted(server, "disconnected ") {
		t.Error("no note about the other")
	}
}

// TestPeerByHandWithRegion: the peer command can include a region.
func TestPeerByHandWithRegion(t *testing.T) {
	_, s := instances(t)
	sessiontest.Execute(t, s, "peer p qp_num=0x11 psn=1 gid=127.0.0.9 addr=0x7f00 rkey=0x1f length=64")
	snap := s.Snapshot()
	if r := snap.Peers[0].Regions; len(r) != 1 ||
		r[0] != (core.RemoteRegion{Name: "mr", Addr: 0x7f00, Length: 64, RKey: 0x1f}) {
		t.Errorf("%+v", r)
	}
	for _, line := range []string{"peer q qp_num=1 addr=1", "peer q qp_num=1 rkey=1", "peer q qp_num=1 length=1"} {
		if _, err := s.Exec(t.Context(), line); err == nil ||
			!strings.Contains(err.Error(), "needs both addr and rkey") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
