package program

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rdmatui/ui/uitest"
)

// soakVariable is how long TestSoak runs, such as 1h; a few seconds if unset.
const soakVariable = "RDMATUI_SOAK"

// The addresses of the soak: the screen, a server and its clients. Each process has its own, or two runs on one machine
// would attack each other.
var soakScreen, soakServer, soakClient = soakAddress(1), soakAddress(2), soakAddress(3)

// soakStrangers maps each attacker to its victim.
var soakStrangers = map[string]string{soakAddress(66): soakScreen, soakAddress(67): soakServer}

func soakAddress(host int) string {
	pid := os.Getpid()
	return fmt.Sprintf("127.%d.%d.%d", 64+pid>>8%128, pid%256, host)
}

const soakPort = 7471

// TestSoak makes the screen stream, listen and change its pages, and a server serve one client after the other, while a
// stranger attacks both. Descriptors, goroutines and memory must stay where they were, each completion is counted once,
// each client is served, and both programs leave when asked to.
func TestSoak(t *testing.T) {
	length := 5 * time.Second
	if text := os.Getenv(soakVariable); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(soakVariable, err)
		}
	}
	server := exec.Command(binary(t), "--provider", "soft", "--soft", soakServer, "scenario", "serve", "--server")
	server.Env = terminalEnv()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill() })
	tm := open(t, 120, 40, terminalEnv(), "--provider", "soft", "--soft", soakScreen, "-d", "soft0")
	makeObjects(tm)
	listenOn(tm)
	stop := make(chan struct{})
	var strangers sync.WaitGroup
	for from, victim := range soakStrangers {
		strangers.Go(func() { attack(t, from, victim, stop) })
	}
	usage := newUsage(t, map[string]int{"screen": tm.PID(), "server": server.Process.Pid}, time.Now().Add(length/6))
	posted, clients := uint64(0), 0
	for end := time.Now().Add(length); time.Now().Before(end) || clients == 0; {
		posted = streamOnce(t, tm, posted)
		serveOnce(t)
		clients++
		usage.sample()
	}
	close(stop)
	strangers.Wait()
	usage.check()
	t.Logf("%s: %d completions, %d clients served; %s", length, posted, clients, usage)
	if n := goroutinesAtTheEnd(t, tm); n > 60 {
		t.Errorf("%d goroutines at the end", n)
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := server.Wait(); server.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Errorf("the server ended with %v", err)
	}
}

// listenOn makes the screen's session listen, as its Connections page does.
func listenOn(tm *uitest.Terminal) {
	for _, line := range []string{"rdma_create_event_channel events", "rdma_create_id listen channel=events",
		fmt.Sprintf("rdma_bind_addr listen %s:%d", soakScreen, soakPort), "rdma_listen listen backlog=16"} {
		tm.Type(":" + line + "\r\r")
	}
	tm.Keys("5")
	tm.Until("LISTEN")
}

var counted = regexp.MustCompile(`(?:✓|completions) +([\d,]+) ok(?: +(?:✗ )?([\d,]+) failed)?`)

// countsOn reads the counts below a screen.
func countsOn(t *testing.T, tm *uitest.Terminal) (ok, failed uint64) {
	t.Helper()
	found := counted.FindStringSubmatch(tm.Screen())
	if found == nil {
		return 0, 0
	}
	number := func(s string) uint64 {
		n, err := strconv.ParseUint(strings.ReplaceAll(s, ",", ""), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if found[2] == "" { // the strip omits a count of 0
		return number(found[1]), 0
	}
	return number(found[1]), number(found[2])
}

// streamOnce posts WRITEs, visits each page meanwhile, and checks that each completion is counted once. posted is how
// many were posted before; it returns the new total. The command's result goes to whichever page is in front by then.
func streamOnce(t *testing.T, tm *uitest.Terminal, posted uint64) uint64 {
	t.Helper()
	const requests = 5000
	tm.Keys("2")
	tm.Until("queue pairs")
	tm.Type(fmt.Sprintf(":post_send a RDMA_WRITE sge=src:0:64 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED count=%d outstanding=16\r\r", requests))
	for _, page := range []string{"1", "3", "4", "5", "6", "7", "8", "2"} {
		tm.Keys(page)
	}
	tm.Until("queue pairs")
	posted += requests
	counted := func() bool { done, failed := countsOn(t, tm); return done == posted && failed == 0 }
	for range 2 { // the screen may have been read with a number half drawn, and the count must stay
		eventually(t, fmt.Sprintf("not %d completions were counted", posted), counted)
		time.Sleep(100 * time.Millisecond)
	}
	return posted
}

// serveOnce runs a well-behaved client.
func serveOnce(t *testing.T) {
	t.Helper()
	client := exec.Command(binary(t), "--provider", "soft", "--soft", soakClient, "scenario", "hello", soakServer)
	client.Env = terminalEnv()
	if out, err := client.CombinedOutput(); err != nil {
		t.Fatalf("a client was not served: %v\n%s", err, out)
	}
}

// goroutinesAtTheEnd ends the screen by SIGQUIT and counts the stacks that it prints.
func goroutinesAtTheEnd(t *testing.T, tm *uitest.Terminal) int {
	tm.Signal(syscall.SIGQUIT)
	if status := tm.Wait(); status != 128+int(syscall.SIGQUIT) {
		t.Errorf("exit status %d", status)
	}
	tm.Restored()
	return strings.Count(string(tm.Written()), "\ngoroutine ") + strings.Count(string(tm.Written()), "\rgoroutine ")
}

// usage is the resource usage of processes.
type usage struct {
	t     *testing.T
	pids  map[string]int
	warm  time.Time         // until then, and for warmRounds, buffers of events and packets fill up
	first map[string][2]int // descriptors, resident memory in KiB
	last  map[string][2]int
	n     int
}

func newUsage(t *testing.T, pids map[string]int, warm time.Time) *usage {
	return &usage{t: t, pids: pids, warm: warm, first: map[string][2]int{}, last: map[string][2]int{}}
}

const warmRounds = 20

func (u *usage) sample() {
	u.t.Helper()
	u.n++
	for name, pid := range u.pids {
		fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			u.t.Fatalf("the %s has ended: %v", name, err)
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			u.t.Fatalf("the %s has ended: %v", name, err)
		}
		now := [2]int{len(fds), 0}
		if _, err := fmt.Sscanf(string(status[strings.Index(string(status), "VmRSS:"):]), "VmRSS: %d",
			&now[1]); err != nil {
			u.t.Fatal(err)
		}
		if u.n <= warmRounds || time.Now().Before(u.warm) {
			u.first[name] = now
		}
		u.last[name] = now
	}
}

// check allows no more descriptors than at first, except one that a packet may have open, and 20 MiB more memory.
func (u *usage) check() {
	for name, now := range u.last {
		if first := u.first[name]; now[0] > first[0]+1 || now[1] > first[1]+20<<10 {
			u.t.Errorf("%s: descriptors and KiB were %v, are %v", name, first, now)
		}
	}
}

func (u *usage) String() string {
	return fmt.Sprintf("descriptors and KiB %v, at last %v", u.first, u.last)
}
