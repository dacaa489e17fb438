package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/verbs"
)

// TestExplain: a test that waited in vain ends with the cause that the session knows, and its error keeps what it is.
// Nothing is added to other errors, or after the user has ended the test.
func TestExplain(t *testing.T) {
	began := time.Unix(1000, 0)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	failed := func(l *loop, s verbs.WCStatus) error { return l.failed(&verbs.WC{Status: s}) }
	for _, tt := range []struct {
		name string
		ctx  context.Context
		err  func(*loop) error
		why  string
		want string // after the error's own text
	}{
		{"no answer", t.Context(), func(l *loop) error { return failed(l, verbs.WCRetryExcErr) },
			"port 1 of rxe0 is DOWN", ": port 1 of rxe0 is DOWN"},
		{"silence", t.Context(), func(*loop) error { return hangs("nothing for %s", time.Second) }, "cause", ": cause"},
		{"wrapped", t.Context(), func(l *loop) error {
			return fmt.Errorf("lane 1: %w", failed(l, verbs.WCRNRRetryExcErr))
		}, "cause", ": cause"},
		{"nothing known", t.Context(), func(l *loop) error { return failed(l, verbs.WCRetryExcErr) }, "", ""},
		{"stopped", stopped, func(l *loop) error { return failed(l, verbs.WCRetryExcErr) }, "cause", ""},
		{"the peer left", t.Context(), func(*loop) error { return left("the peer left") }, "cause", ": cause"},
		{"the peer left, cause unknown", t.Context(), func(*loop) error { return left("the peer left") }, "",
			": read the last line of the peer's program, which tells why"},
		{"the device is gone", stopped, func(*loop) error { return &core.RemovedError{Device: "rxe0"} }, "",
			": all objects of rxe0 are destroyed: when rdmatui devices lists it again, open it again"},
		{"the device is gone, and that was told", stopped, func(*loop) error {
			gone := &core.RemovedError{Device: "rxe0"}
			return fmt.Errorf("create_cq: %w; %s", gone, gone.Remedy())
		}, "", ""},
		{"silent", t.Context(), func(*loop) error { return &SilentError{What: "its address"} }, "",
			": run the same test with the same options at both ends"},
		{"silent at once", t.Context(), func(*loop) error { return &SilentError{What: "its version"} }, "",
			": run the same test with the same options at both ends"},
		{"silent from the first, iWARP", t.Context(), func(l *loop) error {
			l.dev = &device.Device{Info: verbs.DeviceInfo{Transport: "iWARP"}}
			return &SilentError{What: "its version"}
		}, "", ": Soft-iWARP may leave the first message on a new connection unread: start both ends again"},
		{"silent later, iWARP", t.Context(), func(l *loop) error {
			l.dev = &device.Device{Info: verbs.DeviceInfo{Transport: "iWARP"}}
			return &SilentError{What: "its address"}
		}, "", ": run the same test with the same options at both ends"},
		{"silent, and the port is down", t.Context(), func(*loop) error {
			return &SilentError{What: "its version"}
		}, "cause", ": cause"},
		{"other", t.Context(), func(*loop) error { return errors.New("refused") }, "cause", ""},
	} {
		l, _ := newTestLoop(t, params(Write, false, func(p *Params) { p.Host = "h" }))
		var asked core.Awaited
		l.Run.s = core.New(core.Options{}, core.Wiring{
			Record: func(*core.Session) core.Recorder { return nil },
			InVain: func(_ *core.Session, a *core.Awaited) string {
				asked = *a
				return tt.why
			},
		})
		err := tt.err(l)
		text := err.Error()
		got := explain(tt.ctx, l.Run, err, began)
		if got.Error() != text+tt.want || !errors.Is(got, err) {
			t.Errorf("%s: %q, want %q", tt.name, got, text+tt.want)
		}
		kind := core.AwaitedMessage
		if PeerLeft(err) || errors.As(err, new(*SilentError)) {
			kind = core.AwaitedPeer // what does not come any more is no message
		}
		if tt.why != "" && tt.want != "" && (asked.Kind != kind || !asked.Since.Equal(began) ||
			!slices.Equal(asked.Objects, []string{l.lanes[0].q.Name})) {
			t.Errorf("%s: asked for %+v", tt.name, asked)
		}
	}
}
