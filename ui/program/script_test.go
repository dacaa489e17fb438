package program

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rdmatui/devices"
	"rdmatui/session/conversation"
	"rdmatui/ui/cli"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	"rdmatui/verbs/soft"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// invoke runs the command line in this process.
func invoke(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, err bytes.Buffer
	p := &cli.Program{
		Version: "test",
		Native:  func() verbs.Provider { return native.New() },
		Soft:    func([]netip.Addr) verbs.Provider { return soft.New(soft.Options{}) },
		Host:    devices.Host(),
		Screen: func(context.Context, []verbs.Provider, string, []conversation.Source, bool) error {
			t.Error("the screen was opened")
			return nil
		},
		Stdin:  strings.NewReader(stdin),
		Stdout: &out,
		Stderr: &err,
	}
	status = p.Run(context.Background(), args)
	return out.String(), err.String(), status
}

// scripts returns the scripts of testdata, written for the software device, with
// another device's name substituted.
func scripts(t *testing.T, device string) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.rdma")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	all := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(f)] = strings.ReplaceAll(string(b), "soft0", device)
	}
	return all
}

// TestScripts runs every script as written on the software device.
func TestScripts(t *testing.T) { runScripts(t, "soft0") }

// TestScriptsOnKernel runs the same scripts on the kernel's device.
func TestScriptsOnKernel(t *testing.T) {
	vmtest.Need(t)
	joinGroup(t, "239.193.65.7", "d0")
	runScripts(t, "rxe0")
	nothingLeft(t)
}

// joinGroup makes the network stack accept packets sent to a group: the kernel's
// device leaves that to the user of the queue pairs.
func joinGroup(t *testing.T, group, netdev string) {
	t.Helper()
	on, err := net.InterfaceByName(netdev)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.ListenMulticastUDP("udp4", on, &net.UDPAddr{IP: net.ParseIP(group)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
}

func runScripts(t *testing.T, device string) {
	for name, script := range scripts(t, device) {
		t.Run(name, func(t *testing.T) {
			out, stderr, status := invoke(t, script, "run", "--json", "-")
			if status != cli.Done {
				t.Fatalf("status %d: %s\n%s", status, stderr, out)
			}
			wantTimeLine(t, out)
		})
	}
}

// wantTimeLine checks the contract of the JSON time line: one object per line,
// sequence numbers without gaps, time that does not run backwards.
func wantTimeLine(t *testing.T, out string) {
	t.Helper()
	kinds := map[string]bool{
		"command": true, "wc": true, "cm": true, "async": true, "state": true, "packet": true, "note": true,
	}
	last, lastT := 0.0, 0.0
	for l := range strings.Lines(out) {
		var e map[string]any
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		seq, at := e["seq"].(float64), e["t"].(float64)
		if seq != last+1 || at < lastT || !kinds[e["event"].(string)] {
			t.Fatalf("after seq %v at %v: %s", last, lastT, l)
		}
		last, lastT = seq, at
	}
	if last == 0 {
		t.Error("nothing was printed")
	}
}

func TestCommandLine(t *testing.T) {
	tests := []struct {
		name   string
		stdin  string
		args   []string
		status int
		stdout string // must contain
		stderr string // must contain
	}{
		{"version", "", []string{"version"}, cli.Done, "rdmatui test (go", ""},
		{"no such command", "", []string{"frobnicate"}, cli.Wrong, "", `"frobnicate" is not a command`},
		{"no such flag", "", []string{"devices", "--frob"}, cli.Wrong, "", "unknown flag: --frob"},
		{"bad provider", "", []string{"--provider", "x", "devices"}, cli.Wrong, "", "use auto, ibverbs or soft"},
		{"too many arguments", "", []string{"devices", "a", "b", "c"}, cli.Wrong, "",
			`too many arguments: "c"`},
		{"software devices", "", []string{"--provider", "soft", "devices"}, cli.Done, "soft1", ""},
		{"no such device", "", []string{"--provider", "soft", "devices", "mlx5_0"}, cli.Failed, "", "soft0, soft1"},
		{"hostile device", "", []string{"--provider", "soft", "devices", "\x1b[31mx"}, cli.Failed, "", `x1b[31mx`},
		{"run without a file", "", []string{"run"}, cli.Wrong, "", "run needs one file"},
		{"run a missing file", "", []string{"run", "/no/such/file"}, cli.Wrong, "", "no such file"},
		{"a script with a bad line", "open_device soft0\n\nfrobnicate x\n", []string{"run", "-"}, cli.Failed,
			"open_device", "standard input:3:"},
		{"a script that refers to nothing", "open_device soft0\nalloc_pd p\nreg_mr m pd=q length=1\n",
			[]string{"run", "-"}, cli.Failed, "", ":3:"},
		{"scenarios", "", []string{"scenario"}, cli.Done, "ibv_rc_pingpong", ""},
		{"scenarios on a device", "", []string{"scenario", "--provider", "soft", "-d", "soft1"}, cli.Done,
			"ibv_rc_pingpong", ""},
		{"scenarios on no device", "", []string{"scenario", "--provider", "soft", "-d", "siw7"}, cli.Failed, "",
			`no device "siw7"`},
		{"scenario without a role", "", []string{"scenario", "rc-pingpong"}, cli.Wrong, "",
			"run it as the server, or give"},
		{"no such scenario", "", []string{"scenario", "x", "--server"}, cli.Wrong, "", `no scenario "x"`},
		{"bad MTU", "", []string{"scenario", "rc-pingpong", "--server", "-m", "1500"}, cli.Wrong, "", "1500"},
		{"help for a command", "", []string{"help", "modify_qp"}, cli.Done, "min_rnr_timer", ""},
		{"help for nothing", "", []string{"help", "frob"}, cli.Wrong, "", `no command "frob"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, stderr, status := invoke(t, tt.stdin, tt.args...)
			if status != tt.status || !strings.Contains(out, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("status %d, want %d\nstdout: %s\nstderr: %s", status, tt.status, out, stderr)
			}
			if lines := strings.Count(stderr, "\n"); lines > 1 || status != cli.Done && lines != 1 {
				t.Errorf("an error is one line, this has %d: %q", lines, stderr)
			}
			if strings.ContainsAny(out+stderr, "\x1b\x07") {
				t.Errorf("control bytes reached the terminal: %q %q", out, stderr)
			}
		})
	}
}
