package program

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"rdmatui/verbs/verbstest/race"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// hostsVariable is set in the process that has namespaces of its own.
const hostsVariable = "RDMATUI_TEST_HOSTS"

// ownHosts runs the test in a process that may make network namespaces and sees none but its own, and returns true in
// that process.
func ownHosts(t *testing.T) bool {
	t.Helper()
	if os.Getenv(hostsVariable) != "" {
		return true
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("needs the program ip (package iproute2)")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), hostsVariable+"=1", "RDMATUI_BINARY="+binary(t))
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS}
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: gid, Size: 1}}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// twoHosts makes the namespaces pa (10.9.0.1) and pb (10.9.0.2), joined by a bridge in pc.
const twoHosts = `set -e
PATH=$PATH:/usr/sbin:/sbin
for n in pa pb pc; do ip netns add $n; ip -n $n link set lo up; done
ip -n pc link add br0 type bridge
ip -n pc link set br0 up
i=1
for n in pa pb; do
	ip link add v$n netns $n type veth peer name c$n netns pc
	ip -n pc link set c$n master br0 up
	ip -n $n addr add 10.9.0.$i/24 dev v$n
	ip -n $n link set v$n up
	i=2
done
`

// sh runs shell commands.
func sh(t *testing.T, script string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "sh", "-c",
		"PATH=$PATH:/usr/sbin:/sbin\n"+script).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// finding is what pair --json says of one check.
type finding struct{ Check, Of, Verdict, Evidence, Change string }

// pairOf runs pair on both namespaces and returns its findings.
func pairOf(t *testing.T, soft string, more ...string) (findings []finding, status int, text string) {
	t.Helper()
	args := append([]string{"pair", "pa", "pb", "--json", "--via", "ip netns exec {host}", "--program", binary(t),
		"--soft", soft}, more...)
	p := start(t, binary(t), args...)
	_ = p.cmd.Wait() // its status is looked at
	text = p.out.String()
	var report struct{ Findings []finding }
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "{") {
		if err := json.Unmarshal([]byte(first), &report); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	return report.Findings, p.cmd.ProcessState.ExitCode(), text
}

// TestPairOfHosts puts in one fault at a time: pair names it first, with a change. A healthy pair is not accused.
func TestPairOfHosts(t *testing.T) {
	if !ownHosts(t) {
		return
	}
	sh(t, "mount --make-rprivate / && mount -t tmpfs tmpfs /run") // the host's own namespaces stay out of reach
	const usual = "10.9.0.1,10.9.0.2"
	for _, tt := range []struct{ name, fault, soft, want, evidence, change string }{
		{"nothing", "", usual, "", "", ""},
		{"jumbo frames",
			"ip -n pa link set vpa mtu 4200; ip -n pb link set vpb mtu 4200; ip -n pc link set cpa mtu 4200; " +
				"ip -n pc link set cpb mtu 4200; ip -n pc link set br0 mtu 4200", usual, "", "", ""},
		{"a router",
			"ip -n pc addr add 10.9.0.254/24 dev br0; ip -n pa route del 10.9.0.0/24; ip -n pb route del 10.9.0.0/24; " +
				"ip -n pa route add 10.9.0.254/32 dev vpa; ip -n pb route add 10.9.0.254/32 dev vpb; " +
				"ip -n pa route add default via 10.9.0.254; ip -n pb route add default via 10.9.0.254; " +
				"ip netns exec pc sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'", usual, "", "", ""},
		{"no route", "ip -n pa route del 10.9.0.0/24", usual, "route a→b", "a has no route to 10.9.0.2 (ENETUNREACH)",
			"ip route add 10.9.0.2/32 dev vpa (a)"},
		{"no route back", "ip -n pb route del 10.9.0.0/24", usual, "route b→a", "b has no route to 10.9.0.1",
			"dev vpb (b)"},
		{"blackhole", "ip -n pa route add blackhole 10.9.0.2", usual, "route a→b", "type blackhole",
			"ip route del blackhole"},
		{"another subnet", "ip -n pb addr add 10.9.1.2/24 dev vpb", "10.9.0.1,10.9.1.2", "route a→b",
			"a is in 10.9.0.0/24, b in 10.9.1.0/24", "one subnet"},
		{"another interface",
			"ip -n pa link add d0 type veth peer name d1; ip -n pa link set d1 up; ip -n pa link set d0 up; " +
				"ip -n pa route add 10.9.0.2/32 dev d0", usual, "route a→b",
			"leaves through d0, but the GID 10.9.0.1 belongs to vpa",
			"ip route add 10.9.0.2/32 dev vpa src 10.9.0.1 (a)"},
		{"no ARP", "ip -n pb link set vpb arp off", usual, "neighbour a→b", "no answer from 10.9.0.2", "vpb"},
		{"two hosts with one address", "ip -n pa neigh replace 10.9.0.2 lladdr 02:00:00:00:00:09 dev vpa", usual,
			"neighbour a→b", "another host has the address", "02:00:00:00:00:09"},
		{"one address at both ends", "ip -n pb addr del 10.9.0.2/24 dev vpb; ip -n pb addr add 10.9.0.1/24 dev vpb",
			"10.9.0.1,10.9.0.1", "address both", "both ends have the address 10.9.0.1", "another address"},
		{"b's address at a", "ip -n pa addr add 10.9.0.2/32 dev vpa", usual, "route a→b",
			"a itself has b's address 10.9.0.2",
			"ip addr del 10.9.0.2"},
		{"interface down", "ip -n pb link set vpb down", usual, "port b", "vpb is down", "ip link set vpb up (b)"},
		{"cable out", "ip -n pc link set cpb down", usual, "port b", "vpb is", "cable"},
		{"MTU", "ip -n pb link set vpb mtu 4200", usual, "mtu both", "active_mtu is 1024 at a and 4096 at b",
			"ip link set vpa mtu 4200 (a)"},
		{"MTU of the network", "ip -n pa link set vpa mtu 4200; ip -n pb link set vpb mtu 4200", usual, "path_mtu a→b",
			"IP packets of 4,156 bytes", "switches"},
		{"another family", "ip -n pb addr add fd00::2/64 dev vpb nodad", "10.9.0.1,fd00::2", "gid both", "fd00::2",
			"same family"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sh(t, "ip -all netns del\n"+twoHosts+tt.fault)
			findings, status, text := pairOf(t, tt.soft)
			var first *finding
			for i := range findings {
				if findings[i].Verdict == "wrong" {
					first = &findings[i]
					break
				}
			}
			switch {
			case tt.want == "" && (first != nil || status != 0 || len(findings) == 0):
				t.Errorf("accused, exit status %d: %s", status, text)
			case tt.want == "":
			case first == nil || first.Check+" "+first.Of != tt.want || !strings.Contains(first.Evidence,
				tt.evidence) ||
				!strings.Contains(first.Change, tt.change) || status != 1:
				t.Errorf("exit status %d, first %+v, want %s\n%s", status, first, tt.want, text)
			}
		})
	}
	t.Run("again and again", func(t *testing.T) {
		sh(t, "ip -all netns del\n"+twoHosts)
		for i := range race.Fewer(5, 2) {
			if _, status, text := pairOf(t, usual); status != 0 {
				t.Fatalf("run %d accuses a healthy pair: %s", i, text)
			}
		}
	})
}

// TestPairWithHostileEnd: whatever stands at the far end, pair ends with one clear line, and leaves no process there.
func TestPairWithHostileEnd(t *testing.T) {
	dir := t.TempDir()
	hello := `echo '{"jsonrpc":"2.0","method":"hello","params":{"protocol":1,"version":"9"}}'`
	for name, tt := range map[string]struct{ script, want string }{
		"is not there": {"exit 127", "name its path with --program"},
		"is refused": {"echo 'ssh: connect to host b port 22: Connection refused' >&2; exit 255",
			"port 22: Connection refused"},
		"has a banner": {"echo Welcome; echo; exec " + binary(t) + " agent --provider soft", ""},
		"dies":         {hello + "; read x; exit 3", "exit status 3"},
		"is killed":    {hello + "; read x; kill -9 $$", "signal: killed"},
		"another":      {strings.Replace(hello, ":1,", ":2,", 1) + "; cat", "install the same version at both ends"},
		"endless":      {hello + "; read x; cat /dev/zero", "longer than 1024 KiB"},
		"1 GiB":        {hello + `; read x; head -c 1073741824 /dev/zero | tr '\0' x`, "longer than 1024 KiB"},
		"escapes": {hello + `; read x; ` +
			`printf '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"\\u001b[2J"}}\n'; cat`, `\x1b[2J`},
		"has children":  {hello + "; sleep 987 & sleep 987 & read x; echo damaged; wait", "not a message"},
		"shouts stderr": {"head -c 100000000 /dev/zero | tr '\\0' x >&2; echo; exit 9", "exit status 9"},
	} {
		t.Run(name, func(t *testing.T) {
			script := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
			if err := os.WriteFile(script, []byte("#!/bin/sh\n"+tt.script+"\n"),
				0o700); err != nil { //nolint:gosec // it is run
				t.Fatal(err)
			}
			p := start(t, binary(t), "pair", "local", "b", "--provider", "soft", "--via", script+" {host}")
			_ = p.cmd.Wait() // its status is looked at
			out := p.out.String()
			last := strings.TrimSpace(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:])
			status := 1
			if tt.want == "" { // a healthy pair after all
				status = 0
			}
			if p.cmd.ProcessState.ExitCode() != status || !strings.Contains(last, tt.want) || strings.ContainsRune(out,
				'\x1b') ||
				tt.want != "" && strings.Count(strings.TrimSpace(out), "\n") > 0 || len(last) > 4096 {
				t.Errorf("exit status %d, %.4000q, want %q", p.cmd.ProcessState.ExitCode(), out, tt.want)
			}
			if left := running(t, script); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
	for _, args := range [][]string{{"-b"}, {"local", "-oProxyCommand=x"}, {"local"}, {"local", "b", "--via", "ssh"}} {
		p := start(t, binary(t), append([]string{"pair"}, append(args, "--provider", "soft")...)...)
		if _ = p.cmd.Wait(); p.cmd.ProcessState.ExitCode() != 2 {
			t.Errorf("pair %q: exit status %d\n%s", args, p.cmd.ProcessState.ExitCode(), p.out.String())
		}
	}
}

// running returns the processes whose command line has a word, and the children that the test's scripts start.
func running(t *testing.T, word string) (left string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if line := strings.ReplaceAll(string(text), "\x00", " "); err == nil &&
			(strings.Contains(line, word) || strings.Contains(line, "sleep 987")) {
			left += fmt.Sprintf("%s: %s\n", file, line)
		}
	}
	return left
}

// TestPairWithKernel: the kernel's device against the software device at another host: healthy in both orders, and the
// fault is named at the right end.
func TestPairWithKernel(t *testing.T) {
	vmtest.Need(t)
	via := filepath.Join(t.TempDir(), "via")
	far := "#!/bin/sh\nexec ip netns exec peer " + vmtest.Binary(t) + " agent --provider soft --soft " + peerAddress
	if err := os.WriteFile(via, []byte(far), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	check := func(a, b, want string, status int) {
		t.Helper()
		p := start(t, vmtest.Binary(t), "pair", a, b, "--via", via+" {host}")
		_ = p.cmd.Wait() // its status is looked at
		if out := p.out.String(); p.cmd.ProcessState.ExitCode() != status || !strings.HasPrefix(out, want) {
			t.Errorf("pair %s %s: exit status %d, want %d and %q\n%s", a, b, p.cmd.ProcessState.ExitCode(), status,
				want, out)
		}
	}
	near := "local/" + device
	check(near, "peer", "nothing is wrong: 29 of 29 checks", 0)
	check("peer", near, "nothing is wrong: 29 of 29 checks", 0)
	command(t, "ip link set d0 mtu 900")
	t.Cleanup(func() { command(t, "ip link set d0 mtu 1500") })
	check("peer", near, "wrong: mtu (both): active_mtu is 1024 at a and 512 at b", 1)
	nothingLeft(t)
}
