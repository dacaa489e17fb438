package steps_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/ccall"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
)

func TestRunner(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{})
	r := steps.NewRunner(sess.Env(theme.New("none", true)))
	work := r.Start("note one", "dealloc_pd two", "note three")
	if _, ok := r.Start("note four")().(screen.FlashMsg); !ok || !r.Busy() {
		t.Error("a second start while one runs must be refused")
	}
	if next, over := r.Take(screen.DoneMsg{Line: "note one", Typed: true}); next != nil || over {
		t.Error("a line that was typed was taken for the runner's")
	}
	work, over := r.Take(work().(screen.DoneMsg))
	if over || !r.Busy() {
		t.Error("it is over after the first line")
	}
	if next, over := r.Take(work().(screen.DoneMsg)); next != nil || !over || r.Busy() {
		t.Error("a failed line must end it")
	}
	sess.WantLines("note one", "dealloc_pd two")
	then := screen.Send("then")
	work = r.StartThen(then, "note one")
	if next, over := r.Take(work().(screen.DoneMsg)); !over || next() != "then" {
		t.Error("what comes after all lines did not")
	}
}

func TestTook(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "", 1: "1 ns", 12345: "12.3 µs", 999_999: "1 ms", 1_234_567: "1.23 ms", 2 * time.Second: "2 s",
	} {
		if got := steps.Took(d); got != want {
			t.Errorf("%d ns: %q, want %q", d, got, want)
		}
	}
}

// In a small window the call is cut first; the answer and the hint stay.
func TestOutcome(t *testing.T) {
	th := theme.New("none", true)
	o := steps.NewOutcome(th)
	o.Set(screen.DoneMsg{Err: errors.New("x"), Done: timeline.CommandDone{
		C: ccall.Text("ibv_modify_qp(a, {" + strings.Repeat(".field = 1, ", 20) + "})"), Check: "missing dest_qp_num",
		Err: "invalid argument", Errno: "EINVAL", Hint: "set dest_qp_num", Took: 2500}})
	for h, want := range map[int][]string{
		10: {"✗", "ibv_modify_qp", "})", "ours", "missing dest_qp_num", "EINVAL: invalid argument · 2.5 µs",
			"set dest_qp_num"},
		4: {"✗", "…", "missing dest_qp_num", "EINVAL", "set dest_qp_num"},
		2: {"EINVAL", "set dest_qp_num"},
		1: {"EINVAL"},
	} {
		v := uitest.Text(widget.Render(th, o, 60, h))
		for _, w := range want {
			if !strings.Contains(v, w) {
				t.Errorf("in %d lines %q is missing:\n%s", h, w, v)
			}
		}
	}
	o.Set(screen.DoneMsg{Done: timeline.CommandDone{C: ccall.Text("first();\nsecond()")}})
	if v := uitest.Text(widget.Render(th, o, 60, 10)); strings.Contains(v, `\n`) ||
		!strings.Contains(v, "\n         second()") {
		t.Errorf("two calls share a line:\n%s", v)
	}
	o.Set(screen.DoneMsg{Err: errors.New("x"),
		Done: timeline.CommandDone{C: ccall.Text(evil), Check: evil, Err: evil, Hint: evil + "!"}})
	if v := uitest.Text(widget.Render(th, o, 60, 10)); strings.Count(v, `\x1b]0;x`) != 4 {
		t.Errorf("not escaped:\n%s", v)
	}
}

const evil = "\x1b]0;x\x07\u202e"

// A hint that only repeats the check is left out.
func TestOutcomeSaysNothingTwice(t *testing.T) {
	th := theme.New("none", true)
	o := steps.NewOutcome(th)
	o.Set(screen.DoneMsg{Err: errors.New("x"),
		Done: timeline.CommandDone{Check: "missing dest_qp_num", Err: "invalid", Hint: "missing dest_qp_num"}})
	if v := uitest.Text(widget.Render(th, o, 60, 10)); strings.Count(v, "missing") != 1 {
		t.Errorf("said twice:\n%s", v)
	}
}

// A bench uses existing objects, and uses no name twice.
func TestBench(t *testing.T) {
	s := uitest.NewSession(t, session.Options{}, "open_device soft1", "open_device soft0", "alloc_pd cq device=soft1",
		"alloc_pd other device=soft0",
		// a window takes a name like any other object
		"reg_mr src pd=other length=64", "alloc_mw a pd=other").Snapshot()
	want := []string{"", "", "reg_mr src2 pd=cq length=4096 access=LOCAL_WRITE",
		"reg_mr dst pd=cq length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ", "create_cq cq2 device=soft1 cqe=64",
		"create_qp a2 pd=cq send_cq=cq2 recv_cq=cq2 qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4",
		"create_qp b pd=cq send_cq=cq2 recv_cq=cq2 qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4"}
	for i, n := range steps.Bench(&s, "soft1") {
		if n.Line != want[i] || (n.Have == "") != (want[i] != "") || n.Why == "" {
			t.Errorf("%s: have %q, line %q, want %q", n.What, n.Have, n.Line, want[i])
		}
	}
	if _, ok := steps.NewQP(&s); ok {
		t.Error("a queue pair without a completion queue")
	}
}

func TestWord(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "": `""`, "a b": `"a b"`, "x#": `"x#"`, "\x1b": `"\x1b"`, `"`: `"\""`, "dst.addr+1": "dst.addr+1",
	} {
		if got := steps.Word(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
