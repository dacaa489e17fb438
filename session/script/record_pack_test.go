package script_test

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/export"
	"rdmatui/session/script"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// packScript has lines of every recorded kind: a block, nested lines, failures,
// quoted text, and lines that do not parse.
const packScript = sessiontest.Everything + `
# a comment above
create_qp a
create_qp b
connect_qps a b
loop n=3
  write_mem mr data="a b" offset=8
  until expect mem mr a
end
repeat 2 query_qp a
write_mem mr data=$cq.cqe
`

// TestPackedStepsComeBack: packed steps unpack to the same steps, in order.
func TestPackedStepsComeBack(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, packScript)
	for _, wrong := range []string{"modify_qp nobody RTS", "no_such_command", "write_mem mr offset=1M data=x", "\xff\"",
		"write_mem mr data=\"\\xff'\""} {
		_, _ = s.Exec(t.Context(), wrong)
	}
	want := append([]*export.Step(nil), script.RecorderOf(s.Core()).Steps...)
	want[1].Came = map[string]uint64{"cq": 3, "other": 1 << 40}
	for i := range 5 * script.PackedAtOnce {
		sessiontest.Execute(t, s, []string{"write_mem mr data=x", "query_qp a", "# alone"}[i%3])
		if last := script.RecorderOf(s.Core()).Steps[len(script.RecorderOf(s.Core()).Steps)-1]; last != want[len(want)-1] {
			want = append(want, last)
		}
	}
	whole := 0
	for _, p := range script.RecorderOf(s.Core()).Packed {
		whole += len(p.Whole)
	}
	if n := len(script.RecorderOf(s.Core()).Packed); n < 3 || whole != 1 ||
		len(script.RecorderOf(s.Core()).Steps) >= 2*script.PackedAtOnce {
		t.Errorf("%d parts, %d steps in whole ones, %d steps after them", n, whole,
			len(script.RecorderOf(s.Core()).Steps))
	}
	got, err := script.RecorderOf(s.Core()).All()
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d steps, %v; want %d", len(got), err, len(want))
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("step %d came back as\n%+v, want\n%+v", i, got[i], want[i])
		}
	}
}

// BenchmarkRecordedHeap measures the memory that a session keeps per command.
func BenchmarkRecordedHeap(b *testing.B) {
	const n = 20_000 // after the first of them the time line is full
	s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.NewFake()}})
	defer s.Close()
	run := func(line string, times int) {
		for range times {
			if _, err := s.Exec(b.Context(), line); err != nil {
				b.Fatal(err)
			}
		}
	}
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	for _, line := range []string{"open_device", "alloc_pd", "reg_mr length=64"} {
		run(line, 1)
	}
	const line = "write_mem mr offset=8 data=hello"
	run(line, n)
	before := heap()
	for b.Loop() {
		run(line, n)
	}
	b.ReportMetric((heap()-before)/float64(n*b.N), "B/command")
}

// TestRemarksWithinLoops: a script's comment belongs to the next line, in any loop.
func TestRemarksWithinLoops(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, "# outside\nloop 2\nnote \"a\"\n# inside\nnote \"b\"\n# deeper\nloop 2\n# deepest\nnote \"c\"\nend\nend\nnote \"d\"\n"+
		"# after\n# the loop\nnote \"e\"\n")
	rec, err := script.Recording(s.Core())
	if err != nil || len(rec.Steps) != 3 {
		t.Fatalf("%d steps, %v", len(rec.Steps), err)
	}
	loop := rec.Steps[0]
	if len(loop.Inner) != 3 || len(loop.Inner[2].Inner) != 1 {
		t.Fatalf("%+v", loop)
	}
	for want, step := range map[string]*export.Step{"outside": loop, "inside": loop.Inner[1], "deeper": loop.Inner[2],
		"deepest": loop.Inner[2].Inner[0], "after the loop": rec.Steps[2]} {
		if step.Why != want {
			t.Errorf("%q, want %q", step.Why, want)
		}
	}
	for _, step := range []*export.Step{loop.Inner[0], rec.Steps[1]} {
		if step.Why != "" {
			t.Errorf("%q, want nothing", step.Why)
		}
	}
}

// TestFailureInALaterRound: a line that succeeded in a loop and then fails is recorded with both outcomes; an until has
// its line.
func TestFailureInALaterRound(t *testing.T) {
	for _, tt := range []struct {
		script string
		later  bool
	}{
		{"loop n=3\nalloc_pd twice\nend", true}, // the second has the same name
		{"loop n=3\nmodify_qp nobody RTS\nend", false},
		{"loop n=3\nquery_device fake0\nend", false},
	} {
		s, _ := sessiontest.NewFaked(t, core.Options{})
		err := s.RunScript(t.Context(), "test", strings.NewReader("open_device\nalloc_pd\n"+tt.script))
		steps := script.RecorderOf(s.Core()).Steps
		step := steps[len(steps)-1].Inner[0]
		if (step.Later != nil) != tt.later || tt.later &&
			(err == nil || step.Later.Done.Err == "" || step.Done.Err != "" || step.Times != 1) {
			t.Errorf("%s: %+v, %v", tt.script, step, err)
		}
	}
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Everything+"\nloop n=2\nuntil expect mem mr 0 u8:0\nend")
	steps := script.RecorderOf(s.Core()).Steps
	if until := steps[len(steps)-1].Inner[0]; until.Inner[0].Done.Line != "expect mem mr 0 u8:0" ||
		until.Inner[0].Done.Err != "" {
		t.Errorf("%+v", until.Inner[0])
	}
}
