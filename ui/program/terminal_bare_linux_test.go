package program

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rdmatui/ui/uitest"
)

// bare prepares the program to run with nothing but the C library and its loader: no
// libibverbs, no device, no /proc and no /sys.
func bare(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	root := t.TempDir()
	copyFile(t, binary(t), filepath.Join(root, "rdmatui"))
	for _, lib := range loaded(t, binary(t)) {
		copyFile(t, lib, filepath.Join(root, lib))
	}
	cmd := exec.Command("/rdmatui", args...)
	cmd.Env = terminalEnv()
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER // anyone may chroot there
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}}
	}
	return cmd
}

// loaded lists the files that ld.so loads for a program, itself included. A static
// program has none.
func loaded(t testing.TB, program string) (paths []string) {
	t.Helper()
	out, _ := exec.Command("ldd", program).Output() // fails for a static program
	for l := range strings.Lines(string(out)) {
		for _, word := range strings.Fields(l) {
			if strings.HasPrefix(word, "/") {
				paths = append(paths, word)
			}
		}
	}
	for _, p := range paths {
		if strings.Contains(p, "ibverbs") {
			t.Errorf("the program needs %s to start", p)
		}
	}
	return paths
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestWithoutLibrary makes the whole journey without libibverbs.
func TestWithoutLibrary(t *testing.T) {
	tm := uitest.StartTerminal(t, bare(t), 120, 40)
	journey(tm, "soft0")
	leave(t, tm, "6 objects exist")
}

// TestWithoutDevice: the screen says what is missing and what to do.
func TestWithoutDevice(t *testing.T) {
	tm := uitest.StartTerminal(t, bare(t, "--provider", "ibverbs"), 120, 40)
	tm.Until("library cannot be loaded", "apt install libibverbs1")
	tm.Keys("1")
	tm.Until("cannot load libibverbs.so.1", "libibverbs1", "RLIMIT_MEMLOCK")
	tm.Keys("q")
	if status := tm.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	tm.Restored()
}

func TestDevicesWithoutLibrary(t *testing.T) {
	out, err := bare(t, "devices").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "soft0") || !strings.Contains(string(out), "soft1") {
		t.Errorf("%v: %s", err, out)
	}
}
