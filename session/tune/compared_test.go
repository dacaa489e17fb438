package tune

import (
	"errors"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// played is a run in a session whose lines make queues and queue pairs that do nothing.
type played struct {
	*Run
	lines  []string
	fails  string // the beginning of the line that fails; "": none
	rounds [2]int // of each variant
	loops  [2]*loop
}

func newPlayed(t *testing.T, opts Options) *played {
	p := &played{}
	p.Run = withLines(t, func(c *core.Call) error {
		line := c.Cmd.Text
		if p.lines = append(p.lines, line); p.fails != "" && strings.HasPrefix(line, p.fails) {
			return syscall.EIO
		}
		n := &core.Node{Name: c.Cmd.String("name")}
		switch c.Cmd.Spec {
		case command.RegMR:
			n.Body = &region.MR{Node: n, MR: &store{}}
		case command.CreateCQ:
			n.Body = &queue.CQ{Node: n}
		case command.CreateQP:
			n.Body = &queue.QP{Node: n, QP: &mute{}}
		default:
			return nil
		}
		c.Enter(n)
		return nil
	})
	r, err := New(p.s, opts, Watcher{})
	if err != nil {
		t.Fatal(err)
	}
	p.opts, p.host = r.opts, host{Place: Place{Device: "d0"}, mtu: verbs.MTU1024, reads: 4}
	return p
}

// of returns an experiment in which a message of a variant takes a time that depends on the number of the
// round.
func (p *played) of(u *unit, took func(variant, round int) time.Duration,
	err func(variant, round int) error) *Experiment {
	v := variant{label: "at {mtu}, {reads} READs", setup: setup{message: oneWrite, size: 8}}
	return &Experiment{
		Name: "x", Title: "title", Reason: "reason", Use: "use {mtu}", Same: "same", Avoid: "avoid",
		unit: u, without: v, with: v,
		work: func(l *loop) error {
			which := 0
			if strings.HasPrefix(l.made[0], "tune-b-") {
				which = 1
			}
			p.loops[which] = l
			p.rounds[which]++
			time.Sleep(8 * took(which, p.rounds[which]))
			l.posted, l.ended = 8, time.Now()
			if err != nil {
				return err(which, p.rounds[which])
			}
			return nil
		},
	}
}

// TestCompared: an experiment measures both variants in turns, some times in each turn, after a round that does not
// count: until the result is clear or there are as many turns as there may be, or it has taken long enough.
func TestCompared(t *testing.T) {
	const ms = time.Millisecond
	fixed := func(without, with time.Duration) func(int, int) time.Duration {
		return func(variant, _ int) time.Duration { return []time.Duration{without, with}[variant] }
	}
	noisy := func(variant, round int) time.Duration { // the second of three measurements is the best
		if round == 1 {
			return time.Nanosecond // warming up
		}
		return []time.Duration{10 * ms, 5 * ms}[variant] + time.Duration((round+1)%3)*time.Second/1000
	}
	for _, tt := range []struct {
		name    string
		unit    *unit
		turns   int // 0: the usual number
		took    func(variant, round int) time.Duration
		want    int
		verdict Verdict
		change  float64
		advice  string
	}{
		{"half the time", roundTrip, 0, fixed(2*ms, ms), 13, Better, -0.5, "use 1024"},
		{"twice the time", roundTrip, 0, fixed(ms, 2*ms), 13, Worse, 1, "avoid"},
		{"twice the rate", rate, 0, fixed(2*ms, ms), 13, Better, 1, "use 1024"},
		{"half the rate", rate, 0, fixed(ms, 2*ms), 13, Worse, -0.5, "avoid"},
		{"the same", bandwidth, 0, fixed(ms, ms), 13, Same, 0, "same"},
		{"not clear", roundTrip, 0, fixed(10*ms/10, 11*ms/10), 41, Same, 0.1, "same"},
		{"the best measurement counts", roundTrip, 0, noisy, 13, Better, -0.5, "use 1024"},
		{"slow", roundTrip, 40, fixed(12*ms, 13*ms), 16, Same, 1. / 12, "same"}, // 0.6 s for each turn
		{"very slow", roundTrip, 0, fixed(time.Second, time.Hour), 11, Worse, 999, "avoid"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPlayed(t, Options{Tries: 3, Turns: tt.turns})
			res := p.experiment(t.Context(), p.of(tt.unit, tt.took, nil))
			if res.Verdict != tt.verdict || res.Turns != tt.want || res.Advice != tt.advice || res.Why != "" ||
				res.Change == nil || math.Abs(res.Change.Median-tt.change) > 1e-9 {
				t.Fatalf("%s: %+v, change %+v", tt.name, res, res.Change)
			}
			if each := 1 + 3*tt.want; p.rounds != [2]int{each, each} {
				t.Errorf("%s: %v rounds in %d turns", tt.name, p.rounds, tt.want)
			}
			best := float64((8 * tt.took(0, 5)).Nanoseconds()) / 1e3 / 8
			if tt.unit == roundTrip && math.Abs(res.Without.Median-best) > 1e-6 {
				t.Errorf("%s: %+v without, want %g", tt.name, res.Without.Summary, best)
			}
			if res.Without.Label != "at 1024, 4 READs" || res.With.Label != res.Without.Label || res.Name != "x" ||
				res.Title != "title" || res.Reason != "reason" || res.Unit != tt.unit.name {
				t.Errorf("%s: %+v", tt.name, res)
			}
			for i, l := range p.loops {
				if l.spin != tt.took(i, 1) || l.end != 0 || l.sendCQ[0].Claimed || l.recvCQ[1].Claimed {
					t.Errorf("%s: spin %s, end %d", tt.name, l.spin, l.end)
				}
			}
		})
	}
}

// TestCounted: the value of a count is that of all measurements of a turn together.
func TestCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPlayed(t, Options{Tries: 4})
		e := p.of(wakeUps, func(int, int) time.Duration { return time.Millisecond }, nil)
		work := e.work
		e.work = func(l *loop) error {
			err := work(l)
			l.events = uint64(p.rounds[0]) * 10 // 10, 20, 30, 40
			return err
		}
		var loops [2]*loop
		for i, prefix := range []string{"a", "b"} {
			l, _, err := p.ready(t.Context(), prefix, e.without.settled(&p.host))
			if err != nil {
				t.Fatal(err)
			}
			loops[i] = l
		}
		turns, err := p.turn(e, loops)
		if want := 100 * 100. / 32; err != nil || turns[0].value != want || turns[1].value != want ||
			turns[0].cpu < 0 || turns[0].cpu > 1e6 {
			t.Errorf("%+v, %v, want %g", turns, err, want)
		}
	})
}

// TestCleared: an experiment closes what it has made, the last first, whether it succeeds, fails or cannot begin. Its
// queues are kept from other pollers until then.
func TestCleared(t *testing.T) {
	errRound := errors.New("no answer")
	for _, tt := range []struct {
		name    string
		lack    string
		fails   string
		round   int // of the second variant that fails; 0: none
		verdict Verdict
		why     string
	}{
		{"good", "", "", 0, Better, ""}, {"lacking", "the device has none", "", 0, Unavailable, "the device has none"},
		{"the warm-up fails", "", "", 1, Failed, "no answer"}, {"a round fails", "", "", 7, Failed, "no answer"},
		{"an object", "", "create_qp tune-b-qp0-1", 0, Unavailable, "create_qp: input/output error"},
		{"the first object", "", "alloc_pd tune-a-pd", 0, Unavailable, "alloc_pd: input/output error"},
		{"closing", "", "close tune-b-recv-cq0", 0, Failed, "close: input/output error"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPlayed(t, Options{Tries: 1})
			p.fails = tt.fails
			e := p.of(roundTrip, func(variant, _ int) time.Duration {
				for _, l := range p.loops {
					if l != nil && !(l.sendCQ[0].Claimed && l.recvCQ[0].Claimed && l.sendCQ[1].Claimed) {
						t.Errorf("%s: others poll the queues", tt.name)
					}
				}
				return time.Duration(2-variant) * time.Millisecond
			}, func(variant, round int) error {
				if variant == 1 && round == tt.round {
					return errRound
				}
				return nil
			})
			e.lack = func(*host) string { return tt.lack }
			res := p.experiment(t.Context(), e)
			if res.Verdict != tt.verdict || res.Why != tt.why || (res.Advice != "") != (tt.verdict == Better) {
				t.Errorf("%s: %s, %q, %q", tt.name, res.Verdict, res.Why, res.Advice)
			}
			var made, closed []string
			for _, line := range p.lines {
				verb, rest, _ := strings.Cut(line, " ")
				name, _, _ := strings.Cut(rest, " ")
				switch {
				case verb == "close":
					closed = append(closed, name)
				case verb != "connect_qps" && (tt.fails == "" || !strings.HasPrefix(line, tt.fails)):
					made = append(made, name)
				}
			}
			slices.Reverse(closed)
			if !slices.Equal(made, closed) || (len(made) == 0) != (tt.lack != "" || tt.fails == "alloc_pd tune-a-pd") {
				t.Errorf("%s: made %q, closed %q", tt.name, made, closed)
			}
			for _, l := range p.loops {
				if l != nil && (l.sendCQ[0].Claimed || l.recvCQ[1].Claimed) {
					t.Errorf("%s: the queues are not given back", tt.name)
				}
			}
		})
	}
}

// TestOptions: what is not given has its usual value; no name means every experiment.
func TestOptions(t *testing.T) {
	usual := Options{Round: 5 * time.Millisecond, Least: 8, Tries: 12, Turns: 13, MostTurns: 41}
	given := Options{Round: 1, Least: 2, Tries: 3, Turns: 4, MostTurns: 5}
	for _, tt := range []struct{ opts, want Options }{{Options{}, usual}, {given, given}} {
		r, err := New(nil, tt.opts, Watcher{})
		if err != nil {
			t.Fatal(err)
		}
		o := r.opts
		if o.Round != tt.want.Round || o.Least != tt.want.Least || o.Tries != tt.want.Tries ||
			o.Turns != tt.want.Turns || o.MostTurns != tt.want.MostTurns || len(r.todo) != len(Experiments) {
			t.Errorf("%+v, %d experiments", o, len(r.todo))
		}
	}
}

// TestUnits: the values of units, with three significant digits.
func TestUnits(t *testing.T) {
	r := &round{}
	r.add(&round{messages: 100, size: 1 << 20, events: 3, took: time.Second, cpu: time.Second})
	r.add(&round{messages: 100, size: 1 << 20, events: 2, took: 3 * time.Second, cpu: time.Second})
	if *r != (round{200, 1 << 20, 5, 4 * time.Second, 2 * time.Second}) {
		t.Errorf("%+v", r)
	}
	for _, tt := range []struct {
		unit *unit
		want float64
		text string
	}{{roundTrip, 20_000, "20000 µs"}, {rate, 50, "50 messages/s"}, {bandwidth, 50, "50 MiB/s"},
		{wakeUps, 2.5, "2.5 events per 100 messages"}} {
		if got := tt.unit.value(r); got != tt.want || tt.unit.text(got) != tt.text {
			t.Errorf("%s: %g, %s", tt.unit.name, got, tt.unit.text(got))
		}
	}
	for v, want := range map[float64]string{99.96: "100 x", 99.94: "99.9 x", 100: "100 x", 1234.4: "1234 x",
		0.012345: "0.0123 x"} {
		if got := three("x")(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
}
