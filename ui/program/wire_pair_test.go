package program

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// The tests of this file watch what the rxe of one machine exchanges with the rxe of a second machine.

// startElsewhere starts a program in the second machine.
func startElsewhere(t *testing.T, name string, args ...string) *program {
	t.Helper()
	words := vmtest.Elsewhere(name, args...)
	p := start(t, words[0], words[1:]...)
	p.name = name + " in the second machine"
	return p
}

// exchange is a stock program in both machines, and what rdmatui must report of its conversation.
type exchange struct {
	server, client    []string // the client runs in the second machine
	transport, joined string
	asked             map[string][]string // by address: operation, requests, bytes, and how many were acknowledged
}

// play runs both programs. If the server ends with -p, the two connect over TCP and get a port.
func (x exchange) play(t *testing.T) {
	server, client := slices.Clone(x.server), slices.Clone(x.client)
	overTCP := server[len(server)-1] == "-p"
	if overTCP {
		port := freePort()
		server = append(server, port)
		client = append(client, "-p", port, address)
	}
	s := start(t, vmtest.Program(t, server[0]), server[1:]...)
	if overTCP {
		s.listening(server[len(server)-1])
	} else {
		eventually(t, s.name+" does not listen", func() bool { return strings.Contains(connections(t), "LISTEN") })
	}
	bothDone(t, startElsewhere(t, client[0], client[1:]...), s)
}

// inOrder returns the requests of an end in the format of exchange.asked.
func inOrder(requests map[string]requests) (each []string) {
	for op, n := range requests {
		each = append(each, fmt.Sprintf("%s %d %d %d", op, n.Requests, n.Bytes, n.Acknowledged))
	}
	slices.Sort(each)
	return each
}

// TestWireWatchesPerftest checks that rdmatui wire reports every request of stock programs with its bytes and
// acknowledgement.
func TestWireWatchesPerftest(t *testing.T) {
	vmtest.NeedPair(t)
	// A timeout of 4 s: the default of 67 ms expires on a slow machine, and after it the rxe of Linux 6.1 refuses valid
	// requests.
	perftest := func(name string, args ...string) []string {
		return slices.Concat([]string{name, "-d", device, "-x", "1", "-F", "-u", "20", "-n", "50"}, args)
	}
	pingpong := []string{"ibv_ud_pingpong", "-d", device, "-g", "1", "-n", "100", "-s", "64"}
	for _, x := range []exchange{
		{perftest("ib_write_bw", "-s", "65536", "-p"), perftest("ib_write_bw", "-s", "65536"), "RC",
			"inferred from the PSNs of answers",
			map[string][]string{peerAddress: {"RDMA WRITE 50 3276800 50"}}},
		{perftest("ib_atomic_lat", "-p"), perftest("ib_atomic_lat"), "RC", "inferred from the PSNs of answers",
			map[string][]string{peerAddress: {"ATOMIC FETCH_AND_ADD 50 0 50"}}},
		{[]string{"rping", "-s", "-V", "-C", "20", "-S", "60000"},
			[]string{"rping", "-c", "-a", address, "-V", "-C", "20", "-S", "60000"},
			"RC", "named by the connection manager", map[string][]string{
				address:     {"RDMA READ 20 1200000 20", "RDMA WRITE 20 1200000 20", "SEND 40 640 40"},
				peerAddress: {"SEND 40 640 40"}}},
		{append(slices.Clone(pingpong), "-p"), pingpong, "UD", "named in each datagram", map[string][]string{
			address: {"SEND 100 6400 0"}, peerAddress: {"SEND 100 6400 0"}}},
		{[]string{"rdma_server"}, []string{"rdma_client", "-s", address}, "RC", "named by the connection manager",
			map[string][]string{
				address: {"SEND 1 16 1"}, peerAddress: {"SEND 1 16 1"}}},
	} {
		t.Run(x.server[0], func(t *testing.T) {
			talks, found := watch(t, func() { x.play(t) }), 0
			for _, talk := range talks {
				same := talk.Transport == x.transport && talk.Joined == x.joined
				for _, end := range talk.Ends {
					same = same && slices.Equal(inOrder(end.Requests), x.asked[end.Addr])
					if end.Missing > 0 {
						t.Errorf("%d packets of %s are missing", end.Missing, end.Addr)
					}
				}
				if same {
					found++
				}
			}
			if found != 1 {
				t.Errorf("%d conversations are %s, %s, with the requests %q:\n%+v", found, x.transport, x.joined,
					x.asked, talks)
			}
		})
	}
	nothingLeft(t)
}

// The wire of TestBothMachinesFindLoss: a macvlan in the second machine, whose packets are captured before the
// interface below it drops some of them. Only UDP is dropped, so that the kernel's count is that of RoCE packets.
const (
	lossHere  = "10.9.1.1"
	lossThere = "10.9.1.2"
	layLoss   = `echo 1 >/proc/sys/net/ipv4/conf/all/arp_ignore && ip link add m0 link d0 type macvlan && ip addr add ` + lossThere + `/24 dev m0 &&
ip link set m0 up && rdma link add rxe1 type rxe netdev m0 &&
tc qdisc add dev d0 root handle 1: prio && tc qdisc add dev d0 parent 1:3 handle 3: netem loss 10% &&
tc filter add dev d0 parent 1: protocol ip u32 match ip protocol 17 0xff flowid 1:3`
	clearLoss = `tc qdisc del dev d0 root; rdma link delete rxe1; ip link del m0; rm -f /run/far.*`
)

// TestBothMachinesFindLoss captures in both machines while the second one loses packets that it sends. --both-ends must
// find as many as the kernel dropped, and none in the other direction.
func TestBothMachinesFindLoss(t *testing.T) {
	vmtest.NeedPair(t)
	command(t, "ip addr add "+lossHere+"/24 dev d0")
	t.Cleanup(func() { command(t, "ip addr del "+lossHere+"/24 dev d0") })
	startElsewhere(t, "sh", "-c", layLoss).done()
	t.Cleanup(func() { startElsewhere(t, "sh", "-c", clearLoss).done() })
	var row string
	eventually(t, "rxe0 has no GID of "+lossHere, func() bool { row = rowOf("ffff:0a09:0101"); return row != "" })

	files := []string{filepath.Join(t.TempDir(), "here.pcapng"), filepath.Join(t.TempDir(), "there.pcapng")}
	here, _ := watching(t, "--write", files[0])
	there := startElsewhere(t, "sh", "-c",
		`echo $$ >/run/far.pid; exec "$0" wire -i m0 --write /run/far.pcapng >/run/far.txt 2>&1`, vmtest.Binary(t))
	eventually(t, "rdmatui wire does not read in the second machine", func() bool {
		return strings.Contains(startElsewhere(t, "sh", "-c", "cat /run/far.txt; true").done(), "reading RoCE packets")
	})
	port := freePort()
	// UC, because the rxe of Linux 6.1 may hang when it repeats packets.
	bothWays := []string{"-b", "-c", "UC", "-F", "-n", "50", "-s", "4096", "-p", port}
	server := start(t, vmtest.Program(t, "ib_write_bw"), append(bothWays, "-d", device, "-x", row)...)
	server.listening(port)
	bothDone(t, startElsewhere(t, "ib_write_bw", append(bothWays, "-d", "rxe1", "-x", "1", lossHere)...), server)
	start(t, "sh", "-c", caughtUp).done()
	stop(here)
	startElsewhere(t, "sh", "-c", caughtUp+"; kill $(cat /run/far.pid)").done()
	there.cmd.Wait()
	text := startElsewhere(t, "base64", "-w", "0", "/run/far.pcapng").done()
	packets, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err == nil {
		err = os.WriteFile(files[1], packets, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}

	out := start(t, vmtest.Binary(t), append([]string{"wire", "--both-ends", "--json"}, files...)...).done()
	lost, outside := lostIn(t, out)
	queues := startElsewhere(t, "tc", "-s", "qdisc", "show", "dev", "d0").done()
	dropped := regexp.MustCompile(`(?s)netem.*dropped (\d+)`).FindStringSubmatch(queues)
	if dropped == nil || lost[lossThere] == 0 || strconv.Itoa(lost[lossThere]+outside[lossThere]) != dropped[1] ||
		lost[lossHere] != 0 || len(lost) != 2 {
		t.Errorf("netem dropped %q, lost %v, outside %v:\n%s\n%s", dropped, lost, outside, queues, out)
	}
	nothingLeft(t)
}

// lostIn counts by source address the packets that --both-ends reports as lost, and those that were sent
// before or after the receiver's capture.
func lostIn(t *testing.T, out string) (lost, outside map[string]int) {
	t.Helper()
	lost, outside = map[string]int{}, map[string]int{}
	for l := range strings.Lines(out) {
		var way struct {
			Src     string
			Lost    []any
			Outside int
		}
		if err := json.Unmarshal([]byte(l), &way); err != nil {
			t.Fatal(err)
		}
		if way.Src != "" {
			lost[way.Src], outside[way.Src] = len(way.Lost), way.Outside
		}
	}
	return lost, outside
}
