package program

import (
	"flag"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	leavers     = flag.Int("leavers", 300, "how many requests TestRequestsOfWhoLeaves sends that are withdrawn at once")
	leaversRate = flag.Int("leavers-rate", 1200, "packets of them in a second, two each")
)

// stayingServers lists the scenarios whose server goes on with the next client, and what that client does.
var stayingServers = []struct{ server, client string }{
	{"serve --server", "hello"},
	{"chat --server", "chat --message hello --message disconnect"},
	{"rping --server --persistent", "rping -n 3"},
	{"ping --server --persistent", "ping -n 3"},
}

// TestRequestsOfWhoLeaves checks that each server that stays serves the next client after many requests whose sender
// has left before they could be answered: the event and the identifier of each may go at any line of the server's
// script.
func TestRequestsOfWhoLeaves(t *testing.T) {
	for n, tt := range stayingServers {
		words := strings.Fields(tt.server)
		t.Run(words[0], func(t *testing.T) {
			t.Parallel()
			at := func(host int) string { return soakAddress(100 + 10*n + host) }
			port := soakPort + n
			on := func(host int, args ...string) *program {
				return lasting(t, binary(t), append([]string{"--provider", "soft", "--soft", at(host), "scenario",
					"-p", strconv.Itoa(port)}, args...)...)
			}
			server := on(1, words...)
			said := server.startTold(t)
			eventually(t, "the server does not listen", func() bool { return strings.Contains(said(), "rdma_listen") })
			withdraw(t, at(2), at(1), port)
			client := on(3, append(strings.Fields(tt.client), at(1))...)
			if err := client.cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if err := client.cmd.Wait(); err != nil {
				t.Errorf("the client was not served: %v\n%s\nthe server:\n%s", err, lastLines(client.out.String()),
					lastLines(said()))
			}
		})
	}
}

// withdraw sends the server its pairs of a request and its withdrawal.
func withdraw(t *testing.T, from, victim string, port int) {
	t.Helper()
	s, err := newStranger(t, netip.MustParseAddr(from), netip.MustParseAddr(victim))
	if err != nil {
		t.Fatal(err)
	}
	s.port = uint64(port)
	random := rand.New(rand.NewPCG(uint64(port), 0))
	pace := time.NewTicker(2 * time.Second / time.Duration(*leaversRate))
	defer pace.Stop()
	for range *leavers {
		s.requestAndLeave(random)
		<-pace.C
	}
}
