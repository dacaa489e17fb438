package program

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

const iwarp = "siw0"

// iwarpMeetings are scenarios over iWARP's connection manager against their stock programs. siw listens on one address,
// not on any.
var iwarpMeetings = []struct {
	scenario    string
	ours        []string
	server      []string // the stock program as server
	client      []string // the stock program as client
	serverFirst bool     // the server sends the first message
}{
	{"hello", nil, []string{"rdma_server", "-s", address}, []string{"rdma_client", "-s", address}, false},
	{"rping", []string{"-n", "20", "-s", "64"}, []string{"rping", "-s", "-a", address, "-V", "-C", "20", "-S", "64"},
		[]string{"rping", "-c", "-a", address, "-V", "-C", "20", "-S", "64"}, false},
	{"cmatose", nil, []string{"ucmatose", "-b", address}, []string{"ucmatose", "-s", address}, true},
}

// firstMessageLost matches the error of a client when the server's first message arrives together with its reply: siw
// takes that for a fault of the server, whichever programs are used.
var firstMessageLost = regexp.MustCompile(`CONNECT_ERROR, error: -22|CONNECT_ERROR of conn1, EINVAL.* the server sent a message before`)

// onlyIWARP removes rxe0, unless another test has done so: both devices are on one interface, and the kernel would take
// the first.
func onlyIWARP(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/sys/class/infiniband/" + device); err == nil {
		command(t, "rdma link delete "+device)
	}
}

// TestOverIWARP connects through an RNIC's connection manager: with the stock programs in both roles, and with rdmatui
// at both ends.
func TestOverIWARP(t *testing.T) {
	vmtest.NeedSIW(t)
	onlyIWARP(t)
	us := kernelSide(t)
	stock := func(args []string) func(*testing.T) *program {
		return func(t *testing.T) *program { return start(t, vmtest.Program(t, args[0]), args[1:]...) }
	}
	for _, m := range iwarpMeetings {
		ours := append([]string{"scenario", m.scenario}, m.ours...)
		serve := func(t *testing.T) *program {
			return us.start(t, slices.Concat(ours, []string{"--server", "--bind", address})...)
		}
		connect := func(t *testing.T) *program { return us.start(t, append(ours, address)...) }
		name := strings.Join(ours[1:], " ")
		t.Run(name, func(t *testing.T) { overIWARP(t, serve, connect, m.serverFirst) })
		t.Run(name+"/stock server", func(t *testing.T) { overIWARP(t, stock(m.server), connect, m.serverFirst) })
		t.Run(name+"/stock client", func(t *testing.T) { overIWARP(t, serve, stock(m.client), m.serverFirst) })
	}
	for _, m := range ownMeetings {
		m.server = append([]string{"--bind", address}, m.server...)
		t.Run(m.String(), func(t *testing.T) { m.play(t, us, us) })
	}
	t.Run("serve/stock clients", func(t *testing.T) {
		port := freePort()
		server := us.serving(t, "scenario", "serve", "--server", "--bind", address, "-p", port)
		for range 3 {
			start(t, vmtest.Program(t, "rdma_client"), "-s", address, "-p", port).done()
		}
		if err := server.cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = server.cmd.Wait()
	})
	iwarpElsewhere(t, us)
}

// overIWARP checks that both ends of a connection succeed. If the server sends first, some attempts are lost.
func overIWARP(t *testing.T, serve, connect func(*testing.T) *program, serverFirst bool) {
	for tries := 1; ; tries++ {
		server := serve(t)
		eventually(t, server.name+" does not listen", func() bool {
			out, _ := exec.Command("rdma", "resource", "show", "cm_id").Output()
			return strings.Contains(string(out), "LISTEN")
		})
		client := connect(t)
		err := client.cmd.Wait()
		if err == nil {
			server.done()
			return
		}
		_ = server.cmd.Process.Kill()
		_ = server.cmd.Wait()
		if out := client.out.String(); tries == 20 || !serverFirst || !firstMessageLost.MatchString(out) {
			t.Fatalf("try %d: %s: %v\n%s\nserver:\n%s", tries, client.name, err, lastLines(out),
				lastLines(server.out.String()))
		}
		t.Logf("try %d: the server's first message came with its reply", tries)
	}
}

// iwarpElsewhere checks that iWARP is named, and that operations it lacks are refused.
func iwarpElsewhere(t *testing.T, us side) {
	t.Run("devices", func(t *testing.T) {
		if out := us.start(t, "devices").done(); !regexp.MustCompile(iwarp + ` .* iWARP `).MatchString(out) {
			t.Errorf("devices says:\n%s", out)
		}
	})
	t.Run("devices on the screen", func(t *testing.T) {
		tm := open(t, 80, 24, terminalEnv())
		tm.Until("GID ")
		tm.Keys("1")
		tm.Until(iwarp, "iWARP", "RoCE")
		tm.Keys("q")
		if status := tm.Wait(); status != 0 {
			t.Errorf("exit status %d", status)
		}
	})
	for _, refused := range [][]string{{"scenario", "rc-pingpong", "-d", iwarp, "--server"},
		{"lab", "bad-lkey", "-d", iwarp}} {
		t.Run(strings.Join(refused, " "), func(t *testing.T) {
			p := us.start(t, refused...)
			err := p.cmd.Wait()
			if out := p.out.String(); err == nil || !strings.Contains(out, "connection manager") ||
				strings.Count(strings.TrimSpace(out), "\n") > 1 {
				t.Errorf("%v; it says:\n%s", err, out)
			}
		})
	}
}
