package scenario_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/scenario"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft"
)

// hugeWorld makes the objects that the commands' examples name.
const hugeWorld = `open_device soft0
alloc_pd pd
reg_mr src length=8192 access=LOCAL_WRITE
reg_mr dst length=8192 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ
create_comp_channel channel
create_cq cq cqe=64 channel=channel
create_srq srq
create_qp a
create_qp b
connect_qps a b
alloc_mw w
rdma_create_event_channel events
rdma_create_id id`

// hugeLines returns the examples of all commands with one number each at the limits of its range, and unused names for
// new objects.
func hugeLines() (lines []string) {
	for _, spec := range command.Commands {
		example := strings.Fields(spec.Example)
		for j := range spec.Args {
			arg := &spec.Args[j]
			if arg.Type == command.NewName && arg.Positional && len(example) > 1 && !strings.Contains(example[1], "=") {
				example[1] = "fresh"
			}
			if arg.Type != command.Uint {
				continue
			}
			line := example[0]
			for _, w := range example[1:] {
				if !strings.HasPrefix(w, arg.Name+"=") {
					line += " " + w
				}
			}
			for _, v := range []uint64{0, 1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 40, 1<<63 - 1, 1<<64 - 1} {
				lines = append(lines, fmt.Sprintf("%s %s=%d", line, arg.Name, v))
			}
		}
	}
	return append(lines, "pingpong a role=client n=1 mr=src size=2147483647 validate=1",
		"write_mem src pattern:67108864", "expect mem src 0 pattern:67108864", "post_recv a sge=dst count=2147483647",
		"loop n=18446744073709551615", "repeat 18446744073709551615 sleep 1h",
		strings.Repeat("repeat 1 ", 100_000)+"sleep 0s")
}

// TestHugeNumbers runs every command with excessive numbers: no memory is allocated in proportion to them.
func TestHugeNumbers(t *testing.T) {
	const limit = 100 << 20 // bytes; a pattern has 64 MiB
	t.Chdir(t.TempDir())    // some examples name files
	for _, line := range hugeLines() {
		budget := memory.New(16<<20, "half of a test's")
		s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{Memory: budget})}})
		for l := range strings.Lines(hugeWorld) {
			if _, err := s.Exec(t.Context(), strings.TrimSpace(l)); err != nil {
				t.Fatal(l, err)
			}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := s.Exec(ctx, line)
		cancel()
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > limit {
			t.Errorf("%.100s: %s (%v)", line, format.Size(n), err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%.100s: %v", line, err)
		}
		if budget.Used() != 0 {
			t.Errorf("%.100s: %s of the budget still in use", line, format.Size(budget.Used()))
		}
	}
}

// TestScenarioSizes: sizes are refused before any object is made.
func TestScenarioSizes(t *testing.T) {
	for i := range scenario.All {
		for _, size := range []int{scenario.MaxSize + 1, 1<<63 - 1} {
			p := scenario.DefaultParams(scenario.All[i].Name)
			p.Server, p.Size = true, size
			if scenario.All[i].Group {
				p.Address = "239.1.2.3"
			}
			if err := p.Check(); err == nil || !strings.Contains(err.Error(), "at most 2 GiB") {
				t.Errorf("%s of %d bytes: %v", p.Name, size, err)
			}
		}
	}
	p := scenario.DefaultParams("rping")
	p.Server, p.Size = true, scenario.MaxTyped+1
	if err := p.Check(); err == nil {
		t.Error("a text of any length is accepted")
	}
	p.Size, p.RXDepth = 64, scenario.MaxRecvs+1
	if err := p.Check(); err == nil {
		t.Error("any number of RECVs is accepted")
	}
}
