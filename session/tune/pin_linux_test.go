package tune

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// cpusOfThread returns the CPUs that the calling thread may use.
func cpusOfThread(t *testing.T) (cpus []int) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(set) {
		if set.IsSet(i) {
			cpus = append(cpus, i)
		}
	}
	return cpus
}

// TestMadeOnNode: a variant's objects are made on its node's CPUs, and later ones again on any.
func TestMadeOnNode(t *testing.T) {
	all := cpusOfThread(t)
	var during []int
	r := withLines(t, func(*core.Call) error {
		during = cpusOfThread(t)
		return syscall.EIO
	})
	r.host = host{nodes: nodes{own: 3, cpus: map[int][]int{3: all[:1]}}}
	send := []verbs.WROpcode{verbs.WRSend}
	_, destroy, err := r.ready(t.Context(), "x", setup{node: ownNode, message: send, size: 64})
	if !errors.Is(err, syscall.EIO) || !slices.Equal(during, all[:1]) {
		t.Errorf("made on CPUs %v, want %v: %v", during, all[:1], err)
	}
	if err := destroy(); err != nil {
		t.Error(err)
	}
	if after := cpusOfThread(t); !slices.Equal(after, all) {
		t.Errorf("bound to CPUs %v afterwards, want %v", after, all)
	}
}
