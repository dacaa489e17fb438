package program

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	language "rdmatui/session/command"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestRegionsOfOthers registers memory of other processes: this process reads from the file what a peer writes to a
// program's region. The kernel's device and the software device take both roles in turn.
func TestRegionsOfOthers(t *testing.T) {
	vmtest.Need(t)
	ours, kernel := softSide(t, peerAddress), kernelSide(t)
	for name, sides := range map[string][2]side{"kernel": {ours, kernel}, "soft": {kernel, ours}} {
		t.Run(name, func(t *testing.T) {
			w := connect(t, sides[0], sides[1], "", 1024)
			w.writeToFile(t)
			shared := w.writeToShared(t, "/rdmatui-"+name)
			w.writeToHugePages(t)
			if name == "soft" && hasUDMABuf() { // the kernel's device has no dma-bufs
				w.reach("buffer", "length=8192 backing=dmabuf:udmabuf", 8192, 4)
			}
			w.leave()
			if _, err := os.Stat(shared); !os.IsNotExist(err) {
				t.Errorf("%s is left: %v", shared, err)
			}
		})
	}
}

// hasUDMABuf reports whether the kernel makes dma-bufs of ordinary memory.
func hasUDMABuf() bool {
	_, err := os.Stat("/dev/udmabuf")
	return err == nil
}

var backedResult = regexp.MustCompile(
	`^addr (0x[0-9a-f]+), lkey 0x[0-9a-f]+, rkey (0x[0-9a-f]+), ([\d,]+) bytes of (.*)$`)

// reach makes the requester write a pattern into a region of the responder.
func (w *wired) reach(name, backing string, size, seed int) {
	w.t.Helper()
	responder, requester := w.ends[1], w.ends[0]
	reg := responder.do("reg_mr " + name + " access=LOCAL_WRITE|REMOTE_WRITE " + backing)
	m := backedResult.FindStringSubmatch(reg)
	if m == nil {
		responder.fail("reg_mr says " + reg)
	}
	requester.do(fmt.Sprintf("write_mem src pattern:%d:%d", size, seed),
		fmt.Sprintf("post_send qp RDMA_WRITE wr_id=%d sge=src:0:%d remote_addr=%s rkey=%s", seed, size, m[1], m[2]),
		"poll_cq cq n=1 timeout="+wcPatience, fmt.Sprintf("expect wc wr_id=%d status=SUCCESS", seed))
	responder.do(fmt.Sprintf("expect mem %s 0 pattern:%d:%d", name, size, seed))
}

func patternOf(size, seed int) []byte {
	p := make([]byte, size)
	language.FillPattern(p, seed)
	return p
}

func (w *wired) writeToFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a file")
	if err := os.WriteFile(path, bytes.Repeat([]byte{0xee}, 3*4096-50), 0o600); err != nil {
		t.Fatal(err)
	}
	w.reach("log", "backing=file:"+quoted(path)+" offset=4096", 8000, 1)
	want := append(bytes.Repeat([]byte{0xee}, 4096), patternOf(8000, 1)...)
	want = append(want, bytes.Repeat([]byte{0xee}, 3*4096-50-len(want))...)
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the file has not what the peer wrote: %v", err)
	}
}

// quoted returns a path as it is written in a line.
func quoted(path string) string { return fmt.Sprintf("%q", path) }

func (w *wired) writeToShared(t *testing.T, name string) (path string) {
	path = "/dev/shm" + name
	w.reach("ring", "length=9000 backing=shm:"+name, 9000, 2)
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, patternOf(9000, 2)) {
		t.Errorf("the shared memory has not what the peer wrote: %v", err)
	}
	return path
}

// hugePool is where the kernel is told how many huge pages to keep; a kernel without any lacks it.
const hugePool = "/proc/sys/vm/nr_hugepages"

const noHugePages = "this kernel has no huge pages: leave out backing=hugetlb (bench: --use_hugepages), " +
	"or boot a kernel with CONFIG_HUGETLBFS"

func hasHugePages() bool {
	_, err := os.Stat(hugePool)
	return err == nil
}

// keepHugePages has the kernel keep so many huge pages until the test ends. After other tests its memory may be in
// pieces: what only caches use is given back, and the rest put together, until there are enough.
func keepHugePages(t *testing.T, n int) {
	t.Helper()
	t.Cleanup(func() {
		if err := os.WriteFile(hugePool, []byte("0"), 0); err != nil {
			t.Error(err)
		}
	})
	kept := ""
	for range 60 {
		for _, setting := range [][2]string{{"drop_caches", "3"}, {"compact_memory", "1"}} {
			err := os.WriteFile("/proc/sys/vm/"+setting[0], []byte(setting[1]), 0)
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // a kernel may lack compaction
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(hugePool, []byte(strconv.Itoa(n)), 0); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(hugePool)
		if err != nil {
			t.Fatal(err)
		}
		if kept = strings.TrimSpace(string(content)); kept == strconv.Itoa(n) {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Fatalf("the kernel keeps %s huge pages, not %d: its memory is in pieces", kept, n)
}

func (w *wired) writeToHugePages(t *testing.T) {
	const page = 2 << 20
	if !hasHugePages() { // TestRegionsRefusedByKernel checks the refusal
		return
	}
	keepHugePages(t, 8)
	w.reach("huge", fmt.Sprintf("length=%d backing=hugetlb:2M", 2*page), wiredRoom, 3)
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`HugePages_Total: +8\n`, `Hugetlb: +16384 kB`} {
		if !regexp.MustCompile(want).Match(info) {
			t.Errorf("/proc/meminfo has no %q:\n%s", want, info)
		}
	}
	if strings.Contains(string(info), "HugePages_Free:        8\n") &&
		strings.Contains(string(info), "HugePages_Rsvd:        0\n") {
		t.Errorf("no huge page is in use:\n%s", info)
	}
	w.ends[1].do("dereg_mr huge")
}

// TestRegionsRefused: a failed registration is explained in one line, with what to do.
func TestRegionsRefused(t *testing.T) { refuseRegions(t, "soft0", map[string]string{}) }

// TestRegionsRefusedByKernel does the same on the kernel's device.
func TestRegionsRefusedByKernel(t *testing.T) {
	vmtest.Need(t)
	buffer := "no such file or directory (ENOENT); run modprobe udmabuf"
	if hasUDMABuf() {
		buffer = "a new dma-buf: operation not supported (EOPNOTSUPP); the device's driver or library cannot register dma-buf memory"
	}
	huge := "mmap on huge pages: cannot allocate memory (ENOMEM); needs 4 huge pages of 2 MiB, 0 free: sysctl vm.nr_hugepages=4"
	if !hasHugePages() {
		huge = "mmap on huge pages: invalid argument (EINVAL); " + noHugePages
	}
	wants := map[string]string{
		"backing=hugetlb length=0x800000":    huge,
		"length=4096 backing=dmabuf:udmabuf": buffer,
	}
	const onDemand = "length=64 access=LOCAL_WRITE|ON_DEMAND"
	if pagedOnDemand(t) {
		out, stderr, status := invoke(t, "open_device "+device+"\nalloc_pd\nreg_mr "+onDemand+"\n", "run", "-")
		if status != 0 || !strings.Contains(out, ", lkey 0x") {
			t.Errorf("%s: %s%s", onDemand, out, stderr)
		}
	} else {
		wants[onDemand] = device + " has no on-demand paging: its odp_caps.general_caps is 0; leave ON_DEMAND out"
	}
	refuseRegions(t, device, wants)
}

// pagedOnDemand reports whether the stock program says that the kernel's device has on-demand paging.
func pagedOnDemand(t *testing.T) bool {
	t.Helper()
	out, err := exec.Command(vmtest.Program(t, "ibv_devinfo"), "-v", "-d", device).CombinedOutput()
	_, caps, found := strings.Cut(string(out), "general_odp_caps:")
	if err != nil || !found {
		t.Fatalf("ibv_devinfo: %v: %s", err, out)
	}
	caps, _, _ = strings.Cut(caps, "rc_odp_caps:")
	return strings.Contains(caps, "ODP_SUPPORT")
}

// TestDeviceMemoryRefusedByKernel: the error says that the device has no memory of its own.
func TestDeviceMemoryRefusedByKernel(t *testing.T) {
	vmtest.Need(t)
	_, stderr, status := invoke(t, "open_device "+device+"\nalloc_dm length=64\n", "run", "-")
	if want := device + " has no device memory: its max_dm_size is 0; register host memory with reg_mr"; status == 0 ||
		!strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%s\nwant %q", stderr, want)
	}
}

// refuseRegions tries lines of reg_mr and checks each error.
func refuseRegions(t *testing.T, device string, wants map[string]string) {
	if runtime.GOOS != "linux" {
		t.Skip("shared memory and huge pages are Linux's")
	}
	self, err := os.Executable() // a running executable cannot be opened for writing
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	maps.Copy(wants, map[string]string{
		"backing=file:" + file + "x": "open on " + file +
			"x: no such file or directory (ENOENT); create the file first: truncate -s 1M PATH",
		"backing=file:" + file + " length=101": "mmap on " + file +
			": invalid argument (EINVAL); the size is 100 bytes, too small for offset 0 and length 101",
		"backing=file:" + filepath.Dir(file):         "is a directory (EISDIR); give a regular file",
		"backing=file:" + self:                       self + ", mapped read-only: bad address (EFAULT); the file cannot be opened for writing; register it without LOCAL_WRITE",
		"backing=shm:/rdmatui-none":                  "shm_open on /dev/shm/rdmatui-none: no such file or directory (ENOENT); there is no such object: give length to make it",
		"length=4096 backing=dmabuf:1048576":         "bad file descriptor (EBADF); start rdmatui from the program that owns the dma-buf, with descriptor 1048576 open",
		"length=4096 backing=dmabuf:0":               "the descriptor is not a dma-buf",
		"length=100 backing=dmabuf:udmabuf":          "length must be a multiple of the page size, 4096",
		"length=0xffffffffffffffff access=ON_DEMAND": "the region would cover all memory of rdmatui, open to every peer with its rkey; give the length of the memory to register: length=",
	})
	for line, want := range wants {
		_, stderr, status := invoke(t, "open_device "+device+"\nalloc_pd\nreg_mr "+line+"\n", "run", "-")
		if status == 0 || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %s\nwant %q", line, stderr, want)
		}
	}
}

// TestExportOfRegions exports a session with memory of every kind to C and compiles it.
func TestExportOfRegions(t *testing.T) {
	cc := compiler(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	s := session.New(session.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	for _, line := range []string{"open_device soft0", "alloc_pd",
		"reg_mr paged length=4096 access=LOCAL_WRITE|ON_DEMAND", "alloc_dm d length=4096",
		"reg_mr m dm=d access=LOCAL_WRITE|ZERO_BASED", "memcpy_to_dm d paged", "memcpy_from_dm paged d length=8",
		"reg_mr log backing=file:" + quoted(file) + " offset=4096",
		fmt.Sprintf("reg_mr ring length=4096 backing=shm:/rdmatui-export-%d", os.Getpid()),
		fmt.Sprintf("expect error ENOMEM reg_mr huge length=%d backing=hugetlb", 1<<50)} {
		if _, err := s.Exec(t.Context(), line); err != nil {
			t.Fatal(line, err)
		}
	}
	source, _ := exported(t, s, "regions")
	compile(t, cc, source)
}
