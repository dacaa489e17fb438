package session_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
)

func TestFirstLight(t *testing.T) {
	var journal bytes.Buffer
	s := sessiontest.NewSoft(t, core.Options{Journal: &journal})
	sessiontest.RunScript(t, s, sessiontest.FirstLight)
	if got := s.Timeline().Counts(); got.WCOK != 2 || got.WCFailed != 0 || got.Kind(timeline.KindState) != 6 {
		t.Errorf("%+v", got)
	}
	for _, d := range sessiontest.Commands(s) {
		if d.Check != "" {
			t.Errorf("%s: our own check warns: %s", d.Line, d.Check)
		}
		t.Log(d.Resolved, "|", d.Call(), "|", d.Result)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := s.Snapshot(); len(got.Objects) != 0 {
		t.Errorf("left over: %+v", got.Objects)
	}
	if lines := strings.Count(journal.String(), "\n"); lines != int(s.Timeline().Last()) {
		t.Errorf("%d journal lines for %d events", lines, s.Timeline().Last())
	}
}

func TestLoopbackOneSided(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Loopback+`
write_mem src "abcdef"
post_send a RDMA_WRITE wr_id=1 sge=src:0:6 remote_addr=dst.addr+16 rkey=dst.rkey
poll_cq cq timeout=1s
expect wc wr_id=1 status=SUCCESS opcode=RDMA_WRITE
expect mem dst 16 "abcdef"
post_send b RDMA_READ sge=src:100:6 remote_addr=dst.addr+16 rkey=dst.rkey
poll_cq cq timeout=1s
expect mem src 100 "abcdef"
post_recv b wr_id=9
post_send a RDMA_WRITE_WITH_IMM sge=src:0:3 remote_addr=dst.addr rkey=dst.rkey imm_data=0xdeadbeef
poll_cq cq n=2 timeout=1s
expect wc wr_id=9 opcode=RECV_RDMA_WITH_IMM imm_data=0xdeadbeef byte_len=3
expect mem dst 0 "abc"
`)
	for _, d := range sessiontest.Commands(s) {
		t.Log(d.Resolved, "|", d.Call(), "|", d.Result, "|", d.Check)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFailures(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Failures)
	want := map[string]string{ // by line: part of its check, part of its hint
		"modify_qp a RTS sq_psn=0":                                                            "RC RESET → RTS is not a valid transition|RC RESET → RTS is not a valid",
		"modify_qp a INIT port_num=1 pkey_index=0":                                            "missing qp_access_flags|missing qp_access_flags",
		"post_send a SEND sge=src:0:1":                                                        "a is INIT: SENDs need RTS|a is INIT: SENDs need RTS",
		"post_send a RDMA_WRITE wr_id=1 sge=src:0:10 remote_addr=dst.addr rkey=0x7f":          "rkey 0x7f belongs to no region or window of b|",
		"post_send a RDMA_WRITE wr_id=2 sge=src:0:100 remote_addr=dst.addr rkey=dst.rkey":     "are not inside dst|",
		"post_send a RDMA_READ wr_id=3 sge=src:0:10 remote_addr=closed.addr rkey=closed.rkey": "closed lacks REMOTE_READ|",
		"close pd": "|close src, dst, closed, a, b first",
	}
	for _, d := range sessiontest.Commands(s) {
		w, ok := want[d.Line]
		if !ok {
			continue
		}
		delete(want, d.Line)
		check, hint, _ := strings.Cut(w, "|")
		if !strings.Contains(d.Check, check) || !strings.Contains(d.Hint, hint) {
			t.Errorf("%s\n check %q, want %q\n hint %q, want %q", d.Line, d.Check, check, d.Hint, hint)
		}
	}
	if len(want) > 0 {
		t.Errorf("not run: %v", want)
	}
}
