package queue_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/preflight"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// withFlight runs a test in a synctest bubble, so that the software device's timers fire on time.
func withFlight(t *testing.T, opts core.Options, run func(t *testing.T, s *session.Session)) {
	synctest.Test(t, func(t *testing.T) {
		opts.Providers, opts.Live = []verbs.Provider{soft.New(soft.Options{})}, true
		s := session.New(opts)
		defer func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}()
		for _, line := range []string{"open_device soft0", "alloc_pd pd", "reg_mr src length=4096",
			"reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE",
			"create_cq cq cqe=64", "create_qp a max_send_wr=16", "create_qp b", "connect_qps a b"} {
			sessiontest.Execute(t, s, line)
		}
		run(t, s)
	})
}

func stalled(s *session.Session, qp string) string {
	s.LookAtSends()
	snap := s.Snapshot()
	st, _ := preflight.Stalled(&snap, snap.QP(qp))
	return st.Why
}

// TestFlight: a SEND without a RECV is shown with its RNR NAKs, and so are the requests behind it. Writing to memory in
// use is warned of. With a RECV nothing is shown.
func TestFlight(t *testing.T) {
	withFlight(t, core.Options{}, func(t *testing.T, s *session.Session) {
		sessiontest.Execute(t, s, "post_send a SEND wr_id=3 sge=src:0:5")
		time.Sleep(time.Second)
		if got := stalled(s, "a"); !strings.HasPrefix(got, "RNR, ") ||
			!strings.HasSuffix(got, " NAKs; b posted no RECV") {
			t.Errorf("%q", got)
		}
		snap := s.Snapshot()
		if f := snap.QP("a").Flight(); !f.Told || f.WRID != 3 || f.By != core.ToldByQP || f.Tries.RNRNAKs < 100 ||
			f.Age != time.Second {
			t.Errorf("%+v", f)
		}
		for line, want := range map[string]string{
			`write_mem src "x" offset=4`: "wr 3 of a (SEND) still uses these bytes",
			`write_mem src "x" offset=5`: "",
			"post_send a RDMA_WRITE wr_id=4 sge=src:8:5 remote_addr=dst.addr rkey=dst.rkey": "waits behind wr 3: RNR",
		} {
			done, err := s.Exec(t.Context(), line)
			if err != nil || want == "" && done.Check != "" || !strings.Contains(done.Check, want) {
				t.Errorf("%s: %q (%v)", line, done.Check, err)
			}
		}
		sessiontest.Execute(t, s, "post_recv b sge=dst")
		time.Sleep(time.Second)
		snap = s.Snapshot()
		if n := snap.QP("a").SendOutstanding; n != 0 {
			t.Errorf("%d outstanding", n)
		}
		if done, err := s.Exec(t.Context(), `write_mem src "y"`); err != nil || done.Check != "" {
			t.Errorf("%q (%v)", done.Check, err)
		}
	})
}

// TestFlightOfUnsignaled: a request executed without a completion uses no memory and stalls nothing.
func TestFlightOfUnsignaled(t *testing.T) {
	withFlight(t, core.Options{}, func(t *testing.T, s *session.Session) {
		sessiontest.Execute(t, s, "post_send a RDMA_WRITE sge=src:0:5 remote_addr=dst.addr rkey=dst.rkey send_flags=0")
		time.Sleep(10 * time.Second)
		if got := stalled(s, "a"); got != "" {
			t.Errorf("%q", got)
		}
		if done, err := s.Exec(t.Context(), `write_mem src "y"`); err != nil || done.Check != "" {
			t.Errorf("%q (%v)", done.Check, err)
		}
	})
}
