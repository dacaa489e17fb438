package queue_test

import (
	"bytes"
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestArrived: the data of a completion is kept, whatever is written to the memory later.
func TestArrived(t *testing.T) {
	for name, tt := range map[string]struct {
		lines string
		total uint32
		data  string // "" for none
	}{
		"SEND into two parts": {
			`write_mem src "hello, world"
			post_recv b wr_id=7 sge=dst:0:5,dst:100:64
			post_send a SEND wr_id=1 sge=src:0:12 send_flags=SIGNALED
			poll_cq cq n=2 timeout=1m
			write_mem dst "gone"`, 12, "hello, world"},
		"READ": {
			`write_mem dst "there"
			post_send a RDMA_READ wr_id=7 sge=src:10:5 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED
			poll_cq cq timeout=1m`, 5, "there"},
		"more than is kept": {
			`write_mem src pattern:1000
			post_recv b wr_id=7 sge=dst
			post_send a SEND wr_id=1 sge=src:0:1000 send_flags=SIGNALED
			poll_cq cq n=2 timeout=1m`, 1000, "pattern"},
		"WRITE_WITH_IMM": {
			`post_recv b wr_id=7 sge=dst
			post_send a RDMA_WRITE_WITH_IMM wr_id=1 sge=src:0:9 imm_data=5 remote_addr=dst.addr rkey=dst.rkey send_flags=SIGNALED
			poll_cq cq n=2 timeout=1m`, 0, ""},
		"nothing": {
			`post_recv b wr_id=7 sge=dst
			post_send a SEND wr_id=1 sge=src:0:0 send_flags=SIGNALED
			poll_cq cq n=2 timeout=1m`, 0, ""},
		"SEND itself": {
			`post_recv b wr_id=1 sge=dst
			post_send a SEND wr_id=7 sge=src:0:5 send_flags=SIGNALED
			poll_cq cq n=2 timeout=1m`, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := sessiontest.NewSoft(t, core.Options{})
			sessiontest.RunScript(t, s, strings.Replace(sessiontest.Loopback, "create_qp b",
				"create_qp b max_recv_sge=2", 1))
			sessiontest.RunScript(t, s, tt.lines)
			got := sessiontest.CompletionOf(t, s, 7).Arrived
			switch {
			case tt.data == "":
				if got != nil {
					t.Errorf("%+v", got)
				}
			case got == nil || got.Total != tt.total:
				t.Errorf("%+v", got)
			case tt.total > 256:
				want := make([]byte, 256)
				if _, err := s.ReadMem("src", 0, want); err != nil || !bytes.Equal(got.Data, want) {
					t.Errorf("%x, %v", got.Data, err)
				}
			case string(got.Data) != tt.data:
				t.Errorf("%q", got.Data)
			}
		})
	}
}

// TestArrivedElsewhere: a list outside the session's memory, or one that is too
// short, causes no error.
func TestArrivedElsewhere(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Loopback)
	mr := s.Snapshot().MRs[0]
	wc := verbs.WC{Opcode: verbs.WCRecv, ByteLen: 1 << 31}
	for name, tt := range map[string]struct {
		list []verbs.SGE
		want int // bytes; 0: none
	}{
		"no list":   {nil, 0},
		"other key": {[]verbs.SGE{{Addr: mr.Addr, Length: 8, LKey: mr.LKey + 1}}, 0},
		"before":    {[]verbs.SGE{{Addr: mr.Addr - 1, Length: 8, LKey: mr.LKey}}, 0},
		"beyond":    {[]verbs.SGE{{Addr: mr.Addr + mr.Length - 7, Length: 8, LKey: mr.LKey}}, 0},
		"wraps":     {[]verbs.SGE{{Addr: 1<<64 - 4, Length: 8, LKey: mr.LKey}}, 0},
		"the end":   {[]verbs.SGE{{Addr: mr.Addr + mr.Length - 8, Length: 8, LKey: mr.LKey}}, 8},
		"second fails": {[]verbs.SGE{{Addr: mr.Addr, Length: 8, LKey: mr.LKey}, {Addr: 0, Length: 8, LKey: mr.LKey}},
			8},
		"empty parts": {[]verbs.SGE{{Length: 0}, {Addr: mr.Addr, Length: 8, LKey: mr.LKey}}, 8},
	} {
		got := queue.Arrived(s.Core(), tt.list, &wc)
		if n := 0; got != nil {
			if n = len(got.Data); n != tt.want {
				t.Errorf("%s: %d bytes", name, n)
			}
		} else if tt.want != 0 {
			t.Errorf("%s: no data", name)
		}
	}
	wc.Status = verbs.WCLocLenErr
	if got := queue.Arrived(s.Core(), []verbs.SGE{{Addr: mr.Addr, Length: 8, LKey: mr.LKey}}, &wc); got != nil {
		t.Errorf("of a failed completion: %+v", got)
	}
}
