package native

import (
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestDiscoveryFromManyThreads adds devices and finds each from another thread. Memory
// that different threads allocate is at least 64 MiB apart, or in the heap of the
// program; devices closer together were found by one thread. See discovery.
func TestDiscoveryFromManyThreads(t *testing.T) {
	vmtest.Need(t)
	command := func(name string, args ...string) {
		t.Helper()
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	lib, err := New().library()
	if err != nil {
		t.Fatal(err)
	}
	list, err := lib.devices()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { list.free() }()
	command("ip", "link", "add", "n0", "type", "veth", "peer", "name", "n1")
	defer command("ip", "link", "del", "n0")
	for i := range 2 {
		device, netdev := fmt.Sprintf("rxe2%d", i), fmt.Sprintf("n%d", i)
		command("rdma", "link", "add", device, "type", "rxe", "netdev", netdev)
		defer command("rdma", "link", "delete", device)
		found := make(chan *deviceList)
		go func() {
			runtime.LockOSThread() // the thread ends with the goroutine, so the next goroutine has another one
			list, err := lib.devices()
			if err != nil {
				t.Error(err)
			}
			found <- list
		}()
		now := <-found
		list.free()
		list = now
	}
	if len(list.devices) < 3 {
		t.Fatalf("%d devices were found, want 3", len(list.devices))
	}
	if apart := slices.Max(list.devices) - slices.Min(list.devices); apart >= 64<<20 {
		t.Errorf("the devices are %d MiB apart: %#x", apart>>20, list.devices)
	}
}
