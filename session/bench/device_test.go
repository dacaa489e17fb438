package bench

import (
	"math"
	"strings"
	"testing"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
)

// TestSettleOnDevice: a test takes over what the device has, and reports what the device lacks.
func TestSettleOnDevice(t *testing.T) {
	const hardware = 0x15b3
	ib := verbs.PortAttr{State: verbs.PortActive, LinkLayer: verbs.LinkInfiniBand, LID: 3, ActiveMTU: verbs.MTU2048}
	with := func(change func(*verbs.PortAttr)) verbs.PortAttr {
		port := ib
		change(&port)
		return port
	}
	roce := with(func(p *verbs.PortAttr) { p.LinkLayer, p.ActiveMTU = verbs.LinkEthernet, verbs.MTU1024 })
	routed := with(func(p *verbs.PortAttr) { p.Flags = verbs.PortGRHRequired })
	down := with(func(p *verbs.PortAttr) { p.State = 1 })
	type settled struct {
		outs, inline int
		mtu          verbs.MTU
		gid          bool
	}
	for _, tt := range []struct {
		name      string
		port      verbs.PortAttr
		vendor    uint32
		transport string
		verb      Verb
		latency   bool
		change    func(*Params)
		want      settled
		err       string
	}{
		{name: "InfiniBand needs no GID", port: ib, verb: Send, want: settled{1, 0, verbs.MTU2048, false}},
		{name: "a GID is asked for", port: ib, verb: Send,
			change: func(p *Params) { p.GIDIndex = 0 }, want: settled{1, 0, verbs.MTU2048, true}},
		{name: "a port that requires one", port: routed, verb: Write,
			want: settled{1, 0, verbs.MTU2048, true}},
		{name: "RoCE", port: roce, verb: Write, want: settled{1, 0, verbs.MTU1024, true}},
		{name: "a smaller MTU", port: ib, verb: Write,
			change: func(p *Params) { p.MTU = verbs.MTU512 }, want: settled{1, 0, verbs.MTU512, false}},
		{name: "the MTU of the port", port: ib, verb: Write,
			change: func(p *Params) { p.MTU = verbs.MTU2048 }, want: settled{1, 0, verbs.MTU2048, false}},
		{name: "a larger MTU", port: ib, verb: Write,
			change: func(p *Params) { p.MTU = verbs.MTU4096 }, err: "the active MTU of port 1 is 2048"},
		{name: "a port that is down", port: down, verb: Write, err: "port 1 of mlx5_0 is DOWN"},
		{name: "as many READs as the device has", port: ib, verb: Read,
			want: settled{16, 0, verbs.MTU2048, false}},
		{name: "fewer READs", port: ib, verb: Read,
			change: func(p *Params) { p.Outs = 3 }, want: settled{3, 0, verbs.MTU2048, false}},
		{name: "all of them", port: ib, verb: Atomic,
			change: func(p *Params) { p.Outs = 16 }, want: settled{16, 0, verbs.MTU2048, false}},
		{name: "too many", port: ib, verb: Atomic,
			change: func(p *Params) { p.Outs = 17 }, err: "-o 17: max_qp_rd_atom of mlx5_0 is 16"},
		{name: "inline data of a known vendor", port: ib, vendor: hardware, verb: Write, latency: true,
			want: settled{1, 220, verbs.MTU2048, false}},
		{name: "inline data is refused", port: ib, vendor: hardware, verb: Write, latency: true,
			change: func(p *Params) { p.Inline = 0 }, want: settled{1, 0, verbs.MTU2048, false}},
		{name: "no vendor", port: ib, verb: Write, latency: true, want: settled{1, 0, verbs.MTU2048, false}},
		{name: "Soft-RoCE's vendor", port: ib, vendor: 0xffffff, verb: Write, latency: true,
			want: settled{1, 0, verbs.MTU2048, false}},
		{name: "iWARP", port: ib, vendor: hardware, transport: "iWARP", verb: Write, latency: true,
			want: settled{1, 0, verbs.MTU2048, false}},
	} {
		p := DefaultParams(Test{Verb: tt.verb, Latency: tt.latency})
		if tt.change != nil {
			tt.change(&p)
		}
		r := &Run{s: &core.Session{}, p: p, dev: &device.Device{
			Node:  &core.Node{Name: "mlx5_0"},
			Info:  verbs.DeviceInfo{Name: "mlx5_0", Transport: tt.transport},
			Attr:  verbs.DeviceAttr{VendorID: tt.vendor, MaxQPRDAtom: 16},
			Ports: []verbs.PortAttr{tt.port},
		}}
		err := r.settleOnDevice()
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.err)
			}
			continue
		}
		got := settled{r.p.Outs, r.p.Inline, r.info.Common.MTU, r.x.GID}
		if err != nil || got != tt.want || r.p.DevicePort != 1 || r.info.LinkLayer != tt.port.LinkLayer ||
			r.info.DeviceName != "mlx5_0" || r.info.Transport != tt.transport {
			t.Errorf("%s: %v, %+v, want %+v; port %d, %+v", tt.name, err, got, tt.want, r.p.DevicePort, r.info)
		}
	}
}

// TestLackIWARP: on iWARP there is RC only, no atomic operation, and no bandwidth test of SEND.
func TestLackIWARP(t *testing.T) {
	for _, tt := range []struct {
		transport  string
		verb       Verb
		latency    bool
		connection verbs.QPType
		want       string
	}{
		{"", Send, false, verbs.UD, ""},
		{"", Atomic, true, verbs.RC, ""},
		{"iWARP", Write, false, verbs.RC, ""},
		{"iWARP", Read, true, verbs.RC, ""},
		{"iWARP", Send, true, verbs.RC, ""},
		{"iWARP", Send, false, verbs.RC, "send-bw: on iWARP devices"},
		{"iWARP", Atomic, true, verbs.RC, "atomic-lat: siw0 is an iWARP device"},
		{"iWARP", Write, false, verbs.UC, "-c UC: siw0 is an iWARP device"},
	} {
		test := Test{Verb: tt.verb, Latency: tt.latency}
		r := &Run{p: Params{Test: test, Connection: tt.connection}}
		err := r.lackIWARP(&verbs.DeviceInfo{Name: "siw0", Transport: tt.transport})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s on %q: %v, want %q", r.p.Test, tt.transport, err, tt.want)
		}
	}
}

// TestExpected: a peer may take a second for each message, but no more than a day, and a test of given duration that
// long and a step of the exchange.
func TestExpected(t *testing.T) {
	for name, tt := range map[string]struct {
		p    Params
		want time.Duration
	}{
		"messages":                {Params{Iters: 1000, QPs: 1, Size: 8}, 1000 * time.Second},
		"of several queue pairs":  {Params{Iters: 1000, QPs: 3, Size: 8}, 3000 * time.Second},
		"of 23 sizes, 2 to 8 MiB": {Params{Iters: 100, QPs: 2, Size: 8 << 20, All: true}, 4600 * time.Second},
		"one second less":         {Params{Iters: 86_399, QPs: 1, Size: 8}, 86_399 * time.Second},
		"a day":                   {Params{Iters: 86_401, QPs: 1, Size: 8}, 24 * time.Hour},
		"more than a number has":  {Params{Iters: 1 << 40, QPs: 1, Size: 8}, 24 * time.Hour},
		"a duration": {Params{Iters: 1000, QPs: 1, Size: 8, Duration: time.Minute},
			time.Minute + StepLimit},
	} {
		if got := (&Run{p: tt.p}).expected(); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestNewLoop: a test of given duration has no number of messages; only a latency test keeps the time of each.
func TestNewLoop(t *testing.T) {
	const client = "h"
	for _, tt := range []struct {
		name                     string
		p                        Params
		iters                    uint64
		times, posted, completed int
	}{
		{"latency", params(Send, true, func(p *Params) { p.Host = client }), 10, 10, 0, 0},
		{"latency over a time", params(Send, true, func(p *Params) {
			p.Host, p.Duration = client, time.Nanosecond
		}), 0, 0, 0, 0},
		{"bandwidth", params(Write, false, func(p *Params) { p.Host = client }), 10, 0, 10, 10},
		{"bandwidth of two", params(Write, false, func(p *Params) { p.Host, p.QPs = client, 2 }),
			10, 0, 20, 20},
		{"bandwidth without a peak", params(Write, false, func(p *Params) {
			p.Host, p.NoPeak = client, true
		}), 10, 0, 0, 0},
		{"bandwidth over a time", params(Write, false, func(p *Params) {
			p.Host, p.Duration = client, time.Second
		}), 0, 0, 0, 0},
	} {
		l, _ := newTestLoop(t, tt.p)
		if l.iters != tt.iters || len(l.times) != tt.times || cap(l.bw.Posted) != tt.posted ||
			len(l.bw.Completed) != tt.completed {
			t.Errorf("%s: %d messages, %d times; of the peak %d and %d", tt.name, l.iters, len(l.times),
				cap(l.bw.Posted), len(l.bw.Completed))
		}
	}
}

// TestLatencyReport: SEND and WRITE report half of a round trip, READ all of it; over a time it is the average.
func TestLatencyReport(t *testing.T) {
	for _, tt := range []struct {
		verb     Verb
		duration time.Duration
		typical  float64
		average  float64
	}{
		{Send, 0, 2, 2}, {Write, 0, 2, 2}, {Read, 0, 4, 4}, {Atomic, 0, 4, 4},
		{Send, time.Second, 0, 5}, {Read, time.Second, 0, 10},
	} {
		l, _ := newTestLoop(t, params(tt.verb, true, func(p *Params) {
			p.Host, p.Duration = "h", tt.duration
		}))
		for i := range l.times { // one message each 4 µs
			l.times[i] = time.Duration(i) * 4 * time.Microsecond
		}
		l.progress.posted.Store(int64(len(l.times)))
		l.from, l.to, l.counted = time.Second, time.Second+time.Millisecond, 100 // 10 µs for each message
		report := l.latency()
		if math.Abs(report.Typical-tt.typical) > 1e-9 || math.Abs(report.Average-tt.average) > 1e-9 {
			t.Errorf("%v, %s: typical %g, average %g, want %g and %g", tt.verb, tt.duration, report.Typical,
				report.Average, tt.typical, tt.average)
		}
	}
}
