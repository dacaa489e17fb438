// Package measure runs the tests of package bench for a display: in sessions of their
// own, with both ends in this program if wanted, looked at while they run. A test with
// both ends here can change its parameters while it runs. What a test has shown stays
// readable after its end.
package measure

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"rdmatui/session/bench"
	"rdmatui/session/core"
	"rdmatui/verbs/format"
)

// State is how far a test has come.
type State uint8

// States, in order.
const (
	Starting  State = iota
	Listening       // the server waits for a client
	Running
	Ended
	Stopped // by the user
	Failed
)

var stateNames = [...]string{"starting", "waiting for a client", "running", "ended", "stopped", "failed"}

// String returns the state in words.
func (s State) String() string { return stateNames[s] }

// Over reports whether the test has ended.
func (s State) Over() bool { return s >= Ended }

// View is a test as it stands. The slices are shared and must not be changed.
type View struct {
	State     State
	Params    bench.Params   // as asked for, of the last phase
	Both      bool           // both ends are in this program
	Port      uint16         // of the exchange, once the server listens
	Info      bench.Info     // once it is connected; Info.DeviceName is "" before
	Results   []bench.Result // one for each message size, of the last phase
	Phases    []Phase
	Points    []Point
	Samples   []time.Duration // of the last size, as [bench.Run.Samples] has them; nil if there are none, or too many
	Spread    Spread          // of the samples: approximate while the test runs, then exact
	Histogram *Histogram      // of the samples; nil if there are none
	Progress  bench.Progress
	Lanes     []bench.Lane // of the last phase and size
	Counters  []Counter
	Threads   []Thread // that were busy in the last second of the test, the busiest first
	Blind     string   // why a server that posts nothing has no live figures
	Changing  bool     // a change is being prepared
	Refused   string   // why the last change was not made, one line
	Err       string   // why it failed, one line
	Version   uint64   // changes with the rest
}

// KnowsReceived reports whether the points have what is received with -b: a WRITE or READ of
// a peer leaves no trace at this end.
func (v *View) KnowsReceived() bool { return v.Both || v.Params.Test.Verb == bench.Send }

// Phase is a part of a test with the same parameters. A change begins the next one.
type Phase struct {
	From   time.Duration // when its first message was posted, in the time of the points
	Params bench.Params
	Spread Spread // of its samples, once the next phase has begun
}

// Test is a test that was started. Its methods may be called from any goroutine.
type Test struct {
	cancel context.CancelCauseFunc
	ended  chan struct{}
	asked  chan struct{} // has room for one: wanted was set

	mu     sync.Mutex
	view   View
	wanted bench.Params // the newest that [Test.Change] was called with
}

var errStopped = errors.New("stopped")

// Start starts a test. With both, the server runs in this program too; the host of the
// parameters is then the device's address for the connection manager, and ignored
// without it. It fails if the test cannot have the parameters. The session's Close stops
// the test and waits for it.
func Start(s *core.Session, p bench.Params, both bool) (*Test, error) {
	switch {
	case both && !p.CM:
		p.Host = loopback
	case both && p.Host == "":
		return nil, errors.New("-R: the device has no address at which its server can be reached")
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(s.Ctx)
	t := &Test{cancel: cancel, ended: make(chan struct{}), asked: make(chan struct{}, 1),
		view: View{Params: p, Both: both}}
	work := func() {
		defer close(t.ended)
		defer cancel(nil)
		t.play(ctx, s)
	}
	if !s.Companions.Start(s.Opts.Crashed, work) {
		cancel(nil)
		return nil, core.ErrSessionClosed
	}
	return t, nil
}

// Stop stops the test. It does not wait.
func (t *Test) Stop() { t.cancel(errStopped) }

// Ended is closed when the test has ended and its objects are destroyed.
func (t *Test) Ended() <-chan struct{} { return t.ended }

// View returns the test as it stands.
func (t *Test) View() View {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.view
}

func (t *Test) change(f func(v *View)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.view)
	t.view.Version++
}

// loopback is where the client finds a server in this program.
const loopback = "127.0.0.1"

// play runs the test to its end.
func (t *Test) play(ctx context.Context, s *core.Session) {
	stop := make(chan struct{})
	look := &sampler{test: t, clock: time.Now}
	var sampling sync.WaitGroup
	sampling.Go(func() {
		defer s.Opts.Crashed.Catch()
		look.loop(stop)
	})
	err := t.phases(ctx, s, look)
	close(stop)
	sampling.Wait()
	t.finish(ctx, err)
}

// finish records the end.
func (t *Test) finish(ctx context.Context, err error) {
	stopped := context.Cause(ctx) == errStopped || errors.Is(err, context.Canceled)
	v := t.View()
	spread := v.exact()
	t.change(func(v *View) {
		v.Changing, v.Spread = false, spread
		switch {
		case err == nil:
			v.State = Ended
		case stopped:
			v.State = Stopped
		default:
			v.State, v.Err = Failed, format.Problems(err)
		}
	})
}

// exact returns the spread of all samples, as long as they were kept.
func (v *View) exact() Spread {
	if len(v.Samples) == 0 {
		return v.Spread
	}
	return SpreadOf(slices.Clone(v.Samples), v.Params.Test.Ways())
}
