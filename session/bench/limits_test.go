package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
)

// TestLimits: each flag takes the values from its least to its most and no other; perftest_parameters.h.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		flag        string
		least, most int64
		set         func(p *Params, v int64)
	}{
		{"-s", 1, 1 << 31, func(p *Params, v int64) { p.Size = uint64(v) }},
		{"-n", 5, 100_000_000, func(p *Params, v int64) { p.Iters = uint64(v) }},
		{"-q", 1, 16_384, func(p *Params, v int64) { p.QPs = int(v) }},
		{"-t", 1, 15_000, func(p *Params, v int64) { p.TXDepth = int(v) }},
		{"-r", 1, 16_384, func(p *Params, v int64) { p.RXDepth = int(v) }},
		{"-l", 1, 15_000, func(p *Params, v int64) { p.PostList, p.TXDepth, p.Iters = int(v), 15_000, 30_000 }},
		{"-Q", 0, 1024, func(p *Params, v int64) { p.CQMod = int(v) }},
		{"-I", -2, 912, func(p *Params, v int64) { p.Inline = int(v) }},
		{"-I", -2, 884, func(p *Params, v int64) { p.Inline, p.Connection = int(v), verbs.UD }},
		{"-S", 0, 15, func(p *Params, v int64) { p.ServiceLevel = uint8(v) }},
		{"-u", 0, 31, func(p *Params, v int64) { p.Timeout = uint8(v) }},
		{"-o", 0, 255, func(p *Params, v int64) { p.Outs = int(v) }},
		{"--retry_count", 0, 7, func(p *Params, v int64) { p.RetryCount = uint8(v) }},
		{"-T", -2, 255, func(p *Params, v int64) { p.TOS, p.CM = int(v), true }},
		{"-x", -1, 255, func(p *Params, v int64) { p.GIDIndex = int(v) }},
	} {
		check := func(v int64) error {
			p := DefaultParams(Test{Verb: Send})
			tt.set(&p, v)
			return p.Check()
		}
		for _, v := range []int64{tt.least, tt.most} {
			if err := check(v); err != nil {
				t.Errorf("%s %d: %v", tt.flag, v, err)
			}
		}
		beyond := []int64{tt.least - 1, tt.most + 1}
		if tt.least < -1 { // any negative value means "not given"
			beyond = beyond[1:]
		}
		if tt.flag == "-x" { // the device's GID table bounds it
			beyond = beyond[:1]
		}
		for _, v := range beyond {
			if err := check(v); err == nil || !strings.HasPrefix(err.Error(), tt.flag+" ") {
				t.Errorf("%s %d: %v", tt.flag, v, err)
			}
		}
	}
	for host, refused := range map[string]bool{"": false, "h": true} { // a server may take any free port
		p := DefaultParams(Test{Verb: Send})
		if p.Host, p.Port = host, 0; (p.Check() != nil) != refused {
			t.Errorf("-p 0 at host %q: %v", host, p.Check())
		}
	}
}

// TestConflicts: flags that exclude each other are refused together, and each of them is taken without the other.
func TestConflicts(t *testing.T) {
	const unsupported = verbs.QPType(9)
	type change = func(p *Params)
	send, write, read, atomic := Test{Verb: Send}, Test{Verb: Write}, Test{Verb: Read}, Test{Verb: Atomic}
	sendLat, writeLat := Test{Send, true}, Test{Write, true}
	connection := func(c verbs.QPType) change { return func(p *Params) { p.Connection = c } }
	through := func(p *Params) { p.CM = true }
	all := func(p *Params) { p.All = true }
	long := func(p *Params) { p.Duration = 5 * time.Second }
	events := func(p *Params) { p.Events = true }
	shared := func(p *Params) { p.SharedQueue = true }
	both := func(p *Params) { p.Bidirectional = true }
	list := func(p *Params) { p.PostList = 4 }
	margins := func(d, m time.Duration) change { return func(p *Params) { p.Duration, p.Margin = d, m } }
	for _, tt := range []struct {
		test    Test
		changes []change
		want    string // "": it is taken
	}{
		{send, []change{connection(verbs.UC)}, ""}, {send, []change{connection(verbs.UD)}, ""},
		{send, []change{connection(unsupported)}, "use RC, UC or UD"},
		{write, []change{connection(verbs.UC)}, ""}, {write, []change{connection(verbs.UD)}, "-c UD: only send"},
		{read, []change{connection(verbs.RC)}, ""}, {read, []change{connection(verbs.UC)}, "-c UC: read-bw needs RC"},
		{atomic, []change{connection(verbs.UC)}, "-c UC: atomic-bw needs RC"},
		{send, []change{through}, ""}, {send, []change{through, connection(verbs.UD)}, ""},
		{send, []change{through, connection(verbs.UC)}, "use -R with RC or UD"},
		{send, []change{func(p *Params) { p.TOS = 0 }}, "-T: needs -R"},
		{send, []change{through, func(p *Params) { p.TOS = 0 }}, ""},
		{send, []change{func(p *Params) { p.PKeyIndex = 1 }}, ""},
		{send, []change{through, func(p *Params) { p.PKeyIndex = 1 }}, "--pkey_index: with -R"},
		{send, []change{func(p *Params) { p.GIDIndex = 0 }}, ""},
		{send, []change{through, func(p *Params) { p.GIDIndex = 0 }}, "-x: with -R"},
		{send, []change{func(p *Params) { p.Port = 0 }}, ""},
		{send, []change{through, func(p *Params) { p.Port = 0 }}, "-p 0: -R needs a port"},
		{atomic, nil, ""}, {atomic, []change{func(p *Params) { p.Size = 4 }}, "-s 4: atomic operations have 8 bytes"},
		{atomic, []change{all}, "-a: atomic operations have 8 bytes"},
		{write, []change{all}, ""}, {write, []change{long}, ""}, {write, []change{all, long}, "-a and -D exclude"},
		{send, []change{shared}, ""}, {sendLat, []change{shared}, ""},
		{write, []change{shared}, "--use-srq: only send-lat"},
		{send, []change{shared, func(p *Params) { p.QPs, p.RXDepth = 8, 8 }}, ""},
		{send, []change{shared, func(p *Params) { p.QPs, p.RXDepth = 9, 8 }}, "--use-srq: -r 8 must be at least -q 9"},
		{send, []change{func(p *Params) { p.QPs, p.RXDepth = 9, 8 }}, ""},
		{send, []change{func(p *Params) { p.Vector = 0 }}, "-X: needs -e"},
		{send, []change{events, func(p *Params) { p.Vector = 0 }}, ""},
		{send, []change{func(p *Params) { p.OnDemand = true }}, ""},
		{atomic, []change{func(p *Params) { p.OnDemand = true }}, "--odp: not with"},
		{send, []change{connection(verbs.UC), func(p *Params) { p.OnDemand = true }}, "--odp: not with"},
		{send, []change{events}, ""}, {send, []change{events, long}, "-e and -D exclude"},
		{writeLat, []change{events}, "-e: write-lat polls memory"}, {sendLat, []change{events}, ""},
		{write, []change{both}, ""}, {sendLat, []change{both}, "-b: send-lat is not a bandwidth test"},
		{write, []change{list}, ""}, {sendLat, []change{list, func(p *Params) { p.TXDepth = 4 }},
			"-l: send-lat posts one request at a time"},
		{write, []change{func(p *Params) { p.QPs = 2 }}, ""},
		{sendLat, []change{func(p *Params) { p.QPs = 2 }}, "-q: send-lat uses one queue pair"},
		{write, []change{list, func(p *Params) { p.Iters = 10 }}, "-n 10: must be a multiple of -l 4"},
		{write, []change{list, long, func(p *Params) { p.Iters = 10 }}, ""}, // a duration has no number of messages
		{write, []change{func(p *Params) { p.Iters = 5001 }}, ""},
		{write, []change{list, func(p *Params) { p.CQMod = 2 }}, ""},
		{write, []change{list, func(p *Params) { p.CQMod = 4 }}, ""},
		{write, []change{list, func(p *Params) { p.CQMod = 3 }}, "-l 4: must be a multiple of -Q 3"},
		{write, []change{func(p *Params) { p.CQMod = 3 }}, ""},
		{write, []change{list, func(p *Params) { p.TXDepth = 4 }}, ""},
		{write, []change{list, func(p *Params) { p.TXDepth = 3 }}, "-l 4: must not exceed -t 3"},
		{write, []change{both, func(p *Params) { p.ReportBoth = true }}, ""},
		{write, []change{func(p *Params) { p.ReportBoth = true }}, "--report-both needs -b"},
		{write, []change{margins(-1, 0)}, "-D must be longer"}, {write, []change{margins(1, 0)}, ""},
		{write, []change{margins(4*time.Second, 2*time.Second)}, "twice the margin of 2 s"},
		{write, []change{margins(4*time.Second+1, 2*time.Second)}, ""},
		{write, []change{margins(0, 2*time.Second)}, ""},
	} {
		p := DefaultParams(tt.test)
		for _, change := range tt.changes {
			change(&p)
		}
		err := p.Check()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %d changes: %v, want %q; %+v", tt.test, len(tt.changes), err, tt.want, p)
		}
	}
}

// TestDefaults: the sizes, depths and inline data without flags are perftest's; init_perftest_params.
func TestDefaults(t *testing.T) {
	for _, tt := range []struct {
		test                      Test
		size, iters               uint64
		tx, rx, inline, inlineUD  int
		clientSends, serverSends  bool
		clientReceives, serverHas bool
	}{
		{Test{Send, true}, 2, 1000, 1, 512, 236, 188, true, true, true, true},
		{Test{Send, false}, 65536, 1000, 128, 512, 0, 0, true, false, false, true},
		{Test{Write, true}, 2, 1000, 1, 1, 220, 220, true, true, false, false},
		{Test{Write, false}, 65536, 5000, 128, 1, 0, 0, true, false, false, false},
		{Test{Read, true}, 2, 1000, 1, 1, 0, 0, true, false, false, false},
		{Test{Read, false}, 65536, 1000, 128, 1, 0, 0, true, false, false, false},
		{Test{Atomic, true}, 8, 1000, 1, 1, 0, 0, true, false, false, false},
		{Test{Atomic, false}, 8, 1000, 128, 1, 0, 0, true, false, false, false},
	} {
		p := DefaultParams(tt.test)
		if p.Size != tt.size || p.Iters != tt.iters || p.TXDepth != tt.tx || p.RXDepth != tt.rx || p.QPs != 1 ||
			p.PostList != 1 || p.Port != 18515 || p.Timeout != 14 || p.RetryCount != 7 || p.GIDIndex != -1 ||
			p.TOS != -1 || p.Vector != -1 || p.Margin != -1 || p.Inline != -1 || p.Connection != verbs.RC {
			t.Errorf("%s: %+v", tt.test, p)
		}
		if p.Client() || p.Sends() != tt.serverSends || p.Receives() != tt.serverHas {
			t.Errorf("%s, the server: sends %v, receives %v", tt.test, p.Sends(), p.Receives())
		}
		if p.Host = "h"; !p.Client() || p.Sends() != tt.clientSends || p.Receives() != tt.clientReceives {
			t.Errorf("%s, the client: sends %v, receives %v", tt.test, p.Sends(), p.Receives())
		}
		for _, host := range []string{"", "h"} {
			if tt.test.Latency {
				continue
			}
			if p.Host, p.Bidirectional = host, true; !p.Sends() || p.Receives() != (tt.test.Verb == Send) {
				t.Errorf("%s -b, host %q: sends %v, receives %v", tt.test, host, p.Sends(), p.Receives())
			}
		}
		got := p.DefaultInline()
		if p.Connection = verbs.UD; got != tt.inline || p.DefaultInline() != tt.inlineUD {
			t.Errorf("%s: %d bytes inline, %d of a datagram", tt.test, got, p.DefaultInline())
		}
	}
}

// TestSettleAtBounds: what perftest derives from other parameters changes at its own bounds; force_dependecies.
func TestSettleAtBounds(t *testing.T) {
	type derived struct {
		tx, rx, mod int
		noPeak      bool
	}
	write, send := Test{Verb: Write}, Test{Verb: Send}
	client := func(p *Params) { p.Host = "h" }
	for _, tt := range []struct {
		name   string
		test   Test
		change func(*Params)
		want   derived
	}{
		{"8 KiB are moderated", write, func(p *Params) { p.Size = 8192 }, derived{128, 1, 100, false}},
		{"one byte more is not", write, func(p *Params) { p.Size = 8193 }, derived{128, 1, 1, false}},
		{"with events it is", write, func(p *Params) { p.Events = true }, derived{128, 1, 100, false}},
		{"with all sizes it is", write, func(p *Params) { p.All = true }, derived{128, 1, 100, false}},
		{"a given value stays", write, func(p *Params) { p.CQMod = 7 }, derived{128, 1, 7, false}},
		{"20,000 messages have a peak", write, func(p *Params) { p.Iters = 20_000 }, derived{128, 1, 1, false}},
		{"one more has none", write, func(p *Params) { p.Iters = 20_001 }, derived{128, 1, 1, true}},
		{"no peak is wanted", write, func(p *Params) { p.NoPeak = true }, derived{128, 1, 1, true}},
		{"few messages", write, func(p *Params) { p.Iters = 9 }, derived{9, 1, 1, false}},
		{"of a duration", write, func(p *Params) { p.Iters, p.Duration = 9, time.Second }, derived{128, 1, 1, true}},
		{"RECVs", send, client, derived{128, 512, 1, false}},
		{"RECVs of few messages", send, func(p *Params) { client(p); p.Iters = 8 }, derived{8, 8, 1, false}},
		{"an odd number of RECVs", send, func(p *Params) { client(p); p.RXDepth = 7 }, derived{128, 8, 1, false}},
		{"RECVs of a duration", send, func(p *Params) { client(p); p.Iters, p.Duration = 9, time.Second },
			derived{128, 512, 1, true}},
		{"an odd number with all sizes", send, func(p *Params) { client(p); p.RXDepth, p.All = 7, true },
			derived{128, 7, 100, false}},
		{"the receiver has no peak", send, func(*Params) {}, derived{128, 512, 1, true}},
		{"unless it sends", send, func(p *Params) { p.Bidirectional = true }, derived{128, 512, 1, false}},
		{"datagrams", send, func(p *Params) { client(p); p.Connection = verbs.UD }, derived{128, 1000, 100, false}},
		{"UC", send, func(p *Params) { client(p); p.Connection = verbs.UC }, derived{128, 1000, 1, false}},
		{"as many as there may be", send, func(p *Params) { client(p); p.Connection, p.Iters = verbs.UD, 16_002 },
			derived{128, 16_000, 100, false}},
		{"a depth that was given", send, func(p *Params) { client(p); p.Connection, p.RXDepth = verbs.UD, 510 },
			derived{128, 510, 100, false}},
	} {
		p := DefaultParams(tt.test)
		tt.change(&p)
		p = p.Settle()
		if got := (derived{p.TXDepth, p.RXDepth, p.CQMod, p.NoPeak}); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	for duration, want := range map[time.Duration]time.Duration{
		0: 0, 3 * time.Second: 0, 4 * time.Second: time.Second, 15 * time.Second: 3 * time.Second,
	} { // a quarter, in whole seconds
		if p := (Params{Duration: duration, Margin: -1, TXDepth: 1}).Settle(); p.Margin != want {
			t.Errorf("-D %s: margin %s, want %s", duration, p.Margin, want)
		}
	}
	if p := (Params{Duration: time.Minute, Margin: 0}).Settle(); p.Margin != 0 {
		t.Errorf("-f 0: margin %s", p.Margin)
	}
}

// TestSizes: -a has the powers of two from 2 bytes to 8 MiB, or to the largest that fits into a datagram.
func TestSizes(t *testing.T) {
	p := Params{Size: 100}
	if got := p.Sizes(10); !slices.Equal(got, []uint64{100}) {
		t.Errorf("one size: %v", got)
	}
	p.All = true
	for most, want := range map[uint64]int{1: 0, 2: 1, 1023: 9, 1024: 10, MaxSize: 23, 1 << 40: 23} {
		got := p.Sizes(most)
		for i, size := range got {
			if size != 2<<i {
				t.Errorf("up to %d: %v", most, got)
			}
		}
		if len(got) != want {
			t.Errorf("up to %d: %d sizes, want %d", most, len(got), want)
		}
	}
}
