package program

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// watched is a conversation as rdmatui wire --summary tells it.
type watched struct {
	Transport, Joined string
	Ends              []struct {
		Addr     string
		Requests map[string]requests
		Missing  uint64
		Again    map[string]uint64 `json:"sent_again"`
	}
}

// requests are the numbers of one operation of an end.
type requests struct{ Requests, Packets, Bytes, Acknowledged, Open uint64 }

// watch plays a game on the wire between the kernel's device and the software device or another machine,
// and returns the conversations that rdmatui saw on the kernel's interface meanwhile.
// Packets that it cannot decode whole, or whose ICRC is wrong, fail the test. Files that rdmatui and tcpdump write
// at the same time must show the same conversations.
func watch(t *testing.T, play func()) (talks []watched) {
	t.Helper()
	summary, seen := watching(t, "--summary", "--json")
	broken, wrong := watching(t, "--filter", "icrc or malformed")
	file := filepath.Join(t.TempDir(), "seen.pcapng")
	writer, _ := watching(t, "--write", file)
	dump := filepath.Join(t.TempDir(), "seen.pcap")
	dumper := start(t, vmtest.Program(t, "tcpdump"), "-i", "d0", "-Z", "root", "-B", "65536", "-U", "-w",
		dump, "udp port 4791")
	eventually(t, "tcpdump writes no file", func() bool { _, err := os.Stat(dump); return err == nil })
	play()
	start(t, "sh", "-c", caughtUp).done()
	stop(summary, broken, writer)
	if out := wrong(); strings.Contains(out, "->") {
		t.Errorf("packets of the stock programs and ours are taken for broken:\n%s", out)
	}
	if talks = watchedIn(seen()); len(talks) == 0 {
		t.Errorf("nothing was seen:\n%s", seen())
	}
	read := start(t, vmtest.Binary(t), "wire", "--summary", "--json", file).done()
	if !reflect.DeepEqual(inAnyOrder(watchedIn(read)), inAnyOrder(talks)) {
		t.Errorf("the file shows\n%s\nseen was\n%s", read, seen())
	}
	eventually(t, "tcpdump's file does not show the same", func() bool {
		out, err := exec.Command(vmtest.Binary(t), "wire", "--summary", "--json", dump).Output()
		return err == nil && reflect.DeepEqual(inAnyOrder(watchedIn(string(out))), inAnyOrder(talks))
	})
	stop(dumper)
	return talks
}

// inAnyOrder leaves out how many packets the requests of an end had that sent some again: each packet socket has its
// own order of packets that cross, and a repetition counts for a request only while that is not acknowledged.
func inAnyOrder(talks []watched) []watched {
	talks = slices.Clone(talks)
	for i := range talks {
		talks[i].Ends = slices.Clone(talks[i].Ends)
		for j := range talks[i].Ends {
			end := &talks[i].Ends[j]
			again := uint64(0)
			for _, n := range end.Again {
				again += n
			}
			if end.Again = nil; again == 0 {
				continue
			}
			all := maps.Clone(end.Requests)
			for op, n := range all {
				n.Packets = 0
				all[op] = n
			}
			end.Requests = all
		}
	}
	return talks
}

// caughtUp is a shell command that waits until the packet sockets hold nothing unread: a program that is stopped reads
// no more.
const caughtUp = `until awk 'NR > 1 && $7 > 0 { exit 1 }' /proc/net/packet; do sleep 0.1; done`

// stop ends programs that run until they are told to end.
func stop(programs ...*program) {
	for _, p := range programs {
		p.cmd.Process.Signal(syscall.SIGTERM)
		p.cmd.Wait()
	}
}

// watchedIn reads the conversations of a summary.
func watchedIn(summary string) (talks []watched) {
	for l := range strings.Lines(summary) {
		var c watched
		if strings.HasPrefix(l, "{") && json.Unmarshal([]byte(l), &c) == nil && c.Transport != "" {
			talks = append(talks, c)
		}
	}
	return talks
}

// watching starts rdmatui wire on the kernel's interface, and waits until it reads.
func watching(t *testing.T, args ...string) (p *program, said func() string) {
	t.Helper()
	p = prepare(t, "sh", append([]string{"-c", `exec "$0" wire -i d0 "$@" 2>&1`, vmtest.Binary(t)}, args...)...)
	said = p.startTold(t)
	eventually(t, "rdmatui wire does not read", func() bool {
		return strings.Contains(said(), "reading RoCE packets on d0")
	})
	return p, said
}

// TestWireWatchesStock watches stock programs on rxe without touching them: each request
// is told with its bytes, packets and answer.
func TestWireWatchesStock(t *testing.T) {
	vmtest.Need(t)
	soft := softSide(t, peerAddress)
	for _, c := range []struct {
		name      string
		play      func(*testing.T)
		transport string
		joined    string
		requests  string // of one end or of both
		each      string // operation, requests, bytes, and how many were acknowledged
		packets   uint64 // at least: rxe may run into a timeout on a slow machine
	}{
		{"ibv_rc_pingpong", func(t *testing.T) { game{"rc-pingpong", 4096, false, false, "1"}.play(t, soft) },
			"RC", "inferred from the PSNs of answers", "both", "SEND 100 409600 100", 400},
		{"ibv_uc_pingpong", func(t *testing.T) { game{"uc-pingpong", 1024, false, true, "1"}.play(t, soft) },
			"UC", "no answer captured", "one", "SEND 100 102400 0", 100},
		{"ibv_ud_pingpong", func(t *testing.T) { game{"ud-pingpong", 64, false, false, "1"}.play(t, soft) },
			"UD", "named in each datagram", "both", "SEND 100 6400 0", 100},
		{"rping", func(t *testing.T) { meetings[2].weConnect(t, soft) },
			"RC", "named by the connection manager", "one", "RDMA READ 30 1800000 30", 1770},
		{"rping, written back", func(t *testing.T) { meetings[2].weServe(t, soft) },
			"RC", "named by the connection manager", "one", "RDMA WRITE 30 1800000 30", 1770},
	} {
		t.Run(c.name, func(t *testing.T) {
			talks := watch(t, func() { c.play(t) })
			found := 0
			for _, talk := range talks {
				for _, end := range talk.Ends {
					for op, n := range end.Requests {
						is := fmt.Sprintf("%s %d %d %d", op, n.Requests, n.Bytes, n.Acknowledged)
						if talk.Transport == c.transport && talk.Joined == c.joined && is == c.each &&
							n.Packets >= c.packets && end.Missing == 0 {
							found++
						}
					}
				}
			}
			if want := map[string]int{"one": 1, "both": 2}[c.requests]; found < want {
				t.Errorf("%d of %d ends asked %q in conversations\n%+v", found, want, c.each, talks)
			}
		})
	}
	nothingLeft(t)
}

// TestCaptureOnKernel captures in a session what passes the network interface of rxe0
// while other programs use it, in both directions, and reads the file again.
func TestCaptureOnKernel(t *testing.T) {
	vmtest.Need(t)
	file := filepath.Join(t.TempDir(), "rxe0.pcapng")
	c := kernelSide(t).console(t)
	c.do("open_device "+device, "capture "+device+" on file="+file)
	game{"rc-pingpong", 64, false, false, "1"}.play(t, softSide(t, peerAddress))
	has(t, c.do("capture "+device+" off"), "packets captured", "meanwhile "+device+" sent ",
		" and received ", "written to "+file)
	c.leave()
	out := start(t, vmtest.Binary(t), "wire", "--summary", "--json", file).done()
	talks := watchedIn(out)
	if len(talks) != 1 || talks[0].Ends[0].Requests["SEND"].Acknowledged != 100 ||
		talks[0].Ends[1].Requests["SEND"].Acknowledged != 100 {
		t.Errorf("the capture shows\n%s", out)
	}
	nothingLeft(t)
}

// TestBothEndsFindLoss captures at both ends while the software device's interface loses
// packets that it sends: those are found, and none of the other way.
func TestBothEndsFindLoss(t *testing.T) {
	vmtest.Need(t)
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "soft0.pcapng"), filepath.Join(dir, "rxe0.pcapng")}
	p := connect(t, softSide(t, peerAddress), kernelSide(t), "", 1024)
	for i, e := range p.ends {
		e.do("capture " + []string{"soft0", device}[i] + " on file=" + files[i])
	}
	command(t, "tc -n peer qdisc add dev d1 root netem loss 10%")
	t.Cleanup(func() { command(t, "tc -n peer qdisc del dev d1 root") })
	p.bothWays([]int{1, 64, 4096}, operationsHere(t))
	stats, err := exec.Command("tc", "-n", "peer", "-s", "qdisc", "show", "dev", "d1").Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range p.ends {
		e.do("capture " + []string{"soft0", device}[i] + " off")
	}
	p.leave()
	dropped := regexp.MustCompile(`dropped (\d+)`).FindSubmatch(stats)
	out := start(t, vmtest.Binary(t), "wire", "--both-ends", "--json", files[0], files[1]).done()
	lost, _ := lostIn(t, out)
	// One dropped buffer may hold several packets of a message, and ARP's may be dropped too.
	t.Logf("tc dropped %s, lost %v", dropped[1], lost)
	if lost[peerAddress] == 0 || lost[address] != 0 || len(lost) != 2 {
		t.Errorf("tc dropped %s, lost %v:\n%s", dropped[1], lost, out)
	}
	nothingLeft(t)
}

// TestWireScreenOnKernel opens rxe0 and sees on the Wire screen what the stock program
// exchanges through it, without a key that asks for it.
func TestWireScreenOnKernel(t *testing.T) {
	vmtest.Need(t)
	tm := open(t, 120, 40, terminalEnv(), "-d", device, "--provider", "ibverbs")
	tm.Keys("6")
	tm.Until("rxe0: no RoCE packet on d0 so far")
	game{"rc-pingpong", 64, false, false, "1"}.play(t, softSide(t, peerAddress))
	tm.Until("SEND_ONLY", "rxe0", "on d0")
	tm.Keys("/")
	tm.Until("filter")
	tm.Keys("o", "p", "~", "a", "c", "k", "enter")
	tm.Until("/op~ack", "ACK")
	tm.Keys("q")
	if status := tm.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	tm.Restored()
	nothingLeft(t)
}

// TestWireInterfaceOnKernel watches an interface on the Wire screen, without a device,
// while the stock program uses rxe0.
func TestWireInterfaceOnKernel(t *testing.T) {
	vmtest.Need(t)
	tm := open(t, 120, 40, terminalEnv(), "wire", "-i", device) // whose interface is d0
	tm.Until("No RoCE packet yet", "reading")
	game{"rc-pingpong", 4096, false, false, "1"}.play(t, softSide(t, peerAddress))
	tm.Until("conversation", "RoCE packets")
	tm.Keys("/")
	tm.Type("op~send_last")
	tm.Keys("enter")
	tm.Until("SEND_LAST", "SEND of 4,096 bytes", "acknowledged after")
	leaveNothing(t, tm)
	nothingLeft(t)
}
