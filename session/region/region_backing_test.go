package region_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestRegionOverFile registers a file on the software device: the result says what was mapped, and the region has the
// file's bytes.
func TestRegionOverFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no mmap")
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(strings.Repeat("a", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	var call, resolved, result string
	for _, line := range []string{"open_device soft0", "alloc_pd pd", "reg_mr m pd=pd backing=file:" + path,
		`write_mem m "hello" offset=4995`,
		"expect error write_mem m \"hello\" offset=4996", "read_mem m 4990 10"} {
		done, err := s.Exec(t.Context(), line)
		if err != nil {
			t.Fatal(line, err)
		}
		if strings.HasPrefix(line, "reg_mr") {
			call, resolved, result = done.Call(), done.Resolved, done.Result
		}
	}
	if want := `mmap(NULL, st_size, PROT_READ | PROT_WRITE, MAP_SHARED, open("` + path +
		`", O_RDWR), 0), st_size, IBV_ACCESS_LOCAL_WRITE)`; !strings.HasSuffix(call, want) {
		t.Errorf("the call is %s", call)
	}
	if !strings.Contains(resolved, " length=5000 ") || !strings.HasSuffix(result, ", 5,000 bytes of "+path) {
		t.Errorf("%s: %s", resolved, result)
	}
	if got, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(got), "ahello") {
		t.Errorf("%v: the file ends with %q", err, got[4990:])
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exec(t.Context(), "read_mem m"); err == nil ||
		!strings.Contains(err.Error(), "its file was truncated") {
		t.Errorf("reading a region whose file is empty: %v", err)
	}
}

// TestOnDemandRefused: a feature that the device lacks, and a region of all memory, are refused before the call; for an
// unknown device the provider decides.
func TestOnDemandRefused(t *testing.T) {
	const access = " access=LOCAL_WRITE|ON_DEMAND"
	const lack = "fake0 has no on-demand paging: its odp_caps.general_caps is 0; leave ON_DEMAND out"
	const implicit = "implicit on-demand paging is refused: the region would cover all memory of rdmatui, open to every peer with its rkey; give the length of the memory to register: length="
	for _, tt := range []struct {
		caps uint64
		line string
		want string
	}{
		{0, "reg_mr n length=64 access=LOCAL_WRITE", ""},
		{0, "reg_mr n length=64" + access, lack},
		{0, "rereg_mr m" + access, lack},
		{verbs.ODPSupport | verbs.ODPImplicit, "reg_mr n length=64" + access, ""},
		{verbs.ODPSupport | verbs.ODPImplicit, "reg_mr n length=0xffffffffffffffff" + access, implicit},
		{verbs.ODPSupport | verbs.ODPImplicit, "rereg_mr m length=0xffffffffffffffff" + access, implicit},
	} {
		s, f := sessiontest.NewFaked(t, core.Options{})
		f.Ex = &verbs.DeviceAttrEx{ODPCaps: verbs.ODPCaps{GeneralCaps: tt.caps}}
		sessiontest.RunLines(t, s, "open_device fake0\nalloc_pd pd\nreg_mr m length=64")
		done, err := s.Exec(t.Context(), tt.line)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.line, err)
			}
			continue
		}
		if got := done.Err + "; " + done.Hint; err == nil || got != tt.want || !errors.Is(err, verbs.ErrUnsupported) {
			t.Errorf("%s: %s\nwant %s", tt.line, got, tt.want)
		}
		if done.Call() != "" || done.Took != 0 {
			t.Errorf("%s: the call was made: %+v", tt.line, done)
		}
	}
	s, f := sessiontest.NewFaked(t, core.Options{})
	f.Fail["mr"] = syscall.EINVAL
	sessiontest.RunLines(t, s, "open_device fake0\nalloc_pd pd")
	if done, err := s.Exec(t.Context(), "reg_mr length=64"+access); !errors.Is(err, syscall.EINVAL) ||
		!strings.Contains(done.Hint, "access") {
		t.Errorf("%v; %q", err, done.Hint)
	}
}
