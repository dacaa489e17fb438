package traffic_test

import (
	"fmt"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
)

// TestSlotsInOrder: the RECVs that a checking pingpong leaves outstanding are those that the queue takes next, each
// with its number among those that the command posted.
func TestSlotsInOrder(t *testing.T) {
	for _, messages := range []uint64{0, 1, 2, 6} {
		s := sessiontest.NewSoft(t, core.Options{})
		sessiontest.RunScript(t, s, `open_device soft0
alloc_pd pd
create_cq cq
create_cq other
reg_mr buf length=80 access=LOCAL_WRITE
reg_mr zeros length=16 access=LOCAL_WRITE
create_srq srq max_wr=4
create_qp a srq=srq send_cq=cq recv_cq=cq
create_qp b send_cq=other recv_cq=other
connect_qps a b`)
		for range messages { // they are sent again until there are RECVs
			sessiontest.Execute(t, s, "post_recv b wr_id=91 sge=zeros")
			sessiontest.Execute(t, s, "post_send b SEND wr_id=90 sge=zeros")
		}
		line := "pingpong srq=srq role=server size=16 validate=1 mr=buf n="
		if messages > 0 {
			sessiontest.Execute(t, s, line+fmt.Sprint(messages))
		} else if _, err := s.Exec(t.Context(), line+"1 timeout=1ms"); err == nil {
			t.Fatal("a message has come")
		}
		number := uint64(len(sessiontest.Commands(s)))
		if n := s.Snapshot().SRQs[0].RecvPosted; n != 4 {
			t.Fatalf("%d RECVs are outstanding after %d messages", n, messages)
		}
		for i := range uint64(4) {
			sessiontest.Execute(t, s, "post_send b SEND wr_id=90 sge=zeros")
			sessiontest.Execute(t, s, "poll_cq cq timeout=10s")
			wc := sessiontest.CompletionOf(t, s, (messages+i)%4+1)
			if !wc.Recv || wc.Index != messages+i || wc.Command != number || wc.WC.Failed() {
				t.Errorf("message %d after %d: %+v", i+1, messages, wc)
			}
		}
	}
}
