package cm_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/cm"
	"rdmatui/session/scenario"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestWaitEndsWithConnection: a wait for a completion that a disconnected peer did not acknowledge ends with the
// connection. Completions caused by the disconnect count, and an expect decides whether a missing one is a failure.
func TestWaitEndsWithConnection(t *testing.T) {
	none := func([]verbs.WC) int { return 0 }
	// once makes one poll return nothing and the next a completion, as if it arrived just before the disconnect.
	once := func(status verbs.WCStatus) func([]verbs.WC) int {
		n := 0
		return func(wcs []verbs.WC) int {
			if n++; n != 2 {
				return 0
			}
			wcs[0] = verbs.WC{WRID: 2, QPNum: 17, Status: status, Opcode: verbs.WCSend}
			return 1
		}
	}
	for _, mode := range []string{"mode=event", "mode=poll"} {
		for _, tt := range []struct {
			name, expect     string
			comes            func([]verbs.WC) int
			polled, expected string // results; "!" begins an error
			hint             string
		}{
			{"none", "wr_id=2 status=SUCCESS while=id", none, "no completion; the connection of id has ended",
				"no completion came; the connection of id has ended", ""},
			{"none, needed", "wr_id=2 status=SUCCESS", none, "no completion; the connection of id has ended",
				"!no polled completion matches", "the connection of id ended before the completion came"},
			{"at the end", "wr_id=2 status=SUCCESS while=id", once(verbs.WCSuccess), "wr_id 2 SEND SUCCESS",
				"as expected", ""},
			{"flushed", "wr_id=2 status=SUCCESS while=id", once(verbs.WCWRFlushErr),
				"wr_id 2 WR_FLUSH_ERR vendor_err 0x0", "no completion came; the connection of id has ended", ""},
			{"flushed, needed", "wr_id=2 status=SUCCESS", once(verbs.WCWRFlushErr),
				"wr_id 2 WR_FLUSH_ERR vendor_err 0x0", "!the completion has status WR_FLUSH_ERR", ""},
			{"failed", "wr_id=2 status=SUCCESS while=id", once(verbs.WCRemAccessErr),
				"wr_id 2 REM_ACCESS_ERR vendor_err 0x0", "!the completion has status REM_ACCESS_ERR",
				"the peer refused access"},
		} {
			t.Run(tt.name+", "+mode, func(t *testing.T) {
				s, f, _ := sessiontest.NewManaged(t)
				sessiontest.RunLines(t, s, strings.ReplaceAll(sessiontest.AConnection, "MODE", mode))
				f.Cqs[0].Next.Store(&tt.comes)
				sessiontest.RunLines(t, s, "rdma_disconnect req")
				done, err := s.Exec(t.Context(), "poll_cq scq n=1 timeout=1h while=id")
				if err != nil || done.Result != tt.polled {
					t.Errorf("poll_cq: %v, %q", err, done.Result)
				}
				done, err = s.Exec(t.Context(), "expect wc cq=scq "+tt.expect)
				said := done.Result
				if err != nil {
					said = "!" + err.Error()
				}
				if !strings.HasPrefix(said, tt.expected) || !strings.Contains(done.Hint, tt.hint) {
					t.Errorf("expect wc: %q, hint %q", said, done.Hint)
				}
			})
		}
	}
}

// TestFlushBeforeDisconnect: a device may flush a request before the event that ends the connection arrives. The poll
// waits for that event a moment, so that the script's next line sees the end. A connection that stays does not hold it
// up.
func TestFlushBeforeDisconnect(t *testing.T) {
	for _, ends := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s, f, _ := sessiontest.NewManaged(t)
			sessiontest.RunLines(t, s, strings.ReplaceAll(sessiontest.AConnection, "MODE", "mode=event"))
			conn := s.Core().Graph.ByName["id"].Body.(*cm.ID).ID.(*sessiontest.FakeID)
			comes := func(wcs []verbs.WC) int { // once, and then the peer leaves
				none := func([]verbs.WC) int { return 0 }
				f.Cqs[0].Next.Store(&none)
				if ends {
					time.AfterFunc(20*time.Millisecond, func() { conn.Tell(verbs.CMDisconnected, nil) })
				}
				wcs[0] = verbs.WC{WRID: 2, QPNum: 17, Status: verbs.WCWRFlushErr, Opcode: verbs.WCSend}
				return 1
			}
			f.Cqs[0].Next.Store(&comes)
			done, err := s.Exec(t.Context(), "poll_cq scq n=1 timeout=1h while=id")
			if err != nil || done.Result != "wr_id 2 WR_FLUSH_ERR vendor_err 0x0" {
				t.Errorf("ends %t: poll_cq: %v, %q", ends, err, done.Result)
			}
			if _, err := s.Exec(t.Context(), "expect id id DISCONNECTED"); (err == nil) != ends {
				t.Errorf("ends %t: after the poll: %v", ends, err)
			}
		})
	}
}

// TestExpectWhileConnected: while connected, a missing completion is a failure.
func TestExpectWhileConnected(t *testing.T) {
	s, _, _ := sessiontest.NewManaged(t)
	sessiontest.RunLines(t, s, strings.ReplaceAll(sessiontest.AConnection, "MODE", "mode=event"))
	if done, err := s.Exec(t.Context(), "expect wc cq=scq wr_id=2 while=id"); err == nil ||
		!strings.Contains(done.Hint, "use poll_cq") {
		t.Errorf("%v, %+v", err, done)
	}
}

// TestScenariosWaitForNoneThatHasGone: each wait for the completion of a last SEND ends with the connection.
func TestScenariosWaitForNoneThatHasGone(t *testing.T) {
	for _, name := range []string{"hello", "serve", "chat", "read-write", "rping", "blast", "cmatose"} {
		for _, server := range []bool{false, true} {
			p := scenario.DefaultParams(name)
			p.Server, p.Address, p.Connections = server, "10.0.0.2", 1
			sc, err := p.NewScript(func(string) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			last := ""
			for i := range sc.Lines() {
				if text := sc.Lines()[i].Text; strings.HasPrefix(text, "poll_cq scq") {
					last = text
				}
			}
			// The end that disconnects has already got the peer's answer.
			ends := name == "rping" && !server || name == "blast" && !server || name == "cmatose" && server
			if !ends && !strings.Contains(last, "while=conn") {
				t.Errorf("%s, server %v: %s", name, server, last)
			}
		}
	}
}

// TestReadWriteReceivesBeforehand: each RECV is posted before the connection is established. The peer's last message
// may closely follow its first, and iWARP has no RNR: a missing RECV ends the connection.
func TestReadWriteReceivesBeforehand(t *testing.T) {
	for _, op := range []string{"read", "write"} {
		for _, server := range []bool{false, true} {
			p := scenario.DefaultParams("read-write")
			p.Op, p.Server, p.Address = op, server, "10.0.0.2"
			sc, err := p.NewScript(func(string) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			connected, recvs := false, 0
			for i := range sc.Lines() {
				switch text := sc.Lines()[i].Text; {
				case strings.HasPrefix(text, "rdma_connect"), strings.HasPrefix(text, "rdma_accept"):
					connected = true
				case strings.HasPrefix(text, "post_recv"):
					if recvs++; connected {
						t.Errorf("%s, server %v: %s is posted late", op, server, text)
					}
				}
			}
			if recvs != 2 || !connected {
				t.Errorf("%s, server %v: %d RECVs, connected %v", op, server, recvs, connected)
			}
		}
	}
}
