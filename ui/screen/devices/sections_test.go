package devices

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	inv "rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// rowTexts are rows as text: the cells, separated by |, with * for a heading and ! before a value that is not plain.
func rowTexts(rows []row) (out []string) {
	for _, r := range rows {
		var parts []string
		for i, c := range r.cells {
			text := c.text
			switch {
			case i == 0 || c.tone == plain || c.tone == dim:
			case c.tone == good:
				text = "+" + text
			default:
				text = "!" + text
			}
			parts = append(parts, text)
		}
		text := strings.Join(parts, "|")
		if r.head {
			text = "*" + text
		}
		out = append(out, text)
	}
	return out
}

// The users of a device are its processes, their queue pairs with their destination, the kernel's counts, and this
// session's objects.
func TestHolderRows(t *testing.T) {
	own := sessionRows(&session.Snapshot{
		Devices: []session.DeviceView{{Name: "rxe0"}, {Name: "soft0"}},
		PDs:     []session.PDView{{Name: "pd", Device: "rxe0"}},
		MRs:     []session.MRView{{Name: "src", Device: "rxe0"}, {Name: "dst", Device: "rxe0"}},
		CQs:     []session.CQView{{Name: "cq", Device: "soft0"}},
		QPs: []session.QPView{{Name: "a", Device: "rxe0", Num: 0x12, Type: verbs.RC, State: verbs.QPRTS},
			{Name: "b", Device: "soft0"}},
	}, "rxe0")
	ownWant := []string{"*this session", "rdmatui|–|1 ctx 1 pd 2 mr 1 qp", "qp a|–|0x000012 RC, RTS"}
	for name, tt := range map[string]struct {
		res  *inv.Resources
		own  []row
		want []string
	}{
		"nobody":       {nil, nil, nil},
		"nothing":      {&inv.Resources{}, nil, nil},
		"this session": {nil, own, ownWant},
		"processes": {&inv.Resources{Users: []inv.User{
			{PID: 42, Comm: "ib_send_bw", Counts: map[string]int{"qp": 2, "pd": 1, "cq": 0, "zz": 3, "aa": 1}},
			{PID: 7}, {Counts: map[string]int{"cm_id": 1, "srq": 4}}}}, own,
			append([]string{"*processes", "ib_send_bw|42|1 pd 2 qp 1 aa 3 zz", "process 7|7|–",
				"kernel|–|4 srq 1 cm_id"}, ownWant...)},
		"queue pairs": {&inv.Resources{QPs: []inv.QPUse{
			{QPNum: 0x11, Dest: 0x22, Type: "RC", State: verbs.QPRTS, PID: 42, Comm: "x", RQPSN: 0x33, SQPSN: 0x44},
			{QPNum: 0x33, Type: "UD", State: verbs.QPInit}}}, nil,
			[]string{"*queue pairs", "0x000011|42|RC RTS, to 0x000022, rq_psn 0x000033, sq_psn 0x000044, x",
				"0x000033|–|UD INIT, kernel"}},
		"rdma_cm_ids": {&inv.Resources{CMIDs: []inv.CMIDUse{
			{State: "LISTEN", PortSpace: "TCP", Src: netip.MustParseAddrPort("10.9.0.1:7471"), PID: 42, Comm: "rping"},
			{State: "CONNECT", PortSpace: "UDP", Src: netip.MustParseAddrPort("[fd00::1]:9"),
				Dst: netip.MustParseAddrPort("[fd00::2]:8"), QPNum: 0x22}}}, nil,
			[]string{"*rdma_cm_ids", "LISTEN|42|TCP 10.9.0.1:7471 → –, rping",
				"CONNECT|–|UDP [fd00::1]:9 → [fd00::2]:8, qp 0x000022, kernel"}},
		"counts": {&inv.Resources{Totals: map[string]uint64{"qp": 2, "pd": 0}, Limits: map[string]uint64{"qp": 9}}, nil,
			[]string{"*all together", "kernel's count||2 qp", "kernel's limit||9 qp"}},
	} {
		if got := rowTexts(holderRows(tt.res, tt.own)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	if rows := sessionRows(&session.Snapshot{Devices: []session.DeviceView{{Name: "soft0"}}}, "rxe0"); rows != nil {
		t.Errorf("objects of another device: %q", rowTexts(rows))
	}
}

// The host's facts are told as far as they are known; a netdev that is down is a warning.
func TestHostRows(t *testing.T) {
	d := inv.Detail{DeviceInfo: verbs.DeviceInfo{Provider: verbs.SoftProvider}}
	least := []string{"provider|soft|inside this program: no driver, no hardware",
		"node_type|–|CA: channel adapter; RNIC: iWARP", "transport|–|the wire protocol"}
	if got := rowTexts(hostRows(&d)); !slices.Equal(got, least) {
		t.Errorf("%q, want %q", got, least)
	}
	for state, want := range map[string]string{"up": "up", "down": "!down", "unknown": "unknown", "": "–"} {
		rows := rowTexts(netdevRows(&inv.Netdev{Name: "eth0", OperState: state, MTU: 1500}))
		if got := []string{"*netdev eth0", "operstate|" + want + "|RFC 2863; must be up or unknown",
			"mtu|1500|bytes of an IP packet, RoCE headers included"}; !slices.Equal(rows, got) {
			t.Errorf("%s: %q, want %q", state, rows, got)
		}
	}
	for n, want := range map[int]string{-1: "unknown", 0: "0", 3: "3"} {
		if got := numaText(n); got != want {
			t.Errorf("NUMA node %d: %s, want %s", n, got, want)
		}
	}
	for path, want := range map[string]string{"/dev/infiniband/uverbs0": "way in of: libibverbs",
		"/dev/infiniband/rdma_cm": "way in of: connection manager", "umad1": "way in of: management datagrams",
		"/dev/uverbs/other": ""} {
		if got := charMeaning(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// A P_Key says whether its member is full, and whether the partition is the default one; empty entries are left out.
func TestPKeyRows(t *testing.T) {
	const limited = "limited member: cannot talk to other limited members"
	want := []string{"pkey_index 0|0xffff|full member of the default partition",
		"pkey_index 2|0x7fff|" + limited + " of the default partition", "pkey_index 3|0x8001|full member",
		"pkey_index 4|0x0001|" + limited}
	if got := rowTexts(pkeyRows([]uint16{0xffff, 0, 0x7fff, 0x8001, 1})); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A port that cannot be read has nothing but its state; ACTIVE is good, any other state is a warning.
func TestPortRows(t *testing.T) {
	var d inv.Detail
	d.Ports = []inv.Port{{PortAttr: verbs.PortAttr{PortNum: 2, State: verbs.PortUnreadable}}}
	want := []string{"*port 2", "state|" + verbs.PortUnreadable.String() + "|"}
	if got := rowTexts(portRows(&d)); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for state, mark := range map[verbs.PortState]string{verbs.PortActive: "+", 1: "!", 3: "!"} {
		d.Ports[0].State = state
		got, want := rowTexts(portRows(&d)), "state|"+mark+state.String()+"|"
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("%s: %q", state, got)
		}
	}
	for rate, want := range map[float64]string{-1: "–", 0: "–", 2.5: "2.5 Gb/s", 100: "100 Gb/s"} {
		if got := rateText(rate); got != want {
			t.Errorf("%g: %s, want %s", rate, got, want)
		}
	}
}

// Words of bits and encoded times are decoded; those that mean nothing are not.
func TestDecoded(t *testing.T) {
	for v, want := range map[uint64]string{0: "", 4096: "4 KiB", 0x3000: "4 KiB to 8 KiB",
		0xfffff000: "4 KiB to 2 GiB", 0x201000: "4 KiB, 2 MiB", 1 << 63: "8 EiB", 1: "1 B", 5: "1 B, 4 B",
		^uint64(0): "1 B to 8 EiB"} {
		if got := pageSizes(v); got != want {
			t.Errorf("0x%x: %s, want %s", v, got, want)
		}
	}
	for n, want := range map[uint8]bool{0: false, 1: true, 31: true, 32: false} {
		if got := timerText(n); got != "" != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	for field, want := range map[string]string{"max_mr_size": "1 GiB", "page_size_cap": "4 KiB", "max_qp": ""} {
		if got := decodedAttr(field, &verbs.DeviceAttr{MaxMRSize: 1 << 30, PageSizeCap: 4096, MaxQP: 5}); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
	if got := decodedAttr("max_mr_size", &verbs.DeviceAttr{MaxMRSize: ^uint64(0)}); got != "no limit" {
		t.Error(got)
	}
}

// Rates have three digits and a prefix; the two data counters count 4 bytes.
func TestPerSecond(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1: "1 /s", 999.4: "999 /s", 999.5: "1 k/s", 1500: "1.5 k/s",
		2e6: "2 M/s", 3e9: "3 G/s", 4e12: "4 T/s", 5e15: "5e+03 T/s"} {
		if got := perSecond("sent_pkts", v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
	for _, name := range []string{"port_xmit_data", "port_rcv_data"} {
		if got := perSecond(name, 250); got != "1 kB/s" {
			t.Errorf("%s: %s", name, got)
		}
	}
	for g, want := range map[counterID]string{{port: 1, group: "counters"}: "port 1 counters",
		{group: "hw_counters"}: "device hw_counters"} {
		if got := groupTitle(g); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Each window shows the panes that fit: the list is as high as its 3 devices with titles and a note, at most 9/20 of
// the window, and one line while another pane has the focus in a window of one column and less than 28 lines.
func TestPanesFit(t *testing.T) {
	for _, tt := range []struct {
		keys []string
		w, h int
		want []string
	}{
		{nil, 80, 12, []string{"devices 80x12+0+0"}},
		{[]string{"a"}, 80, 12, []string{"rxe0 80x12+0+0"}},
		{nil, 80, 13, []string{"devices 80x6+0+0", "rxe0 80x7+0+6"}},
		{[]string{"a"}, 80, 13, []string{"devices 80x3+0+0", "rxe0 80x10+0+3"}},
		{[]string{"a"}, 80, 27, []string{"devices 80x3+0+0", "rxe0 80x24+0+3"}},
		{[]string{"a"}, 80, 28, []string{"devices 80x8+0+0", "rxe0 80x20+0+8"}},
		{nil, 107, 24, []string{"devices 107x8+0+0", "rxe0 107x16+0+8"}},
		{nil, 108, 23, []string{"devices 108x8+0+0", "rxe0 108x15+0+8"}},
		// Two columns; the GIDs take the 4 rows that they have, and 4 lines for their explanation and the frame.
		{nil, 108, 24, []string{"devices 40x8+0+0", "rxe0 68x16+40+0", "rxe0 40x16+0+8", "rxe0 68x8+40+16"}},
		{nil, 170, 27, []string{"devices 40x8+0+0", "rxe0 130x19+40+0", "rxe0 40x19+0+8", "rxe0 130x8+40+19"}},
		{nil, 169, 28, []string{"devices 40x8+0+0", "rxe0 129x20+40+0", "rxe0 40x20+0+8", "rxe0 129x8+40+20"}},
		// Three columns.
		{nil, 170, 28, []string{"devices 46x8+0+0", "rxe0 68x28+46+0", "rxe0 56x12+114+0", "rxe0 46x12+0+8",
			"rxe0 56x6+114+12", "rxe0 56x10+114+18", "rxe0 46x8+0+20"}},
		{nil, 200, 50, []string{"devices 46x8+0+0", "rxe0 85x50+46+0", "rxe0 69x31+131+0", "rxe0 46x26+0+8",
			"rxe0 69x8+131+31", "rxe0 46x16+0+34", "rxe0 69x11+131+39"}},
		// The diagnosis alone where it would be beside the list only, and one enlarged pane.
		{[]string{"d"}, 80, 40, []string{"this 80x40+0+0"}},
		{[]string{"d"}, 120, 30, []string{"devices 40x8+0+0", "this 80x22+40+0", "rxe0 40x22+0+8", "rxe0 80x8+40+22"}},
		{[]string{"#", "z"}, 120, 30, []string{"rxe0 120x30+0+0"}},
	} {
		d, r := start(t, lab(), 200, 60)
		press(d, r, tt.keys...)
		d.Resize(tt.w, tt.h+1)
		if got := uitest.Boxes(d.View()); !slices.Equal(got, tt.want) {
			t.Errorf("%q in %dx%d: %q, want %q", tt.keys, tt.w, tt.h, got, tt.want)
		}
	}
}
