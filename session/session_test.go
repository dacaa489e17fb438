package session_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/script"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

func TestCloseTakesDownInOrder(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{Live: true})
	sessiontest.RunScript(t, s, sessiontest.Everything)
	if got := len(s.Snapshot().Objects); got != 10 {
		t.Errorf("%d objects, want 10", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if want := []string{"ah", "qp", "qp", "srq", "cq", "channel", "mr", "pd", "device"}; !slices.Equal(f.Closed, want) {
		t.Errorf("closed %v, want %v", f.Closed, want)
	}
	if err := s.Close(); err != nil {
		t.Error("the second time:", err)
	}
	if _, err := s.Exec(t.Context(), "alloc_pd"); !errors.Is(err, verbs.ErrClosed) {
		t.Error(err)
	}
}

// TestChosenNames: the resolved line has the names that were chosen for omitted
// arguments.
func TestChosenNames(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, session.Options{})
	sessiontest.Execute(t, s, "open_device")
	for _, want := range []string{"alloc_pd pd device=fake0", "alloc_pd pd2 device=fake0"} {
		if d := sessiontest.Execute(t, s, "alloc_pd"); d.Resolved != want {
			t.Errorf("%s, want %s", d.Resolved, want)
		}
	}
}

func TestCloseTellsWhatIsStuck(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Everything)
	f.Stuck = "cq"
	err := s.Close()
	for _, want := range []string{"cq cq could not be destroyed", "channel is busy: still used by cq"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say: %s", err, want)
		}
	}
	if !errors.Is(err, syscall.EBUSY) {
		t.Error("the error does not wrap its errno")
	}
	if !slices.Contains(f.Closed, "mr") {
		t.Error("an object that is not stuck is not closed")
	}
	f.Stuck = "once"
}

func TestBusyObjectsStay(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Everything)
	done, err := s.Exec(t.Context(), "close pd")
	var busy *verbs.BusyError
	if !errors.As(err, &busy) || !slices.Equal(busy.UsedBy, []string{"mr", "srq", "qp", "u", "ah"}) {
		t.Error(err)
	}
	if want := "ibv_dealloc_pd on pd: pd is busy: still used by mr, srq, qp, u, ah (EBUSY)"; done.Err != want {
		t.Errorf("%q, want %q", done.Err, want)
	}
	sessiontest.Execute(t, s, "destroy_qp u")
	sessiontest.Execute(t, s, "close mr")
	if _, err := s.Exec(t.Context(), "dereg_mr mr"); err == nil {
		t.Error("closed twice")
	}
	sessiontest.Execute(t, s, "reg_mr mr length=8") // the name is free again
}

func TestScriptStopsAtTheFirstFailure(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	f.Fail["mr"] = verbs.NewOpError("ibv_reg_mr", "", syscall.ENOMEM)
	err := s.RunScript(t.Context(), "x.rdma",
		strings.NewReader("open_device fake0\n\nalloc_pd\n# region\nreg_mr length=8\nalloc_pd never"))
	var at *script.Error
	if !errors.As(err, &at) || at.Line != 5 || at.Text != "reg_mr length=8" {
		t.Fatal(err)
	}
	for _, want := range []string{"x.rdma:5: ", "ENOMEM", "memlock",
		"locked memory is limited to " + devices.LockedMemory()} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %q", err)
	}
	if s.Core().Taken("never") {
		t.Error("the script continued")
	}
}

func TestOpenThatFailsHalfway(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	f.Fail["query"] = syscall.EIO
	if _, err := s.Exec(t.Context(), "open_device"); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	if f.Alive.Load() != 0 || len(s.Snapshot().Objects) != 0 {
		t.Error("the device stays open")
	}
}

// TestCloseEndsWhatWaits would hang if a command did not end with the session.
func TestCloseEndsWhatWaits(t *testing.T) {
	for _, line := range []string{
		"sleep 1h", "poll_cq timeout=1h", "get_cq_event timeout=1h", "get_async_event timeout=1h",
		"expect async QP_FATAL timeout=1h", "repeat 1000000000 note x", "exchange qp=qp port=0 timeout=1h",
	} {
		t.Run(line, func(t *testing.T) {
			s, _ := sessiontest.NewFaked(t, core.Options{})
			sessiontest.RunScript(t, s, sessiontest.Everything)
			began := make(chan struct{})
			said := make(chan string, 1)
			go func() {
				close(began)
				done, _ := s.Exec(context.Background(), line)
				said <- done.Err
			}()
			<-began
			s.Close()
			if err := <-said; err == "" || strings.Contains(err, "context") {
				t.Errorf("the error is not in plain words: %q", err)
			}
		})
	}
}

// TestStoppedInPlainWords stops a command, and a nested one, whose note is checked.
func TestStoppedInPlainWords(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := sessiontest.NewFaked(t, core.Options{Out: func(e timeline.Event) {
		if e.Kind == timeline.KindNote {
			cancel()
		}
	}})
	done, err := s.Exec(ctx, "repeat 5 note x")
	if want := "time 2 of 5: stopped"; done.Err != want || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, want %q; %v", done.Err, want, err)
	}
	var said []string
	for _, d := range sessiontest.Commands(s) {
		said = append(said, d.Err)
	}
	if want := []string{"", "stopped before it was finished", "time 2 of 5: stopped"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}

// TestUntilStopped: an until that is stopped does not leave the loop, though its line succeeded.
func TestUntilStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := sessiontest.NewFaked(t, core.Options{Out: func(e timeline.Event) {
		if e.Kind == timeline.KindNote {
			cancel()
		}
	}})
	done, err := s.Exec(ctx, "until note x")
	if !errors.Is(err, context.Canceled) || done.Result != "" || s.Core().Leaving {
		t.Errorf("%q, %v, leaving %t", done.Result, err, s.Core().Leaving)
	}
}

// TestSpansInMessages: durations are written with a space, as everywhere.
func TestSpansInMessages(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Everything)
	for line, want := range map[string]string{
		"poll_cq timeout=1500us":             "0 of 1 completions came within 1.5 ms",
		"get_async_event timeout=1ms":        "no asynchronous event came within 1 ms",
		"expect async QP_FATAL timeout=10us": "QP_FATAL did not come within 10 µs",
		"get_cq_event timeout=1ms":           "no completion event came within 1 ms",
		"exchange qp=qp port=0 timeout=1ms":  "no peer completed the exchange within 1 ms",
	} {
		if done, _ := s.Exec(t.Context(), line); done.Err != want {
			t.Errorf("%s: %q, want %q", line, done.Err, want)
		}
	}
}

func TestExecWaitsForItsTurnOnlyAsLongAsItsContext(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	if err := s.Core().Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Exec(ctx, "note x"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s.Core().Release()
}

// TestExecStoppedBeforeItsTurn: a line that is stopped while it waits does not start,
// even if its turn comes at the same time.
func TestExecStoppedBeforeItsTurn(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		if done, err := s.Exec(ctx, "note x"); !errors.Is(err, context.Canceled) || done.Number != 0 {
			t.Fatalf("command %d, %v", done.Number, err)
		}
	}
	sessiontest.Execute(t, s, "note free")
}

func TestAsyncEventsAndTheirStates(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Everything)
	q := f.Qps[0]
	q.SetState(verbs.QPErr)
	f.Events <- verbs.AsyncEvent{Type: verbs.EventQPFatal, QP: q}
	sessiontest.Execute(t, s, "expect async QP_FATAL qp=qp timeout=10s")
	f.Events <- verbs.AsyncEvent{Type: verbs.EventPortActive, PortNum: 1}
	if got := sessiontest.Execute(t, s, "get_async_event timeout=10s").Result; got != "PORT_ACTIVE port 1" {
		t.Error(got)
	}
	if _, err := s.Exec(t.Context(), "expect async QP_FATAL timeout=1ms"); err == nil {
		t.Error("one event matched twice")
	}
	var state *timeline.StateChange
	for _, e := range s.Timeline().Snapshot() {
		if e.Kind == timeline.KindState {
			state = e.State
		}
	}
	if state == nil || state.QP != "qp" || state.To != verbs.QPErr || state.Cause != "event QP_FATAL" {
		t.Errorf("%+v", state)
	}
}

// TestEventsOfManagedDevice: a device that the connection manager opened tells its asynchronous events.
func TestEventsOfManagedDevice(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, "rdma_create_id id mode=sync\nrdma_resolve_addr id 10.0.0.2 port=7471")
	select {
	case f.Events <- verbs.AsyncEvent{Type: verbs.EventPortErr, PortNum: 1}:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing reads the device's events")
	}
	sessiontest.Execute(t, s, "get_async_event device=fake0-cm timeout=10s")
}

func TestSaveReplays(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.FirstLight)
	s.Exec(t.Context(), "modify_qp a INIT")
	path := t.TempDir() + "/saved.rdma"
	sessiontest.Execute(t, s, "save "+path)
	if _, err := s.Exec(t.Context(), "save "+path); !errors.Is(err, syscall.EEXIST) {
		t.Error("a file was overwritten:", err)
	}
	again := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, again, readFile(t, path))
	if got := again.Timeline().Counts().WCOK; got != 2 {
		t.Errorf("%d completions in the replay", got)
	}
}

func TestConcurrentUse(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{Live: true, Journal: io.Discard})
	sessiontest.RunScript(t, s, sessiontest.Loopback)
	done := make(chan struct{})
	for _, f := range []func(){
		func() { s.Snapshot() },
		func() { s.Plan("a", verbs.QPInit) },
		func() { s.Complete("post_send ", 10) },
		func() { s.Timeline().Counts() },
		func() { s.ReadMem("dst", 0, make([]byte, 64)) },
	} {
		go func() {
			for {
				select {
				case <-done:
					return
				default:
					f()
					time.Sleep(100 * time.Microsecond)
				}
			}
		}()
	}
	defer close(done)
	for range 50 {
		sessiontest.RunScript(t, s,
			"post_recv b sge=dst\npost_send a SEND sge=src:0:64\npoll_cq n=2 timeout=5s\nquery_qp a\nquery_device")
	}
	if got := s.Snapshot().CQs[0]; got.Completed != 100 || got.Outstanding != 0 {
		t.Errorf("%+v", got)
	}
}
