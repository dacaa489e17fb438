package session_test

import (
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/oob"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// waitingObjects makes the objects for the lines of TestEveryWaitIsShownAndStopped.
const waitingObjects = `
open_device
alloc_pd
reg_mr length=4096
create_comp_channel
create_cq channel=channel
create_qp
connect_qps qp qp
rdma_create_id listen mode=sync
rdma_bind_addr listen port=7471
rdma_listen listen
rdma_create_id client mode=event
rdma_resolve_addr client 10.0.0.2 port=7471
expect cm ADDR_RESOLVED id=client
rdma_connect client
rdma_get_request listen name=req
rdma_create_id id mode=sync
rdma_getaddrinfo server name=res
rdma_create_ep ep res
`

// waitingLines has a line of each command that can wait, here for something that
// never comes, with a limit of an hour if it has one.
var waitingLines = map[string]string{
	"expect async":        "expect async QP_FATAL qp=qp timeout=1h",
	"expect cm":           "expect cm ESTABLISHED id=id timeout=1h",
	"get_async_event":     "get_async_event fake0 timeout=1h",
	"get_cq_event":        "get_cq_event channel timeout=1h",
	"poll_cq":             "poll_cq cq timeout=1h",
	"rdma_accept":         "rdma_accept req timeout=1h",
	"rdma_connect":        "rdma_connect id timeout=1h",
	"rdma_disconnect":     "rdma_disconnect id timeout=1h",
	"rdma_get_cm_event":   "rdma_get_cm_event timeout=1h id=id",
	"rdma_get_request":    "rdma_get_request listen timeout=1h",
	"rdma_getaddrinfo":    "rdma_getaddrinfo slow timeout=1h",
	"rdma_get_recv_comp":  "rdma_get_recv_comp ep timeout=1h",
	"rdma_get_send_comp":  "rdma_get_send_comp ep timeout=1h",
	"rdma_join_multicast": "rdma_join_multicast id 239.1.2.3 timeout=1h",
	"rdma_resolve_addr":   "rdma_resolve_addr id 10.0.0.2 port=1 timeout=1h",
	"rdma_resolve_route":  "rdma_resolve_route id timeout=1h",
	"sleep":               "sleep 1h",
	"pingpong":            "pingpong qp role=server size=64 event=1 timeout=1h",
	"post_send":           "post_send qp SEND sge=mr:0:8 count=0 outstanding=1",
	"repeat":              "repeat 3 sleep 1h",
	"expect error":        "expect error sleep 1h",
	"exchange":            "", // these use the network: TestExchangeIsShownAndStopped
	"exchange_finish":     "",
}

// TestEveryWaitIsShownAndStopped: every waiting command is shown with its limit, and
// ends as soon as it is stopped.
func TestEveryWaitIsShownAndStopped(t *testing.T) {
	for _, spec := range command.Commands {
		line, listed := waitingLines[spec.Name]
		hasTime := slices.ContainsFunc(spec.Args, func(a command.Arg) bool { return a.Type == command.Duration })
		if waits := !slices.Contains([]string{"fault", "save_incident"}, spec.Name); hasTime && waits && !listed {
			t.Errorf("%s waits, but no line tests that it can be stopped", spec.Name)
		}
		if line == "" {
			continue
		}
		t.Run(spec.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := sessiontest.NewFakeCM()
				s := session.New(core.Options{Providers: []verbs.Provider{f}, RefuseWhileWaiting: true})
				defer func() {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				}()
				f.AddrInfos = sessiontest.AddrSays()
				sessiontest.RunLines(t, s, waitingObjects)
				f.Silent["getaddrinfo"] = true
				f.Mute.Store(true)
				limit := time.Hour
				if !strings.Contains(line, "1h") || spec.Name == "pingpong" { // pingpong's limit is per message
					limit = 0
				}
				testRefused(t, s, line, limit, synctest.Wait)
			})
		})
	}
}

// TestExchangeIsShownAndStopped does the same for commands that wait for a peer over
// TCP, in each phase of the exchange.
func TestExchangeIsShownAndStopped(t *testing.T) {
	read := func(t *testing.T, c net.Conn, n int) {
		t.Helper()
		if _, err := io.ReadFull(c, make([]byte, n)); err != nil {
			t.Fatal(err)
		}
	}
	session := func(t *testing.T) *session.Session {
		s := sessiontest.NewSoft(t, core.Options{RefuseWhileWaiting: true})
		sessiontest.RunScript(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
		return s
	}
	t.Run("server", func(t *testing.T) {
		s := session(t)
		testRefused(t, s, "exchange port=0 timeout=1h", time.Hour, func() { sessiontest.Listening(t, s) })
	})
	t.Run("client", func(t *testing.T) {
		s := session(t)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		testRefused(t, s, "exchange address=127.0.0.1 timeout=1h port="+port, time.Hour, func() {
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			read(t, c, oob.RecordLen) // it now waits for an answer
		})
	})
	t.Run("finish", func(t *testing.T) {
		s := session(t)
		port, ended := sessiontest.Serving(t, s, "exchange p hold=1")
		c, err := oob.Dial(t.Context(), "127.0.0.1", port)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.Send(t.Context(), oob.Record{QPN: 1}); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		testRefused(t, s, "exchange_finish p timeout=1h", time.Hour, func() {
			if _, err := c.Receive(t.Context()); err != nil { // it now waits for an answer
				t.Fatal(err)
			}
		})
	})
}
