package region_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

const deviceMemoryScript = `open_device soft0
alloc_pd pd
create_cq cq
create_qp a
create_qp b
connect_qps a b
reg_mr src length=64
reg_mr dst length=64
alloc_dm d length=4096
reg_mr m dm=d offset=64 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|ZERO_BASED
write_mem src pattern:64
`

// TestDeviceMemory copies data to device memory, which a peer reads and writes, and back.
func TestDeviceMemory(t *testing.T) {
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	sessiontest.RunScript(t, s, deviceMemoryScript)
	for _, tt := range []struct{ line, call, result, check string }{
		{"memcpy_to_dm d src dm_offset=64", "ibv_memcpy_to_dm(d, 64, src->addr, 64)", "64 bytes copied", ""},
		{"post_send a RDMA_READ sge=dst remote_addr=m.addr+8 rkey=m.rkey sge=dst:0:32", "", "", ""},
		{"poll_cq timeout=5s", "", "", ""},
		{"expect mem dst pattern:32:8", "", "as expected", ""},
		{"memcpy_from_dm dst d length=16 dm_offset=80 offset=4", "ibv_memcpy_from_dm((char *)dst->addr + 4, d, 80, 16)",
			"16 bytes copied", ""},
		{"expect mem dst pattern:16:16 offset=4", "", "as expected", ""},
		{"reg_mr whole dm=d access=LOCAL_WRITE|ZERO_BASED",
			"ibv_reg_dm_mr(pd, d, 0, 4096, IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_ZERO_BASED)",
			"4,096 bytes of device memory", ""},
	} {
		line := strings.Replace(tt.line, "sge=dst remote", "remote", 1)
		done, err := s.Exec(t.Context(), line)
		if err != nil || tt.call != "" && done.Call() != tt.call || !strings.HasSuffix(done.Result, tt.result) ||
			done.Check != tt.check {
			t.Errorf("%s: %v, %q, %q, %q", line, err, done.Call(), done.Result, done.Check)
		}
	}
	if v := s.Snapshot(); len(v.DMs) != 1 || v.DMs[0] != (core.DMView{Name: "d", Device: "soft0", Length: 4096}) {
		t.Errorf("%+v", v.DMs)
	}
}

// TestDeviceMemoryRefused: an error says in one line what is wrong and what to do.
func TestDeviceMemoryRefused(t *testing.T) {
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	sessiontest.RunScript(t, s, deviceMemoryScript)
	for line, want := range map[string]string{
		"alloc_dm length=0x100000":                             "length is more than max_dm_size 262144",
		"alloc_dm length=0x3ffff":                              "(max_dm_size)",
		"reg_mr dm=d":                                          "needs access ZERO_BASED: its addresses count from 0",
		"reg_mr dm=d backing=hugetlb":                          "give either dm or backing, not both",
		"reg_mr dm=d offset=4096 access=ZERO_BASED":            "offset and length fit the device memory",
		"reg_mr offset=64 length=64":                           "offset needs a file, shared memory, a dma-buf or device memory",
		"memcpy_to_dm d src dm_offset=4090 length=8":           "8 bytes at dm_offset 4090 of d, which has 4,096",
		"memcpy_to_dm d m":                                     "m: device memory has no address in this process",
		"memcpy_from_dm src d length=65":                       "65 bytes at offset 0 of src, which has 64",
		`write_mem m "hello"`:                                  "copy it with memcpy_to_dm and memcpy_from_dm",
		"read_mem m":                                           "copy it with memcpy_to_dm and memcpy_from_dm",
		"free_dm d":                                            "d is busy: still used by m; close m first",
		"post_send a SEND wr_id=7 sge=m:0:8 send_flags=INLINE": "",
		"rereg_mr m access=LOCAL_WRITE":                        "(EINVAL)",
	} {
		done, err := s.Exec(t.Context(), line)
		text := strings.Join([]string{done.Check, done.Err, done.Hint}, "; ")
		if err == nil || !strings.Contains(text, want) || strings.ContainsRune(done.Err, '\n') {
			t.Errorf("%s: %s; want %q", line, text, want)
		}
	}
}

// TestNoDeviceMemory: a device known to have no memory is refused before the call; an unknown one is
// not.
func TestNoDeviceMemory(t *testing.T) {
	for _, ex := range []*verbs.DeviceAttrEx{nil, {}} {
		s, f := sessiontest.NewFaked(t, core.Options{})
		f.Ex, f.Fail["dm"] = ex, &verbs.UnsupportedError{Feature: "ibv_alloc_dm"}
		sessiontest.RunLines(t, s, "open_device fake0")
		done, err := s.Exec(t.Context(), "alloc_dm length=64")
		if !errors.Is(err, verbs.ErrUnsupported) || errors.Is(err, syscall.EINVAL) ||
			(done.Call() == "") != (ex != nil) {
			t.Errorf("%v; %+v", err, done)
		}
		if want := "fake0 has no device memory: its max_dm_size is 0; register host memory with reg_mr"; ex != nil &&
			done.Err+"; "+done.Hint != want {
			t.Errorf("%s; %s\nwant %s", done.Err, done.Hint, want)
		}
	}
}
