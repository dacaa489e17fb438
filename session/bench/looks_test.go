package bench

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// newServing makes the passive end of a test with queue pairs that expect the packet psn next.
func newServing(p Params, n int, psn verbs.PSN) (*Run, []*expecting) {
	r := &Run{s: &core.Session{}, p: p, lanes: make([]lane, n), silence: time.Minute}
	r.s.Opts.Counters = func(string) []verbs.HWCounter { return nil }
	qps := make([]*expecting, n)
	for i := range qps {
		qps[i] = &expecting{psn: psn}
		r.lanes[i].q = &queue.QP{QP: qps[i]}
	}
	r.info.Common.MTU = verbs.MTU1024
	return r, qps
}

// TestPassive: an end is passive if only its peer posts requests.
func TestPassive(t *testing.T) {
	for _, tt := range []struct {
		test    Test
		host    string
		both    bool
		passive bool
	}{
		{Test{Verb: Write}, "", false, true},
		{Test{Verb: Write}, "h", false, false},
		{Test{Verb: Write}, "", true, false}, {Test{Verb: Send}, "", false, false},
		{Test{Verb: Read, Latency: true}, "", false, true},
		{Test{Verb: Write, Latency: true}, "", false, false},
		{Test{Verb: Send}, "h", false, false},
	} {
		r := &Run{p: Params{Test: tt.test, Host: tt.host, Bidirectional: tt.both}}
		if r.Passive() != tt.passive {
			t.Errorf("%+v", tt)
		}
	}
}

// TestPacketsPerMessage: a message has a packet for each MTU that it begins; one of no bytes, and an atomic operation,
// has one.
func TestPacketsPerMessage(t *testing.T) {
	for _, tt := range []struct {
		verb Verb
		size uint64
		want uint64
	}{
		{Write, 0, 1}, {Write, 1, 1}, {Write, 1024, 1}, {Write, 1025, 2},
		{Read, 2048, 2}, {Read, 2049, 3}, {Atomic, 8, 1}, {Atomic, 2049, 1},
	} {
		r, _ := newServing(Params{Test: Test{Verb: tt.verb}, Size: tt.size}, 1, 0)
		if got := packetsPerMessage(r); got != tt.want {
			t.Errorf("%v of %d bytes: %d packets, want %d", tt.verb, tt.size, got, tt.want)
		}
	}
}

// TestBlindLook: what is served cannot be known if the size changes or there are too many queue pairs. Where the
// connection manager chose the first packet, what was served before the first look is not counted.
func TestBlindLook(t *testing.T) {
	write := Params{Test: Test{Verb: Write}, Size: 1024}
	all, managed := write, write
	all.All, managed.CM = true, true
	for _, tt := range []struct {
		name   string
		p      Params
		pairs  int
		before uint64 // messages before the first look, of all queue pairs, that count at the next one
		err    string
	}{
		{"plain", write, 1, 5, ""}, {"as many as are looked at", write, 16, 80, ""},
		{"one more", write, 17, 0, "more than 16 queue pairs"}, {"all sizes", all, 1, 0, "only the client knows"},
		{"connection manager", managed, 2, 0, ""},
	} {
		r, qps := newServing(tt.p, tt.pairs, 105)
		for i := range r.lanes {
			r.lanes[i].peer.PSN = 100
		}
		err := r.Look()
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) ||
			r.Progress().Messages != 0 {
			t.Errorf("%s: %v, %d messages", tt.name, err, r.Progress().Messages)
		}
		if tt.err != "" {
			continue
		}
		qps[0].psn += 3
		if err := r.Look(); err != nil || r.Progress().Messages != tt.before+3 {
			t.Errorf("%s: %v, %d messages, want %d", tt.name, err, r.Progress().Messages, tt.before+3)
		}
	}
}

// TestServe: a passive end looks before and after it waits, and then no more.
func TestServe(t *testing.T) {
	r, qps := newServing(Params{Test: Test{Verb: Write}, Size: 1024}, 1, 100)
	r.lanes[0].peer.PSN = 100
	r.x = Exchange{Link: &serving{func() { qps[0].psn = 107 }}, Client: true, Structs: true}
	if err := serve(t.Context(), r); err != nil || r.Progress().Messages != 7 {
		t.Errorf("%v, %d messages", err, r.Progress().Messages)
	}
	qps[0].psn = 120
	if err := r.Look(); err != nil || r.Progress().Messages != 7 {
		t.Errorf("after the end: %v, %d messages", err, r.Progress().Messages)
	}
	errGone := errors.New("gone")
	r.x.Link = &silentLink{errGone}
	if err := serve(t.Context(), r); err != errGone {
		t.Error(err)
	}
}

// serving is an exchange with a client that works before it answers.
type serving struct{ work func() }

func (s *serving) Write(context.Context, []byte) error { s.work(); return nil }

func (s *serving) Read(context.Context, []byte, string) error { return nil }

// silentLink is an exchange with a peer that says nothing until ctx ends, or one that is broken.
type silentLink struct{ err error }

func (s *silentLink) Write(context.Context, []byte) error { return s.err }

func (s *silentLink) Read(ctx context.Context, _ []byte, _ string) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// TestWaitForPeer: a server looks each second, or more often if it is to give up earlier, whether its client works. It
// gives up after as long a silence as was set, a minute otherwise, and at once when it is stopped.
func TestWaitForPeer(t *testing.T) {
	errStop := errors.New("stop")
	for _, tt := range []struct {
		name    string
		silence time.Duration // 0: as usual
		works   time.Duration
		counter bool // the device has one, and packets come while the client works
		stopped time.Duration
		after   time.Duration
		want    string
	}{
		{"nothing comes", 0, 0, true, 0, 61 * time.Second, "no packet arrived for 60 s"},
		{"packets come for a while", 0, 10 * time.Minute, true, 0, 11 * time.Minute, "no packet arrived for 60 s"},
		{"soon", 50 * time.Millisecond, 0, true, 0, 100 * time.Millisecond, "no packet arrived for 50 ms"},
		{"the device tells nothing", 0, 0, false, 0, 1001 * time.Second, "no message arrived within 1000 s"},
		{"stopped", 0, time.Hour, true, time.Second, time.Second, "stop"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			r, qps := newServing(Params{Test: Test{Verb: Write}, Iters: 1000, QPs: 1}, 1, 0)
			qps[0].err = syscall.ENOTSUP
			if tt.silence > 0 {
				r.Silence(tt.silence)
			}
			r.x = Exchange{Link: &silentLink{}, Client: true, Structs: true}
			start, looks := time.Now(), 0
			r.s.Opts.Counters = func(string) []verbs.HWCounter {
				if looks++; !tt.counter {
					return []verbs.HWCounter{{Name: "other", Value: uint64(looks)}}
				}
				return []verbs.HWCounter{{Name: "rcvd_pkts", Value: uint64(min(time.Since(start), tt.works))}}
			}
			if tt.stopped > 0 {
				time.AfterFunc(tt.stopped, func() { cancel(errStop) })
			}
			err := r.wait(ctx)
			if took := time.Since(start); err == nil || !strings.Contains(err.Error(), tt.want) || took != tt.after {
				t.Errorf("%s: %v after %s, want %q after %s", tt.name, err, took, tt.want, tt.after)
			}
			if each := min(time.Second, r.silence); looks < int(tt.after/each)-1 || looks > int(tt.after/each)+1 {
				t.Errorf("%s: %d looks in %s", tt.name, looks, tt.after)
			}
		})
	}
}

// counting is a provider that reads the counters of one device.
type counting struct {
	verbs.Provider
	device string
	list   []verbs.HWCounter
}

func (c *counting) HWCounters(device string) ([]verbs.HWCounter, error) {
	if device != c.device {
		return nil, syscall.ENODEV
	}
	return c.list, nil
}

// TestPacketsReceived: the counter of received packets has three names, the first of which counts; the host or the
// device's provider has it.
func TestPacketsReceived(t *testing.T) {
	counter := func(name string, value uint64) verbs.HWCounter { return verbs.HWCounter{Name: name, Value: value} }
	for _, tt := range []struct {
		name      string
		host, own []verbs.HWCounter
		of        string // the provider's device
		n         uint64
		ok        bool
	}{
		{"none", nil, nil, "d0", 0, false},
		{"no counter of packets", []verbs.HWCounter{counter("sent_pkts", 1)}, nil, "d0", 0, false},
		{"rxe", []verbs.HWCounter{counter("sent_pkts", 1), counter("rcvd_pkts", 2)}, nil, "d0", 2, true},
		{"InfiniBand", []verbs.HWCounter{counter("port_rcv_packets", 3)}, nil, "d0", 3, true},
		{"bnxt_re", []verbs.HWCounter{counter("rx_pkts", 4), counter("port_rcv_packets", 3)}, nil, "d0", 3, true},
		{"bnxt_re alone", []verbs.HWCounter{counter("rx_pkts", 4)}, nil, "d0", 4, true},
		{"the provider", nil, []verbs.HWCounter{counter("rcvd_pkts", 0)}, "d0", 0, true},
		{"another device's", nil, []verbs.HWCounter{counter("rcvd_pkts", 5)}, "d1", 0, false},
	} {
		s := &core.Session{Opts: core.Options{
			Counters:  func(string) []verbs.HWCounter { return tt.host },
			Providers: []verbs.Provider{&host{}, &counting{device: tt.of, list: tt.own}},
		}}
		r := &Run{s: s, info: Info{DeviceName: "d0"}}
		if n, ok := r.packetsReceived(); n != tt.n || ok != tt.ok {
			t.Errorf("%s: %d, %v, want %d, %v", tt.name, n, ok, tt.n, tt.ok)
		}
	}
}

// TestExpectedPSNs: the expected packets of the first queue pairs count, as far as the device tells.
func TestExpectedPSNs(t *testing.T) {
	r, qps := newServing(Params{}, 20, 7)
	qps[1].err = syscall.EIO
	for i, psn := range r.expectedPSNs() {
		if want := map[bool]verbs.PSN{true: 0, false: 7}[i == 1]; psn != want {
			t.Errorf("queue pair %d expects %s", i, psn)
		}
	}
	r.lanes = r.lanes[:1]
	if all := r.expectedPSNs(); all != [lookedAt]verbs.PSN{7} {
		t.Errorf("of one queue pair: %v", all)
	}
}
