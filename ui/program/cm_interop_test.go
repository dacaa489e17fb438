package program

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// meeting is a connection manager scenario against its stock program, which is on
// rxe0.
type meeting struct {
	scenario string
	ours     []string // arguments of our program
	server   []string // the stock program as server; nil: rdmatui only serves
	client   []string // the stock program as client, with ADDRESS for the server's address
}

// meetings have the sizes and counts that the stock programs are started with; 23 is
// the smallest size rping takes.
var meetings = []meeting{
	{"hello", nil, []string{"rdma_server"}, []string{"rdma_client", "-s", "ADDRESS"}},
	{"rping", []string{"-n", "30", "-s", "23"}, []string{"rping", "-s", "-V", "-C", "30", "-S", "23"},
		[]string{"rping", "-c", "-a", "ADDRESS", "-V", "-C", "30", "-S", "23"}},
	{"rping", []string{"-n", "30", "-s", "60000"}, []string{"rping", "-s", "-V", "-C", "30", "-S", "60000"},
		[]string{"rping", "-c", "-a", "ADDRESS", "-V", "-C", "30", "-S", "60000"}},
	{"cmatose", nil, []string{"ucmatose"}, []string{"ucmatose", "-s", "ADDRESS"}},
	{"cmatose", []string{"--connections", "4"}, []string{"ucmatose", "-c", "4"},
		[]string{"ucmatose", "-c", "4", "-s", "ADDRESS"}},
	{"cmatose", []string{"--ps", "IB"}, []string{"ucmatose", "-P", "ib"},
		[]string{"ucmatose", "-P", "ib", "-s", "ADDRESS"}},
	{"udaddy", nil, []string{"udaddy"}, []string{"udaddy", "-s", "ADDRESS"}},
}

func (m meeting) String() string { return m.scenario + " " + strings.Join(m.ours, " ") }

// weConnect plays rdmatui as the client of the stock server.
func (m meeting) weConnect(t *testing.T, us side) {
	server := start(t, vmtest.Program(t, m.server[0]), m.server[1:]...)
	eventually(t, server.name+" does not listen", func() bool { return strings.Contains(connections(t), "LISTEN") })
	client := us.start(t, slices.Concat([]string{"scenario", m.scenario}, m.ours, []string{address})...)
	bothDone(t, client, server)
}

// weServe plays rdmatui as the server of the stock client.
func (m meeting) weServe(t *testing.T, us side) {
	server := us.serving(t, slices.Concat([]string{"scenario", m.scenario, "--server"}, m.ours)...)
	var args []string
	for _, a := range m.client[1:] {
		args = append(args, strings.ReplaceAll(a, "ADDRESS", us.address))
	}
	bothDone(t, start(t, vmtest.Program(t, m.client[0]), args...), server)
}

// connections lists the kernel's identifiers on rxe0.
func connections(t testing.TB) string {
	t.Helper()
	return connectionsOn(t, device)
}

func connectionsOn(t testing.TB, device string) string {
	t.Helper()
	out, err := exec.Command("rdma", "resource", "show", "cm_id").CombinedOutput()
	if err != nil {
		t.Fatalf("rdma: %v: %s", err, out)
	}
	var ours strings.Builder
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "link "+device+"/") {
			ours.WriteString(line)
		}
	}
	return ours.String()
}

// noConnections fails if any is left.
func noConnections(t testing.TB) {
	t.Helper()
	if left := connections(t); left != "" {
		t.Errorf("identifiers are left:\n%s", left)
	}
}

func playMeetings(t *testing.T, us side) {
	for _, m := range meetings {
		t.Run(fmt.Sprintf("%s/client", m), func(t *testing.T) { m.weConnect(t, us) })
		t.Run(fmt.Sprintf("%s/server", m), func(t *testing.T) { m.weServe(t, us) })
	}
	noConnections(t)
	nothingLeft(t)
}

// TestManagerScenarios plays both roles of each scenario, with the stock program on rxe0.
func TestManagerScenarios(t *testing.T) {
	vmtest.Need(t)
	playMeetings(t, kernelSide(t))
	t.Run("groups", groups)
	noConnections(t)
}

// TestSoftManagerScenarios has rdmatui on the software device.
func TestSoftManagerScenarios(t *testing.T) {
	vmtest.Need(t)
	playMeetings(t, softSide(t, peerAddress))
}

// TestManager plays the troubles of the connection manager, and a thousand connections. It takes more than a minute to
// find out that a DREQ is never answered; the rest runs meanwhile.
func TestManager(t *testing.T) {
	vmtest.Need(t)
	lost := loseForEver(t)
	t.Run("troubles", troubles)
	t.Run("a DREQ is lost", lostOnce)
	t.Run("a thousand on rxe0", thousandOnRXE)
	t.Run("a thousand with the software device", thousandWithSoft)
	t.Run("no DREQ arrives", lost.overForEver)
	noConnections(t)
}
