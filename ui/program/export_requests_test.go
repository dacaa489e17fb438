package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// requestScript has a list of requests, repeated requests, and payloads read from a
// file.
const requestScript = `open_device soft0
alloc_pd pd
reg_mr src length=4096 access=LOCAL_WRITE
reg_mr dst length=4096 access=LOCAL_WRITE|REMOTE_WRITE
create_cq cq cqe=64
create_qp a qp_type=RC max_send_wr=16
create_qp b qp_type=RC
connect_qps a b
write_mem src file:PAYLOAD offset=4
expect mem src 4 file:PAYLOAD
post_send a RDMA_WRITE sge=src:0:15 remote_addr=dst.addr rkey=dst.rkey wr_id=100 count=50 outstanding=8 signal_every=4
expect wc wr_id=149
expect mem dst 4 file:PAYLOAD
chain post_send a RDMA_WRITE sge=src:0:15 remote_addr=dst.addr rkey=dst.rkey send_flags=0; post_send a RDMA_WRITE sge=src:0:15 remote_addr=dst.addr+64 rkey=dst.rkey
poll_cq cq n=1 timeout=30s
expect mem dst 68 file:PAYLOAD
`

// TestExportOfManyRequests compiles them without a warning.
func TestExportOfManyRequests(t *testing.T) {
	cc := compiler(t)
	payload := filepath.Join(t.TempDir(), "payload")
	if err := os.WriteFile(payload, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := session.New(session.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}})
	defer s.Close()
	script := strings.ReplaceAll(requestScript, "PAYLOAD", payload)
	if err := s.RunScript(t.Context(), "requests", strings.NewReader(script)); err != nil {
		t.Fatal(err)
	}
	source, again := exported(t, s, "requests")
	compile(t, cc, source)
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\tsend_stream((struct send_stream){", "\tload_file(", "is_file(",
		".next = &(struct ibv_send_wr){", ".wr_id = 151,"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in the program", want)
		}
	}
	lines, err := os.ReadFile(again)
	if err != nil || !strings.Contains(string(lines), "count=50 outstanding=8 signal_every=4") ||
		!strings.Contains(string(lines), "\nchain post_send a ") {
		t.Errorf("%v\n%s", err, lines)
	}
}
