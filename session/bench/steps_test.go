package bench

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
)

// silent is a peer that takes everything and sends nothing.
type silent struct{}

func (silent) Write(context.Context, []byte) error { return nil }

func (silent) Read(ctx context.Context, _ []byte, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestStepLimit: a peer may take 30 seconds for each step, except for one that waits for the end of its test.
func TestStepLimit(t *testing.T) {
	errStop := errors.New("stop")
	for _, tt := range []struct {
		name  string
		step  func(x *Exchange, ctx context.Context) error
		ends  time.Duration // of the context
		after time.Duration
		want  string
	}{
		{"version", func(x *Exchange, ctx context.Context) error { _, err := x.Agree(ctx, Common{}); return err },
			time.Hour, 30 * time.Second, "the peer did not send its version within 30 s"},
		{"address", func(x *Exchange, ctx context.Context) error { _, err := x.Dest(ctx, someDest); return err },
			time.Hour, 30 * time.Second, "the peer did not send its address within 30 s"},
		{"report", func(x *Exchange, ctx context.Context) error { _, err := x.Reports(ctx, Report{}); return err },
			time.Hour, 30 * time.Second, "the peer did not send the message size of its report within 30 s"},
		{"the test", func(x *Exchange, ctx context.Context) error { return x.Wait(ctx, someDest) }, time.Hour,
			time.Hour, "context canceled"},
		{"stopped", func(x *Exchange, ctx context.Context) error { _, err := x.Dest(ctx, someDest); return err },
			time.Second, time.Second, "context canceled"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer time.AfterFunc(tt.ends, func() { cancel(errStop) }).Stop()
			began := time.Now()
			err := tt.step(&Exchange{Link: silent{}, Client: true}, ctx)
			if took := time.Since(began); err == nil || err.Error() != tt.want || took != tt.after {
				t.Errorf("%s: %v after %s, want %q after %s", tt.name, err, took, tt.want, tt.after)
			}
		})
	}
}

// TestAgreeAtBounds: both ends use the larger page and cache line and the smaller MTU. There are bounds to what a peer
// announces, its version included.
func TestAgreeAtBounds(t *testing.T) {
	be := func(n int) string { return string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) }
	own := Common{4096, 64, verbs.MTU1024}
	for _, tt := range []struct {
		version    string
		page, line int
		mtu        string
		want       Common // zero: refused
		mib        bool
	}{
		{"6.24", 4096, 64, "3", own, true},
		{"6.24", 65536, 128, "5", Common{65536, 128, verbs.MTU1024}, true},
		{"6.24", 1, 1, "1", Common{4096, 64, verbs.MTU256}, true},
		{"6.24", 128 << 10, 512, "2", Common{128 << 10, 512, verbs.MTU512}, true},
		{"6.24", 128<<10 + 1, 64, "3", Common{}, true}, {"6.24", 4096, 513, "3", Common{}, true},
		{"6.24", 0, 64, "3", Common{}, true}, {"6.24", 4096, 0, "3", Common{}, true},
		{"6.24", 4096, 64, "0", Common{}, true}, {"6.24", 4096, 64, "6", Common{}, true},
		{"5.70", 4096, 64, "3", own, false}, {"5.69", 4096, 64, "3", Common{}, false},
		{"6.21", 4096, 64, "3", own, false}, {"6.22", 4096, 64, "3", own, true}, {"1000", 4096, 64, "3", own, true},
		{"1001", 4096, 64, "3", Common{}, false}, {"", 4096, 64, "3", Common{}, false},
	} {
		sent := versionOf(tt.version) + be(tt.page) + be(tt.line) + tt.mtu + "\x00"
		x := &Exchange{Link: scripted{bytes.NewReader([]byte(sent))}, Client: true}
		got, err := x.Agree(t.Context(), own)
		if ok := tt.want != (Common{}); (err == nil) != ok || ok && (got != tt.want || x.MiB() != tt.mib ||
			x.Peer != tt.version) {
			t.Errorf("%+v: %+v, %v, version %q, MiB %v", tt, got, err, x.Peer, x.MiB())
		}
	}
	if (&Exchange{}).MiB() {
		t.Error("a peer of no version reports MiB")
	}
}

// TestReportCheck: a report may have any size that a message can have.
func TestReportCheck(t *testing.T) {
	for size, ok := range map[uint64]bool{0: true, 1 << 31: true, 1<<31 + 1: false, 1 << 63: false} {
		if err := (&Report{Size: size, Average: math.Inf(1)}).Check(); (err == nil) != ok {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestDestFields: each field of an address has its own bits, in both forms, and one bit more is refused.
func TestDestFields(t *testing.T) {
	largest := Dest{LID: 0xffff, OutReads: 0xffff, QPN: verbs.MaxQPN, PSN: verbs.MaxPSN, RKey: 0xffffffff,
		VAddr: 1<<64 - 1, SRQN: 0xffffffff}
	for i := range largest.GID {
		largest.GID[i] = 0xff
	}
	line := largest.Line(true)
	if got, err := ParseLine(line); err != nil || got != largest {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := ParseStruct(largest.Struct()); err != nil || got != largest {
		t.Errorf("%+v, %v", got, err)
	}
	columns := strings.Split(strings.TrimSuffix(string(line), ":\x00"), ":")
	for i, column := range columns {
		if i == 1 { // has 4 digits in a line, and 32 bits
			continue
		}
		more := slices.Clone(columns)
		more[i] = "1" + strings.Repeat("0", len(column))
		text := strings.Join(more, ":") + "\x00" // of the same length: the last colon is optional
		if _, err := ParseLine([]byte(text)); err == nil || !strings.Contains(err.Error(), "is not a number of") {
			t.Errorf("column %d with a bit more: %v", i+1, err)
		}
	}
	for at, most := range map[int]uint32{atLID: 0xffff, atQPN: 0xffffff, atPSN: 0xffffff} {
		b := (&Dest{}).Struct()
		put := func(v uint32) { b[at], b[at+1], b[at+2], b[at+3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v) }
		put(most)
		if _, err := ParseStruct(b); err != nil {
			t.Errorf("%#x at offset %d: %v", most, at, err)
		}
		put(most + 1)
		if _, err := ParseStruct(b); err == nil {
			t.Errorf("%#x at offset %d is taken", most+1, at)
		}
	}
	if _, err := ParseStruct(make([]byte, StructLen-1)); err == nil {
		t.Error("a short struct is taken")
	}
	long := Dest{OutReads: 0x1_0002, QPN: 1<<24 + 3, PSN: 1<<24 + 4} // what does not fit into a line is cut off
	if got, err := ParseLine(long.Line(false)); err != nil || got != (Dest{OutReads: 2, QPN: 3, PSN: 4}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLatencyFigures: without the two longest samples, what is left has the average, deviation and median of the
// textbook; the third longest sample is the maximum, and the percentiles are samples.
func TestLatencyFigures(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := range 300 {
		deltas := make([]time.Duration, n)
		for i := range deltas {
			deltas[i] = time.Duration(1000 + random.IntN(1_000_000))
		}
		ways := 1 + n%2
		got := NewLatency(8, uint64(n)+1, slices.Clone(deltas), ways)
		want := Latency{Size: 8, Iters: uint64(n) + 1}
		if n > 2 {
			slices.Sort(deltas)
			var us []float64
			for _, d := range deltas {
				us = append(us, float64(d.Nanoseconds())/1000/float64(ways))
			}
			kept := us[:n-2]
			sum, squares := 0.0, 0.0
			for _, v := range kept {
				sum += v
			}
			mean := sum / float64(len(kept))
			for _, v := range kept {
				squares += (v - mean) * (v - mean)
			}
			m := len(kept)
			want.Min, want.Max, want.Average = kept[0], us[m], mean
			want.Stdev, want.Typical = math.Sqrt(squares/float64(m)), (kept[(m-1)/2]+kept[m/2])/2
			// delta[ceil(n * 0.99)] of print_report_lat, in whole numbers
			want.P99, want.P999 = us[(m*99+99)/100], us[(m*999+999)/1000]
		}
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(a, b) }
		if got.Size != want.Size || got.Iters != want.Iters || !near(got.Min, want.Min) || !near(got.Max, want.Max) ||
			!near(got.Average, want.Average) || !near(got.Stdev, want.Stdev) || !near(got.Typical, want.Typical) ||
			!near(got.P99, want.P99) || !near(got.P999, want.P999) || got.PerSecond != 0 {
			t.Errorf("%d samples: %+v\nwant %+v", n, got, want)
		}
	}
	for _, l := range []Latency{NewLatencyOver(2, 5, 0, 1), NewLatencyOver(2, 5, -1, 1)} {
		if l != (Latency{Size: 2, Iters: 5}) {
			t.Errorf("of no time: %+v", l)
		}
	}
	if l := NewLatencyOver(2, 0, time.Second, 1); l != (Latency{Size: 2}) {
		t.Errorf("of no message: %+v", l)
	}
	if l := NewLatencyOver(2, 1, 1, 1); l.Average != 0.001 ||
		math.Abs(l.PerSecond-1e9) > 1 {
		t.Errorf("of one message in a nanosecond: %+v", l)
	}
}

// TestAllFlags: each flag appears with its value when that differs from perftest's default, and only then.
func TestAllFlags(t *testing.T) {
	type change = func(*Params)
	for _, tt := range []struct {
		set  change
		want string
	}{
		{func(p *Params) { p.Port = 18516 }, "-p 18516"}, {func(p *Params) { p.Connection = verbs.UD }, "-c UD"},
		{func(p *Params) { p.MTU = verbs.MTU256 }, "-m 256"}, {func(p *Params) { p.All = true }, "-a"},
		{func(p *Params) { p.Size = 4 }, "-s 4"}, {func(p *Params) { p.Size, p.All = 4, true }, "-a"},
		{func(p *Params) { p.Duration = time.Second }, "-D 1"}, {func(p *Params) { p.Iters = 1001 }, "-n 1001"},
		{func(p *Params) { p.QPs = 3 }, "-q 3"}, {func(p *Params) { p.TXDepth = 127 }, "-t 127"},
		{func(p *Params) { p.RXDepth = 511 }, "-r 511"}, {func(p *Params) { p.PostList = 2 }, "-l 2"},
		{func(p *Params) { p.CQMod = 5 }, "-Q 5"}, {func(p *Params) { p.Inline = 64 }, "-I 64"},
		{func(p *Params) { p.Bidirectional = true }, "-b"}, {func(p *Params) { p.Events = true }, "-e"},
		{func(p *Params) { p.CM = true }, "-R"}, {func(p *Params) { p.Gbits = true }, "--report_gbits"},
		{func(*Params) {}, ""},
	} {
		p := DefaultParams(Test{Verb: Send})
		if tt.set(&p); p.Flags() != tt.want {
			t.Errorf("%q, want %q", p.Flags(), tt.want)
		}
	}
}
