package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

const iwarp = "siw0"

// iwarpMeetings are scenarios over the connection manager of iWARP. siw listens on an address rather than on any.
var iwarpMeetings = []struct {
	scenario string
	ours     []string
	server   []string // the stock program as server; nil: there is none, or it is not tried
	client   []string // likewise as client
}{
	{"hello", nil, nil, nil},
	{"rping", []string{"-n", "20", "-s", "64"}, []string{"rping", "-s", "-a", address, "-V", "-C", "20", "-S", "64"},
		[]string{"rping", "-c", "-a", address, "-V", "-C", "20", "-S", "64"}},
	{"cmatose", nil, nil, []string{"ucmatose", "-s", address}},
}

// TestOverIWARP connects by the connection manager of an RNIC: with ourselves, and with the stock programs in both roles.
func TestOverIWARP(t *testing.T) {
	vmtest.NeedSIW(t)
	// Both devices are on one interface, and the kernel would take the first.
	if out, err := exec.Command("rdma", "link", "delete", device).CombinedOutput(); err != nil {
		t.Fatalf("rdma link delete: %v: %s", err, out)
	}
	us := kernelSide(t)
	listens := func(p *program) *program {
		eventually(t, p.name+" does not listen", func() bool {
			out, _ := exec.Command("rdma", "resource", "show", "cm_id").Output()
			return strings.Contains(string(out), "LISTEN")
		})
		return p
	}
	for _, m := range iwarpMeetings {
		ours := append([]string{"scenario", m.scenario}, m.ours...)
		serve := slices.Concat(ours, []string{"--server", "--bind", address})
		connect := slices.Concat(ours, []string{address})
		name := strings.Join(ours[1:], " ")
		t.Run(name, func(t *testing.T) {
			server := listens(us.start(t, serve...))
			bothDone(t, us.start(t, connect...), server)
		})
		if m.server != nil {
			t.Run(name+"/stock server", func(t *testing.T) {
				server := listens(start(t, vmtest.Program(t, m.server[0]), m.server[1:]...))
				bothDone(t, us.start(t, connect...), server)
			})
		}
		if m.client != nil {
			t.Run(name+"/stock client", func(t *testing.T) {
				server := listens(us.start(t, serve...))
				bothDone(t, start(t, vmtest.Program(t, m.client[0]), m.client[1:]...), server)
			})
		}
	}
	t.Run("devices", func(t *testing.T) {
		if out := us.start(t, "devices").done(); !strings.Contains(out, iwarp) {
			t.Errorf("devices says:\n%s", out)
		}
	})
	for _, refused := range [][]string{{"scenario", "rc-pingpong", "-d", iwarp, "--server"}, {"lab", "bad-lkey", "-d", iwarp}} {
		t.Run(strings.Join(refused, " "), func(t *testing.T) {
			p := us.start(t, refused...)
			err := p.cmd.Wait()
			if out := p.out.String(); err == nil || !strings.Contains(out, "connection manager") || strings.Count(strings.TrimSpace(out), "\n") > 1 {
				t.Errorf("%v; it says:\n%s", err, out)
			}
		})
	}
}
