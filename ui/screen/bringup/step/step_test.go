package step_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/bringup/step"
	"rdmatui/ui/screen/bringup/step/steptest"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

func TestErrand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := step.NewErrand()
	e.Ask(func() any { return "old" })
	e.Ask(func() any { return "new" })
	wait := e.Wait(ctx)
	if e.Wait(ctx) != nil {
		t.Error("two commands wait")
	}
	if msg := wait(); msg != (step.Ready{}) || !e.Busy() {
		t.Errorf("message %v, busy %v", msg, e.Busy())
	}
	e.Ask(func() any { return "next" })
	if got := e.Take(); !slices.Equal(got, []any{"new"}) || !e.Busy() {
		t.Errorf("took %v, busy %v", got, e.Busy())
	}
	// The message of the next one goes to another screen; the result waits.
	e.Wait(ctx)()
	wait = e.Wait(ctx)
	if got := e.Take(); !slices.Equal(got, []any{"next"}) || e.Busy() || !e.Idle() {
		t.Errorf("took %v, busy %v, idle %v", got, e.Busy(), e.Idle())
	}
	cancel()
	if got := wait(); got != nil {
		t.Errorf("after the end: %v", got)
	}
}

func TestQueue(t *testing.T) {
	env, sess := steptest.NewEnv(t, theme.New("none", true))
	sess.Fail["note two"] = timeline.CommandDone{Err: "failed"}
	q := step.NewQueue(env)
	run := q.Start("note one", "note two", "note three")
	if _, ok := q.Start("note four")().(screen.FlashMsg); !ok || !q.Busy() {
		t.Error("a second start while one runs must be refused")
	}
	if _, ok := q.Take(); ok {
		t.Error("it has not come to its end")
	}
	if msg, ok := run().(screen.DoneMsg); !ok || msg.Line != "note two" || msg.Err == nil || q.Busy() {
		t.Errorf("a failed line must end the queue: %+v", msg)
	}
	if end, ok := q.Take(); !ok || end.Line != "note two" {
		t.Errorf("end %+v, %v", end, ok)
	}
	if _, ok := q.Take(); ok {
		t.Error("the end was told twice")
	}
	if got := strings.Join(sess.Lines(), "|"); got != "note one|note two" {
		t.Errorf("lines %q", got)
	}
}

func TestTook(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "", 1: "0.001 µs", 12345: "12.3 µs", 999_999: "1 ms", 1_234_567: "1.23 ms", 2 * time.Second: "2 s",
	} {
		if got := step.Took(d); got != want {
			t.Errorf("%d ns: %q, want %q", d, got, want)
		}
	}
}

// Where there is little room the call is cut first; the answer and the hint stay.
func TestOutcome(t *testing.T) {
	th := theme.New("none", true)
	o := step.NewOutcome(th)
	o.Set(screen.DoneMsg{Err: errors.New("x"), Done: timeline.CommandDone{
		Call: "ibv_modify_qp(a, {" + strings.Repeat(".field = 1, ", 20) + "})", Check: "missing dest_qp_num",
		Err: "invalid argument", Errno: "EINVAL", Hint: "set dest_qp_num", Took: 2500}})
	for h, want := range map[int][]string{
		10: {"✗", "ibv_modify_qp", "})", "ours", "missing dest_qp_num", "EINVAL: invalid argument · 2.5 µs", "set dest_qp_num"},
		4:  {"✗", "…", "missing dest_qp_num", "EINVAL", "set dest_qp_num"},
		2:  {"EINVAL", "set dest_qp_num"},
		1:  {"EINVAL"},
	} {
		v := uitest.Text(widget.Render(th, o, 60, h))
		for _, w := range want {
			if !strings.Contains(v, w) {
				t.Errorf("in %d lines %q is missing:\n%s", h, w, v)
			}
		}
	}
}

// A bench uses what is there, and names nothing twice.
func TestBench(t *testing.T) {
	s := uitest.Listed(session.Snapshot{
		Devices: []session.DeviceView{{Name: "rxe0"}, {Name: "soft0"}},
		PDs:     []session.PDView{{Name: "cq", Device: "rxe0"}},
		MRs:     []session.MRView{{Name: "src", PD: "other"}},
		MWs:     []session.MWView{{Name: "a"}}, // as any other object
	})
	want := []string{"", "", "reg_mr src2 pd=cq length=4096 access=LOCAL_WRITE",
		"reg_mr dst pd=cq length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ", "create_cq cq2 device=rxe0 cqe=64",
		"create_qp a2 pd=cq send_cq=cq2 recv_cq=cq2 qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4",
		"create_qp b pd=cq send_cq=cq2 recv_cq=cq2 qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4"}
	for i, n := range step.Bench(&s, "soft1") {
		if n.Line != want[i] || (n.Have == "") != (want[i] != "") || n.Why == "" {
			t.Errorf("%s: have %q, line %q, want %q", n.What, n.Have, n.Line, want[i])
		}
	}
	if _, ok := step.NewQP(&s); ok {
		t.Error("a queue pair without a completion queue")
	}
}

func TestWord(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "": `""`, "a b": `"a b"`, "x#": `"x#"`, "\x1b": `"\x1b"`, `"`: `"\""`, "dst.addr+1": "dst.addr+1",
	} {
		if got := step.Word(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
