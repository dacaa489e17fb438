package completions

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// TestPacketWords: the explanation counts the packets of the request, if they were recorded.
func TestPacketWords(t *testing.T) {
	const ms = time.Millisecond
	first, last := seen(12*ms, true, wire.RCSendFirst, 18, 2), seen(13*ms, true, wire.RCSendLast, 18, 3)
	again, ack := seen(14*ms, true, wire.RCSendLast, 18, 3), seen(15*ms, false, wire.RCAcknowledge, 17, 3)
	late, later := seen(18*ms, true, wire.RCSendOnly, 18, 9), seen(18*ms+1, true, wire.RCSendOnly, 18, 9)
	send := timeline.Completion{QP: "a", Matched: true, Posted: 12 * ms}
	recv := timeline.Completion{QP: "b", Matched: true, Recv: true, Posted: ms}
	for _, tt := range []struct {
		c    timeline.Completion
		of   tapped
		from uint64 // the number of the first packet
		want string // "" for none
	}{
		{send, tapped{first, last, ack}, 1, "packets: 2 sent, 1 received"},
		{send, tapped{first, last, again, ack}, 1, "packets: 3 sent (1 retransmitted), 1 received"},
		{send, tapped{first, last, again, ack, late}, 1, "packets: 4 sent (1 retransmitted), 1 received"},
		{send, tapped{first, last, again, ack, later}, 1, "packets: 3 sent (1 retransmitted), 1 received"},
		{send, tapped{last, ack}, 5, "packets kept of it: 1 sent, 1 received"},
		{send, tapped{first, last}, 5, "packets: 2 sent, 0 received"}, // the first kept one is not later
		{send, nil, 1, "packets: none recorded"}, {send, tapped{ack}, 1, "packets: none recorded"},
		{recv, tapped{seen(13*ms, false, wire.RCSendOnly, 18, 1)}, 1, "packets: 1 for the message"},
		{timeline.Completion{QP: "a"}, tapped{first}, 1, ""},
		{timeline.Completion{QP: "cm", Matched: true, Posted: 12 * ms}, tapped{first, last, ack}, 1,
			"packets: 2 sent, 1 received"},
	} {
		for i := range tt.of {
			tt.of[i].Seq = tt.from + uint64(i)
		}
		x := newBench(t, theme.New("none", true), 64)
		d := x.s.detail
		d.packets.since = tt.of.since
		d.session = &session.Snapshot{QPs: []session.QPView{
			{Name: "a", Device: "soft0", Num: 17, Attr: verbs.QPAttr{DestQPNum: 18}},
			{Name: "b", Device: "soft0", Num: 18, Attr: verbs.QPAttr{DestQPNum: 17}},
			{Name: "cm", Device: "soft0-cm", Num: 17, Attr: verbs.QPAttr{DestQPNum: 18}}},
			Devices: []session.DeviceView{{Name: "soft0-cm", Info: verbs.DeviceInfo{Name: "soft0"}}}}
		d.show(&timeline.Event{T: 16 * ms, Seq: 1, WC: tt.c})
		d.SetSize(100, 40)
		got := ""
		for _, l := range d.words {
			if strings.Contains(l.text, "packets") {
				got += strings.TrimSpace(l.text)
			}
		}
		if got != tt.want {
			t.Errorf("%d packets: %q, want %q", len(tt.of), got, tt.want)
		}
	}
}

// TestRetransmitted: the row of a request that was sent more than once says how often, and warns.
func TestRetransmitted(t *testing.T) {
	const ms = time.Millisecond
	x := newBench(t, uitest.Tokens(), 64)
	x.s.detail.packets.since = tapped{
		seen(12*ms, true, wire.RCSendOnly, 18, 2), seen(13*ms, true, wire.RCSendOnly, 18, 2),
		seen(14*ms, true, wire.RCSendOnly, 18, 2), seen(15*ms, false, wire.RCAcknowledge, 17, 2)}.since
	x.st.Session.QPs = []session.QPView{{Name: "a", Device: "soft0", Num: 17, Attr: verbs.QPAttr{DestQPNum: 18}}}
	done := timeline.Completion{QP: "a", Matched: true, Posted: 12 * ms, Latency: 4 * ms}
	quick, failed, taken := done, done, done
	quick.Latency, failed.WC.Status, taken.Recv = time.Microsecond, verbs.WCRetryExcErr, true
	x.sess.Timeline().AppendBatch([]timeline.Completion{quick, failed, taken, done})
	x.refresh() // takes them
	x.refresh() // counts their packets
	view := rawView(x, 120)
	row := uitest.Marked(t, view, "×3")
	if strings.Count(view, "×3") != 1 || !strings.Contains(row, "‹Warn+SelBlur›SUCCESS") ||
		!strings.Contains(row, "‹Warn+SelBlur›×3") {
		t.Errorf("not one row says how often:\n%s\n%s", row, uitest.Text(view))
	}
	x.s.SetSize(120, 30)
	if head := uitest.Marked(t, widget.Render(x.s.th, x.s, 120, 30), "completion wr 0"); !strings.Contains(head,
		"‹Warn›SUCCESS") {
		t.Errorf("the detail's head is %s", head)
	}
}

// TestColumnsOfAnIncident: columns are as wide as their widest cell; the widest are squeezed first, down to ten cells,
// and their cells are wrapped.
func TestColumnsOfAnIncident(t *testing.T) {
	word := func(n int) string { return strings.Repeat("x", n) }
	for _, tt := range []struct {
		rows [][]string
		w    int
		want []int
	}{
		{[][]string{{"a", "bb"}, {"ccc"}}, 80, []int{3, 2}}, {[][]string{{"a"}, {"b", word(9)}}, 80, []int{1, 9}}, {nil,
			10, nil},
		{[][]string{{word(20), word(20)}}, 42, []int{20, 20}}, {[][]string{{word(20), word(20)}}, 41, []int{19, 20}},
		{[][]string{{word(20), word(20)}}, 40, []int{19, 19}}, {[][]string{{word(30), word(15)}}, 40, []int{23, 15}},
		{[][]string{{word(30), word(15)}}, 20, []int{10, 10}}, {[][]string{{word(30), word(8)}}, 5, []int{10, 8}},
		{[][]string{{word(11)}}, 10, []int{10}}, {[][]string{{word(11)}}, 9, []int{10}},
	} {
		if got := columnWidths(tt.rows, tt.w); !slices.Equal(got, tt.want) {
			t.Errorf("%q in %d cells: %v, want %v", tt.rows, tt.w, got, tt.want)
		}
	}
	for _, tt := range []struct {
		text string
		w    int
		want []string
	}{
		{"one two", 7, []string{"one two"}}, {"one two", 6, []string{"one", "two"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}}, {"abcdefgh", 4, []string{"abcd", "efgh"}},
		{"日本語", 4, []string{"日本", "語"}}, {"日本語", 5, []string{"日本", "語"}}, {"日本", 1, []string{"日本"}},
		{"ab cdefgh", 4, []string{"ab", "cdef", "gh"}}, {"", 4, []string{""}},
	} {
		if got := wrapCell(tt.text, tt.w); !slices.Equal(got, tt.want) {
			t.Errorf("%q in %d cells: %q, want %q", tt.text, tt.w, got, tt.want)
		}
	}
}

// TestSizesOfThePanes: a short screen has the frame and three rows of the completions above the explanation; one of 20
// lines shows the queues in a row, one of 115 cells in a pane of their own.
func TestSizesOfThePanes(t *testing.T) {
	for _, tt := range []struct {
		w, h          int
		rows          int // of the table
		detail        bool
		queues, below bool // the queues in a pane, and in a row
	}{
		{80, 13, 10, false, false, false}, {80, 14, 3, true, false, false}, {80, 19, 3, true, false, false},
		{80, 20, 5, true, false, true}, {80, 30, 10, true, false, true}, {114, 30, 10, true, false, true},
		{115, 14, 6, true, true, false}, {115, 30, 22, true, true, false}, {200, 50, 42, true, true, false},
	} {
		x := newBench(t, theme.New("none", true), 512)
		for i := range 100 {
			x.sess.Timeline().AppendBatch([]timeline.Completion{recvDone(uint64(1000 + i))})
		}
		x.refresh()
		x.st.Session.CQs[0].Stats = session.CQStatsByMode{}
		view := x.view(tt.w, tt.h)
		detail, queues := strings.Contains(view, "╭ completion wr"), strings.Contains(view, "╭ completion queues")
		below := strings.Contains(view, " in flight") && !queues
		from, to := x.s.table.Visible()
		if to-from != tt.rows || detail != tt.detail || queues != tt.queues || below != tt.below {
			t.Errorf("%dx%d: %d rows, explanation %v, queues in a pane %v, in a row %v\n%s", tt.w, tt.h, to-from,
				detail,
				queues, below, view)
		}
		if x.keys("z"); tt.h > 13 {
			x.view(tt.w, tt.h)
			if from, to := x.s.table.Visible(); to-from != tt.h-3 {
				t.Errorf("%dx%d, zoomed: %d rows", tt.w, tt.h, to-from)
			}
		}
	}
}

// TestCopied: of the list a row and the command that posted the request can be copied, of another pane what it shows.
func TestCopied(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	if got := x.s.texts(paneTable); got != nil {
		t.Errorf("without a completion: %v", got)
	}
	x.journey()
	x.view(200, 50)
	x.keys("F", "home")
	got := x.s.texts(paneTable)
	if len(got) != 2 || !strings.HasPrefix(got[0].Text, "wr 4711  REM_ACCESS_ERR  RDMA_WRITE  qp a") ||
		!strings.HasPrefix(got[1].Text, "post_send a RDMA_WRITE wr_id=4711") {
		t.Errorf("%+v", got)
	}
	x.keys("down") // posted by no command
	if got := x.s.texts(paneTable); len(got) != 1 || got[0].Name != "row" {
		t.Errorf("%+v", got)
	}
	if got := x.s.texts(paneDetail); got != nil {
		t.Errorf("of the explanation: %v", got)
	}
}

// TestCellStyles: each cell of the list is drawn by what it means.
func TestCellStyles(t *testing.T) {
	x := newBench(t, uitest.Tokens(), 64)
	unknown := recvDone(3)
	unknown.Matched = false
	unknown.QP = ""
	none := writeFailed(4, verbs.WCGeneralErr)
	none.Matched = false
	x.sess.Timeline().AppendBatch([]timeline.Completion{recvDone(1), writeFailed(2, verbs.WCRemAccessErr), unknown,
		none})
	x.refresh()
	x.keys("home", "F", "F")
	view := func() string {
		x.s.table.Focused = false
		return strings.Join(strings.Split(rawView(x, 200), "\n")[:8], "\n")
	}
	for want, text := range map[string]string{
		"1 ‹OK›SUCCESS ‹Value›RECV 5 0x11223344 ‹Undefined›– ‹Accent›b ‹Dim›0x000012 ‹Value›cq 18 µs": " " +
			"18 µs",
		"2 ‹Err›REM_ACCESS_ERR ‹Dim›RDMA_WRITE ‹Undefined›– – ‹Warn›0x88 ‹Value›a ‹Dim›0x000011 ‹Value›cq 1.3 " +
			"ms": "1.3 ms",
	} {
		l := strings.Join(strings.Fields(uitest.Marked(t, view(), text)), " ")
		if _, l, _ = strings.Cut(l, "‹Value›"); l != want {
			t.Errorf("%q, want %q", l, want)
		}
	}
	l := strings.Join(strings.Fields(uitest.Marked(t, view(), "GENERAL_ERR")), " ")
	if !strings.Contains(l, "‹Err+SelBlur›GENERAL_ERR") || !strings.Contains(l, "‹Undefined+SelBlur›–") {
		t.Errorf("%q", l)
	}
}

// rawView is the table with styles.
func rawView(x *bench, w int) string { return widget.Render(x.s.th, x.s.table, w, 8) }
