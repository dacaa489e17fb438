package post

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// instance is a session on a device shared with another session; it has a queue pair and a region open to its peer.
func instance(t *testing.T, p verbs.Provider, device string) *uitest.Session {
	return uitest.NewSession(t, session.Options{Live: true, Providers: []verbs.Provider{p}},
		"open_device "+device, "alloc_pd pd",
		"reg_mr src pd=pd length=4096 access=LOCAL_WRITE", "create_cq cq cqe=64",
		"create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC",
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

// paired returns two sessions whose queue pairs are connected and that know each other's regions.
func paired(t *testing.T) (here, there *uitest.Session) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	p := uitest.Soft(nil)
	here, there = instance(t, p, "soft0"), instance(t, p, "soft1")
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
	return here, there
}

// Two instances exchange addresses and regions; then a key writes into the other's region.
func TestTwoInstances(t *testing.T) {
	here, there := paired(t)
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

// The screen at the other end tells of a WRITE, which has no completion there, and not of a SEND, which has.
func TestPeerWrites(t *testing.T) {
	here, there := paired(t)
	env := there.Env(theme.New("none", true))
	j := &journey{t: t, sess: there, scr: New(env)}
	now := time.Unix(1000, 0)
	j.scr.now = func() time.Time { return now }
	j.ScreenDriver = uitest.NewScreen(t, env, j.scr)
	frames := func() (view string) {
		for range 4 { // each reads the regions
			now = now.Add(quiet)
			j.Frame()
			j.Settle()
			view = j.View(80, 20)
		}
		return view
	}
	frames()
	there.Do("post_recv a wr_id=1 sge=dst:0:64")
	frames()
	after := there.Timeline().Counts().Total
	here.Do(`write_mem src "hello, peer"`, "post_send a SEND wr_id=1 sge=src:0:5")
	for (&posted{qp: "a", wrID: 1, recv: true, after: after}).find(there.Timeline().Tail(recent, nil)) == nil {
		time.Sleep(time.Millisecond)
	}
	if view := frames(); !strings.Contains(view, "hello") || strings.Contains(view, "No completion") {
		t.Errorf("after a SEND:\n%s", view)
	}
	here.Do("post_send a RDMA_WRITE wr_id=2 sge=src:0:11 remote_addr=p.dst.addr+4 rkey=p.dst.rkey")
	view := frames()
	for !strings.Contains(view, "hellhello, peer") { // on its way
		view = frames()
	}
	if view = frames(); !strings.Contains(view, "11 bytes of dst changed from offset 4. No completion was polled:") {
		t.Errorf("after a WRITE:\n%s", view)
	}
}
