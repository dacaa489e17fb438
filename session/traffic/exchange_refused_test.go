package traffic_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/oob"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestRefusedClients: the first clients that send nonsense are named, and the rest are counted in one note.
func TestRefusedClients(t *testing.T) {
	for _, n := range []int{2, 8, 9} {
		server, client := sessiontest.NewSoft(t, core.Options{}), sessiontest.NewSoft(t, core.Options{})
		for _, s := range []*session.Session{server, client} {
			sessiontest.RunScript(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
		}
		port, ended := sessiontest.FreePort(t), make(chan error, 1)
		go func() {
			_, err := server.Exec(t.Context(), fmt.Sprintf("exchange p qp=a port=%d listen=127.0.0.1", port))
			ended <- err
		}()
		sessiontest.Listening(t, server)
		for range n {
			c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(c, strings.Repeat("\xff", oob.RecordLen))
			io.Copy(io.Discard, c) // until the server hangs up
			c.Close()
		}
		sessiontest.Execute(t, client, fmt.Sprintf("exchange p qp=a address=127.0.0.1 port=%d", port))
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		named, counted := 0, 0
		for _, e := range server.Timeline().Snapshot() {
			if e.Kind != timeline.KindNote {
				continue
			}
			if strings.HasPrefix(e.Note.Text, "disconnected 127.0.0.1:") {
				named++
			}
			if strings.Contains(e.Note.Text, " clients were disconnected in all") {
				counted++
				if want := fmt.Sprint(n); !strings.HasPrefix(e.Note.Text, want) {
					t.Errorf("%q, want %s", e.Note.Text, want)
				}
			}
		}
		if named != min(n, 8) || counted != max(n-8, 0) {
			t.Errorf("%d clients: %d named, %d notes that count them", n, named, counted)
		}
	}
}

// TestExchangeRefused: an end that has no address to tell does not exchange anything, as the server and as the client,
// and enters no peer.
func TestExchangeRefused(t *testing.T) {
	ethernet := verbs.PortAttr{State: verbs.PortActive, ActiveMTU: verbs.MTU1024, LinkLayer: verbs.LinkEthernet}
	for _, tt := range []struct {
		name, args string
		change     func(f *sessiontest.Fake)
		want       string
	}{
		{"a row that is not in use", " sgid_index=7", func(*sessiontest.Fake) {},
			"row 7 of the GID table of port 1 is not in use"},
		{"no GID", "", func(f *sessiontest.Fake) { f.Gids = nil }, "GID"},
	} {
		for _, end := range []string{"", " address=127.0.0.1"} {
			s, f := sessiontest.Card(t, ethernet)
			tt.change(f)
			sessiontest.RunScript(t, s, "open_device\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
			done, err := s.Exec(t.Context(), fmt.Sprintf("exchange p qp=a timeout=1s port=%d%s%s",
				sessiontest.FreePort(t), end,
				tt.args))
			if err == nil || !strings.Contains(done.Err, tt.want) || strings.Contains(done.Err, "peer") {
				t.Errorf("%s%s: %q", tt.name, end, done.Err)
			}
			if snap := s.Snapshot(); len(snap.Peers) != 0 || len(done.Created) != 0 || snap.QPs[0].PeerName != "" {
				t.Errorf("%s%s: %+v, %q", tt.name, end, snap.Peers, done.Created)
			}
		}
	}
}

// TestExchangeNamesThePort: an exchange that reaches nobody names the port that carries nothing or, if the port is up,
// the next step.
func TestExchangeNamesThePort(t *testing.T) {
	const down = "port 1 of fake0 is DOWN, so no packet passes"
	for _, tt := range []struct {
		args string
		up   bool
		want string
	}{
		{"listen=127.0.0.1 timeout=20ms", false, down},
		{"listen=127.0.0.1 timeout=20ms", true, "start the client at the peer"},
		{"address=255.255.255.255", true, "this host has no route to that address"},
		{"address=255.255.255.255", false, down}, // refused by the host's routes
	} {
		s, f := sessiontest.Card(t, verbs.PortAttr{State: verbs.PortActive, ActiveMTU: verbs.MTU1024,
			LinkLayer: verbs.LinkEthernet})
		sessiontest.RunScript(t, s, "open_device\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
		if !tt.up {
			f.Ports[0].State = 1 // without an event
		}
		done, err := s.Exec(t.Context(), fmt.Sprintf("exchange p qp=a port=%d %s", sessiontest.FreePort(t), tt.args))
		if err == nil || !strings.HasPrefix(done.Hint, tt.want) {
			t.Errorf("%s: %v; %q, want %q", tt.args, err, done.Hint, tt.want)
		}
	}
}
