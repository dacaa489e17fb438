package traffic_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/oob"
	"rdmatui/session/region"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/session/traffic"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// sharedPair is two connected queue pairs on one shared receive queue, and one that
// is not connected.
const sharedPair = `open_device soft0
alloc_pd pd
create_cq cq
create_cq other
reg_mr buf length=64 access=LOCAL_WRITE
create_srq srq max_wr=4
create_srq odd max_wr=4
create_srq none max_wr=4
create_qp a srq=srq send_cq=cq recv_cq=cq
create_qp b srq=srq send_cq=cq recv_cq=cq
connect_qps a b
create_qp x srq=odd send_cq=cq recv_cq=cq
create_qp y srq=odd send_cq=other recv_cq=cq
connect_qps x y`

// TestSharedRefuses: invalid combinations are refused before anything is posted or
// awaited.
func TestSharedRefuses(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sharedPair+"\npost_srq_recv srq sge=buf:0:32")
	for line, want := range map[string]string{
		"pingpong a role=client":                                 "give srq=srq",
		"pingpong a srq=srq role=client":                         "exclude each other",
		"pingpong srq=none role=client":                          "no queue pair takes its RECVs from none",
		"pingpong srq=odd role=client size=8":                    "the same protection domain and completion queues",
		"pingpong srq=srq role=client size=65 mr=buf":            "buf has 64 bytes, but a message has 65",
		"pingpong srq=srq role=client size=33 validate=1 mr=buf": "buf has 64 bytes, but a message has 66",
		"pingpong srq=srq role=client size=32 validate=1":        "srq has 1 RECVs outstanding",
		"exchange srq=srq qp=a":                                  "exclude each other",
		"exchange srq=srq psn=1":                                 "with srq= each has its own",
		"exchange srq=none":                                      "no queue pair takes",
	} {
		if done, err := s.Exec(t.Context(), line); err == nil || !strings.Contains(done.Err, want) {
			t.Errorf("%s: %q, want %q", line, done.Err, want)
		}
	}
	sessiontest.RunScript(t, s, "peer srq-peer-2 qp_num=1")
	if done, err := s.Exec(t.Context(), "exchange srq-peer srq=srq"); err == nil ||
		!strings.Contains(done.Err, "srq-peer-2 is taken") {
		t.Error(done.Err)
	}
	if q := s.Snapshot().SRQs[0]; q.RecvPosted != 1 {
		t.Errorf("%d RECVs are outstanding", q.RecvPosted)
	}
}

// TestSharedExchangeWantsAsMany: two ends with different numbers of queue pairs would
// wait forever. The server reports the mismatch and continues.
func TestSharedExchangeWantsAsMany(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sharedPair)
	port, errs := sessiontest.Serving(t, s, "exchange srq=srq")
	c, err := oob.Dial(t.Context(), net.IPv4(127, 0, 0, 1).String(), port)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SendAll(t.Context(), []oob.Record{{QPN: 1}, {QPN: 2}, {QPN: 3}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ReceiveAll(t.Context()); err == nil {
		t.Error("it continues with that peer")
	}
	s.StopWaiting()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if !slices.ContainsFunc(s.Timeline().Snapshot(), func(e timeline.Event) bool {
		return e.Kind == timeline.KindNote && strings.Contains(e.Note.Text, "the peer has 3 queue pairs, this end 2")
	}) {
		t.Error("no reason given")
	}
	if peers := s.Snapshot().Peers; len(peers) != 0 {
		t.Errorf("%+v", peers)
	}
}

// TestSharedPeersByName: each queue pair has its own peer.
func TestSharedPeersByName(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sharedPair)
	port, errs := sessiontest.Serving(t, s, "exchange far srq=srq hold=1")
	c, err := oob.Dial(t.Context(), net.IPv4(127, 0, 0, 1).String(), port)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	theirs := []oob.Record{{QPN: 11, PSN: 1}, {QPN: 12, PSN: 2}}
	if err := c.SendAll(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	if err := <-errs; err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := s.Exec(t.Context(), "exchange_finish far-1")
		errs <- err
	}()
	ours, err := c.ReceiveAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SendDone(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-errs; err != nil {
		t.Fatal(err)
	}
	if done := sessiontest.Commands(s); !slices.ContainsFunc(done, func(d timeline.CommandDone) bool {
		return strings.HasPrefix(d.Result, "2 peers, the first of them: ")
	}) {
		t.Errorf("no result names the peers: %+v", done)
	}
	snap := s.Snapshot()
	if len(snap.Peers) != 2 || snap.Peers[0].Name != "far-1" || snap.Peers[1].Name != "far-2" {
		t.Fatalf("%+v", snap.Peers)
	}
	for i, q := range snap.QPs[:2] {
		if q.PeerName != snap.Peers[i].Name || q.PSN != ours[i].PSN || q.Num != ours[i].QPN {
			t.Errorf("%s: peer %s; sent %s", q.Name, q.PeerName, ours[i])
		}
	}
}

// TestSharedChecksBytes: the checking end detects wrong bytes.
func TestSharedChecksBytes(t *testing.T) {
	provider := soft.New(soft.Options{})
	server := session.New(core.Options{Providers: []verbs.Provider{provider}})
	client := session.New(core.Options{Providers: []verbs.Provider{provider}})
	p := scenario.DefaultParams("srq-pingpong")
	// The first page of both ends' messages is the same.
	p.Port, p.Count, p.QPs, p.Size = sessiontest.FreePort(t), 10, 2, 2*4096
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	checked, other := make(chan error, 1), make(chan error, 1)
	go func() {
		p := p
		p.Server, p.Validate = true, true
		_, err := sessiontest.RunScenario(ctx, server, p, nil)
		checked <- errors.Join(err, server.Close())
	}()
	sessiontest.Listening(t, server)
	go func() {
		p := p
		p.Address = "127.0.0.1"
		sessiontest.RunScenario(ctx, client, p, nil)
		other <- client.Close()
	}()
	if err := <-checked; err == nil || !strings.Contains(err.Error(), "differs at byte 4096: 0x50 instead of 0x00") {
		t.Error(err)
	}
	cancel()
	if err := <-other; err != nil {
		t.Error(err)
	}
}

// TestSharedSlotsAreWiped: an old message is not accepted as the next one in its
// slot.
func TestSharedSlotsAreWiped(t *testing.T) {
	p := scenario.DefaultParams("srq-pingpong")
	p.Validate, p.Count, p.QPs, p.RXDepth, p.Size = true, 40, 2, 8, 64
	server, client, sessions := sessiontest.BothEnds(t, p, false)
	if err := errors.Join(server.Err, client.Err); err != nil {
		t.Fatal(err)
	}
	check := traffic.NewSlotCheck(p.Size, true)
	for i, s := range sessions {
		have := make([]byte, p.SlotsRoom())
		if _, err := s.Core().Graph.ByName["buf"].Body.(*region.MR).MR.ReadAt(have, 0); err != nil {
			t.Fatal(err)
		}
		if want := append(bytes.Clone(check.Want), bytes.Repeat(check.Wipe, p.RXDepth)...); !bytes.Equal(have, want) {
			t.Errorf("session %d has\n%x, want\n%x", i, have, want)
		}
	}
}

// TestSlotsAreChecked: a missing, partial or foreign message is detected; a server
// accepts the stock client's zeros.
func TestSlotsAreChecked(t *testing.T) {
	const size = 3 * traffic.StockPage
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, fmt.Sprintf("open_device soft0\nalloc_pd pd\nreg_mr buf length=%d access=LOCAL_WRITE",
		2*size))
	mr := s.Core().Graph.ByName["buf"].Body.(*region.MR).MR
	for _, client := range []bool{false, true} {
		c := traffic.NewSlotCheck(size, client)
		for page := 0; page < size; page += traffic.StockPage {
			if c.Want[page] != 0 {
				t.Error("a stock server with -c wants a zero at the start of each page")
			}
		}
		for name, come := range map[string]struct {
			change func()
			right  bool
		}{
			"all":     {func() { mr.WriteAt(c.Want, size) }, true},
			"nothing": {func() {}, false},
			"in part": {func() { mr.WriteAt(c.Want[:size-1], size) }, false},
			"displaced": {func() {
				mr.WriteAt(c.Want[traffic.StockPage:], size)
				mr.WriteAt(c.Want[:traffic.StockPage], 2*size-traffic.StockPage)
			}, false},
			"zeros":   {func() { mr.WriteAt(make([]byte, size), size) }, !client},
			"of each": {func() { mr.WriteAt(make([]byte, size), size); mr.WriteAt(c.Want[:5000], size) }, !client},
		} {
			if err := c.Clear(mr, 1); err != nil {
				t.Fatal(err)
			}
			come.change()
			if err := c.Check(mr, 1); (err == nil) != come.right {
				t.Errorf("%s, client %v: %v", name, client, err)
			}
		}
	}
}
