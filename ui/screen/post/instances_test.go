package post

import (
	"fmt"
	"net"
	"testing"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// instance is a session on a device shared with another session; it has a queue pair and a region open to its peer.
func instance(t *testing.T, p verbs.Provider, device string) *uitest.Session {
	return uitest.NewSession(t, session.Options{Live: true, Providers: []verbs.Provider{p}}, "open_device "+device, "alloc_pd pd",
		"reg_mr src pd=pd length=4096 access=LOCAL_WRITE", "create_cq cq cqe=64", "create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC",
		"reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ")
}

// ready waits until a session is ready for its peer.
func ready(s *uitest.Session) {
	marks, stop := s.Timeline().Watch()
	defer stop()
	for {
		for _, e := range s.Timeline().Snapshot() {
			if e.Kind == timeline.KindNote && e.Note.Ready {
				return
			}
		}
		<-marks
	}
}

// Two instances exchange addresses and regions; then a key writes into the other's region.
func TestTwoInstances(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	p := uitest.Soft(nil)
	here, there := instance(t, p, "soft0"), instance(t, p, "soft1")
	ended := make(chan error, 1)
	go func() {
		_, err := there.Exec(t.Context(), fmt.Sprintf("exchange p qp=a port=%d", port))
		ended <- err
	}()
	ready(there)
	here.Do(fmt.Sprintf("exchange p qp=a address=127.0.0.1 port=%d", port), "connect_qps a p")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	there.Do("connect_qps a p")

	env := here.Env(theme.New("none", true))
	j := &journey{t: t, sess: here, scr: New(env)}
	j.ScreenDriver = uitest.NewScreen(t, env, j.scr)
	j.Keys("enter")
	j.until("wr_id 1 RDMA_WRITE SUCCESS", "p.dst grants REMOTE_WRITE", "p.dst has 7 bytes at 0")
	got := make([]byte, 7)
	if _, err := there.ReadMem("dst", 0, got); err != nil || string(got) != "written" {
		t.Errorf("the other instance has %q (%v)", got, err)
	}
}
