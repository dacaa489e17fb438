package program

import (
	"net"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/ui/uitest"
	vmtest "rdmatui/verbs/verbstest/vm"
	"rdmatui/verbs/wire"
)

// The tests of this file play journeys on the real program and count the keys: a journey may not become longer.

// player is a terminal that counts the keys pressed and the pastes.
type player struct {
	*uitest.Terminal
	keys, pastes int
}

func (p *player) press(names ...string) {
	p.keys += len(names)
	p.Keys(names...)
}

func (p *player) paste(text string) {
	p.pastes++
	p.Paste(text)
}

// atMost checks how many keys and pastes all ends took together.
func atMost(t *testing.T, keys, pastes int, ends ...*player) {
	t.Helper()
	k, p := 0, 0
	for _, c := range ends {
		k, p = k+c.keys, p+c.pastes
	}
	t.Logf("%d keys, %d pastes", k, p)
	if k > keys || p > pastes {
		t.Errorf("%d keys and %d pastes, want at most %d and %d", k, p, keys, pastes)
	}
}

// TestFirstWriteKeys: the bytes of the first WRITE are seen in the memory of both ends after at most eight keys from
// the start of the program.
func TestFirstWriteKeys(t *testing.T) {
	for _, size := range sizes {
		tm := &player{Terminal: open(t, size.w, size.h, terminalEnv(), "--provider", "soft")}
		tm.Until("guided tours")
		tm.press("2")
		tm.Until("no queue pair yet", "open_device soft0")
		tm.press("b")
		tm.Until("2 QP 2 MR 1 CQ")
		tm.press("c")
		tm.Until("that can change in RTS")
		tm.press("3")
		tm.Until("will it work?")
		tm.press("t", "t", "enter")
		tm.Until("wr_id 1 RDMA_WRITE SUCCESS")
		tm.UntilTimes(2, "0000 "+writtenDump)
		atMost(t, 8, 0, tm)
		leave(t, tm.Terminal, "6 objects exist")
	}
}

// A door is how one instance waits for another one.
type door struct {
	keys []string       // at the one that waits
	told *regexp.Regexp // in its subexpression what the other one takes
	qp   string         // of both ends
	key  string         // of the region that the other end tells
}

var (
	byExchange = door{[]string{"W"}, regexp.MustCompile(`TCP port 18515 of (?:fe80\S+ )?([0-9.]+[0-9])`), "a",
		"peer.dst.rkey"}
	byManager = door{[]string{"5", "W"}, regexp.MustCompile(`(rdma_cm [0-9.]+ 7471)`), "qp1", "peer.mr.rkey"}
)

// play lets two instances meet: the keys make one wait, two keys and the pasted address connect another one to it.
// Each end knows the other's region then, and one more key posts a WRITE, whose bytes are seen at the first instance.
func (m *door) play(t *testing.T, w, h int, first, provider string) {
	server := &player{Terminal: open(t, w, h, terminalEnv(), "--provider", provider)}
	server.Until(first, "W wait for peer  J join peer")
	for i, key := range m.keys {
		if i > 0 {
			server.Until("no identifier yet", "W wait for peer")
		}
		server.press(key)
	}
	var at []string
	eventually(t, "no address is told", func() bool {
		words := strings.Fields(strings.ReplaceAll(server.Screen(), "│", " "))
		at = m.told.FindStringSubmatch(strings.Join(words, " "))
		return at != nil
	})
	client := &player{Terminal: open(t, w, h, terminalEnv(), "--provider", provider)}
	client.Until(first, "J join peer")
	client.press("J")
	client.Until("address of the rdmatui that waits")
	client.paste(at[1])
	client.press("enter")
	client.Until(m.key, m.qp+" RTS ⇄ peer")
	server.Until(m.qp + " RTS ⇄ peer")
	atMost(t, len(m.keys), 0, server)
	atMost(t, 2, 1, client)
	client.press("enter")
	client.Until("wr_id 1 RDMA_WRITE SUCCESS")
	server.Until("0000 " + writtenDump)
	server.press("enter")
	server.Until("wr_id 1 RDMA_WRITE SUCCESS")
	leave(t, client.Terminal, "objects exist")
	leave(t, server.Terminal, "objects exist")
}

// TestMeetKeys: one key makes an instance wait for an exchange of addresses.
func TestMeetKeys(t *testing.T) {
	for _, size := range sizes {
		byExchange.play(t, size.w, size.h, "soft0", "soft")
	}
}

// TestMeetByManagerKeys: two keys make an instance wait for a request of the connection manager.
func TestMeetByManagerKeys(t *testing.T) {
	for _, size := range sizes {
		byManager.play(t, size.w, size.h, "soft0", "soft")
	}
}

// TestMeetOnKernelDevice: two instances meet in both ways on a device of the host.
func TestMeetOnKernelDevice(t *testing.T) {
	vmtest.Need(t)
	for _, size := range sizes {
		byExchange.play(t, size.w, size.h, device, "ibverbs")
		byManager.play(t, size.w, size.h, device, "ibverbs")
	}
}

// told is the key that a tour's panel names and what it does.
var told = regexp.MustCompile(`press  (\S+)  (.*\S)`)

// TestNewcomer presses nothing but the keys that are told: on the first screen the one that starts the tour, then those
// of its panel. That leads to the first WRITE, seen at both ends, with at most eight keys.
func TestNewcomer(t *testing.T) {
	for _, size := range sizes {
		tm := &player{Terminal: open(t, size.w, size.h, terminalEnv(), "--provider", "soft")}
		tm.Until("▸ First WRITE in 60 seconds", "enter start the tour")
		tm.press("enter")
		tm.Until("tour: First WRITE in 60 seconds")
		var was []string
		for {
			var now []string
			done := false
			eventually(t, "the panel does not change after "+told.FindString(tm.Screen()), func() bool {
				screen := tm.Screen()
				if done = regexp.MustCompile(`tour: .* · done`).MatchString(screen); done {
					return true
				}
				// The same key may be told twice; then the request differs.
				now = append(told.FindStringSubmatch(screen), opcodeShown.FindString(screen))
				return len(now) > 1 && !slices.Equal(now, was)
			})
			if done {
				break
			}
			if was = now; tm.keys > 8 {
				t.Fatalf("more than eight keys:\n%s", tm.Screen())
			}
			tm.press(now[1])
		}
		tm.UntilTimes(2, "0000 "+writtenDump)
		atMost(t, 8, 0, tm)
		leave(t, tm.Terminal, "6 objects exist")
	}
}

var opcodeShown = regexp.MustCompile(`opcode +[A-Z_]+`)

// TestTwoInstancesKeys: a WRITE between two programs that the connection manager connects, seen in both memories, takes
// at most twelve keys at both ends together and one paste, the server's address.
func TestTwoInstancesKeys(t *testing.T) {
	probe, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 1, 2, 4), Port: wire.Port})
	if err != nil {
		t.Skipf("the port of RoCEv2 cannot be had here: %v", err)
	}
	probe.Close()
	server := &player{Terminal: open(t, 120, 40, terminalEnv(), "--provider", "soft")}
	server.Until("guided tours", "RoCE v2 GID 0")
	client := &player{Terminal: open(t, 80, 24, terminalEnv(), "--provider", "soft")}
	client.Until("guided tours", "RoCE v2 GID 0")
	server.press("5")
	server.Until("no identifier yet", "manager: that of soft")
	server.press("l")
	server.Until("listen on:")
	server.press("enter")
	server.Until("b run all")
	server.press("b")
	server.Until("listener1 is in LISTENING", "reached at")
	address := reachedAt.FindStringSubmatch(server.Screen())
	if address == nil {
		t.Fatalf("no address is told:\n%s", server.Screen())
	}
	client.press("5")
	client.Until("no identifier yet", "l  as a server")
	client.paste(address[1])
	client.Until("new: conn1, a client")
	client.press("b")
	server.Until("listener1-1 asks for a connection")
	server.press("a")
	server.Until("listener1-1 is in CONNECTED")
	client.Until("conn1 is in CONNECTED", "3 post requests")
	client.press("3")
	client.Until("RDMA_WRITE", "peer.mr has 7 bytes at 0")
	client.press("enter")
	client.Until("RDMA_WRITE SUCCESS", "0000 "+writtenDump)
	server.press("3")
	server.Until("REMOTE_WRITE|REMOTE_READ", "0000 "+writtenDump)
	atMost(t, 12, 1, client, server)
	for _, c := range []*player{client, server} {
		leave(t, c.Terminal, "objects exist")
	}
}

// pingpongPeer is the other end of a ping-pong: the stock program on the kernel's device in the virtual machine,
// elsewhere rdmatui.
func pingpongPeer(t *testing.T, args ...string) *program {
	if vmtest.Inside() {
		return start(t, vmtest.Program(t, "ibv_rc_pingpong"), append([]string{"-d", device, "-g", "1"}, args...)...)
	}
	if len(args) == 0 {
		args = []string{"--server"}
	}
	return start(t, binary(t), append([]string{"--provider", "soft", "scenario", "rc-pingpong"}, args...)...)
}

// pingpongTerminal is the program in a terminal where the peer reaches it.
func pingpongTerminal(t *testing.T) *player {
	cmd := exec.Command(binary(t), "--provider", "soft")
	if vmtest.Inside() {
		us := softSide(t, peerAddress)
		cmd = exec.Command(us.command[0], us.command[1:]...)
	}
	cmd.Env = terminalEnv()
	tm := &player{Terminal: uitest.StartTerminal(t, cmd, 120, 40)}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(tm.Screen())
		}
	})
	tm.Until("guided tours", "RoCE v2 GID 0")
	tm.press("7")
	tm.Until("▸ rc-pingpong", "18515", "other end here") // the devices are known
	return tm
}

// stockPort is the port that the stock program uses if it is told none.
const stockPort = "18515"

// TestPingpongKeys: 1,000 messages each way with a client or a server take at most five keys and the address. The
// other end is this program without a screen.
func TestPingpongKeys(t *testing.T) { pingpongKeys(t) }

// TestPingpongKeysWithStock is the same with ibv_rc_pingpong.
func TestPingpongKeysWithStock(t *testing.T) {
	vmtest.Need(t)
	pingpongKeys(t)
}

func pingpongKeys(t *testing.T) {
	uitest.KeepUsualPort(t)
	for _, tt := range []struct {
		name string
		play func(*testing.T, *player) *program // the peer, which has still to end
	}{{"with a client", pingpongWithClient}, {"with a server", pingpongWithServer}} {
		t.Run(tt.name, func(t *testing.T) {
			for tries := 1; ; tries++ {
				tm := pingpongTerminal(t)
				peer := tt.play(t, tm)
				err := peer.cmd.Wait()
				if err == nil {
					pingpongDone(t, tm)
					return
				}
				if told := peer.out.String(); tries == 3 || !unanswered.MatchString(told+tm.Screen()) {
					t.Fatalf("%s: %v\n%s", peer.name, err, told)
				}
				t.Log("an end of the ping-pong did not run for half a second")
				tm.Signal(syscall.SIGTERM)
				tm.Wait()
			}
		})
	}
}

// unanswered is how a ping-pong ends, whose timers nobody can change, where the other end does not run for half a
// second: as a test that has the machine for itself never does, and one beside many others now and then.
var unanswered = regexp.MustCompile("RETRY_EXC_ERR|retry counter exceeded")

func pingpongWithClient(t *testing.T, tm *player) *program {
	tm.press("b")
	tm.Until("another program or host")
	tm.press("o")
	tm.Until("role      server")
	address := regexp.MustCompile(`-m 1024 ([0-9.]+)`).FindStringSubmatch(tm.Screen())
	if address == nil {
		t.Fatalf("the address for the client is not told:\n%s", tm.Screen())
	}
	tm.press("enter")
	tm.Until("waiting")
	return pingpongPeer(t, address[1])
}

func pingpongWithServer(t *testing.T, tm *player) *program {
	server := pingpongPeer(t)
	server.listening(stockPort)
	serverAddress := "127.0.0.1"
	if vmtest.Inside() {
		serverAddress = address
	}
	tm.paste(serverAddress)
	tm.Until("took " + serverAddress)
	tm.press("enter")
	return server
}

func pingpongDone(t *testing.T, tm *player) {
	t.Helper()
	tm.Until("1000 iters in ")
	atMost(t, 5, 1, tm)
	tm.Keys("q")
}
