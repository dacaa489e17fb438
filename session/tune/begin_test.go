package tune

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
)

// TestStraysExactly compares the limits of the sign test with sums of binomial coefficients: k or fewer of n ratios lie
// on the other side, on either of both, in at most 1 % of all cases.
func TestStraysExactly(t *testing.T) {
	for n := range 60 {
		all, sum, want := new(big.Int).Lsh(big.NewInt(1), uint(n)), new(big.Int), -1
		for k := range n + 1 {
			sum.Add(sum, new(big.Int).Binomial(int64(n), int64(k)))
			if new(big.Int).Mul(sum, big.NewInt(200)).Cmp(all) > 0 {
				break
			}
			want = k
		}
		if got := strays(n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}

// errSilent is the error of a loop that makes no progress.
const errSilent = "no message completed for 10 s"

// TestIdle: a loop that finds nothing ends with its context, and gives up when nothing has completed for a while; polls
// that found something begin that anew.
func TestIdle(t *testing.T) {
	errStop := errors.New("stop")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		l := newLoop(ctx, &objects{}, 0, nil)
		l.Begin(ctx)
		defer l.End()
		empty := 0
		idle := func(polls int) (err error) {
			for range polls {
				if err = l.Idle(empty); err != nil {
					return err
				}
				empty++
			}
			return nil
		}
		for range 3 {
			empty = 0
			if err := idle(yieldEvery); err != nil {
				t.Error(err)
			}
			time.Sleep(silence)
		}
		if err := idle(yieldEvery); err != nil {
			t.Errorf("after the time exactly: %v", err)
		}
		time.Sleep(time.Nanosecond)
		if err := idle(yieldEvery - 1); err != nil {
			t.Errorf("before it looks again: %v", err)
		}
		if err := idle(1); err == nil || err.Error() != errSilent {
			t.Errorf("after %s: %v", silence, err)
		}
		empty = 0
		cancel(errStop)
		if err := idle(1); err != errStop {
			t.Errorf("stopped: %v", err)
		}
	})
}

// hosted is a provider with one device.
type hosted struct{ verbs.Provider }

func (hosted) Devices() ([]verbs.DeviceInfo, error) { return []verbs.DeviceInfo{{Name: "d0"}}, nil }
func (hosted) Name() string                         { return "p" }

// TestDo: a run opens its device, tells where it is and then each result in order; it ends when it is stopped, and
// before anything is measured if the device cannot be used.
func TestDo(t *testing.T) {
	for _, tt := range []struct {
		name   string
		state  verbs.PortState
		refuse bool
		stop   int // after this result; 0: never
		quiet  bool
		opened int
		told   int
		err    string
	}{
		{"all", verbs.PortActive, false, 0, false, 1, 2, ""},
		{"nobody is told", verbs.PortActive, false, 0, true, 0, 0, ""},
		{"stopped", verbs.PortActive, false, 1, false, 1, 1, "context canceled"},
		{"a port that is down", 1, false, 0, false, 0, 0, "port 1 of d0 is DOWN"},
		{"a device that cannot be opened", verbs.PortActive, true, 0, false, 0, 0, "open_device: input/output error"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r := withLines(t, func(c *core.Call) error {
			if c.Cmd.Spec != command.OpenDevice || tt.refuse {
				return syscall.EIO
			}
			n := &core.Node{Name: "d0"}
			n.Body = &device.Device{Node: n, Info: verbs.DeviceInfo{Name: "d0"},
				Ports: []verbs.PortAttr{{State: tt.state, ActiveMTU: verbs.MTU1024}}}
			c.Enter(n)
			return nil
		})
		r.s.Opts.Providers, r.s.Ctx = []verbs.Provider{hosted{}}, t.Context()
		opened, told := 0, 0
		r.todo = []*Experiment{&Experiments[0], &Experiments[1]}
		if !tt.quiet {
			r.watch = Watcher{Opened: func(p Place) {
				if opened++; p.Device != "d0" || p.Port != 1 || p.ActiveMTU != 1024 {
					t.Errorf("%s: %+v", tt.name, p)
				}
			}, Measured: func(res Result) {
				if told++; res.Name != r.todo[told-1].Name || res.Verdict != Unavailable {
					t.Errorf("%s: %+v", tt.name, res)
				}
				if told == tt.stop {
					cancel()
				}
			}}
		}
		err := r.Do(ctx)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) ||
			opened != tt.opened || told != tt.told {
			t.Errorf("%s: %v, opened %d times, %d results", tt.name, err, opened, told)
		}
		cancel()
	}
}
