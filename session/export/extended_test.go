package export

import (
	"strings"
	"testing"
)

// TestExtendedPosts checks the code for ibv_wr_*. Most compilers' headers here lack FLUSH.
func TestExtendedPosts(t *testing.T) {
	const before = "open_device soft0\nalloc_pd pd\nreg_mr dst length=64 access=LOCAL_WRITE\ncreate_cq cq\n" +
		"create_qp a pd=pd send_cq=cq recv_cq=cq send_ops_flags=SEND|FLUSH|ATOMIC_WRITE\n"
	for line, want := range map[string][]string{
		"": {"a = ibv_create_qp_ex(pd->context, &(struct ibv_qp_init_attr_ex){",
			".comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,",
			".send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_FLUSH | IBV_QP_EX_WITH_ATOMIC_WRITE,"},
		"post_send a FLUSH wr_id=3 remote_addr=dst.addr+8 rkey=dst.rkey length=16 type=PERSISTENT": {"qpx->wr_id = 3;",
			"ibv_wr_flush(qpx, dst->rkey, (uintptr_t)dst->addr + 8, 16, IBV_FLUSH_PERSISTENT, IBV_FLUSH_RANGE);",
			"err = ibv_wr_complete(qpx);"},
		"post_send a FLUSH wr_id=3 remote_addr=0 rkey=7 level=MR count=5": {
			"for (unsigned long long n = 0; n < 5; n++) {", "qpx->wr_id = 3 + n;",
			"ibv_wr_flush(qpx, 7, 0, 0, IBV_FLUSH_GLOBAL, IBV_FLUSH_MR);"},
		"post_send a ATOMIC_WRITE wr_id=3 sge=dst:8:8 remote_addr=dst.addr rkey=dst.rkey": {
			"ibv_wr_atomic_write(qpx, dst->rkey, (uintptr_t)dst->addr, (const void *)((uintptr_t)dst->addr + 8));"},
		"post_send a SEND sge=dst:0:8 send_flags=INLINE|SIGNALED": {"qpx->wr_flags = IBV_SEND_SIGNALED;",
			"ibv_wr_set_inline_data(qpx, (void *)((uintptr_t)dst->addr), 8);"},
		"post_send a SEND": {"ibv_wr_send(qpx);",
			"ibv_wr_set_sge_list(qpx, 0, NULL);"},
		"post_send a SEND sge=dst:0:8": {
			"ibv_wr_set_sge(qpx, dst->lkey, (uintptr_t)dst->addr, 8);"},
		"post_send a SEND sge=dst,dst":                           {"ibv_wr_set_sge_list(qpx, 2, (struct ibv_sge[]){"},
		"post_send a RDMA_READ sge=dst:0:8 remote_addr=1 rkey=2": {"err = ibv_post_send(a, &(struct ibv_send_wr){"},
		"chain post_send a SEND wr_id=1 ; post_send a FLUSH wr_id=2 remote_addr=1 rkey=2 length=3": {"qpx->wr_id = 1;",
			"ibv_wr_send(qpx);", "qpx->wr_id = 2;",
			"ibv_wr_flush(qpx, 2, 1, 3, IBV_FLUSH_GLOBAL, IBV_FLUSH_RANGE);"},
		"post_send a FLUSH remote_addr=0 rkey=7 level=MR count=50 outstanding=4": {
			"a run of requests that ibv_wr_* posts cannot be exported"},
	} {
		text := C(recordingOf(t, strings.Split(before+line, "\n"), func(int, *Step) {}))
		rest := text
		for _, w := range want {
			_, after, ok := strings.Cut(rest, w)
			if !ok {
				t.Errorf("%s: no %q, or not in its place:\n%s", line, w, text[strings.Index(text, "int main("):])
				break
			}
			rest = after
		}
	}
}
