package program

import (
	"os/exec"
	"slices"
	"testing"

	"rdmatui/ui/uitest"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestMeasureJourney runs tests of perftest by keys alone: with both ends here until it is
// stopped; as the server of another process; as the client of nobody; and leaves while a
// test runs.
func TestMeasureJourney(t *testing.T) {
	tm := open(t, 80, 24, []string{"PATH=/bin", "TERM=xterm", "NO_COLOR=1", "LANG=C"}, "--provider", "soft")
	tm.Until("soft0", "GID ")
	measureUntilStopped(tm)
	port := freePort() // a test of another package may have the one that is offered
	waitForSendBW(tm, port)
	// Only the client waits for acknowledgements here, and it does so longer than a busy machine lets a process wait.
	client := exec.Command(binary(t), "--provider", "soft", "bench", "send-bw", "-n", "1000", "-u", "20",
		"-p", port, "127.0.0.1")
	out, err := client.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	tm.Until("ended", "BW average")

	measureAsClient(tm, "127.0.0.1")
	tm.Until("failed", "no server on TCP port", "start the server first")

	serveWriteBW(tm)
	watched := exec.Command(binary(t), "--provider", "soft", "bench", "write-bw", "-D", "4", "-u", "20",
		"-p", port, "127.0.0.1")
	if err := watched.Start(); err != nil {
		t.Fatal(err)
	}
	tm.Until("MiB/s now", "Counted from the packets")
	if err := watched.Wait(); err != nil {
		t.Error(err)
	}
	tm.Until("ended", "BW average")

	tm.Keys("home", "down", "space") // server, both
	tm.Until("test     write-bw", "ends     both")
	tm.Keys("enter")
	tm.Until("MiB/s now")
	leaveNothing(t, tm)
}

// TestMeasureWithStock does the same on the kernel's device, with perftest's programs at the other end. As above, they
// wait for acknowledgements longer than is usual.
func TestMeasureWithStock(t *testing.T) {
	vmtest.Need(t)
	tm := open(t, 80, 24, terminalEnv(), "--provider", "ibverbs")
	tm.Until("rxe0", "GID ")
	measureUntilStopped(tm)
	flags := []string{"-F", "-d", device, "-x", rowOf("0000:ffff:0a09:0001"), "-n", "1000", "-u", "20"}
	waitForSendBW(tm, stockPort)
	client := start(t, vmtest.Program(t, "ib_send_bw"), append(flags, address)...)
	tm.Until("2 send-bw", "ended", "BW average")
	client.done()

	server := start(t, vmtest.Program(t, "ib_send_bw"), flags...)
	server.listening(stockPort)
	measureAsClient(tm, address)
	tm.Until("3 send-bw", "ended", "BW average")
	server.done()

	serveWriteBW(tm)
	watched := start(t, vmtest.Program(t, "ib_write_bw"), "-F", "-d", device, "-x", rowOf("0000:ffff:0a09:0001"),
		"-D", "8", "-u", "20", address)
	tm.Until("MiB/s now", "Counted from the packets")
	tm.Until("4 write-bw", "ended", "BW average")
	watched.done()
	leaveNothing(t, tm)
	nothingLeft(t)
}

// measureUntilStopped runs both ends of write-bw, looks at another screen and back, and stops the test.
func measureUntilStopped(tm *uitest.Terminal) {
	tm.Keys("9")
	tm.Until("No runs yet", "rdmatui bench write-bw -d ")
	tm.Keys("down", "down", "down", "down", "e", "backspace", "backspace") // ends, device, size, duration
	tm.Type("600")
	tm.Keys("enter")
	tm.Until("duration 600")
	tm.Keys("enter")
	tm.Until("MiB/s now", "running ")
	tm.Keys("up", "-") // half the size, while it runs
	tm.Until("size     32768", "At first:", "size 32768", "MiB/s now")
	tm.Keys("8") // it goes on behind another screen
	tm.Until("No entries yet")
	tm.Keys("9")
	tm.Until("MiB/s now", "esc stop the test")
	tm.Keys("esc")
	tm.Until("stopped after", "MiB/s mean")
}

// waitForSendBW makes the form, which is at write-bw, a server of 1,000 messages of send-bw at a port, and starts
// it.
func waitForSendBW(tm *uitest.Terminal, port string) {
	tm.Keys("home", "h", "h") // write-lat, send-bw
	tm.Until("test     send-bw")
	tm.Keys("down", "space", "space")
	tm.Until("ends     server", "port")
	tm.Keys("down", "down", "e") // device, port
	tm.Keys(slices.Repeat([]string{"backspace"}, len(stockPort))...)
	tm.Type(port)
	tm.Keys("enter", "down", "down", "delete") // size, duration
	tm.Until("iters    1000")
	tm.Keys("enter")
	tm.Until("waiting for a client", "At the peer:")
}

// serveWriteBW makes the form, which is at a client of send-bw, a server of write-bw, and starts it.
func serveWriteBW(tm *uitest.Terminal) {
	tm.Keys("home", "l", "l", "down", "space") // write-lat, write-bw; client, server
	tm.Until("test     write-bw", "ends     server")
	tm.Keys("enter")
	tm.Until("waiting for a client")
}

// measureAsClient makes the form of a server a client of the address, and starts it.
func measureAsClient(tm *uitest.Terminal, address string) {
	tm.Keys("home", "down", "space", "space") // both, client
	tm.Until("ends     client", "address")
	tm.Keys("down", "e")
	tm.Type(address)
	tm.Keys("enter", "enter")
}
