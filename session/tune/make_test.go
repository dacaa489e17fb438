package tune

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/core/coretest"
	"rdmatui/session/device"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// TestMakeObjects: the lines that make a variant's objects are as in its setup. The first that fails is the last, and
// the objects of those before are known.
func TestMakeObjects(t *testing.T) {
	write := []verbs.WROpcode{verbs.WRRDMAWrite}
	for _, tt := range []struct {
		name string
		setup
		with  []string // lines that are carried out
		never string   // part of none
	}{
		{"plain", setup{message: write, size: 64}, []string{
			"alloc_pd tune-x-pd device=d0",
			"reg_mr tune-x-mr pd=tune-x-pd length=8192 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ",
			"create_cq tune-x-send-cq0 device=d0 cqe=1", "create_cq tune-x-recv-cq1 device=d0 cqe=4",
			"connect_qps tune-x-qp0-0 tune-x-qp0-1",
		}, "modify_cq"},
		{"moderated", setup{message: write, size: 64, waiting: events, moderation: verbs.CQModeration{Count: 16,
			Period: 100}}, []string{
			"create_comp_channel tune-x-channel0 device=d0",
			"modify_cq tune-x-recv-cq0 cq_count=16 cq_period=100",
			"modify_cq tune-x-recv-cq1 cq_count=16 cq_period=100",
			"create_cq tune-x-recv-cq0 device=d0 cqe=4 channel=tune-x-channel0",
		}, "modify_cq tune-x-send"},
		{"the least moderation", setup{message: write, size: 64, moderation: verbs.CQModeration{Count: 1, Period: 9}},
			[]string{"modify_cq tune-x-recv-cq0 cq_count=1 cq_period=9"}, "channel"},
		{"shared", setup{message: write, size: 64, pairs: 2, shared: true}, []string{
			"create_srq tune-x-srq pd=tune-x-pd max_wr=8", "connect_qps tune-x-qp1-0 tune-x-qp1-1",
			"create_qp tune-x-qp1-0 pd=tune-x-pd send_cq=tune-x-send-cq0 recv_cq=tune-x-recv-cq0 qp_type=RC " +
				"max_send_wr=1 max_recv_wr=4 max_send_sge=1 max_inline_data=0",
			"create_qp tune-x-qp1-1 pd=tune-x-pd send_cq=tune-x-send-cq1 recv_cq=tune-x-recv-cq1 qp_type=RC " +
				"max_send_wr=1 max_recv_wr=4 max_send_sge=1 max_inline_data=0 srq=tune-x-srq",
		}, "qp2"},
		{"of given path", setup{message: write, size: 64, mtu: verbs.MTU1024, rdAtomic: 3}, []string{
			"connect_qps tune-x-qp0-0 tune-x-qp0-1 path_mtu=1024 max_rd_atomic=3 max_dest_rd_atomic=3"}, "srq"},
		{"in huge pages", setup{message: write, size: 64, huge: true, pairs: 3}, []string{fmt.Sprintf(
			"reg_mr tune-x-mr pd=tune-x-pd length=%d access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ backing=hugetlb",
			memory.InHugePages(6*4096))}, "srq"},
		{"inline, in pieces", setup{message: write, size: 64, inline: true, pieces: 3}, []string{
			"create_qp tune-x-qp0-0 pd=tune-x-pd send_cq=tune-x-send-cq0 recv_cq=tune-x-recv-cq0 qp_type=RC " +
				"max_send_wr=1 max_recv_wr=4 max_send_sge=3 max_inline_data=64"}, "path_mtu"},
	} {
		all := linesOf(t, tt.setup, -1)
		for _, want := range tt.with {
			if !slices.Contains(all.lines, want) {
				t.Errorf("%s: no line %q in\n%s", tt.name, want, strings.Join(all.lines, "\n"))
			}
		}
		if strings.Contains(strings.Join(all.lines, "\n"), tt.never) {
			t.Errorf("%s: %q is in\n%s", tt.name, tt.never, strings.Join(all.lines, "\n"))
		}
		for fails, line := range all.lines[:len(all.lines)-1] {
			got := linesOf(t, tt.setup, fails)
			made := slices.DeleteFunc(slices.Clone(all.lines[:fails]), func(l string) bool {
				return strings.HasPrefix(l, "modify_cq") || strings.HasPrefix(l, "connect_qps")
			})
			if !errors.Is(got.err, syscall.EIO) || !slices.Equal(got.lines, all.lines[:fails+1]) ||
				len(got.made) != len(made) {
				t.Errorf("%s, %s fails: %v, made %q by\n%s", tt.name, line, got.err, got.made,
					strings.Join(got.lines, "\n"))
			}
		}
	}
}

// outcome is what came of making objects.
type outcome struct {
	lines []string
	made  []string
	err   error
}

// linesOf makes the objects of a setup in a session in which lines do nothing. The line of the given number fails; if
// the number is below 0, the last connection does.
func linesOf(t *testing.T, s setup, fails int) (o outcome) {
	t.Helper()
	s = s.settled(&host{})
	connects := 0
	r := withLines(t, func(c *core.Call) error {
		o.lines = append(o.lines, c.Cmd.Text)
		if c.Cmd.Spec == command.ConnectQPs {
			connects++
		}
		if len(o.lines)-1 == fails || fails < 0 && connects == s.pairs {
			return syscall.EIO
		}
		return nil
	})
	made, err := r.makeObjects(t.Context(), "x", s)
	o.made, o.err = made.made, err
	return o
}

// withLines returns a run in a session in which carryOut carries out each line.
func withLines(t *testing.T, carryOut func(*core.Call) error) *Run {
	return &Run{s: coretest.New(core.Options{}, carryOut), dev: &device.Device{Node: &core.Node{Name: "d0"}}}
}
