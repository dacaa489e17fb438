package export

import (
	"slices"
	"strings"
	"testing"
)

// TestAgain: what succeeded is done once more, up to the bounds; what failed or was stopped, what makes a file and
// comments are left out. A block is whole or left out.
func TestAgain(t *testing.T) {
	step := func(line string, change func(*Step)) *Step {
		s := stepOf(t, line)
		s.Why = "why"
		if change != nil {
			change(s)
		}
		return s
	}
	failed := func(asked bool) func(*Step) {
		return func(s *Step) { s.Done.Err, s.Done.Errno, s.Asked = "no", "EINVAL", asked }
	}
	loop := step("loop 2", nil)
	loop.Inner = []*Step{step("note in", nil), step("note too", failed(true))}
	cut := step("repeat 5 note b", failed(false))
	cut.Inner = []*Step{{Cmd: step("note b", nil).Cmd, Times: 3, Later: step("note b", failed(true))}}
	steps := []*Step{
		step("note a", nil), step("alloc_pd pd", failed(true)), step("alloc_pd pd", failed(false)),
		step("sleep 1h", func(s *Step) { s.Stopped = true }), step("capture soft0 on file=x.pcapng", nil),
		step("repeat 2 save_packets x.pcapng", nil), cut, loop,
		step("poll_cq cq n=1", func(s *Step) { s.Came = map[string]uint64{"cq": 2} }),
	}
	all := []string{"note a", "repeat 3 note b", "loop 2", "note in", "note too", "end",
		"poll_cq cq n=2 timeout=10000ms"}
	for name, tt := range map[string]struct {
		lines, bytes, longest, want int
	}{
		"all":           {7, 1000, 30, 7},
		"lines":         {6, 1000, 30, 6},
		"in the loop":   {4, 1000, 30, 2},
		"bytes":         {7, len("note a\nrepeat 3 note b\n"), 30, 2},
		"one byte less": {7, len("note a\nrepeat 3 note b\n") - 1, 30, 1},
		"longest":       {7, 1000, 29, 6},
	} {
		got, isCut := Again(Recording{Steps: steps}, tt.lines, tt.bytes, tt.longest)
		if !slices.Equal(got, all[:tt.want]) || isCut != (tt.want < len(all)) {
			t.Errorf("%s: cut %v\n%s", name, isCut, strings.Join(got, "\n"))
		}
	}
	if _, isCut := Again(Recording{Cut: true}, 1, 1, 1); !isCut {
		t.Error("a recording that is cut is not told")
	}
}
