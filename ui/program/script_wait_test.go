package program

import (
	"strings"
	"testing"

	"rdmatui/ui/cli"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// waitPair are two connected queue pairs, each with a completion queue of its own.
const waitPair = `open_device DEV
alloc_pd pd
reg_mr m length=4096 access=LOCAL_WRITE|REMOTE_WRITE
create_comp_channel ch
create_cq cqa cqe=16
create_cq cqb cqe=16 channel=ch
create_qp a pd=pd send_cq=cqa recv_cq=cqa
create_qp b pd=pd send_cq=cqb recv_cq=cqb
`

const waitDatagrams = `open_device DEV
alloc_pd pd
reg_mr m length=4096 access=LOCAL_WRITE
create_cq cqa cqe=16
create_cq cqb cqe=16
create_qp a pd=pd qp_type=UD send_cq=cqa recv_cq=cqa
create_qp b pd=pd qp_type=UD send_cq=cqb recv_cq=cqb
connect_qps a b
`

// waitCauses are scripts whose last line waits in vain, and what it must end with on the kernel's device.
var waitCauses = []struct{ name, script, want string }{
	{"unsignaled", waitPair + `connect_qps a b
post_send a RDMA_WRITE wr_id=1 sge=m:0:8 remote_addr=m.addr rkey=m.rkey send_flags=0
poll_cq cqa timeout=1s`, "wr_id 1 of a (RDMA_WRITE) is not SIGNALED, so it has no completion unless it fails"},
	{"never armed", waitPair + `connect_qps a b
post_recv b sge=m:0:64
post_send a SEND sge=m:0:8
get_cq_event ch timeout=1s`, "cqb was never armed, so a completion raises no event: req_notify_cq cqb"},
	{"armed too late", waitPair + `connect_qps a b
post_recv b sge=m:0:64
post_send a SEND sge=m:0:8
sleep 300ms
req_notify_cq cqb
get_cq_event ch timeout=1s`, "completions from before cqb was armed raise no event, and rxe0 does not report them: " +
		"poll_cq cqb after arming"},
	{"armed for solicited", waitPair + `connect_qps a b
req_notify_cq cqb solicited_only=1
post_recv b sge=m:0:64
post_send a SEND sge=m:0:8
get_cq_event ch timeout=1s`, "cqb is armed for solicited completions only: others raise no event: " +
		"post the peer's SEND with send_flags=SOLICITED"},
	{"not armed again", waitPair + `connect_qps a b
req_notify_cq cqb
repeat 2 post_recv b sge=m:0:64
post_send a SEND sge=m:0:8
get_cq_event ch timeout=5s
poll_cq cqb timeout=5s
post_send a SEND sge=m:0:8
sleep 300ms
get_cq_event ch timeout=1s`, "cqb was not armed again after its event, so a completion raises no event"},
	{"no RECV", waitPair + `connect_qps a b
post_send a SEND wr_id=4 sge=m:0:8
poll_cq cqa timeout=1s`, "wr_id 4 of a waits: b had no RECV posted, rnr_retry=7: post_recv b before the request"},
	{"no RECV at this end", waitPair + `connect_qps a b
post_send a SEND wr_id=4 sge=m:0:8
poll_cq cqb timeout=1s`, "no request is outstanding on b: post a request first"},
	{"nothing sent", waitPair + `connect_qps a b
post_recv b sge=m:0:64
poll_cq cqb timeout=1s`, "a has no request outstanding, and b has 1 RECV posted: post_send a SEND"},
	{"not connected", waitPair + `modify_qp b INIT port_num=1 pkey_index=0 qp_access_flags=0
post_recv b sge=m:0:64
poll_cq cqb timeout=1s`, "b is in INIT (modify_qp b INIT) and drops packets: bring it to RTR"},
	{"the peer was reset", waitPair + `connect_qps a b retry_cnt=7 timeout=19
modify_qp b RESET
post_send a SEND wr_id=4 sge=m:0:8
poll_cq cqa timeout=1s`, "wr_id 4 of a waits: b is in RESET (modify_qp b RESET) and drops packets"},
	{"a group without members", waitDatagrams + `create_ah ah pd=pd dgid=::ffff:239.193.65.8
post_recv b sge=m:0:256
post_send a SEND sge=m:0:64 ah=ah remote_qpn=0xffffff remote_qkey=0x11111111
poll_cq cqb timeout=1s`, "the last datagram of a went to group ::ffff:239.193.65.8, and no queue pair is attached to it: " +
		"attach_mcast b gid=::ffff:239.193.65.8"},
	{"no room for the GRH", waitDatagrams + `create_ah ah pd=pd dgid=b.gid
post_recv b sge=m:0:64
post_send a SEND sge=m:0:64 ah=ah remote_qpn=b.qp_num remote_qkey=0x11111111
poll_cq cqb timeout=1s`, "the last datagram of a needs 104 bytes with its GRH, but the RECV of b has room for 64"},
	{"another Q_Key", waitDatagrams + `create_ah ah pd=pd dgid=b.gid
post_recv b sge=m:0:104
post_send a SEND sge=m:0:64 ah=ah remote_qpn=b.qp_num remote_qkey=0x12
poll_cq cqb timeout=1s`, "the last datagram of a has Q_Key 0x12, but qkey of b is 0x11111111: b drops it"},
	{"no queue pair", "open_device DEV\ncreate_cq cq\npoll_cq cq timeout=1s", "no queue pair completes in cq"},
	{"nobody connects", `open_device DEV
rdma_create_event_channel ec
rdma_create_id l channel=ec
rdma_bind_addr l port=7471
rdma_listen l
rdma_get_cm_event CONNECT_REQUEST id=l timeout=1s`, "no peer has connected to "},
	{"no call", `open_device DEV
rdma_create_event_channel ec
rdma_create_id l channel=ec
rdma_get_cm_event id=l event=ADDR_RESOLVED timeout=1s`, "l is in IDLE, and ADDR_RESOLVED follows rdma_resolve_addr"},
	{"not in ERR", waitPair + "connect_qps a b\nexpect async QP_LAST_WQE_REACHED qp=a timeout=1s",
		"a has no SRQ, and only queue pairs with one raise QP_LAST_WQE_REACHED"},
}

// TestWaitCausesOnKernel: a wait that times out on the kernel's device ends with its cause, as on the software device
// (session/vain_test.go), though the kernel does not tell how often it has sent a request, nor how many completions a
// queue holds.
func TestWaitCausesOnKernel(t *testing.T) {
	vmtest.Need(t)
	for _, tt := range waitCauses {
		t.Run(tt.name, func(t *testing.T) {
			out, stderr, status := invoke(t, strings.ReplaceAll(tt.script, "DEV", device)+"\n", "run", "-")
			if status != cli.Failed || !strings.Contains(stderr, tt.want) {
				t.Errorf("status %d, %q, want %q\n%s", status, stderr, tt.want, out)
			}
		})
	}
	nothingLeft(t)
}
