package session

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestRegionOverFile registers a file on the software device: the line tells what was mapped, and what the file has is what the region has.
func TestRegionOverFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no mmap")
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(strings.Repeat("a", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	var call, resolved, result string
	for _, line := range []string{"open_device soft0", "alloc_pd pd", "reg_mr m pd=pd backing=file:" + path, `write_mem m "hello" offset=4995`,
		"expect error write_mem m \"hello\" offset=4996", "read_mem m 4990 10"} {
		done, err := s.Exec(t.Context(), line)
		if err != nil {
			t.Fatal(line, err)
		}
		if strings.HasPrefix(line, "reg_mr") {
			call, resolved, result = done.Call, done.Resolved, done.Result
		}
	}
	if want := `mmap(NULL, st_size, PROT_READ | PROT_WRITE, MAP_SHARED, open("` + path + `", O_RDWR), 0), st_size, IBV_ACCESS_LOCAL_WRITE)`; !strings.HasSuffix(call, want) {
		t.Errorf("the call is %s", call)
	}
	if !strings.Contains(resolved, " length=5000 ") || !strings.HasSuffix(result, ", 5000 bytes of "+path) {
		t.Errorf("%s: %s", resolved, result)
	}
	if got, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(got), "ahello") {
		t.Errorf("%v: the file ends with %q", err, got[4990:])
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exec(t.Context(), "read_mem m"); err == nil || !strings.Contains(err.Error(), "its file became shorter") {
		t.Errorf("reading a region whose file is empty: %v", err)
	}
}

// TestOnDemandWarns: of a device without on-demand paging that is said before its answer, which tells no reason.
func TestOnDemandWarns(t *testing.T) {
	s := New(Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	for _, line := range []string{"open_device soft0", "alloc_pd"} {
		if _, err := s.Exec(t.Context(), line); err != nil {
			t.Fatal(line, err)
		}
	}
	for access, want := range map[string]string{
		"LOCAL_WRITE": "", "LOCAL_WRITE|ON_DEMAND": "soft0 has no on-demand paging: its odp_caps.general_caps is 0; leave ON_DEMAND out",
	} {
		done, err := s.Exec(t.Context(), "reg_mr length=64 access="+access)
		if done.Check != want || (err == nil) != (want == "") {
			t.Errorf("%s: %q, %v; want %q", access, done.Check, err, want)
		}
	}
}
