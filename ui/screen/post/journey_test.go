package post

import (
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/ui/screen/bringup/step/steptest"
	"rdmatui/ui/theme"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// The same keys on a real session with the software device: RECV, SEND, WRITE and
// READ, and both memories afterwards.
func TestJourneyOnSoft(t *testing.T) {
	sess := session.New(session.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}, Live: true})
	t.Cleanup(func() {
		if err := sess.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, l := range append(steptest.BenchLines[:len(steptest.BenchLines):len(steptest.BenchLines)], "connect_qps a b") {
		if _, err := sess.Exec(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	env, _ := steptest.NewEnv(t, theme.New("none", true))
	env.Session = sess
	s := New(env)
	now := time.Unix(1000, 0)
	s.now = func() time.Time { now = now.Add(time.Second); return now }
	d := steptest.NewDriver(t, env, s, s.errand.Idle)
	until := func(texts ...string) {
		t.Helper()
		d.Await(120, 40, texts...)
	}
	d.Keys("R")
	until("b has 1 RECV posted")
	d.Keys("enter")
	until("wr_id 2 SEND SUCCESS", "hello...........│", "b has no RECV posted")
	d.Keys("o", "o", "enter")
	until("wr_id 3 RDMA_WRITE SUCCESS")
	d.Keys("o", "o", "enter") // READ takes dst to offset 32 of src
	until("wr_id 4 RDMA_READ SUCCESS", "0020  77 72 69 74 74 65 6e 00")
	d.Keys("u", "o", "o", "o", "o", "o", "o", "o", "enter") // from b, WRITE into src, which grants nothing
	until("src does not grant REMOTE_WRITE", "wr_id 5 REM_ACCESS_ERR")
}
