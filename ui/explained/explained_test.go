package explained

import (
	"net/netip"
	"strings"
	"testing"

	"rdmatui/assets/explain"
	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/ccall"
	"rdmatui/session/timeline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// TestTextFits: every entry fits the width it is laid out for, except words longer than that.
func TestTextFits(t *testing.T) {
	for _, f := range explain.Families() {
		for i := range f.Entries {
			for _, w := range []int{79, 120} {
				for l := range strings.Lines(Text(f.Entries[i], w)) {
					l = strings.TrimSuffix(l, "\n")
					if line.Width(l) > w && !strings.HasPrefix(l, f.Entries[i].Name) {
						t.Errorf("%s %s: %d cells of %d: %s", f.Name, f.Entries[i].Name, line.Width(l), w, l)
					}
				}
			}
		}
	}
}

func TestTextEscapes(t *testing.T) {
	e := explain.Entry{Name: "a\x1b[2J", Short: "b\a", Means: "c\u202e", Causes: []string{"d\x9b"}, Source: "e"}
	if text := Text(e, 79); strings.ContainsAny(text, "\x1b\a\u202e") {
		t.Errorf("%q", text)
	}
}

func TestAsked(t *testing.T) {
	for _, tt := range []struct{ family, name, value, want string }{
		{"qp_attr", "timeout", "14", "14 is 67.1 ms."},
		{"qp_attr", "timeout", "31", "31 is 8796 s."},
		{"qp_attr", "timeout", "32", "14 is 67 ms"},
		{"qp_attr", "timeout", "b.timeout", "14 is 67 ms"},
		{"qp_attr", "min_rnr_timer", "0", "0 is 655 ms."},
		{"device_attr", "max_qp_rd_atom", "16", "here 16"},
		{"device_attr", "local_ca_ack_delay", "15", "15 is 134 ms"},
	} {
		e, _ := explain.Find(tt.family, tt.name)
		e.Asked = tt.value
		if got := Asked(e).Means; !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %q lacks %q", tt.name, tt.value, got, tt.want)
		}
	}
}

// TestOutOfRange: a value out of range is shown with the valid range, and the attribute is still explained.
func TestOutOfRange(t *testing.T) {
	for _, tt := range []struct{ family, name, value, want string }{
		{"qp_attr", "timeout", "77", "77 is out of range: timeout takes 0 to 31"},
		{"qp_attr", "timeout", "-1", "-1 is out of range: timeout takes 0 to 31"},
		{"qp_attr", "timeout", "99999999999999999999", "99999999999999999999 is out of range: timeout takes 0 to 31"},
		{"qp_attr", "timeout", "31", ""},
		{"qp_attr", "timeout", "b.timeout", ""},
		{"qp_attr", "timeout", "", ""},
		{"qp_attr", "retry_cnt", "9", "9 is out of range: retry_cnt takes 0 to 7"},
		{"qp_attr", "rnr_retry", "0x8", "0x8 is out of range: rnr_retry takes 0 to 7"},
		{"qp_attr", "rnr_retry", "7", ""},
		{"qp_attr", "min_rnr_timer", "40", "40 is out of range: min_rnr_timer takes 0 to 31"},
		{"qp_attr", "path_mtu", "3000", "3000 is out of range: path_mtu takes 256, 512, 1024, 2048, 4096"},
		{"qp_attr", "path_mtu", "4096", ""},
		{"qp_attr", "is_global", "2", "2 is out of range: is_global takes 0, 1"},
		{"qp_attr", "dest_qp_num", "0x1000000", "0x1000000 is out of range: dest_qp_num takes 0 to 0xffffff"},
		{"qp_attr", "dgid", "5", ""},
		{"device_attr", "max_qp", "99999999999", ""},
	} {
		e, ok := explain.Find(tt.family, tt.name)
		e.Asked = tt.value
		got := Asked(e)
		if !ok || got.Wrong != tt.want || got.Means == "" {
			t.Errorf("%s %s: %q, want %q; means %q", tt.name, tt.value, got.Wrong, tt.want, got.Means)
		}
		if text := Text(got, 79); tt.want != "" && !strings.Contains(text, "\nwrong   "+tt.want+"\nmeans   ") {
			t.Errorf("%s %s is shown as\n%s", tt.name, tt.value, text)
		}
	}
}

func TestMove(t *testing.T) {
	e, _ := explain.Find("qp_attr", "timeout")
	e.Asked = "14"
	got := AskedOf(e, Move(map[string]string{"timeout": "14", "retry_cnt": "1"})).Means
	if !strings.Contains(got, "With retry_cnt=1 the requester gives up after 134 ms") {
		t.Error(got)
	}
}

func TestEvent(t *testing.T) {
	snap := &session.Snapshot{}
	for _, tt := range []struct {
		e    timeline.Event
		want []string // names of the entries
		text string   // in the first entry
	}{
		{timeline.Event{Kind: timeline.KindAsync, Async: &timeline.AsyncEvent{Type: verbs.EventPortErr, PortNum: 2}},
			[]string{"PORT_ERR"}, "through port 2"},
		{timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{Type: verbs.CMRejected, Status: 28}},
			[]string{"CONSUMER_DEFINED", "REJECTED"}, "rdma_reject"},
		{timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{Type: verbs.CMAddrError, Status: -110}},
			[]string{"ADDR_ERROR ETIMEDOUT", "ADDR_ERROR"}, ""},
		{timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{Type: verbs.CMRouteError, Status: -22}},
			[]string{"EINVAL", "ROUTE_ERROR"}, ""},
		{timeline.Event{Kind: timeline.KindCM,
			CM: &timeline.CMEvent{Type: verbs.CMEstablished, Peer: netip.MustParseAddrPort("10.0.0.1:5")}},
			[]string{"ESTABLISHED"}, "the peer is 10.0.0.1:5"},
		{timeline.Event{Kind: timeline.KindState, State: &timeline.StateChange{To: verbs.QPErr}},
			[]string{"ERR"}, "WR_FLUSH_ERR"},
		{timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{Errno: "ENOMEM",
			C: ccall.Text("src = ibv_reg_mr(pd, …)")}}, []string{"ibv_reg_mr ENOMEM"}, ""},
		{timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{Errno: "ENOMEM",
			C: ccall.Text("x")}}, []string{"ENOMEM"}, ""},
		{timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{}}, nil, ""},
		{timeline.Event{Kind: timeline.KindWC, WC: timeline.Completion{
			WC: verbs.WC{Status: verbs.WCRetryExcErr, VendorErr: 129}}}, []string{"RETRY_EXC_ERR", "mlx5 0x81"}, ""},
		{timeline.Event{Kind: timeline.KindWC, WC: timeline.Completion{
			WC: verbs.WC{Status: verbs.WCRetryExcErr, VendorErr: 7}}}, []string{"RETRY_EXC_ERR", "unknown"}, ""},
		{timeline.Event{Kind: timeline.KindWC, WC: timeline.Completion{WC: verbs.WC{Status: 999}}},
			[]string{"GENERAL_ERR"}, ""},
		{timeline.Event{Kind: timeline.KindAsync, Async: &timeline.AsyncEvent{Type: 999}}, nil, ""},
	} {
		got := Event(&tt.e, "", snap)
		var names []string
		for i := range got {
			names = append(names, got[i].Name)
		}
		if strings.Join(names, "|") != strings.Join(tt.want, "|") {
			t.Errorf("%v is explained by %q, want %q", tt.e, names, tt.want)
		} else if len(got) > 0 && !strings.Contains(got[0].Means, tt.text) {
			t.Errorf("%q lacks %q", got[0].Means, tt.text)
		}
	}
}

// TestLockedMemory: the process's memory limit is among the causes of a failed registration; a pasted log may come from
// a host with another limit, so the text says whose limit it is.
func TestLockedMemory(t *testing.T) {
	for _, name := range []string{"ibv_reg_mr ENOMEM"} {
		e, _ := explain.Find("verb_errno", name)
		filled := AskedOf(e, explain.Values{"memlock": "64 KiB"})
		if !strings.Contains(filled.Causes[0], "it is 64 KiB for this process on this host") {
			t.Errorf("%s: %q", name, filled.Causes[0])
		}
		if !strings.Contains(Asked(e).Causes[0], devices.LockedMemory()) {
			t.Errorf("%s: %q does not tell this process's limit", name, Asked(e).Causes[0])
		}
	}
}

// TestHeads: the first line says which line of a log it is of, what failed, and a number that has no entry.
func TestHeads(t *testing.T) {
	for text, want := range map[string]string{
		"x\nibv_resize_cq failed: errno 11 mlx5_0":                                       "line 2: ibv_resize_cq: EAGAIN, errno, 11",
		"efa:cq:rxr_cq_write_tx_error():2<warn> err: 20, prov_err: Not a directory (20)": "20, status of EFA",
		"librdmacm: Warning: couldn't read ABI version.":                                 "rdma_create_event_channel: no RDMA connection manager in the",
	} {
		e := explain.Read(text).Entries[0]
		for _, w := range []int{79, 40} {
			lines := strings.Split(Text(e, w), "\n")
			got := lines[0]
			for i := 1; len(got) < len(want) && i < len(lines); i++ {
				got += " " + lines[i]
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
			for _, l := range lines {
				if len([]rune(l)) > w && strings.Contains(strings.TrimSpace(l), " ") && w == 79 {
					t.Errorf("%q: %q is wider than %d", text, l, w)
				}
			}
		}
	}
}
