package bringup

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// What is commonly wrong with a queue pair: one press of f leaves nothing wrong, or f is not offered and the line says
// who must do what.
func TestFixEach(t *testing.T) {
	connected := []string{"connect_qps a b"}
	toRTR := func(a string) []string { // the ends connected, then a alone anew with other attributes
		return []string{"connect_qps a b", "modify_qp a RESET",
			"modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE",
			"modify_qp a RTR path_mtu=1024 dest_qp_num=b.qp_num rq_psn=b.psn max_dest_rd_atomic=1 min_rnr_timer=12 " +
				"is_global=1 dgid=b.gid sgid_index=1 hop_limit=64 ah_port_num=1 " + a}
	}
	replace := func(lines []string, old, by string) []string {
		last := len(lines) - 1
		lines[last] = strings.TrimSpace(strings.Replace(lines[last], old, by, 1))
		return lines
	}
	anew := []string{"modify_qp a RESET", "modify_qp b RESET", "connect_qps a b"}
	const initialized = "modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE"
	remote := "peer p lid=0 qp_num=0x77 psn=0x88 gid=b.gid"
	for _, tt := range []struct {
		name  string
		lines []string
		typed map[string]string
		keys  string
		red   string
		ran   []string // nil: it is not offered, or takes back what was typed
		back  bool
	}{
		{name: "ERR", lines: append(connected, "modify_qp a ERR"), red: "a is ERR; f connects it", ran: anew},
		{name: "the peer in ERR", lines: append(connected, "modify_qp b ERR"), red: "b is ERR; f connects it",
			ran: anew},
		{name: "both in ERR", lines: append(connected, "modify_qp a ERR", "modify_qp b ERR"),
			red: "a is ERR; f connects it", ran: anew},
		{name: "ERR, the peer in RESET", lines: append(connected, "modify_qp a ERR", "modify_qp b RESET"),
			red: "a is ERR; f connects it", ran: []string{"modify_qp a RESET", "connect_qps a b"}},
		{name: "dest_qp_num", lines: replace(toRTR(""), "dest_qp_num=b.qp_num", "dest_qp_num=0x12"),
			red: "dest_qp_num must be: qp_num of b; f connects it anew", ran: anew},
		{name: "rq_psn", lines: replace(toRTR(""), "rq_psn=b.psn", "rq_psn=0x12"),
			red: "rq_psn must be: sq_psn of b; f connects it anew", ran: anew},
		{name: "path_mtu", lines: replace(toRTR(""), "path_mtu=1024", "path_mtu=512"),
			red: "path_mtu must be: both ends alike; f connects it anew", ran: anew},
		{name: "dgid", lines: replace(toRTR(""), "dgid=b.gid", "dgid=127.0.0.77"),
			red: "dgid must be: GID of b; f connects it anew", ran: anew},
		{name: "max_rd_atomic", lines: append(toRTR(""), "modify_qp a RTS sq_psn=a.psn timeout=14 retry_cnt=7 "+
			"rnr_retry=7 max_rd_atomic=4"),
			red: "max_rd_atomic must be: at most max_dest_rd_atomic of b; f connects it anew",
			ran: anew},
		{name: "a step missing", keys: "t",
			red: "RC RESET → RTR is not a valid transition; from RESET: RESET, INIT; f connects it",
			ran: []string{"connect_qps a b"}},
		{name: "two steps missing", keys: "t t",
			red: "RC RESET → RTS is not a valid transition; from RESET: RESET, INIT; f connects it",
			ran: []string{"connect_qps a b"}},
		{name: "an attribute missing", typed: map[string]string{"port_num": ""},
			red: "port_num; f takes back what was typed", back: true},
		{name: "an attribute too many", typed: map[string]string{"rq_psn": "1"},
			red: "rq_psn; f takes back what was typed", back: true},
		{name: "a remote peer's PSN", lines: append([]string{remote, initialized},
			"modify_qp a RTR path_mtu=1024 dest_qp_num=0x77 rq_psn=0x89 max_dest_rd_atomic=1 min_rnr_timer=12 "+
				"is_global=1 dgid=b.gid sgid_index=1 hop_limit=64 ah_port_num=1"),
			red: "rq_psn must be: sq_psn of p; f connects it anew",
			ran: []string{"modify_qp a RESET", "connect_qps a p"}},
		{name: "a peer made anew", lines: []string{"connect_qps a b", "destroy_qp b",
			"create_qp b pd=pd send_cq=cq recv_cq=cq"}, keys: "o c",
			red: "a is in RTS and has another peer, dest_qp_num=",
			ran: []string{"connect_qps b a", "modify_qp a RESET", "connect_qps b a"}},
		{name: "a remote peer", lines: []string{remote, "connect_qps a p", "modify_qp a ERR"},
			red: "a is ERR; the peer must reset its end too: connect both anew on Bring-up (2)"},
		{name: "nobody to connect to", lines: []string{"destroy_qp b", initialized, "modify_qp a ERR"},
			red: "a is ERR; no peer is known: enter its address with P on Bring-up (2)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, sess, s := start(t, theme.New("none", true), true)
			sess.Do(tt.lines...)
			d.Frame()
			d.Keys(strings.Fields(tt.keys)...)
			for name, value := range tt.typed {
				s.move.set(name, value)
				s.fill()
			}
			is := troubleOf(s)
			if got := is.red(); !strings.Contains(got, tt.red) {
				t.Fatalf("%q is wrong, want %q", got, tt.red)
			}
			d.Shows(200, 60, s.th.Glyphs.Ban+" "+line.Escape(is.what))
			if offered := slices.Contains(keysOf(s), "f"); offered != (tt.ran != nil || tt.back) {
				t.Fatalf("f is offered: %t", offered)
			}
			if tt.ran == nil && !tt.back {
				return
			}
			d.Keys("f")
			sess.WantLines(tt.ran...)
			d.Frame()
			if is := troubleOf(s); is.what != "" {
				t.Errorf("after f: %s", is.red())
			}
			if q := s.current(); tt.ran != nil && q.State != verbs.QPRTS {
				t.Errorf("after f: %s is %s", q.Name, q.State)
			}
		})
	}
}

// keysOf lists the keys that the bottom line offers.
func keysOf(s *Screen) (list []string) {
	own, _ := s.Context().Short()
	for _, b := range own {
		list = append(list, b.Help().Key)
	}
	return list
}
