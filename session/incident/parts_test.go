package incident

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// asText formats rows as text, one per line.
func asText(rows [][]string) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.Join(row, " | ") + "\n")
	}
	return b.String()
}

// TestAttributeRows compares the whole list of attributes of both queue pairs.
func TestAttributeRows(t *testing.T) {
	s := newScene(verbs.WCRetryExcErr, verbs.WRSend)
	s.a.Type, s.b.Type, s.b.RecvPosted = verbs.RC, verbs.UC, 2
	const head = ` | a | b
qp_num | 0x000011 | 0x000012
qp_type | RC | UC
state | RTS | RTS
device | soft0 | soft0
pd | pd | pd
RECVs posted | 0 | 2
`
	got := asText(s.attributeRows())
	if !strings.HasPrefix(got, head) || !strings.Contains(got, "timeout | 14 | 14\n") ||
		!strings.Contains(got, "path_mtu | 1024 | 1024\n") {
		t.Errorf("got\n%s\nwant\n%s", got, head)
	}
	// cur_qp_state and qkey are set on neither; the states are shown once
	for _, none := range []string{"qkey", "cur_qp_state", "qp_state"} {
		if strings.Contains(got, "\n"+none+" |") {
			t.Errorf("unexpected %s in\n%s", none, got)
		}
	}
	s.b.Attr.Mask &^= verbs.AttrPathMTU
	if got := asText(s.attributeRows()); !strings.Contains(got, "path_mtu | 1024 | \n") {
		t.Errorf("path_mtu of a alone:\n%s", got)
	}
	s.peer = s.own
	if got := asText(s.attributeRows()); !strings.HasPrefix(got, " | a\n") {
		t.Errorf("connected to itself:\n%s", got)
	}
}

// TestLongParts: a part has at most maxRows rows.
func TestLongParts(t *testing.T) {
	for extra := range 3 {
		s := newScene(verbs.WCLocProtErr, verbs.WRSend)
		sge := s.request.List[0]
		s.snap.MRs = nil
		s.request.List = nil
		for range maxRows + extra {
			s.request.List = append(s.request.List, sge)
			s.snap.MRs = append(s.snap.MRs, core.MRView{Name: "m", Device: "soft0", LKey: sge.LKey})
			s.history = append(s.history,
				move("a", verbs.QPErr, "modify_qp", fmt.Sprintf("modify_qp a ERR%d", len(s.history)), 0))
		}
		text := asText(s.requestRows())
		if n := strings.Count(text, "sge | 64 bytes at"); n != maxRows {
			t.Errorf("%d SGEs in\n%s", n, text)
		}
		if more := fmt.Sprintf(" | %d more\n", extra); strings.Contains(text, more) != (extra > 0) {
			t.Errorf("%d rows more than %d:\n%s", extra, maxRows, text)
		}
		if n := len(s.memoryRows()); n != maxRows {
			t.Errorf("%d regions", n)
		}
		rows := s.historyRows()
		if last := fmt.Sprintf("ERR%d)", maxRows+extra-1); len(rows) != maxRows ||
			!strings.HasSuffix(rows[maxRows-1][1], last) {
			t.Errorf("%d moves:\n%s", len(rows), asText(rows))
		}
	}
}

// TestMemoryRows: the regions that hold the request's addresses or have its keys, and no other.
func TestMemoryRows(t *testing.T) {
	s := newScene(verbs.WCRemAccessErr, verbs.WRRDMAWrite)
	sge, wr := &s.request.List[0], s.wr
	for _, tt := range []struct {
		name         string
		lkey         uint32
		addr, remote uint64
		rkey         uint32
		want         string
	}{
		{"none", 7, 0x100, 0x100, 7, ""},
		{"by lkey", 0x10, 0x100, 0x100, 7, "src"},
		{"by address", 7, 0x1fff, 0x100, 7, "src"},
		{"by rkey", 7, 0x100, 0x100, 0x21, "dst"},
		{"by remote address", 7, 0x100, 0x8000, 7, "dst"},
		{"both", 0x10, 0x1000, 0x8000, 0x21, "src dst"},
	} {
		s.peer = nil // whose region at the remote address has a row of its own
		sge.LKey, sge.Addr, wr.RemoteAddr, wr.RKey = tt.lkey, tt.addr, tt.remote, tt.rkey
		var names []string
		for _, row := range s.memoryRows() {
			names = append(names, row[0])
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestRequestRows: the line of a request, and the warning before it was posted.
func TestRequestRows(t *testing.T) {
	for check, want := range map[string]string{"": "no problem found", "b has no RECV posted": "b has no RECV posted"} {
		s := newScene(verbs.WCRemAccessErr, verbs.WRRDMAWrite)
		s.request.Posted.Check = check
		got := asText(s.requestRows())
		if !strings.HasPrefix(got, "line | post_send a\ncheck before posting | "+want+
			"\nwr_id | 1, RDMA_WRITE of 64 bytes on a\n") {
			t.Errorf("%q:\n%s", check, got)
		}
		if s.known = false; strings.Count(asText(s.requestRows()), "\n") != 1 {
			t.Errorf("without a request:\n%s", asText(s.requestRows()))
		}
	}
}

// TestHistoryRows: moves and events of both ends, and of no other queue pair.
func TestHistoryRows(t *testing.T) {
	s := newScene(verbs.WCRetryExcErr, verbs.WRSend)
	event := func(e timeline.AsyncEvent) moment { return moment{async: &e} }
	s.history = []moment{
		move("a", verbs.QPErr, "modify_qp", "modify_qp a ERR sq_psn=1", time.Second),
		move("b", verbs.QPErr, "failure", "", 0), move("c", verbs.QPErr, "failure", "", 0),
		event(timeline.AsyncEvent{Type: verbs.EventQPAccessErr, QP: "b"}),
		event(timeline.AsyncEvent{Type: verbs.EventQPAccessErr, QP: "c"}),
		event(timeline.AsyncEvent{Type: verbs.EventPortErr, Device: "soft0"}),
		event(timeline.AsyncEvent{Type: verbs.EventPortErr, Device: "soft1"}),
		{cm: &timeline.CMEvent{Type: verbs.CMDisconnected, ID: "id"}},
	}
	const want = `1.000000 s | a: RTS to ERR (modify_qp a ERR)
0.000000 s | b: RTS to ERR (failure)
0.000000 s | event QP_ACCESS_ERR b
0.000000 s | event PORT_ERR
0.000000 s | DISCONNECTED of id
`
	if got := asText(s.historyRows()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPlace: an address inside a region is shown as an offset, any other as a number.
func TestPlace(t *testing.T) {
	s := newScene(verbs.WCLocProtErr, verbs.WRSend)
	is := func(m *core.MRView) bool { return m.Name == "src" }
	for addr, want := range map[uint64]string{
		0xfff: "0xfff", 0x1000: "src+0 (0x1000)", 0x2000: "src+4096 (0x2000)", 0x2001: "0x2001", 0x8000: "0x8000",
	} {
		if got := s.place(addr, is); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestAfter: the text has the singular and the plural.
func TestAfter(t *testing.T) {
	for n, want := range []string{"No request was flushed after it.", "1 request was flushed after it.",
		"2 requests were flushed after it."} {
		in := Incident{Flushed: uint64(n)}
		if got := in.After(); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// TestMarkdownRows: rows of one or two columns become a list, others a table; text from outside is escaped.
func TestMarkdownRows(t *testing.T) {
	for _, tt := range []struct {
		rows [][]string
		want string
	}{
		{nil, ""},
		{[][]string{{"a*"}, {"b"}}, "- a\\*\n- b\n"},
		{[][]string{{"a_", "1|"}, {"b", "2"}}, "- a\\_: 1\\|\n- b: 2\n"},
		{[][]string{{"", "x", "y"}, {"p", "1", "2"}, {"q", "3"}},
			"|  | x | y |\n|---|---|---|\n| p | 1 | 2 |\n| q | 3 |  |\n"},
		{[][]string{{"p", "1", "\x1b<"}}, "|  |  |  |\n|---|---|---|\n| p | 1 | \ufffd&lt; |\n"},
	} {
		var b strings.Builder
		if writeRows(&b, tt.rows); b.String() != tt.want {
			t.Errorf("got\n%s\nwant\n%s", b.String(), tt.want)
		}
	}
}

// TestDifferenceRows: the part lists what differs between the ends, and nothing else.
func TestDifferenceRows(t *testing.T) {
	for _, tt := range []struct {
		change func(*scene)
		want   string // text of the only row
	}{
		{func(*scene) {}, ""},
		{func(s *scene) { s.b.Attr.PathMTU = verbs.MTU256 }, "path_mtu of a is 1024 | path_mtu of b is 256"},
		{func(s *scene) { s.b.Attr.PathMTU = verbs.MTU256; s.b.Attr.Mask &^= verbs.AttrPathMTU }, ""},
		{func(s *scene) { s.b.Attr.PathMTU = verbs.MTU256; s.a.Attr.Mask &^= verbs.AttrPathMTU }, ""},
		{func(s *scene) { s.b.State = verbs.QPInit }, "state of a is RTS | state of b is INIT"},
		{func(s *scene) { s.b.State = verbs.QPRTR }, ""},
		{func(s *scene) { // it may be an effect of the failure
			s.b.State, s.history = verbs.QPErr, []moment{move("b", verbs.QPErr, "failure", "", s.posted()+1)}
		}, ""},
		{func(s *scene) {
			s.b.State, s.history = verbs.QPErr, []moment{move("b", verbs.QPErr, "failure", "", s.posted())}
		}, "state of a is RTS | state of b is ERR"},
		{func(s *scene) { s.b.Num = 19 }, "dest_qp_num of a is 0x000012 | qp_num of b is 0x000013"},
		{func(s *scene) { s.b.Attr.DestQPNum = 16 }, "qp_num of a is 0x000011 | dest_qp_num of b is 0x000010"},
		{func(s *scene) { s.a.Attr.MaxRDAtomic = 2 }, "max_rd_atomic of a is 2 | max_dest_rd_atomic of b is 1"},
		{func(s *scene) { s.b.Attr.MaxDestRDAtomic = 2 }, ""},
		{func(s *scene) { s.a.Attr.MaxRDAtomic = 2; s.b.Attr.Mask &^= verbs.AttrMaxDestRDAtomic }, ""},
		{func(s *scene) { s.b.Attr.QPAccessFlags = verbs.RemoteRead },
			"opcode of a is RDMA_WRITE | qp_access_flags of b is REMOTE_READ"},
		{func(s *scene) { s.b.Attr.QPAccessFlags = 0; s.b.Attr.Mask &^= verbs.AttrAccessFlags }, ""},
		{func(s *scene) { s.b.Type = verbs.UC }, "qp_type of a is RC | qp_type of b is UC"},
		{func(s *scene) {
			s.a.Attr.PKeyIndex = 1
			s.a.Attr.Mask |= verbs.AttrPKeyIndex
			s.b.Attr.Mask |= verbs.AttrPKeyIndex
		}, "pkey_index of a is 1 | pkey_index of b is 0"},
		{func(s *scene) { s.a.Attr.PKeyIndex = 1; s.a.Attr.Mask |= verbs.AttrPKeyIndex }, ""},
		{func(s *scene) { s.peer = nil }, ""},
	} {
		s := newScene(verbs.WCRetryExcErr, verbs.WRRDMAWrite)
		s.a.Type, s.b.Type = verbs.RC, verbs.RC
		tt.change(s)
		got := asText(s.differenceRows())
		if strings.Count(got, "\n") > 1 || !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// TestDatagramDifferences: a datagram's Q_Key must be that of its receiver.
func TestDatagramDifferences(t *testing.T) {
	for qkey, want := range map[uint32]string{0x11: "", 0x12: "remote_qkey of a is 0x12 | qkey of b is 0x11"} {
		s := newScene(verbs.WCRetryExcErr, verbs.WRSend)
		s.a.Type, s.b.Type = verbs.UD, verbs.UD
		s.a.Attr, s.b.Attr = verbs.QPAttr{}, verbs.QPAttr{Mask: verbs.AttrQKey, QKey: 0x11}
		s.wr.RemoteQKey = qkey
		if got := asText(s.differenceRows()); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("0x%x: got %q, want %q", qkey, got, want)
		}
	}
}

// TestTriesRows: the row has the counts of what happened, and omits the rest.
func TestTriesRows(t *testing.T) {
	for _, tt := range []struct {
		tries *verbs.Tries
		want  string
	}{
		{nil, ""}, {&verbs.Tries{}, ""}, {&verbs.Tries{Span: time.Second}, ""},
		{&verbs.Tries{RNRNAKs: 1}, "1 | RNR NAKs received\n"},
		{&verbs.Tries{SequenceNAKs: 2, Timeouts: 3, Resends: 4},
			"2 | NAKs received: PSN sequence error\n3 | timeouts\n4 | retransmissions\n"},
	} {
		s := newScene(verbs.WCRetryExcErr, verbs.WRSend)
		s.tries = tt.tries
		if got := asText(s.triesRows()); got != tt.want {
			t.Errorf("got\n%s\nwant\n%s", got, tt.want)
		}
	}
	s := newScene(verbs.WCRetryExcErr, verbs.WRSend)
	s.tries = &verbs.Tries{Timeouts: 1, Span: time.Millisecond}
	if got := asText(s.triesRows()); strings.Count(got, "\n") != 2 {
		t.Errorf("no span in\n%s", got)
	}
}
