package completions

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// A SEND that is retried for want of a RECV has no completion: the screen says what it waits for, above the queues and
// in the list while that is empty, and no longer once a RECV was posted.
func TestWaitingRequestIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newBenchOf(t, theme.New("none", true), 1<<10, false,
			"open_device soft0", "alloc_pd pd", "reg_mr src length=4096 access=LOCAL_WRITE|REMOTE_WRITE",
			"create_cq cq cqe=64",
			"create_qp a send_cq=cq recv_cq=cq", "create_qp b send_cq=cq recv_cq=cq", "connect_qps a b rnr_retry=7")
		look := func() string {
			time.Sleep(time.Second)
			x.follow()
			if _, cmd := x.s.Refresh(&x.st); cmd != nil {
				x.s.Update(cmd())
			}
			x.follow()
			x.refresh()
			return uitest.Text(x.view(120, 40))
		}
		if v := look(); !strings.Contains(v, "No completions yet. Post a request (3).") {
			t.Errorf("nothing was posted:\n%s", v)
		}
		x.sess.Do("post_send a SEND wr_id=7 sge=src:0:5 send_flags=SIGNALED")
		if v := look(); !strings.Contains(v, "No completion: wr 7 of a waits: RNR, ") ||
			!strings.Contains(v, "NAKs; b posted no RECV.") {
			t.Errorf("not told:\n%s", v)
		}
		if m, _ := mendOf(x.s); m.Advice() != "f posts a RECV" ||
			!slices.Equal(m.Lines, []string{"post_recv b sge=src:0:4096"}) {
			t.Errorf("f runs %q", m.Lines)
		}
		x.sess.Timeline().AppendBatch([]timeline.Completion{recvDone(1)})
		if v := look(); !strings.Contains(v, "wr 7 of a waits: RNR, ") {
			t.Errorf("not told beside completions:\n%s", v)
		}
		x.sess.Do("post_recv b sge=src:64:64")
		time.Sleep(time.Second)
		x.sess.Do("poll_cq cq n=2")
		if v := look(); strings.Contains(v, "waits") {
			t.Errorf("still told:\n%s", v)
		}
	})
}
