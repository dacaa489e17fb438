package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// meeting is a scenario over the connection manager against its stock program,
// which is on rxe0.
type meeting struct {
	scenario string
	ours     []string // arguments of our program
	server   []string // the stock program as server; nil: ours serves only
	client   []string // likewise as client, with the server's address for ADDRESS
}

// meetings are the sizes and numbers that the stock programs are started with.
var meetings = []meeting{
	{"hello", nil, []string{"rdma_server"}, []string{"rdma_client", "-s", "ADDRESS"}},
	{"rping", []string{"-n", "10", "-s", "64"}, []string{"rping", "-s", "-V", "-C", "10", "-S", "64"},
		[]string{"rping", "-c", "-a", "ADDRESS", "-V", "-C", "10", "-S", "64"}},
	{"rping", []string{"-n", "4", "-s", "60000"}, []string{"rping", "-s", "-V", "-C", "4", "-S", "60000"},
		[]string{"rping", "-c", "-a", "ADDRESS", "-V", "-C", "4", "-S", "60000"}},
	{"cmatose", nil, []string{"ucmatose"}, []string{"ucmatose", "-s", "ADDRESS"}},
	{"cmatose", []string{"--connections", "4"}, []string{"ucmatose", "-c", "4"}, []string{"ucmatose", "-c", "4", "-s", "ADDRESS"}},
	{"udaddy", nil, []string{"udaddy"}, []string{"udaddy", "-s", "ADDRESS"}},
}

func (m meeting) String() string { return m.scenario + " " + strings.Join(m.ours, " ") }

// weConnect plays our client against the stock server.
func (m meeting) weConnect(t *testing.T, us side) {
	server := start(t, vmtest.Program(t, m.server[0]), m.server[1:]...)
	eventually(t, server.name+" does not listen", func() bool { return strings.Contains(connections(t), "LISTEN") })
	client := us.start(t, slices.Concat([]string{"scenario", m.scenario}, m.ours, []string{address})...)
	bothDone(t, client, server)
}

// weServe plays our server against the stock client.
func (m meeting) weServe(t *testing.T, us side) {
	server := us.prepare(t, slices.Concat([]string{"scenario", m.scenario, "--server"}, m.ours)...)
	said := filepath.Join(t.TempDir(), "server")
	out, err := os.Create(said)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	server.cmd.Stdout = out
	if err := server.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "our server does not listen", func() bool {
		b, _ := os.ReadFile(said)
		return bytes.Contains(b, []byte("= listening at"))
	})
	var args []string
	for _, a := range m.client[1:] {
		args = append(args, strings.ReplaceAll(a, "ADDRESS", us.address))
	}
	bothDone(t, start(t, vmtest.Program(t, m.client[0]), args...), server)
}

// connections are the kernel's identifiers.
func connections(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("rdma", "resource", "show", "cm_id").CombinedOutput()
	if err != nil {
		t.Fatalf("rdma: %v: %s", err, out)
	}
	return string(out)
}

func playMeetings(t *testing.T, us side) {
	for _, m := range meetings {
		t.Run(fmt.Sprintf("%s/client", m), func(t *testing.T) { m.weConnect(t, us) })
		t.Run(fmt.Sprintf("%s/server", m), func(t *testing.T) { m.weServe(t, us) })
	}
	if left := connections(t); strings.Contains(left, "link") {
		t.Errorf("identifiers are left:\n%s", left)
	}
	nothingLeft(t)
}

// TestScenariosOfTheManagerWithStock plays both roles of each scenario, both
// programs on the kernel's device.
func TestScenariosOfTheManagerWithStock(t *testing.T) {
	vmtest.Need(t)
	playMeetings(t, kernelSide(t))
}

// TestSoftScenariosOfTheManagerWithStock does so from the software device.
func TestSoftScenariosOfTheManagerWithStock(t *testing.T) {
	vmtest.Need(t)
	playMeetings(t, softSide(t, peerAddress))
}
