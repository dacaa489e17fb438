package command

import (
	"strings"
	"testing"
)

// designScript is a whole session as a user would write it.
const designScript = `open_device soft0
alloc_pd pd
reg_mr src pd=pd length=4096 access=LOCAL_WRITE
reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ
create_cq cq cqe=64
create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16
create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=RC
modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE|REMOTE_READ
modify_qp b INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE|REMOTE_READ
modify_qp a RTR path_mtu=1024 dest_qp_num=b.qp_num rq_psn=0x111 max_dest_rd_atomic=1 min_rnr_timer=12 dgid=b.gid
modify_qp b RTR path_mtu=1024 dest_qp_num=a.qp_num rq_psn=0x222 max_dest_rd_atomic=1 min_rnr_timer=12 dgid=a.gid
modify_qp a RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=0x222 max_rd_atomic=1
modify_qp b RTS timeout=14 retry_cnt=7 rnr_retry=7 sq_psn=0x111 max_rd_atomic=1
# the six lines above in one: connect_qps a b
write_mem src "hello"
post_recv b wr_id=7 sge=dst:0:4096
post_send a SEND wr_id=1 sge=src:0:5 send_flags=SIGNALED
poll_cq cq n=2 timeout=1s
expect wc wr_id=7 status=SUCCESS byte_len=5
expect mem dst 0 "hello"
`

func TestDesignScriptParses(t *testing.T) {
	for line := range strings.Lines(designScript) {
		c, err := Parse(strings.TrimSuffix(line, "\n"))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if c.Spec == nil {
			continue
		}
		if got := c.Canonical(); len(got) != len(line)-1 {
			t.Errorf("canonical %q of %q", got, line)
		}
	}
}

func TestExamplesParse(t *testing.T) {
	for i := range Commands {
		s := &Commands[i]
		c, err := Parse(s.Example)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if c.Spec != s {
			t.Errorf("the example of %s is %q", s.Name, s.Example)
		}
	}
}
