package bench

import (
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
)

func TestDefaultsAreValid(t *testing.T) {
	for _, test := range Tests {
		p := DefaultParams(test)
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", test, err)
		}
		settled := p.Settle()
		if err := settled.Check(); err != nil {
			t.Errorf("%s, settled: %v", test, err)
		}
		if named, err := Named(test.String()); err != nil || named != test {
			t.Errorf("%s: %v, %v", test, named, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	writeBW, sendBW, writeLat := Test{Verb: Write}, Test{Verb: Send}, Test{Write, true}
	for _, tt := range []struct {
		test   Test
		change func(*Params)
		want   string
	}{
		{writeBW, func(p *Params) { p.Size = 1 << 63 }, "-s "},
		{writeBW, func(p *Params) { p.Size = 0 }, "-s 0: must be from 1 to 2,147,483,648"},
		{writeBW, func(p *Params) { p.Iters = 4 }, "-n 4: must be from 5"},
		{writeBW, func(p *Params) { p.QPs = -1 }, "-q -1"},
		{writeBW, func(p *Params) { p.Connection = verbs.UD }, "only send-lat and send-bw"},
		{Test{Verb: Read}, func(p *Params) { p.Connection = verbs.UC }, "read-bw needs RC"},
		{Test{Verb: Atomic}, func(p *Params) { p.Size = 16 }, "8 bytes"},
		{writeBW, func(p *Params) { p.All, p.Duration = true, 5*time.Second }, "-a and -D"},
		{writeBW, func(p *Params) { p.Events, p.Duration = true, 5*time.Second }, "-e and -D"},
		{writeBW, func(p *Params) { p.Duration, p.Margin = 4*time.Second, 2*time.Second }, "twice the margin of 2 s"},
		{writeLat, func(p *Params) { p.Events = true }, "polls memory"},
		{writeLat, func(p *Params) { p.Bidirectional = true }, "not a bandwidth test"},
		{writeLat, func(p *Params) { p.QPs = 2 }, "one queue pair"},
		{sendBW, func(p *Params) { p.PostList = 3 }, "multiple of -l 3"},
		{sendBW, func(p *Params) { p.ReportBoth = true }, "needs -b"},
	} {
		p := DefaultParams(tt.test)
		tt.change(&p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.test, err, tt.want)
		}
	}
}

// TestSettle checks what perftest derives from other parameters.
func TestSettle(t *testing.T) {
	for _, tt := range []struct {
		name   string
		test   Test
		change func(*Params)
		is     func(p *Params) bool
	}{
		{"large messages are not moderated", Test{Verb: Write}, func(*Params) {}, func(p *Params) bool {
			return p.CQMod == 1
		}},
		{"small ones are", Test{Verb: Write}, func(p *Params) { p.Size = 64 },
			func(p *Params) bool { return p.CQMod == 100 }},
		{"no more than the depth", Test{Verb: Write}, func(p *Params) { p.Size, p.TXDepth = 64, 16 },
			func(p *Params) bool { return p.CQMod == 16 }},
		{"a list has one completion", Test{Verb: Write}, func(p *Params) { p.PostList = 5 },
			func(p *Params) bool { return p.CQMod == 5 }},
		{"depth of few messages", Test{Verb: Send}, func(p *Params) { p.Iters = 21 },
			func(p *Params) bool { return p.TXDepth == 21 && p.RXDepth == 22 }},
		{"a RECV for each datagram", Test{Verb: Send}, func(p *Params) { p.Connection = verbs.UD },
			func(p *Params) bool { return p.RXDepth == 1000 }},
		{"no peak of many messages", Test{Verb: Write}, func(p *Params) { p.Iters = 20_001 },
			func(p *Params) bool { return p.NoPeak }},
		{"margin", Test{Verb: Write}, func(p *Params) { p.Duration = 7 * time.Second },
			func(p *Params) bool { return p.Margin == time.Second && p.NoPeak }},
		{"all sizes", Test{Verb: Read}, func(p *Params) { p.All = true }, func(p *Params) bool {
			return p.Size == MaxSize && len(p.Sizes(p.Size)) == 23 && len(p.Sizes(1024)) == 10
		}},
	} {
		p := DefaultParams(tt.test)
		tt.change(&p)
		if p = p.Settle(); !tt.is(&p) {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
}
