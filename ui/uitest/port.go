package uitest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// KeepUsualPort waits until no other test that runs now needs TCP port 18515, which ping-pong and Measure offer, and
// keeps it for this test. Tests of several packages run at once, and a journey of few keys cannot choose another port.
func KeepUsualPort(t testing.TB) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "rdmatui-test-port-18515"), os.O_RDONLY|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}
