package program

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// ownMeeting is a connection manager scenario without a stock counterpart: it plays
// against itself.
type ownMeeting struct {
	scenario       string
	server, client []string // arguments
	said           string   // what the server must have printed
	forever        bool     // the server does not end by itself
}

var ownMeetings = []ownMeeting{
	{"chat", nil, []string{"--message", "over the wire", "--message", "disconnect"}, "over the wire", true},
	{"serve", nil, nil, "wr_id 2 SEND SUCCESS", true},
	{"blast", nil, []string{"-n", "5"}, "status=SUCCESS byte_len=4096", false},
	{"read-write", nil, nil, "message from the active side", false},
	{"read-write", []string{"--op", "read"}, []string{"--op", "read"}, "message from the active side", false},
	{"ping", []string{"-c"}, []string{"-c", "-n", "50"}, "50 iters in ", false},
	{"ping", []string{"-e", "--cm", "poll"}, []string{"-n", "50", "--cm", "sync"}, "50 iters in ", false},
	{"ping", []string{"--cm", "sync"}, []string{"-n", "50", "-e", "--nonblock", "--cm", "poll"}, "50 iters in ", false},
}

func (m ownMeeting) String() string {
	return strings.Join(slices.Concat([]string{m.scenario}, m.server, []string{"with"}, m.client), " ")
}

// play runs the server on one side and the client on the other.
func (m ownMeeting) play(t *testing.T, at, from side) {
	port := freePort()
	server := at.serving(t, slices.Concat([]string{"scenario", m.scenario, "--server", "-p", port}, m.server)...)
	calls := m.scenario
	if calls == "serve" {
		calls = "hello" // pairs with the clients of hello
	}
	client := from.start(t, slices.Concat([]string{"scenario", calls, "-p", port}, m.client, []string{at.address})...)
	client.done()
	if m.forever {
		server.cmd.Process.Signal(os.Interrupt)
		server.cmd.Wait()
	} else {
		server.done()
	}
	if out := server.out.String(); !strings.Contains(out, m.said) {
		t.Errorf("%q is not in\n%s", m.said, out)
	}
}

// TestScenariosBetweenDevices plays them between the kernel's device and the software
// device, in both roles.
func TestScenariosBetweenDevices(t *testing.T) {
	vmtest.Need(t)
	kernel, software := kernelSide(t), softSide(t, peerAddress)
	for _, m := range ownMeetings {
		for _, kernelServes := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, server on rxe0 %v", m, kernelServes), func(t *testing.T) {
				if at, from := software, kernel; kernelServes {
					m.play(t, from, at)
				} else {
					m.play(t, at, from)
				}
			})
		}
	}
	nothingLeft(t)
}
