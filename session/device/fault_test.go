package device_test

import (
	"errors"
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

func TestFaultCommand(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	const says = "faults in packets that soft0 sends: "
	if _, err := s.Exec(t.Context(), "fault loss=5%"); err == nil || !strings.Contains(err.Error(), "soft0 or soft1") {
		t.Errorf("two devices fit: %v", err)
	}
	if done := sessiontest.Execute(t, s,
		"fault soft0 loss=0.05 delay=2ms seed=7"); done.Result != says+"loss=5% delay=2ms seed=7" {
		t.Errorf("%q", done.Result)
	}
	sessiontest.Execute(t, s, "open_device soft0")
	want := verbs.Faults{Loss: 0.05, Delay: 2e6, Seed: 7}
	if got := s.Snapshot().Devices[0].Faults; got != want {
		t.Errorf("the snapshot shows %v, want %v", got, want)
	}
	for _, tt := range []struct{ line, resolved, result string }{
		{"fault", "fault soft0", "loss=5% delay=2ms seed=7"}, // only one is open
		{"fault duplicate=1% reorder=10% corrupt=0.1% jitter=1ms", "fault soft0 duplicate=1%",
			"duplicate=1% reorder=10% corrupt=0.1% jitter=1ms"},
		{"fault off", "fault soft0 off", "none"},
		{"fault loss=1", "fault soft0 loss=1", "loss=100%"},
		{"fault soft0 loss=0", "fault soft0 loss=0", "none"},
	} {
		done := sessiontest.Execute(t, s, tt.line)
		if done.Result != says+tt.result || !strings.HasPrefix(done.Resolved, tt.resolved) {
			t.Errorf("%s: %q, %q", tt.line, done.Resolved, done.Result)
		}
		if got := s.Snapshot().Devices[0].Faults.String(); got != tt.result {
			t.Errorf("%s: the snapshot shows %s", tt.line, got)
		}
	}
	if done, err := s.Exec(t.Context(), "fault delay=2m"); err == nil ||
		!strings.Contains(done.Err, "delay 2m0s is out of range: 0 to 1m0s") {
		t.Errorf("%q, %v", done.Err, err)
	}
}

// TestFaultStrikes drops all packets of one side, then none.
func TestFaultStrikes(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, strings.Replace(sessiontest.Loopback, "connect_qps a b", "connect_qps a b timeout=17",
		1))
	sessiontest.RunScript(t, s, `
fault soft0 loss=100%
post_send a RDMA_WRITE wr_id=1 sge=src remote_addr=dst.addr rkey=dst.rkey
expect error poll_cq cq timeout=50ms
fault off
poll_cq cq timeout=20s
expect wc wr_id=1 status=SUCCESS
`)
}

func TestFaultNeedsASoftwareDevice(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	for _, line := range []string{"fault fake0 loss=5%", "fault fake0 off", "fault fake0"} {
		done, err := s.Exec(t.Context(), line)
		if !errors.Is(err, verbs.ErrUnsupported) ||
			!strings.Contains(done.Err, "fault on fake0 is not supported: it needs a software device") ||
			!strings.Contains(done.Err, "tc netem") {
			t.Errorf("%s: %q, %v", line, done.Err, err)
		}
	}
	if _, err := s.Exec(t.Context(), "fault off"); err == nil {
		t.Error("found a device although none fits")
	}
	if _, err := s.Exec(t.Context(), "fault mlx5_9 off"); err == nil || errors.Is(err, verbs.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}
