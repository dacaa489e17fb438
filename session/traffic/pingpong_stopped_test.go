package traffic_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
)

// stacks is a cause like that of a signal: its values cannot be compared.
type stacks struct{ of []byte }

func (s stacks) Error() string { return "stopped by a test: " + string(s.of) }

// TestPingpongStopped ends a ping-pong by a cause that cannot be compared: it is the command's error.
func TestPingpongStopped(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, `open_device soft0
alloc_pd pd
reg_mr buf pd=pd length=64 access=LOCAL_WRITE
create_cq cq cqe=16
create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC
create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=RC
connect_qps a b
`)
	ctx, stop := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { stop(stacks{[]byte("goroutine 1")}) })
	_, err := s.Exec(ctx, "pingpong a role=server size=16 mr=buf timeout=1h")
	if cause := (stacks{}); !errors.As(err, &cause) {
		t.Errorf("%v, want that it was stopped", err)
	}
}
