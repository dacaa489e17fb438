package bench_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"rdmatui/session/bench"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// late is the code of an ACK timeout of 4 s: a busy machine may not answer for a while.
const late = 20

// playBench runs both ends of a test on the software device.
func playBench(t *testing.T, change func(*bench.Params), test bench.Test) (server, client *sessiontest.BenchEnd) {
	t.Helper()
	provider, port := soft.New(soft.Options{}), make(chan uint16, 1)
	p := bench.DefaultParams(test)
	p.Iters, p.Port, p.Timeout = 40, 0, late
	change(&p)
	if p.Device = "soft0"; p.CM {
		p.Device, p.Port = "", 18515 // of the connection manager
	}
	server = sessiontest.StartBench(t.Context(), t, provider, p, port)
	if p.Host = "127.0.0.1"; !p.CM {
		p.Device = "soft1"
	}
	select {
	case p.Port = <-port:
	case err := <-server.Err:
		t.Fatal(err)
	}
	client = sessiontest.StartBench(t.Context(), t, provider, p, nil)
	if err := errors.Join(client.End(t), server.End(t)); err != nil {
		t.Fatal(err)
	}
	return server, client
}

// TestBenchBothEnds runs all tests against itself, with the flags that change the flow
// of the exchange.
func TestBenchBothEnds(t *testing.T) {
	bw := func(p *bench.Params) bool { return !p.Test.Latency }
	any := func(*bench.Params) bool { return true }
	for _, variant := range []struct {
		name   string
		fits   func(*bench.Params) bool
		change func(*bench.Params)
	}{
		{"plain", any, func(*bench.Params) {}},
		{"events", func(p *bench.Params) bool { return p.Test.Verb != bench.Write || !p.Test.Latency },
			func(p *bench.Params) { p.Events = true }},
		{"inline",
			func(p *bench.Params) bool { return p.Test.Verb == bench.Write || p.Test.Verb == bench.Send },
			func(p *bench.Params) { p.Size, p.Inline = 16, 64 }},
		{"3 QPs", bw, func(p *bench.Params) { p.QPs = 3 }},
		{"lists", bw, func(p *bench.Params) { p.PostList, p.TXDepth = 4, 8 }},
		{"both directions", bw, func(p *bench.Params) { p.Bidirectional = true }},
		{"small and moderated", bw, func(p *bench.Params) { p.Size, p.CQMod = 8, 7 }},
		{"shared queue, 2 QPs, both directions",
			func(p *bench.Params) bool { return p.Test == bench.Test{Verb: bench.Send} },
			func(p *bench.Params) { p.SharedQueue, p.QPs, p.Bidirectional = true, 2, true }},
		{"shared queue", func(p *bench.Params) bool { return p.Test.Verb == bench.Send },
			func(p *bench.Params) { p.SharedQueue = true }},
		{"connection manager", any, func(p *bench.Params) { p.CM = true }},
		{"connection manager, 3 QPs", bw, func(p *bench.Params) { p.CM, p.QPs = true, 3 }},
		{"UC", func(p *bench.Params) bool { return p.Test.Verb == bench.Write || p.Test.Verb == bench.Send },
			func(p *bench.Params) { p.Connection = verbs.UC }},
		{"UD", func(p *bench.Params) bool { return p.Test.Verb == bench.Send },
			func(p *bench.Params) { p.Connection, p.Size = verbs.UD, 1024 }},
		{"UD, connection manager", func(p *bench.Params) bool { return p.Test.Verb == bench.Send },
			func(p *bench.Params) { p.CM, p.Connection, p.Size = true, verbs.UD, 1024 }},
		{"UD, connection manager, both directions, 2 QPs",
			func(p *bench.Params) bool { return p.Test == bench.Test{Verb: bench.Send} },
			func(p *bench.Params) {
				p.CM, p.Connection, p.Size, p.Bidirectional, p.QPs = true, verbs.UD, 1024, true, 2
			}},
	} {
		for _, test := range bench.Tests {
			p := bench.DefaultParams(test)
			if !variant.fits(&p) {
				continue
			}
			t.Run(variant.name+"/"+test.String(), func(t *testing.T) {
				change := func(p *bench.Params) {
					if p.Test.Verb != bench.Atomic {
						p.Size = min(p.Size, 4096)
					}
					variant.change(p)
					if p.Test.Verb == bench.Atomic {
						p.Size = verbs.AtomicLen
					}
				}
				server, client := playBench(t, change, test)
				for _, e := range []*sessiontest.BenchEnd{server, client} {
					checkBench(t, e)
				}
			})
		}
	}
}

// checkBench checks the figures of an end that are known.
func checkBench(t *testing.T, e *sessiontest.BenchEnd) {
	t.Helper()
	p := &e.Info.Params
	if p.Test.Latency && p.Test.OneSided() && !p.Client() {
		if len(e.Results) != 0 {
			t.Errorf("the server has %d reports", len(e.Results))
		}
		return
	}
	if len(e.Results) != 1 {
		t.Fatalf("%d reports", len(e.Results))
	}
	res := &e.Results[0]
	if p.Test.Latency {
		if l := res.Latency; l.Iters != p.Iters || l.Size != p.Size ||
			!(0 < l.Min && l.Min <= l.Typical && l.Typical <= l.Max) {
			t.Errorf("%+v", l)
		}
		if samples := e.Run.Samples(nil, 0); len(samples) != int(p.Iters)-1 ||
			len(e.Run.Samples(nil, 10)) != len(samples)-10 {
			t.Errorf("%d samples of %d messages", len(samples), p.Iters)
		}
		if now := e.Run.Progress(); now.Messages != p.Iters || now.Size != p.Size {
			t.Errorf("%+v", now)
		}
		return
	}
	if r := res.Report; r.Size != p.Size || r.Iters != p.Iters*uint64(p.QPs) || !(r.Average > 0) || !(r.Rate > 0) {
		t.Errorf("%+v", r)
	}
	if (res.Local != nil) != p.Bidirectional {
		t.Error("reports of both directions:", res.Local, res.Remote)
	}
}

// TestBenchAllSizes checks that a test of all sizes stays in step with its peer.
func TestBenchAllSizes(t *testing.T) {
	for _, test := range []bench.Test{{Verb: bench.Send}, {Verb: bench.Send, Latency: true}} {
		server, client := playBench(t, func(p *bench.Params) {
			p.All, p.Iters, p.Connection = true, 5, verbs.UD // up to the MTU
		}, test)
		if n := len(client.Results); n != 12 || n != len(server.Results) {
			t.Errorf("%s: %d reports at the client, %d at the server, want 12", test, n, len(server.Results))
		}
	}
}

// TestBenchDuration checks a test of given duration, without measuring it.
func TestBenchDuration(t *testing.T) {
	for _, test := range []bench.Test{{Verb: bench.Write}, {Verb: bench.Send}, {Verb: bench.Write,
		Latency: true}, {Verb: bench.Send, Latency: true}, {Verb: bench.Read, Latency: true}} {
		_, client := playBench(t, func(p *bench.Params) {
			p.Duration, p.Margin, p.Size = 60*time.Millisecond, 10*time.Millisecond, 64
		}, test)
		if len(client.Results) != 1 {
			t.Errorf("%s: %d reports", test, len(client.Results))
		}
	}
}

// TestBenchHostilePeer checks that a peer that leaves or sends nonsense ends the run
// with one line that says so, and that nothing is left.
func TestBenchHostilePeer(t *testing.T) {
	version := "6.06" + strings.Repeat("\x00", 12)
	agreed := version + "\x00\x00\x10\x00" + "\x00\x00\x00\x40" + "3\x00"
	line := func(d bench.Dest) string { return string(d.Line(true)) }
	good := bench.Dest{QPN: 0x11, PSN: 1, RKey: 1, VAddr: 0x1000, GID: verbs.GID{10: 0xff, 11: 0xff, 12: 127, 15: 1}}
	far := good
	far.VAddr = ^uint64(0) - 100
	six := good
	six.GID = verbs.GID{0: 0xfe, 1: 0x80, 15: 1}
	for name, tt := range map[string]struct{ sent, want string }{
		"half an address": {agreed + "0000:", "after 5 of the 108 bytes of its address"},
		"nonsense":        {agreed + strings.Repeat("z", 108), "instead of an address line"},
		"far address":     {agreed + line(far), "beyond the last address"},
		"IPv6 GID":        {agreed + line(six), "select GIDs of the same type"},
		"another address": {agreed + line(good) + line(bench.Dest{GID: good.GID}), "changed the address"},
		"leaves": {agreed + line(good) + line(good) + line(good),
			"closed the connection after 0 of the 108 bytes of its address"},
	} {
		t.Run(name, func(t *testing.T) {
			port := make(chan uint16, 1)
			p := bench.DefaultParams(bench.Test{Verb: bench.Write})
			p.Device, p.Port = "soft0", 0
			server := sessiontest.StartBench(t.Context(), t, soft.New(soft.Options{}), p, port)
			conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(int(<-port)))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(conn, tt.sent) // fails if the server has hung up
			_ = conn.(*net.TCPConn).CloseWrite()
			err = server.End(t)
			conn.Close()
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// TestBenchRefusesPeer: a server tells why it disconnects a peer that agrees on nothing, goes on waiting, and ends when
// it is stopped.
func TestBenchRefusesPeer(t *testing.T) {
	for name, tt := range map[string]struct{ sent, want string }{
		"nothing": {"", "closed the connection after 0 of the 16 bytes of its version"},
		"HTTP":    {"GET / HTTP/1.1\r\n\r\n", "instead of a version"},
		"huge page": {"6.06" + strings.Repeat("\x00", 12) + "\x7f\xff\xff\xff",
			"2147483647 bytes as its page size"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			port := make(chan uint16, 1)
			p := bench.DefaultParams(bench.Test{Verb: bench.Write})
			p.Device, p.Port = "soft0", 0
			server := sessiontest.StartBench(ctx, t, soft.New(soft.Options{}), p, port)
			conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(int(<-port)))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, tt.sent) // fails if the server has hung up
			_ = conn.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, conn) // until the server hangs up
			if !sessiontest.Noted(server.S, tt.want) || !sessiontest.Noted(server.S, "; still waiting for a peer") {
				t.Errorf("%+v, want a note of %q", server.S.Timeline().Snapshot(), tt.want)
			}
			cancel()
			if err := server.End(t); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}

// TestBenchClientHangs checks that a server ends with one line when its client hangs: its connection stays open, but
// nothing comes.
func TestBenchClientHangs(t *testing.T) {
	agreed := "6.06" + strings.Repeat("\x00", 12) + "\x00\x00\x10\x00" + "\x00\x00\x00\x40" + "3\x00"
	gid := verbs.GID{10: 0xff, 11: 0xff, 12: 127, 15: 1}
	line := string((&bench.Dest{QPN: 0x11, PSN: 1, RKey: 1, VAddr: 0x1000, OutReads: 1, GID: gid}).Line(true))
	for _, test := range bench.Tests {
		lines := 3
		if test.Latency && test.Verb != bench.Send {
			lines++
		}
		if test == (bench.Test{Verb: bench.Write, Latency: true}) {
			continue // its server begins
		}
		t.Run(test.String(), func(t *testing.T) {
			port := make(chan uint16, 1)
			p := bench.DefaultParams(test)
			p.Device, p.Port = "soft0", 0
			server := sessiontest.NewBenchEnd(t, soft.New(soft.Options{}), p, port)
			server.Run.Silence(50 * time.Millisecond)
			go func() { server.Err <- server.Run.Do(t.Context()) }()
			conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(int(<-port)))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, agreed+strings.Repeat(line, lines)); err != nil {
				t.Fatal(err)
			}
			want := "the peer hangs: no packet arrived for 50 ms, and its connection is still open"
			if err := server.End(t); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// TestBenchLengths checks what an end of given duration says when the other sends a number of messages, or ends
// earlier. Where only the client measures, nothing need be said.
func TestBenchLengths(t *testing.T) {
	send, sendLat := bench.Test{Verb: bench.Send}, bench.Test{Verb: bench.Send, Latency: true}
	write := bench.Test{Verb: bench.Write}
	duration := func(d time.Duration) func(*bench.Params) {
		return func(p *bench.Params) { p.Duration, p.Margin = d, 10*time.Millisecond }
	}
	both := func(change func(*bench.Params)) func(*bench.Params) {
		return func(p *bench.Params) { p.Bidirectional = true; change(p) }
	}
	count := func(*bench.Params) {}
	few := func(p *bench.Params) { p.Iters, p.RXDepth = 5, 6 }
	for _, tt := range []struct {
		test           bench.Test
		server, client func(*bench.Params)
		want           string
	}{
		{send, duration(time.Hour), count,
			"the peer ended its test after 40 messages of 64 bytes, this end has -D 3600"},
		{send, duration(time.Hour), duration(100 * time.Millisecond), "give both ends the same"},
		{send, few, duration(1500 * time.Millisecond), "give both ends the same"},
		{sendLat, duration(time.Hour), count, "the peer ended its test after 40 messages of 64 bytes"},
		{sendLat, few, duration(1500 * time.Millisecond), "give both ends the same"},
		{write, both(duration(time.Hour)), both(count), "the peer ended its test after"},
		{write, duration(time.Hour), count, ""},
		{write, count, duration(100 * time.Millisecond), ""},
	} {
		server, client := playBenchEnds(t, tt.test, tt.server, tt.client)
		err := errors.Join(server.End(t), client.End(t))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.test, err, tt.want)
		}
	}
}

// playBenchEnds starts both ends of a test on the software device with parameters of their own.
func playBenchEnds(t *testing.T, test bench.Test, changeServer, changeClient func(*bench.Params)) (server,
	client *sessiontest.BenchEnd) {
	t.Helper()
	provider, port := soft.New(soft.Options{}), make(chan uint16, 1)
	params := func(device string, change func(*bench.Params)) bench.Params {
		p := bench.DefaultParams(test)
		p.Device, p.Port, p.Iters, p.Size, p.RXDepth = device, 0, 40, 64, 40
		p.Timeout = late
		change(&p)
		return p
	}
	server = sessiontest.StartBench(t.Context(), t, provider, params("soft0", changeServer), port)
	p := params("soft1", changeClient)
	p.Host, p.Port = "127.0.0.1", <-port
	return server, sessiontest.StartBench(t.Context(), t, provider, p, nil)
}

// TestBenchStops checks that a server that waits, and one whose client is silent, can
// be stopped.
func TestBenchStops(t *testing.T) {
	for _, connected := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		port := make(chan uint16, 1)
		p := bench.DefaultParams(bench.Test{Verb: bench.Write})
		p.Device, p.Port = "soft0", 0
		server := sessiontest.StartBench(ctx, t, soft.New(soft.Options{}), p, port)
		at := "127.0.0.1:" + strconv.Itoa(int(<-port))
		if connected {
			conn, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
		}
		cancel()
		if err := server.End(t); !errors.Is(err, context.Canceled) {
			t.Errorf("connected %v: %v", connected, err)
		}
	}
}

// TestBenchLatency measures more messages than the queue holds, of which few are signaled. A software device has
// no inline data by default, as Soft-RoCE in perftest.
func TestBenchLatency(t *testing.T) {
	server, client := playBench(t, func(p *bench.Params) {
		p.Size, p.Iters, p.CQMod, p.TXDepth = 8, 300, 7, 16
	}, bench.Test{Verb: bench.Send, Latency: true})
	for name, e := range map[string]*sessiontest.BenchEnd{"server": server, "client": client} {
		if e.Info.Params.Inline != 0 || e.Info.Params.Iters != 300 {
			t.Errorf("%s: %+v", name, e.Info.Params)
		}
	}
	if len(client.Results) != 1 {
		t.Errorf("%d results", len(client.Results))
	}
}
