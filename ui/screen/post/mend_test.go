package post

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/verbs"
)

func initialized(qp string) string {
	return "modify_qp " + qp + " INIT port_num=1 pkey_index=0 qp_access_flags=REMOTE_WRITE|REMOTE_READ"
}

// What one end cannot bring up is not offered, and its line says who must do what.
func TestUnconnectable(t *testing.T) {
	remote := func(state verbs.QPState) *session.Snapshot {
		return &session.Snapshot{QPs: []session.QPView{{Name: "a", Type: verbs.RC, State: state, PeerName: "p"}},
			Peers: []session.PeerView{{Name: "p"}}}
	}
	managed := remote(verbs.QPErr)
	managed.IDs = []session.IDView{{Name: "conn1", QP: "a"}}
	alone := remote(verbs.QPReset)
	alone.Peers = nil
	for _, tt := range []struct {
		name string
		snap *session.Snapshot
		want string
	}{
		{"of rdma_cm", managed, "rdma_cm manages it: connect both ends anew on Connections (5)"},
		{"no peer", alone, "no peer is known: enter its address with P on Bring-up (2)"},
		{"failed at one end", remote(verbs.QPErr),
			"the peer must reset its end too: connect both anew on Bring-up (2)"},
		{"a remote peer", remote(verbs.QPReset), ""},
		{"no queue pair", &session.Snapshot{}, "no queue pair yet"},
	} {
		m := steps.Connection(tt.snap, tt.snap.QP("a"), false)
		if m.Else != tt.want || m.Can() != (tt.want == "") {
			t.Errorf("%s: %q and %q, want %q", tt.name, m.Else, m.Lines, tt.want)
		}
	}
}

// The commonest reasons why a request fails: one press of f resolves each, or f is not offered for it and its line says
// who must do what.
func TestFixEach(t *testing.T) {
	const (
		write  = "t t"
		read   = "t t t t"
		atomic = "t t t t t"
		rights = "LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC"
	)
	whole := "reg_mr dst pd=pd length=4096 access=" + rights
	queue := "create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16"
	small := "create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=1 max_recv_wr=16"
	unconnected := benchWith()[:7:7]
	other := append(benchWith(), "alloc_pd other", "reg_mr far pd=other length=4096 access="+rights)
	for _, tt := range []struct {
		name  string
		lines []string
		keys  string
		typed map[string]string
		red   string   // how the line begins
		told  string   // what stands behind it
		ran   []string // what f ran; nil: it is not offered, or it sets fields
		sets  map[string]string
	}{
		{name: "RESET", lines: unconnected, red: "a is RESET", told: "f connects it", ran: []string{"connect_qps a b"}},
		{name: "INIT", lines: append(unconnected, initialized("a"), initialized("b")), red: "a is INIT",
			told: "f connects it", ran: []string{"connect_qps a b"}},
		{name: "ERR", lines: append(benchWith(), "modify_qp a ERR"), red: "a is ERR", told: "f connects it",
			ran: []string{"modify_qp a RESET", "modify_qp b RESET", "connect_qps a b"}},
		{name: "the peer in ERR", lines: append(benchWith(), "modify_qp b ERR"), keys: write, red: "b is ERR",
			told: "f connects it", ran: []string{"modify_qp a RESET", "modify_qp b RESET", "connect_qps a b"}},
		{name: "no RECV", lines: benchWith(), red: "b has no RECV posted", told: "f posts one",
			ran: []string{"post_recv b wr_id=1 sge=dst:0:4096"}},
		{name: "a small RECV", lines: append(benchWith(), "post_recv b sge=dst:0:4"),
			red:  "the next RECV of b has room for 4",
			told: "shorten it, or reset the peer and post a larger RECV"},
		{name: "a wrong rkey", lines: benchWith(), keys: write, typed: map[string]string{"rkey": "0x12"},
			red: "rkey 0x12 belongs to no region", told: "f names the peer's region",
			sets: map[string]string{"rkey": "dst.rkey"}},
		{name: "the region is gone", lines: append(benchWith(), "reg_mr old pd=pd length=64 access="+rights),
			keys:  write,
			typed: map[string]string{"rkey": "old"}, red: "rkey 0x", told: "f names the peer's region",
			sets: map[string]string{"rkey": "dst.rkey"}},
		{name: "an address outside", lines: benchWith(), keys: write,
			typed: map[string]string{"remote_addr": "dst.addr+4095"},
			red:   "7 bytes at 4095 are not inside dst", told: "f names the peer's region",
			sets: map[string]string{"remote_addr": "dst.addr"}},
		{name: "more bytes than the region", lines: benchWith("reg_mr dst pd=pd length=4 access=" + rights),
			keys: write,
			red:  "7 bytes at 0 are not inside dst", told: "no known region of the peer has these bytes"},
		{name: "no REMOTE_WRITE", lines: benchWith("reg_mr dst pd=pd length=4096 access=LOCAL_WRITE"), keys: write,
			red: "dst lacks REMOTE_WRITE", told: "f grants it",
			ran: []string{"rereg_mr dst access=LOCAL_WRITE|REMOTE_WRITE"}},
		{name: "no REMOTE_READ", lines: benchWith("reg_mr dst pd=pd length=4096 access=LOCAL_WRITE"), keys: read,
			red: "dst lacks REMOTE_READ", told: "f grants it",
			ran: []string{"rereg_mr dst access=LOCAL_WRITE|REMOTE_READ"}},
		{name: "no REMOTE_ATOMIC", lines: benchWith(), keys: atomic, red: "dst lacks REMOTE_ATOMIC",
			told: "f grants it",
			ran:  []string{"rereg_mr dst access=" + rights}},
		{name: "no REMOTE_ATOMIC of the queue pair", lines: benchWith(whole), keys: atomic,
			red: "the qp_access_flags of b lack REMOTE_ATOMIC", told: "f grants it",
			ran: []string{"modify_qp b RTS qp_access_flags=REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC"}},
		{name: "no REMOTE_WRITE of the queue pair", lines: append(benchWith(),
			"modify_qp b RTS qp_access_flags=REMOTE_READ"),
			keys: write, red: "the qp_access_flags of b lack REMOTE_WRITE", told: "f grants it",
			ran: []string{"modify_qp b RTS qp_access_flags=REMOTE_WRITE|REMOTE_READ"}},
		{name: "no LOCAL_WRITE", lines: benchWith("reg_mr src pd=pd length=4096 access=REMOTE_READ"), keys: read,
			red: "src lacks LOCAL_WRITE", told: "f grants it",
			ran: []string{"rereg_mr src access=LOCAL_WRITE|REMOTE_READ"}},
		{name: "memory of another domain", lines: other, keys: write, typed: map[string]string{"sge": "far:0:7"},
			red: "far is in other, the queue in pd", told: "f names a region of its domain",
			sets: map[string]string{"sge": "src:0:7"}},
		{name: "a target of another domain", lines: other, keys: write,
			typed: map[string]string{"remote_addr": "far.addr", "rkey": "far.rkey"},
			red:   "far is in other, b in pd", told: "f names the peer's region",
			sets: map[string]string{"remote_addr": "dst.addr", "rkey": "dst.rkey"}},
		{name: "bytes outside", lines: benchWith(), keys: write, typed: map[string]string{"sge": "src:4095:7"},
			red: "7 bytes at 4095 are not inside src", told: "f names a region of its domain",
			sets: map[string]string{"sge": "src:0:7"}},
		{name: "a full queue", lines: append(benchWith(small, queue), "post_send a SEND sge=src:0:5"), keys: write,
			red: "no room: 1 of 1 requests", told: "a completion makes room"},
		{name: "no READ outstanding", lines: append(unconnected, "connect_qps a b max_rd_atomic=0"), keys: read,
			red: "a has max_rd_atomic 0", told: "f connects it anew",
			ran: []string{"modify_qp a RESET", "modify_qp b RESET", "connect_qps a b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, sess, s, _ := start(t, theme.New("none", true), tt.lines...)
			d.Keys(strings.Fields(tt.keys)...)
			for name, value := range tt.typed {
				if m := s.snap.MR(value); m != nil { // the key of a region that goes now
					value = fmt.Sprintf("0x%x", m.RKey)
					sess.Do("dereg_mr " + m.Name)
					d.Frame()
				}
				s.turnTo(name, value)
			}
			d.Frame()
			red := func() int {
				return slices.IndexFunc(s.checks, func(f preflight.Finding) bool {
					return f.Verdict == preflight.Missing && strings.HasPrefix(f.Text, tt.red)
				})
			}
			at := red()
			if at < 0 || !strings.HasSuffix(advised(s)[at], "; "+tt.told) {
				t.Fatalf("%q", advised(s))
			}
			if tt.ran == nil && tt.sets == nil {
				if at == mendable(s) {
					t.Error("f is offered")
				}
				return
			}
			d.Keys("f")
			sess.WantLines(tt.ran...)
			for name, want := range tt.sets {
				if got := s.req.value(name); got != want {
					t.Errorf("%s is %s, want %s", name, got, want)
				}
			}
			if d.Frame(); red() >= 0 {
				t.Errorf("after f: %q", advised(s))
			}
		})
	}
}
