package bench

import (
	"context"
	"testing"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// echo is a peer that has the addresses that it is sent.
type echo struct{ sent [][]byte }

func (e *echo) Write(_ context.Context, message []byte) error {
	e.sent = append(e.sent, append([]byte(nil), message...))
	return nil
}

func (e *echo) Read(_ context.Context, message []byte, _ string) error {
	copy(message, e.sent[len(e.sent)-1])
	return nil
}

// TestExchangedAddresses: a test swaps each queue pair's address once; one-sided latency tests swap the first one once
// more, as perftest's programs do.
func TestExchangedAddresses(t *testing.T) {
	for _, tt := range []struct {
		test  Test
		pairs int
		want  int
	}{
		{Test{Verb: Send}, 3, 3},
		{Test{Verb: Write}, 3, 3},
		{Test{Verb: Send, Latency: true}, 1, 1},
		{Test{Verb: Write, Latency: true}, 1, 2},
		{Test{Verb: Read, Latency: true}, 1, 2},
		{Test{Verb: Atomic, Latency: true}, 1, 2},
	} {
		e := &echo{}
		r := &Run{s: &core.Session{}, p: Params{Test: tt.test, DevicePort: 1, QPs: tt.pairs},
			x:   Exchange{Link: e, Client: true, Structs: true},
			dev: &device.Device{Ports: []verbs.PortAttr{{}}},
			mr:  &region.MR{MR: &keyed{}}, lanes: make([]lane, tt.pairs), area: 64}
		for i := range r.lanes {
			r.lanes[i].q = &queue.QP{Num: verbs.QPN(i + 1)}
		}
		if err := r.exchange(t.Context()); err != nil {
			t.Errorf("%v: %v", tt.test, err)
		}
		if len(e.sent) != tt.want {
			t.Errorf("%v: %d swaps, want %d", tt.test, len(e.sent), tt.want)
		}
		for i := range r.lanes {
			if r.lanes[i].peer.QPN != verbs.QPN(i+1) {
				t.Errorf("%v: the peer of pair %d is %d", tt.test, i, r.lanes[i].peer.QPN)
			}
		}
	}
}

// leaver is a link that counts how often this end parted.
type leaver struct {
	link
	parted int
}

func (l *leaver) part(context.Context) { l.parted++ }

// TestLastSwap: a latency test ends with a swap of addresses, except one of WRITE: that waits until the peer leaves.
func TestLastSwap(t *testing.T) {
	for verb, swaps := range map[Verb]int{
		Send: 1, Write: 0, Read: 1, Atomic: 1,
	} {
		e, l := &echo{}, &leaver{}
		r := &Run{s: &core.Session{}, p: Params{Test: Test{Verb: verb, Latency: true}},
			x: Exchange{Link: e, Client: true, Structs: true}, link: l, lanes: make([]lane, 1)}
		r.Silence(time.Hour)
		if err := endLatency(t.Context(), r); err != nil || len(e.sent) != swaps || l.parted != 1-swaps {
			t.Errorf("%v: %v, %d swaps, parted %d times; want %d swaps", r.p.Test, err, len(e.sent), l.parted, swaps)
		}
	}
}

// keyed is a region with a remote key.
type keyed struct{ byteRegion }

func (*keyed) RKey() uint32 { return 9 }

// host is a provider with certain devices.
type host struct {
	verbs.Provider
	infos []verbs.DeviceInfo
}

func (h host) Devices() ([]verbs.DeviceInfo, error) { return h.infos, nil }

// TestBindAddr: a server listens on IPv4 alone if it is told to use a device that lacks connections by hand.
func TestBindAddr(t *testing.T) {
	rxe, siw := verbs.DeviceInfo{Name: "rxe0"}, verbs.DeviceInfo{Name: "siw0", Transport: "iWARP"}
	for _, tt := range []struct {
		device string
		infos  []verbs.DeviceInfo
		want   string
	}{
		{"", []verbs.DeviceInfo{siw}, ""},
		{"siw0", []verbs.DeviceInfo{rxe, siw}, "0.0.0.0"},
		{"rxe0", []verbs.DeviceInfo{siw, rxe}, ""},
	} {
		s := &core.Session{Opts: core.Options{Providers: []verbs.Provider{host{infos: tt.infos}}}, Ctx: t.Context()}
		if got := (&Run{s: s, p: Params{Device: tt.device}}).bindAddr(); got != tt.want {
			t.Errorf("%q: listens on %q, want %q", tt.device, got, tt.want)
		}
	}
}

// TestPortSpace: the queue pairs of a UD test use datagram identifiers; the control connection never does.
func TestPortSpace(t *testing.T) {
	for _, connection := range []verbs.QPType{verbs.RC, verbs.UC, verbs.UD} {
		r := &Run{p: Params{Connection: connection}}
		want := verbs.PortSpaceTCP
		if connection == verbs.UD {
			want = verbs.PortSpaceUDP
		}
		if got := r.portSpace(nameID); got != want {
			t.Errorf("%s: %s, want %s", connection, got, want)
		}
		if got := r.portSpace(nameControl); got != verbs.PortSpaceTCP {
			t.Errorf("%s: the control connection has %s", connection, got)
		}
	}
}

// TestHeader: only a datagram has a header in its receive buffer.
func TestHeader(t *testing.T) {
	for kind, want := range map[verbs.QPType]uint64{verbs.RC: 0, verbs.UC: 0, verbs.UD: 40} {
		r := &Run{p: Params{Connection: kind}}
		if got := r.header(); got != want {
			t.Errorf("%s: %d bytes, want %d", kind, got, want)
		}
	}
}
