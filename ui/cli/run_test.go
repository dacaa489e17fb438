package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRestrictedRun: a script from elsewhere neither reads nor makes a file, however the line is wrapped.
func TestRestrictedRun(t *testing.T) {
	const head = "open_device soft0\nalloc_pd pd\nreg_mr mr length=64\n"
	dir := t.TempDir()
	secret, made := filepath.Join(dir, "secret"), filepath.Join(dir, "made")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ line, names string }{
		{"write_mem mr file:" + secret, secret},
		{`write_mem mr file:"` + secret + `"`, secret},
		{"repeat 2 write_mem mr file:" + secret, secret},
		{"expect mem mr 0 file:" + secret, secret},
		{"reg_mr other backing=file:" + secret, secret},
		{"repeat 2 reg_mr backing=file:" + secret, secret},
		{"repeat 1 reg_mr other length=64 backing=shm:/rdmatui-restricted", "/dev/shm/rdmatui-restricted"},
		{"reg_mr other length=4096 backing=dmabuf:udmabuf", "dmabuf:udmabuf"},
		{"repeat 1 reg_mr other backing=dmabuf:3", "dmabuf:3"},
		{"reg_mr other length=64 backing=anonymous", ""},
		{"save " + made, made},
		{"export c " + made, made},
		{"export script " + made, made},
		{"capture soft0 on file=" + made, made},
		{"save_packets " + made, made},
		{"save_incident " + made, made},
		{`write_mem mr "file:text"`, ""},
		{"read_mem mr", ""},
	} {
		t.Run(tt.line, func(t *testing.T) {
			_, stdout, stderr, status := invokeSoft(head+tt.line+"\n", "run", "--provider", "soft", "--restricted", "-")
			if tt.names == "" {
				if status != Done {
					t.Errorf("exit status %d, %s", status, stderr)
				}
				return
			}
			want := "a restricted run reads and writes no files, and this line names " + tt.names
			if status != Failed || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit status %d, %s\n%s; want %q", status, stdout, stderr, want)
			}
			if _, err := os.Stat(made); err == nil {
				t.Error("the file was made")
			}
		})
	}
}

// TestCallsOfConnectQPs: run prints each of its modify_qp calls once, with its result.
func TestCallsOfConnectQPs(t *testing.T) {
	const pair = "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a\ncreate_qp b\n"
	for _, line := range []string{"connect_qps a b", "repeat 1 connect_qps a b", "loop\nuntil connect_qps a b\nend"} {
		_, stdout, stderr, status := invokeSoft(pair+line+"\n", "run", "--provider", "soft", "-")
		if calls := strings.Count(stdout, "ibv_modify_qp("); status != Done || calls != 6 ||
			!strings.Contains(stdout, "a is connected to b") {
			t.Errorf("%s: exit status %d, %d calls of ibv_modify_qp, want 6: %s\n%s", line, status, calls,
				stderr, stdout)
		}
	}
}
