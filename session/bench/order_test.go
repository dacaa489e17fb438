package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
)

// theirs is what a peer measures.
var theirs = Report{Size: 8, Iters: 10, Peak: 1000, Average: 500, Rate: 30}

// ordered is a peer that has the addresses that it is sent and a report of its own, and notes what happens.
type ordered struct {
	quiet
	done  []string // "A" an address, "R" a report, "run" a loop, "tell" a result, "part" the end
	last  []byte
	value int    // of the report
	size  uint64 // of the messages in it
	fails int    // the swap that fails, from 1; 0: none
	swaps int
}

func (o *ordered) note(what string) { o.done = append(o.done, what) }

func (o *ordered) watch()               { o.note("run") }
func (o *ordered) unwatch()             {}
func (o *ordered) part(context.Context) { o.note("part") }

func (o *ordered) Write(_ context.Context, message []byte) error {
	if o.last = append([]byte(nil), message...); len(message) == StructLen {
		o.note("A")
	} else if o.value%5 == 0 {
		o.note("R")
	}
	if o.swaps++; o.swaps == o.fails {
		return syscall.EPIPE
	}
	return nil
}

func (o *ordered) Read(_ context.Context, message []byte, _ string) error {
	if copy(message, o.last); len(message) == 8 {
		v := []uint64{o.size, theirs.Iters, math.Float64bits(theirs.Peak), math.Float64bits(theirs.Average),
			math.Float64bits(theirs.Rate)}[o.value%5]
		binary.BigEndian.PutUint64(message, v)
		o.value++
	}
	return nil
}

// played runs the test of one end against a peer whose messages come whenever this end waits. Each request takes a
// millisecond.
func (o *ordered) played(t *testing.T, p Params) (results []Result, err error) {
	t.Helper()
	r, pairs := newTestRun(t, p)
	r.link, r.x = o, Exchange{Link: o, Client: true, Structs: true}
	r.info.Common.MTU = verbs.MTU1024
	r.watch.Measured = func(res Result) { o.note("tell"); results = append(results, res) }
	for _, q := range pairs {
		q.after = func(int) { time.Sleep(time.Millisecond) }
		q.recv.idle = func(int) {
			time.Sleep(time.Millisecond)
			for _, q := range pairs {
				q.arrive()
			}
		}
		q.send.idle = func(int) {
			time.Sleep(time.Millisecond)
			if l := &r.lanes[0]; r.p.Test.Latency && r.p.Test.Verb == Write {
				at := r.receiveAt(0) + r.progress.size.Load() - 1
				r.mr.MR.(*byteRegion).b[at] = byte(l.received)
			}
		}
	}
	err = r.measure(t.Context())
	return results, err
}

// brief gives a test a duration, in which its queue fills and empties some times.
func brief(p *Params) { p.Duration, p.TXDepth = 100*time.Millisecond, 8 }

// orderRows are tests with what happens in them, in the order of the main function of perftest's program.
var orderRows = []struct {
	name    string
	verb    Verb
	latency bool
	change  func(*Params)
	client  string
	server  string // "": the same
}{
	{"send_lat", Send, true, func(*Params) {}, "A run tell A", ""},
	{"send_lat -a", Send, true, func(p *Params) { p.All = true }, "A run tell A run tell A", ""},
	{"send_lat -D", Send, true, brief, "A run tell A", ""},
	{"write_lat", Write, true, func(*Params) {}, "run tell part", ""},
	{"write_lat -a", Write, true, func(p *Params) { p.All = true }, "run tell run tell part", ""},
	{"read_lat", Read, true, func(*Params) {}, "run tell A", "A"},
	{"read_lat -a", Read, true, func(p *Params) { p.All = true }, "run tell run tell A", "A"},
	{"write_bw", Write, false, func(*Params) {}, "run tell A R A", "A R tell A"},
	{"read_bw -a", Read, false, func(p *Params) { p.All = true }, "run tell run tell A R A",
		"A R tell A"},
	{"write_bw -D", Write, false, brief, "run tell A R A",
		"A R tell A"},
	{"write_bw -b", Write, false, func(p *Params) { p.Bidirectional = true }, "A run R tell A", ""},
	{"write_bw -b -a", Write, false, func(p *Params) { p.Bidirectional, p.All = true, true },
		"A run A R tell A run A R tell A", ""},
	{"send_bw", Send, false, func(*Params) {}, "A run tell A", ""},
	{"send_bw -a", Send, false, func(p *Params) { p.All = true }, "A run tell A A run tell A A", ""},
	{"send_bw -b", Send, false, func(p *Params) { p.Bidirectional = true }, "A run R tell A", ""},
	{"send_bw -b -a", Send, false, func(p *Params) { p.Bidirectional, p.All = true, true },
		"A run R tell A A run R tell A A", ""},
	{"send_bw -b -D", Send, false, func(p *Params) { brief(p); p.Bidirectional = true },
		"A run tell A", ""},
	{"send_bw -q 2", Send, false, func(p *Params) { p.QPs, p.RXDepth = 2, 10 }, "A run tell A", ""},
}

// TestOrder: what an end swaps with its peer, and when, is as in perftest's program. A swap that fails ends the test.
func TestOrder(t *testing.T) {
	for _, tt := range orderRows {
		for _, host := range []string{"h", ""} {
			want := tt.client
			if host == "" && tt.server != "" {
				want = tt.server
			}
			p := params(tt.verb, tt.latency, func(p *Params) { p.Host = host; tt.change(p) })
			swaps := 0
			synctest.Test(t, func(t *testing.T) {
				o := &ordered{size: theirs.Size}
				results, err := o.played(t, p)
				if got := strings.Join(o.done, " "); got != want || err != nil {
					t.Errorf("%s, host %q: %s, %v; want %s", tt.name, host, got, err, want)
				}
				if tells := strings.Count(want, "tell"); len(results) != tells {
					t.Errorf("%s, host %q: %d results", tt.name, host, len(results))
				}
				for _, res := range results {
					checkResult(t, tt.name, host, &p, &res)
				}
				swaps = o.swaps
			})
			for fails := range swaps {
				synctest.Test(t, func(t *testing.T) {
					o := &ordered{size: theirs.Size, fails: fails + 1}
					if _, err := o.played(t, p); !errors.Is(err, syscall.EPIPE) || o.swaps != fails+1 {
						t.Errorf("%s, host %q, swap %d fails: %v after %d", tt.name, host, fails+1, err, o.swaps)
					}
				})
			}
		}
	}
}

// checkResult checks whose figures a result has.
func checkResult(t *testing.T, name, host string, p *Params, res *Result) {
	t.Helper()
	serves := host == "" && !p.Bidirectional && p.Test.Verb != Send
	switch {
	case p.Test.Latency:
		if (res.Latency == nil) || res.Latency.Size == 0 || res.Report != (Report{}) {
			t.Errorf("%s, host %q: %+v", name, host, res)
		}
	case serves:
		if res.Report != theirs || res.Local != nil || res.Remote != nil {
			t.Errorf("%s: the server tells %+v", name, res)
		}
	case p.Bidirectional && !(p.Test.Verb == Send && p.Duration > 0):
		own := res.Local
		if own == nil || res.Remote == nil || *res.Remote != theirs || res.Report.Average != own.Average+500 ||
			res.Report.Peak != own.Peak+1000 || res.Report.Rate != own.Rate+30 || res.Report.Iters != own.Iters {
			t.Errorf("%s, host %q: %+v of %+v and %+v", name, host, res.Report, res.Local, res.Remote)
		}
	case res.Local != nil || res.Remote != nil || res.Latency != nil || !(res.Report.Average > 0):
		t.Errorf("%s, host %q: %+v", name, host, res)
	}
	if p.Duration == 0 && !p.Test.Latency && !serves && res.Report.Iters != 10*uint64(p.QPs) {
		t.Errorf("%s, host %q: %d messages", name, host, res.Report.Iters)
	}
}

// TestStrangeReport: a report with a size that no message has ends the test, at both ends.
func TestStrangeReport(t *testing.T) {
	for _, both := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			results, err := (&ordered{size: 1 << 40}).played(t, params(Write, false,
				func(p *Params) { p.Bidirectional = both }))
			if err == nil || !strings.Contains(err.Error(), "messages of 1099511627776 bytes") || len(results) != 0 {
				t.Errorf("both directions %v: %v, %d results", both, err, len(results))
			}
		})
	}
}
