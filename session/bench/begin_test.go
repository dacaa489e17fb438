package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// TestTurnsFail: a request that is refused ends a latency test with its number, whatever its turn.
func TestTurnsFail(t *testing.T) {
	for _, verb := range []Verb{Send, Write, Read} {
		for _, at := range []int{1, 4} {
			l, pairs := newTestLoop(t, params(verb, true, func(p *Params) { p.Host = "h" }))
			q := pairs[0]
			if verb == Send {
				if err := l.postRecvs(&l.lanes[0], 0, l.recvs()); err != nil {
					t.Fatal(err)
				}
			}
			answer := func(heard int) {
				l.mr.MR.(*byteRegion).b[l.receiveAt(0)+l.size-1] = byte(heard)
				q.arrive()
			}
			q.after = func(sent int) {
				if sent == at-1 {
					q.depth = 0
				}
				answer(sent + 1)
			}
			if answer(1); at == 1 {
				q.depth = 0
			}
			want := fmt.Sprintf("post_send bench-qp0, message %d: ", at)
			if err := l.turns(); !errors.Is(err, syscall.ENOMEM) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, message %d: %v", verb, at, err)
			}
			if got := len(l.Samples(nil, 0)); got != max(at-1, 0) || l.lanes[0].posted != uint64(at-1) {
				t.Errorf("%v, message %d: %d samples, %d posted", verb, at, got, l.lanes[0].posted)
			}
		}
	}
}

// TestNewSize: the loop of another message size begins anew: no progress, no samples and no messages on any queue pair.
func TestNewSize(t *testing.T) {
	l, _ := newTestLoop(t, params(Send, false, func(p *Params) { p.QPs, p.Bidirectional = 2, true }))
	for i := range l.lanes {
		lane := &l.lanes[i]
		lane.posted, lane.completed, lane.received, lane.recvsPosted = 1, 2, 3, 4
		lane.shown[sent].Store(5)
		lane.shown[received].Store(6)
	}
	l.progress.messages.Store(7)
	l.progress.posted.Store(8)
	next := l.newLoop(4)
	for i, shown := range l.Lanes() {
		lane := &l.lanes[i]
		if lane.posted+lane.completed+lane.received+lane.recvsPosted != 0 || shown.Sent+shown.Received != 0 {
			t.Errorf("queue pair %d: %d posted, %+v", i, lane.posted, shown)
		}
		if len(lane.send) != 1 || lane.send[0].SGList[0].Length != 4 || lane.recv[0].SGList[0].Length != 4 {
			t.Errorf("queue pair %d: %+v, %+v", i, lane.send, lane.recv)
		}
	}
	if p := l.Progress(); p.Size != 4 || p.Messages != 0 || p.Since.IsZero() || next.size != 4 || next.total != 0 {
		t.Errorf("%+v", p)
	}
	lat, _ := newTestLoop(t, params(Read, true, func(p *Params) { p.Host = "h" }))
	lat.progress.posted.Store(8)
	if lat.newLoop(4); len(lat.Samples(nil, 0)) != 0 {
		t.Errorf("%d samples of a size that has not begun", len(lat.Samples(nil, 0)))
	}
}

// makes makes the objects of a line, so that a run finds them.
func makes(c *core.Call) error {
	n := &core.Node{Name: c.Cmd.String("name")}
	switch c.Cmd.Spec {
	case command.RegMR:
		n.Body = &region.MR{Node: n, MR: &keyed{}}
	case command.CreateQP, command.RDMACreateQP:
		n.Body = &queue.QP{Node: n, QP: &pair{}, Num: 0x12, PSN: 3}
	default:
		return nil
	}
	c.Enter(n)
	return nil
}

// failing is an exchange whose swap of a number fails.
type failing struct {
	echo
	at int // from 1; 0: none fails
}

func (f *failing) Read(ctx context.Context, message []byte, what string) error {
	if len(f.sent) == f.at {
		return syscall.EPIPE
	}
	return f.echo.Read(ctx, message, what)
}

// TestSetUp: a run tells that it is connected, and with which parameters, once all its queue pairs are ready and both
// ends know it. No line follows one that failed, and no swap either.
func TestSetUp(t *testing.T) {
	for _, managed := range []bool{false, true} {
		for _, verb := range []Verb{Write, Send} {
			run := func(line, swap int) (l *lined, told int, err error) {
				l = newLined(params(verb, false, func(p *Params) {
					p.Host, p.QPs, p.CM, p.Port = "10.0.0.1", 2, managed, 7
				}))
				l.carry = makes
				l.refused = func(text string, number int) bool { return number == line }
				l.x = Exchange{Link: &failing{at: swap}, Client: true, Structs: true}
				l.watch.Connected = func(info Info) {
					if told++; len(info.Local) != 2 || len(info.Remote) != 2 || info.Local[0].QPN != 0x12 ||
						info.Local[1].VAddr-info.Local[0].VAddr != l.area || info.Params.Host != "10.0.0.1" ||
						info.Local[0].RKey != 9 || info.Local[0].PSN != 3 {
						t.Errorf("%+v", info)
					}
				}
				err = l.setUp(t.Context())
				return l, told, err
			}
			good, told, err := run(0, 0)
			if err != nil || told != 1 {
				t.Fatalf("managed %v, %v: %v, told %d times", managed, verb, err, told)
			}
			swaps := len(good.x.Link.(*failing).sent)
			if want := map[bool]int{true: 2}[managed] + 2 + 3; swaps != want {
				t.Errorf("managed %v, %v: %d swaps, want %d", managed, verb, swaps, want)
			}
			for swap := range swaps {
				if l, told, err := run(0, swap+1); !errors.Is(err, syscall.EPIPE) || told != 0 ||
					len(l.x.Link.(*failing).sent) != swap+1 {
					t.Errorf("managed %v, %v, swap %d fails: %v", managed, verb, swap+1, err)
				}
			}
			for line := range good.lines {
				if managed && strings.HasPrefix(good.lines[line], "rdma_connect") ||
					strings.Contains(good.lines[line], "ESTABLISHED") {
					continue // it is tried again
				}
				if l, told, err := run(line+1, 0); !errors.Is(err, syscall.EIO) || told != 0 ||
					!slices.Equal(l.lines, good.lines[:line+1]) {
					t.Errorf("managed %v, %v, %q fails: %v, %d lines", managed, verb, good.lines[line], err,
						len(l.lines))
				}
			}
		}
	}
}

// TestOpenDevice: a run opens the device, port and GID that it was told, or a device that fits.
func TestOpenDevice(t *testing.T) {
	for _, tt := range []struct {
		change func(*Params)
		want   string
		err    string
	}{
		{func(*Params) {}, "open_device d0", ""},
		{func(p *Params) { p.Device, p.DevicePort, p.GIDIndex = "d0", 1, 0 },
			"open_device d0 port_num=1 sgid_index=0", ""},
		{func(p *Params) { p.Device = "d1" }, "", "no device"},
		{func(p *Params) { p.MTU = verbs.MTU4096 }, "open_device d0", "-m 4096"},
	} {
		for _, refused := range []bool{false, true} {
			l := newLined(params(Write, false, tt.change))
			l.p.DevicePort = 0
			tt.change(&l.p)
			l.s.Opts.Providers = []verbs.Provider{host{infos: []verbs.DeviceInfo{{Name: "d0"}}}}
			l.carry = func(c *core.Call) error {
				n := &core.Node{Name: "d0"}
				n.Body = &device.Device{Node: n, Info: verbs.DeviceInfo{Name: "d0"},
					Ports: []verbs.PortAttr{{State: verbs.PortActive, ActiveMTU: verbs.MTU1024}}}
				c.Enter(n)
				return nil
			}
			l.refused = func(string, int) bool { return refused }
			l.dev = nil
			err := l.openDevice(t.Context())
			switch {
			case tt.want == "" || !refused && tt.err != "":
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%q: %v, want %q", tt.want, err, tt.err)
				}
			case refused != errors.Is(err, syscall.EIO) || !refused && (err != nil || l.dev == nil):
				t.Errorf("%q: %v", tt.want, err)
			}
			if got := strings.Join(l.lines, "\n"); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		}
	}
}

// TestWorkFails: a RECV or a SEND that is refused ends each loop that posts it, and the test; one queue pair then shows
// what it has sent alone.
func TestWorkFails(t *testing.T) {
	for _, tt := range []struct {
		name          string
		latency, both bool
		recv          int // the RECV that is refused; 0: the third SEND is
	}{
		{"turns", true, false, 4}, {"turns, a SEND", true, false, 0}, {"both", false, true, 4},
		{"both, a SEND", false, true, 0},
	} {
		p := params(Send, tt.latency, func(p *Params) {
			p.Host, p.Bidirectional, p.RXDepth, p.TXDepth = "h", tt.both, 2, 1
		})
		r, pairs := newTestRun(t, p)
		q, o := pairs[0], &ordered{}
		r.link, r.x = o, Exchange{Link: o, Client: true, Structs: true}
		q.recv.idle, q.send.idle = func(int) { q.arrive() }, func(int) {}
		if q.refused = tt.recv; tt.recv == 0 {
			q.after = func(sent int) {
				if sent == 2 {
					q.depth = 0
				}
			}
		}
		if err := r.measure(t.Context()); !errors.Is(err, syscall.ENOMEM) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if lane := r.Lanes()[0]; tt.latency && (lane.Sent == 0 || lane.Received != 0) {
			t.Errorf("%s: %+v", tt.name, lane)
		}
	}
}
