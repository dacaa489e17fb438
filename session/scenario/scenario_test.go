package scenario_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"rdmatui/session"
	"rdmatui/session/bench"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/oob"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/verbstest/race"
)

func TestPingpong(t *testing.T) {
	for _, sc := range scenario.All {
		if sc.CM { // these have their own test
			continue
		}
		t.Run(sc.Name, func(t *testing.T) { pingpongs(t, &sc) })
	}
}

// loopTook returns how long the line of the loop took, as recorded.
func loopTook(s *session.Session) (took time.Duration) {
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindCommand && strings.HasPrefix(e.Command.Line, "pingpong ") {
			took = e.Command.Took
		}
	}
	return took
}

// pingpongs runs a scenario's variants, both ends on the software device.
func pingpongs(t *testing.T, sc *scenario.Scenario) {
	header := 0
	if sc.QPType == verbs.UD {
		header = verbs.GRHLen
	}
	for name, change := range map[string]func(*scenario.Params){
		"as the stock program": func(*scenario.Params) {},
		"one byte":             func(p *scenario.Params) { p.Size = 1 },
		"the largest values": func(p *scenario.Params) {
			if p.Size, p.Count = 65536, 50; sc.QPType == verbs.UD {
				p.Size = verbs.MTU4096.Bytes()
			}
		},
		"events":    func(p *scenario.Params) { p.Events, p.Count = true, 200 },
		"few RECVs": func(p *scenario.Params) { p.RXDepth = 2 },
		"unchecked": func(p *scenario.Params) { p.Validate = false },
		"once":      func(p *scenario.Params) { p.Count = 1 },
		"one RECV": func(p *scenario.Params) {
			if p.RXDepth, p.Count = 1, 20; sc.QPType != verbs.RC {
				p.RXDepth = 2 // only RC retransmits a message that arrives before the RECV
			}
		},
	} {
		for _, live := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", live"}[live], func(t *testing.T) {
				p := scenario.DefaultParams(sc.Name)
				p.Count, p.Validate = race.Fewer(300, 60), true
				change(&p)
				p.QPs = min(p.QPs, p.RXDepth)
				server, client, sessions := sessiontest.BothEnds(t, p, live)
				if err := errors.Join(server.Err, client.Err); err != nil { // the client's failure cancels the server
					t.Fatal(err)
				}
				for i, e := range []sessiontest.Ended{server, client} {
					if e.Result.Iters != p.Count || e.Result.Size != p.Size || e.Result.UsecPerIter <= 0 ||
						e.Result.UsecPerIter != e.Result.Seconds*1e6/float64(p.Count) {
						t.Errorf("%+v", e.Result)
					}
					if took := loopTook(sessions[i]); took != e.Result.Elapsed {
						t.Errorf("the line took %v, its loop %v", took, e.Result.Elapsed)
					}
					if p.Events != (e.Result.CQEvents > 0) {
						t.Errorf("%d completion events", e.Result.CQEvents)
					}
					if got := sessions[i].Timeline().Counts(); got.WCOK != uint64(2*p.Count) ||
						got.Bytes != uint64(p.Count*(header+p.Size)) {
						t.Errorf("%d counted, %d bytes", got.WCOK, got.Bytes)
					}
					cq := sessions[i].Snapshot().CQs[0]
					if cq.Completed != uint64(2*p.Count) || cq.Failed != 0 {
						t.Errorf("%d completed, %d failed, want %d", cq.Completed, cq.Failed, 2*p.Count)
					}
					if got := sessiontest.TakenInAll(cq); got != uint64(2*p.Count) {
						t.Errorf("cq_stats counts %d taken, want %d", got, 2*p.Count)
					}
				}
			})
		}
	}
}

func TestRCPingpongSizesMustMatch(t *testing.T) {
	provider := soft.New(soft.Options{})
	port := sessiontest.FreePort(t)
	server := session.New(core.Options{Providers: []verbs.Provider{provider}})
	client := session.New(core.Options{Providers: []verbs.Provider{provider}})
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := scenario.DefaultParams("rc-pingpong")
	p.Port, p.Count = port, 10
	done := make(chan error, 1)
	go func() {
		p := p
		p.Server, p.Size = true, 128
		_, err := sessiontest.RunScenario(ctx, server, p, nil)
		done <- errors.Join(err, server.Close())
	}()
	sessiontest.Listening(t, server)
	p.Address, p.Size = "127.0.0.1", 64
	go sessiontest.RunScenario(ctx, client, p, nil)
	if err := <-done; err == nil || !strings.Contains(err.Error(), "has 64 bytes instead of 128") {
		t.Error(err)
	}
	if got := server.Timeline().Counts(); got.WCOK != 1 || got.Kind(timeline.KindWC) != 1 {
		t.Errorf("the message that ended the loop is not on the time line: %+v", got)
	}
}

// TestServerOutlastsHostilePeers: whatever a client sends, the exchange reports it in
// one line and waits for the next client.
func TestServerOutlastsHostilePeers(t *testing.T) {
	for name, bytes := range map[string]string{
		"nothing":  "",
		"rubbish":  strings.Repeat("\xff\x1b", oob.RecordLen/2),
		"too soon": "0000:0",
	} {
		t.Run(name, func(t *testing.T) {
			s := sessiontest.NewSoft(t, core.Options{})
			sessiontest.RunScript(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
			port, errs := sessiontest.Serving(t, s, "exchange p hold=1")
			const clients = 8 + 2
			for range clients {
				c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", fmt.Sprint(port)))
				if err != nil {
					t.Fatal(err)
				}
				c.Write([]byte(bytes))
				c.(*net.TCPConn).CloseWrite()
				c.Read(make([]byte, 1)) // until the server disconnects
				c.Close()
			}
			c, err := oob.Dial(t.Context(), "127.0.0.1", port)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.Send(t.Context(), oob.Record{QPN: 5}); err != nil {
				t.Fatal(err)
			}
			if err := <-errs; err != nil {
				t.Error(err)
			}
			if peers := s.Snapshot().Peers; len(peers) != 1 || peers[0].QPN != 5 {
				t.Errorf("%+v", peers)
			}
			told := 0
			for _, e := range s.Timeline().Snapshot() {
				if e.Kind == timeline.KindNote && strings.Contains(e.Note.Text, "disconnected") {
					told++
					if strings.ContainsAny(e.Note.Text, "\n\x1b") || !utf8.ValidString(e.Note.Text) {
						t.Errorf("%q", e.Note.Text)
					}
				}
			}
			if told != 8+1 { // one note for each of the first 8, and a count of the rest
				t.Errorf("%d notes of %d clients", told, clients)
			}
		})
	}
}

// TestServerListensWhereItsDeviceIs: a server on a loopback device is reachable from
// this host only.
func TestServerListensWhereItsDeviceIs(t *testing.T) {
	for listen, want := range map[string]string{
		"":                    "of 127.0.0.1",
		" listen=any":         "of every address",
		" listen=127.0.0.1":   "of 127.0.0.1",
		" listen=192.0.2.1":   "listen= must be an address of this host",
		" listen=example.com": "any, or an IP address of this host is expected",
	} {
		s := sessiontest.NewSoft(t, core.Options{})
		sessiontest.RunScript(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
		done, _ := s.Exec(t.Context(), "exchange timeout=1ms port=0"+listen)
		said := done.Err + done.Hint
		for _, e := range s.Timeline().Snapshot() {
			if e.Kind == timeline.KindNote {
				said += e.Note.Text
			}
		}
		if !strings.Contains(said, want) {
			t.Errorf("%s: %q, want %q", listen, said, want)
		}
	}
}

// TestBenchListensWhereItsDeviceIs: so does the server of a test, and its client comes to that address.
func TestBenchListensWhereItsDeviceIs(t *testing.T) {
	for bind, want := range map[string]string{
		"":            "127.0.0.1",
		"any":         "every address",
		"127.0.0.1":   "127.0.0.1",
		"192.0.2.1":   "--bind 192.0.2.1: must be an address of this host, or any",
		"example.com": "--bind example.com: any, or an IP address of this host is expected",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		p := bench.DefaultParams(bench.Test{Verb: bench.Write})
		p.Port, p.Bind, p.Device = 0, bind, "soft0"
		said := ""
		run, err := sessiontest.NewSoft(t, core.Options{}).NewBench(p, bench.Watcher{Waiting: func(_ uint16,
			at string) {
			said = at
			cancel()
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Do(ctx); ctx.Err() == nil {
			said = err.Error()
		}
		if cancel(); !strings.Contains(said, want) {
			t.Errorf("--bind %q: %q, want %q", bind, said, want)
		}
	}
	p := bench.DefaultParams(bench.Test{Verb: bench.Write})
	if p.Host, p.Bind = "10.0.0.1", "any"; p.Check() == nil {
		t.Error("a client listens")
	}
}

// TestAddressesOfADevice: a server listens on the addresses of its port's GIDs, once
// each; InfiniBand GIDs give none.
func TestAddressesOfADevice(t *testing.T) {
	entry := func(port uint8, netdev, addr string) verbs.GIDEntry {
		return verbs.GIDEntry{PortNum: port, GID: verbs.GIDFromAddr(netip.MustParseAddr(addr)), Netdev: netdev}
	}
	d := &device.Device{
		Ports: []verbs.PortAttr{{PortNum: 1, LinkLayer: verbs.LinkEthernet},
			{PortNum: 2, LinkLayer: verbs.LinkEthernet}, {PortNum: 3, LinkLayer: verbs.LinkInfiniBand}},
		GIDs: device.GIDTable{Rows: []verbs.GIDEntry{entry(1, "eth0", "fe80::1"), entry(1, "eth0", "::ffff:10.9.0.1"),
			entry(1, "eth0", "::ffff:10.9.0.1"), entry(1, "eth0", "fd00::1"),
			entry(2, "eth1", "::ffff:10.9.0.2"), entry(3, "", "fe80::3")}},
	}
	for port, want := range map[uint8]string{1: "[fe80::1%eth0 10.9.0.1 fd00::1]", 2: "[10.9.0.2]", 3: "[]"} {
		s, q := session.New(core.Options{}).Core(), &queue.QP{Node: &core.Node{}, PD: &region.PD{Device: d}}
		q.Attr = verbs.QPAttr{Mask: verbs.AttrPort, PortNum: port}
		queue.SetState(s, q, q.StateAt(), verbs.QPInit, "test")
		if got := fmt.Sprint(d.Addrs(s, q.Port())); got != want {
			t.Errorf("port %d: %s, want %s", port, got, want)
		}
	}
}

func TestScenarioParameters(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	for want, p := range map[string]scenario.Params{
		"no scenario": {Name: "nonsense", Server: true},
		"not both":    scenario.DefaultParams("rc-pingpong"),
		"not a host name": {Name: "rc-pingpong", Address: "a b", Count: 1, Size: 1, RXDepth: 1,
			MTU: verbs.MTU256},
		"at least 1": {Name: "rc-pingpong", Server: true, Count: 0, Size: 1, RXDepth: 1,
			MTU: verbs.MTU256},
		"the MTU must be":     {Name: "rc-pingpong", Server: true, Count: 1, Size: 1, RXDepth: 1},
		"need it":             {Name: "mckey", Server: true},
		"only a server":       {Name: "serve", Address: "10.0.0.1", Count: 1, Size: 1, RXDepth: 1},
		"TCP or IB":           managedWith(func(p *scenario.Params) { p.PS = "UDP" }),
		"1 to 64":             managedWith(func(p *scenario.Params) { p.Connections = 65 }),
		"write or read":       managedWith(func(p *scenario.Params) { p.Op = "erase" }),
		"event, poll or sync": managedWith(func(p *scenario.Params) { p.CM = "hope" }),
		"longer than": managedWith(func(p *scenario.Params) {
			p.Messages = []string{"13 characters"}
			p.Size = 12
		}),
		"at least 12 bytes":       managedWith(func(p *scenario.Params) { p.Size = 11 }),
		"no device port or GID":   managedWith(func(p *scenario.Params) { p.DevicePort = 2 }),
		"a local address with":    managedWith(func(p *scenario.Params) { p.GIDIndex = 0 }),
		"\"1 2\" is not a host":   managedWith(func(p *scenario.Params) { p.Bind = "1 2" }),
		"\"a b\" is not a device": managedWith(func(p *scenario.Params) { p.Device = "a b" }),
		"has no path MTU": {Name: "ud-pingpong", Server: true, Count: 1, Size: 1, RXDepth: 1,
			MTU: verbs.MTU256},
	} {
		if _, err := sessiontest.RunScenario(t.Context(), s, p, nil); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// managedWith returns a server's parameters for the connection manager with one
// change.
func managedWith(change func(*scenario.Params)) scenario.Params {
	p := scenario.DefaultParams("chat")
	p.Server = true
	change(&p)
	return p
}
