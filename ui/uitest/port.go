package uitest

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// KeepUsualPort waits until no other test that runs now needs TCP port 18515, which ping-pong and Measure offer, and
// keeps it for this test. Tests of several packages run at once, and a journey of few keys cannot choose another port.
// Each user has a lock, since Linux lets nobody open another user's file in /tmp with O_CREAT (fs.protected_regular).
func KeepUsualPort(t testing.TB) {
	t.Helper()
	name := filepath.Join(os.TempDir(), fmt.Sprintf("rdmatui-test-port-18515-%d", os.Getuid()))
	f, err := os.OpenFile(name, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}
