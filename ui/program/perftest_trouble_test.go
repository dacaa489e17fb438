package program

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/perftest"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// serveStock starts a test's server on rxe0 and the stock client there, each with flags of its own, and returns them
// when both are connected.
func serveStock(t *testing.T, name, serverFlags, clientFlags string) (server, client *program) {
	t.Helper()
	test, err := perftest.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	port := freePort()
	us := kernelSide(t)
	server = us.prepare(t, append([]string{"-d", device, "bench", name, "-p", port}, strings.Fields(serverFlags)...)...)
	said := server.startTold(t)
	server.listening(port)
	client = start(t, vmtest.Program(t, test.Stock()), slices.Concat([]string{"-F", "-d", device, "-x",
		rowOf("0000:ffff:0a09:0001"), "-p", port}, strings.Fields(clientFlags), []string{address})...)
	eventually(t, "the test does not begin", func() bool { return strings.Contains(said(), "#bytes") })
	return server, client
}

// TestPerftestClientHangs stops the stock client with SIGSTOP while rdmatui serves: its connection stays open. SIGINT
// must end the server at once, with nothing left.
func TestPerftestClientHangs(t *testing.T) {
	vmtest.Need(t)
	for _, name := range []string{"write-bw", "read-lat", "send-bw", "send-lat", "write-lat"} {
		t.Run(name, func(t *testing.T) {
			server, client := serveStock(t, name, "-D 100", "-D 100")
			if err := client.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			if err := server.cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			_ = server.cmd.Wait()
			if got := server.cmd.ProcessState.ExitCode(); got != 130 {
				t.Errorf("exit status %d: %s", got, server.out.String())
			}
			_ = client.cmd.Process.Kill()
			_ = client.cmd.Wait()
			nothingLeft(t)
		})
	}
}

// TestPerftestLengths serves a stock client that sends a number of messages, with -D at the server.
func TestPerftestLengths(t *testing.T) {
	vmtest.Need(t)
	for _, name := range []string{"send-bw", "send-lat"} {
		t.Run(name, func(t *testing.T) {
			server, client := serveStock(t, name, "-D 100", "-n 100")
			_ = server.cmd.Wait()
			const want = "the peer ended its test after 100 messages"
			if said := server.out.String(); server.cmd.ProcessState.ExitCode() != 1 || !strings.Contains(said, want) {
				t.Errorf("exit status %d, want %q: %s", server.cmd.ProcessState.ExitCode(), want, said)
			}
			_ = client.cmd.Process.Kill()
			_ = client.cmd.Wait()
			nothingLeft(t)
		})
	}
}
