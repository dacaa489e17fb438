package ui

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// fullLines fill every screen: a failed WRITE, its queue pairs connected anew, requests
// that succeed and one that waits for a RECV, and two connected identifiers.
var fullLines = slices.Concat(uitest.BenchLines, []string{
	"fault soft0 delay=12us", "connect_qps a b", `write_mem src "hello, b"`,
	"post_send a RDMA_WRITE wr_id=1 sge=src:0:8 remote_addr=dst.addr rkey=0xbad send_flags=SIGNALED",
	"modify_qp a RESET", "modify_qp b RESET", "connect_qps a b min_rnr_timer=31",
	"post_recv b wr_id=7 sge=dst:64:64", "post_send a SEND wr_id=2 sge=src:0:8 send_flags=SIGNALED",
	"post_send a RDMA_WRITE wr_id=3 sge=src:0:8 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED",
	"post_send a RDMA_READ wr_id=4 sge=src:32:8 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED",
	"rdma_create_event_channel events", "rdma_create_id listen channel=events ps=TCP",
	"rdma_bind_addr listen port=7471", "rdma_listen listen",
	"rdma_create_id id channel=events ps=TCP", "rdma_resolve_addr id 127.0.0.1 port=7471", "rdma_resolve_route id",
	"alloc_pd pd-id id=id", "create_cq cq-id id=id cqe=16", "rdma_create_qp id c pd=pd-id send_cq=cq-id recv_cq=cq-id",
	`rdma_connect id private_data="hello"`,
	"rdma_create_qp listen-1 d pd=pd-id send_cq=cq-id recv_cq=cq-id", "rdma_accept listen-1",
})

// blocked are the findings on a host whose library is missing.
var blocked = []devices.Finding{
	{Check: "providers", Status: devices.Fail, Looked: "provider ibverbs",
		Meaning: "the host's RDMA library cannot be loaded", Next: "apt install libibverbs1"},
	{Check: "modules", Status: devices.Fail, Looked: "/proc/modules", Meaning: "no program can reach any device",
		Next: "modprobe ib_uverbs"},
}

// late is the software device with a connection manager whose events come after the
// end of the command that caused them, so that they are always listed in this order.
type late struct{ *soft.Provider }

func (p late) CreateEventChannel() (verbs.CMEventChannel, error) {
	ch, err := p.Provider.CreateEventChannel()
	return lateChannel{ch}, err
}

type lateChannel struct{ verbs.CMEventChannel }

func (c lateChannel) GetEvent(ctx context.Context) (verbs.CMEvent, error) {
	e, err := c.CMEventChannel.GetEvent(ctx)
	time.Sleep(time.Microsecond)
	return e, err
}

// cpu is the processor time that polling took, which no test controls.
var cpu = regexp.MustCompile(` +\d+(\.\d+)? [mnµ]?s +\d+(\.\d)?%`)

func withoutCPU(view string) string {
	return cpu.ReplaceAllStringFunc(view, func(s string) string {
		return fmt.Sprintf("%*s", line.Width(s), "measured")
	})
}

// TestFrames compares the whole window, as a user sees it, of every screen at every size.
func TestFrames(t *testing.T) {
	for _, size := range cutSizes {
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sess := uitest.NewSession(t, session.Options{
					Live: true, Providers: []verbs.Provider{late{uitest.Soft(nil)}},
				})
				env := sess.Env(theme.New("none", true))
				env.Inventory = uitest.Still{Inventory: env.Inventory}
				env.Diagnose = func(context.Context) []devices.Finding { return blocked }
				g := newWhole(t, env, size[0], size[1])
				t.Cleanup(g.End)
				g.typed(fullLines...)
				env.Hand.Take("a")
				for id := range screen.Count {
					g.Keys(fmt.Sprint(id))
					for range 2 { // frames
						time.Sleep(idleTime)
						g.Send(nil)
					}
					uitest.Golden(t, screen.Names[id], withoutCPU(g.View()))
				}
			})
		})
	}
}
