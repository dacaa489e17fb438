package program

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/bench"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// serveStock starts a test's server on rxe0 and the stock client there, each with flags of its own, and returns them
// when both are connected.
func serveStock(t *testing.T, name, serverFlags, clientFlags string) (server, client *program) {
	t.Helper()
	test, err := bench.Named(name)
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

// TestServerAmongStrangers: strangers at the port of a server keep its client away neither by silence nor by garbage.
func TestServerAmongStrangers(t *testing.T) {
	us := side{[]string{binary(t), "--provider", "soft"}, "soft0", "127.0.0.1"}
	amongStrangers(t, us, func(args ...string) *program {
		return us.start(t, append([]string{"bench", "write-bw"}, args...)...)
	})
}

// TestServerAmongStrangersWithStock is the same with the stock client.
func TestServerAmongStrangersWithStock(t *testing.T) {
	vmtest.Need(t)
	amongStrangers(t, kernelSide(t), func(args ...string) *program {
		return start(t, vmtest.Program(t, "ib_write_bw"), append([]string{"-F", "-d", device, "-x",
			rowOf("0000:ffff:0a09:0001")}, args...)...)
	})
}

// amongStrangers runs a server, twelve strangers of which some stay, and a client.
func amongStrangers(t *testing.T, us side, client func(args ...string) *program) {
	port := freePort()
	server := us.start(t, "-d", us.device, "bench", "write-bw", "-n", "100", "-p", port)
	server.listening(port)
	for i := range 12 {
		var conn net.Conn
		eventually(t, fmt.Sprintf("stranger %d is refused", i), func() (ok bool) {
			var err error
			conn, err = net.Dial("tcp", net.JoinHostPort(us.address, port))
			return err == nil
		})
		defer conn.Close()
		if i%3 > 0 {
			_, _ = fmt.Fprintf(conn, "GET / HTTP/1.%d\r\n\r\n", i)
		}
		if i%3 > 1 {
			conn.Close()
		}
	}
	bothDone(t, server, client("-n", "100", "-p", port, us.address))
	has(t, server.out.String(), "instead of a version: it is not a program of perftest", "still waiting", "#bytes")
}
