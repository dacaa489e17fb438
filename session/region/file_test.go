package region_test

import (
	"os"
	"path/filepath"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
)

// TestFilesOfCommandsArePrivate: files with keys and payload are readable by their
// owner only.
func TestFilesOfCommandsArePrivate(t *testing.T) {
	s, dir := sessiontest.NewSoft(t, core.Options{}), t.TempDir()
	sessiontest.RunScript(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a\ncapture soft0 on file="+
		filepath.Join(dir, "c")+
		"\nreg_mr m length=64\nconnect_qps a a\npost_recv a sge=m:0:8\npost_send a SEND sge=m:0:8\npoll_cq cq n=2 timeout=10s\nsave_packets "+filepath.Join(dir, "p")+
		"\ncapture soft0 off\nsave "+filepath.Join(dir, "s")+"\nexport c "+filepath.Join(dir, "e")+"\nexport script "+
		filepath.Join(dir, "r"))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
			t.Errorf("%s: %v, %v", e.Name(), info, err)
		}
	}
}
