package native_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// resources lists the kernel's objects that belong to programs, as rdma-resource(8)
// does. It cannot tell whose they are: the shown pid is that of the thread that made
// the object.
func resources(t *testing.T) (lines []string) {
	t.Helper()
	for _, kind := range []string{"qp", "cq", "mr", "pd", "srq"} {
		for line := range strings.Lines(run(t, "rdma", "resource", "show", kind)) {
			if strings.Contains(line, " pid ") {
				lines = append(lines, kind+": "+strings.TrimSpace(line))
			}
		}
	}
	return lines
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// everything makes one object of each kind and returns them in closing order.
func everything(r *rig) []interface{ Close() error } {
	r.Helper()
	ch, err := r.dev.CreateCompChannel()
	r.must(err)
	cq, err := r.dev.CreateCQ(verbs.CQSpec{CQE: 4, Channel: ch})
	r.must(err)
	mr, err := r.pd.RegMR(verbs.MRSpec{Length: 1 << 16, Access: verbs.LocalWrite})
	r.must(err)
	qp, err := r.pd.CreateQP(verbs.QPSpec{
		QPType: verbs.UC, SendCQ: cq, RecvCQ: cq, Cap: verbs.QPCap{MaxSendWR: 1, MaxRecvWR: 1},
	})
	r.must(err)
	ah, err := r.pd.CreateAH(verbs.AHAttr{
		IsGlobal: true, PortNum: 1, GRH: verbs.GlobalRoute{DGID: r.gid.GID, SGIDIndex: uint8(r.gid.Index)},
	})
	r.must(err)
	srq, err := r.pd.CreateSRQ(verbs.SRQSpec{MaxWR: 4, MaxSGE: 1})
	r.must(err)
	shared, err := r.pd.CreateQP(verbs.QPSpec{
		QPType: verbs.UD, SendCQ: cq, RecvCQ: cq, SRQ: srq, Cap: verbs.QPCap{MaxSendWR: 1},
	})
	r.must(err)
	return []interface{ Close() error }{ah, qp, shared, srq, mr, cq, ch}
}

func TestCloseLeavesNothing(t *testing.T) {
	vmtest.Need(t)
	mappings := func() int {
		b, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(b), "uverbs")
	}
	t.Run("warm up", func(t *testing.T) { everythingOnce(t) }) // the library and Go's poller open their own files
	files, maps := openFiles(t), mappings()
	for range 3 {
		t.Run("round", func(t *testing.T) { everythingOnce(t) })
	}
	if left := resources(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if now := openFiles(t); now != files {
		t.Errorf("%d open files, were %d", now, files)
	}
	if now := mappings(); now != maps {
		t.Errorf("%d mappings of the device, were %d", now, maps)
	}
}

func everythingOnce(t *testing.T) {
	r := openRig(t)
	made := everything(r)
	if n := len(resources(t)); n < 7 { // 2 QP, 2 CQ, 1 MR, 1 PD, 1 SRQ
		t.Errorf("the kernel shows %d of our objects", n)
	}
	for _, c := range made {
		r.must(c.Close())
		r.must(c.Close())
	}
}

// TestKilledProcess runs itself in a child process and kills it: the kernel frees all
// of its objects.
func TestKilledProcess(t *testing.T) {
	if os.Getenv("RDMATUI_TEST_KILLED") == "" {
		vmtest.Need(t)
		testKilled(t)
		return
	}
	everything(openRig(t))
	fmt.Println("ready")
	time.Sleep(time.Hour)
}

func testKilled(t *testing.T) {
	child := exec.Command("/proc/self/exe", "-test.run=^TestKilledProcess$")
	child.Env = append(os.Environ(), "RDMATUI_TEST_KILLED=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	if len(resources(t)) == 0 {
		t.Error("the kernel shows none of the child's objects")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // "signal: killed"
	if left := resources(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
