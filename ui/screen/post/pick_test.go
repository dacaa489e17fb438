package post

import (
	"testing"

	"rdmatui/ui/theme"
)

// An opcode that another place chose is that of the form, also if the queue pair comes later.
func TestPick(t *testing.T) {
	const read = "post_send a RDMA_READ wr_id=1 sge=src:32:16 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED"
	d, sess, s, _ := start(t, theme.New("none", true))
	s.Pick("RDMA_READ")
	d.Keys("enter")
	sess.WantLines(read)

	d, sess, s, _ = start(t, theme.New("none", true), []string{}...)
	s.Pick("RDMA_READ")
	if d.Frame(); s.req.op != "RDMA_READ" {
		t.Errorf("without a queue pair the opcode is %s", s.req.op)
	}
	sess.Do(benchWith()...)
	d.Frame()
	d.Keys("enter")
	sess.WantLines(read)
}
