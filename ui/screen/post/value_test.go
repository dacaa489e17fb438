package post

import (
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/preflight"
	"rdmatui/ui/theme"
	"rdmatui/verbs"
)

// TestTypedValues: the checks accept numbers and references as typed, and do not
// decide on references to unknown objects.
func TestTypedValues(t *testing.T) {
	const all = verbs.LocalWrite | verbs.RemoteWrite | verbs.FlushGlobal | verbs.MWBind
	type typed map[string]string
	for _, tt := range []struct {
		name, op string
		typed    typed
		verdict  preflight.Verdict
		want     string // the worst finding besides those of every request
	}{
		{"the whole region", "BIND_MW", nil, preflight.Met, "dst has 4,096 bytes at 0"},
		{"from an address on", "BIND_MW", typed{"addr": "dst.addr+96"}, preflight.Met, "dst has 4,000 bytes at 96"},
		{"a number", "BIND_MW", typed{"addr": "0x8040"}, preflight.Met, "dst has 4,032 bytes at 64"},
		{"some bytes", "BIND_MW", typed{"addr": "dst.addr+96", "length": "4000"}, preflight.Met,
			"dst has 4,000 bytes at 96"},
		{"too many bytes", "BIND_MW", typed{"addr": "dst.addr+96", "length": "4001"}, preflight.Missing,
			"4,001 bytes at 96 are not inside dst"},
		{"bytes of another region's length", "BIND_MW", typed{"length": "src.length"}, preflight.Met,
			"dst has 64 bytes at 0"},
		{"below the region", "BIND_MW", typed{"addr": "src.addr"}, preflight.Missing,
			"0 bytes at 0x1000 are not inside dst"},
		{"an address of something else", "BIND_MW", typed{"addr": "p.addr"}, preflight.Unknown,
			"addr p.addr: not a value of a region"},
		{"a length of something else", "BIND_MW", typed{"length": "p.length"}, preflight.Unknown,
			"length p.length: not a value of a region"},

		{"a key of something else", "RDMA_WRITE", typed{"rkey": "p.rkey"}, preflight.Unknown,
			"rkey p.rkey: not a value of a region"},
		{"an address of something else", "RDMA_WRITE", typed{"remote_addr": "p.addr+8"}, preflight.Unknown,
			"remote_addr p.addr+8: not a value of a region"},
		{"a key too long", "RDMA_WRITE", typed{"rkey": "0x100000000"}, preflight.Missing,
			`rkey: "0x100000000" is too large: the field has 32 bits`},
		{"a key by number", "RDMA_WRITE", typed{"rkey": "0x201"}, preflight.Met, "dst grants REMOTE_WRITE"},

		{"all of dst", "FLUSH", nil, preflight.Met, "dst has 4,096 bytes at 0"},
		{"more than a FLUSH has", "FLUSH", typed{"length": "0x100000001", "rkey": "huge.rkey",
			"remote_addr": "huge.addr"}, preflight.Missing, "a FLUSH has at most 4294967295 bytes"},
		{"more than 32 bits of a length", "FLUSH", typed{"length": "huge.length", "rkey": "huge.rkey",
			"remote_addr": "huge.addr"}, preflight.Missing, "a FLUSH has at most 4294967295 bytes"},
		{"no length", "FLUSH", typed{"length": ""}, preflight.Missing, "length is missing"},
		{"a length of something else", "FLUSH", typed{"length": "p.length"}, preflight.Unknown,
			"length p.length: not a value of a region"},
		{"no length, level MR", "FLUSH", typed{"length": "", "level": "MR"}, preflight.Met, "dst grants FLUSH_GLOBAL"},
	} {
		t.Run(tt.op+" "+tt.name, func(t *testing.T) {
			snap := &session.Snapshot{
				PDs: []session.PDView{{Name: "pd", Device: "soft0"}},
				MRs: []session.MRView{
					{Name: "src", PD: "pd", Device: "soft0", Addr: 0x1000, Length: 64, LKey: 1, RKey: 0x101,
						Access: verbs.LocalWrite},
					{Name: "dst", PD: "pd", Device: "soft0", Addr: 0x8000, Length: 4096, LKey: 2, RKey: 0x201,
						Access: all},
					{Name: "huge", PD: "pd", Device: "soft0", Addr: 0x10000, Length: 1<<32 + 1, LKey: 3, RKey: 0x301,
						Access: all},
				},
				MWs: []session.MWView{{Name: "w", PD: "pd", Device: "soft0", Type: verbs.MWType2, RKey: 0x401}},
			}
			for _, name := range []string{"a", "b"} {
				snap.QPs = append(snap.QPs,
					session.QPView{Name: name, PD: "pd", Device: "soft0", Type: verbs.RC, State: verbs.QPRTS,
						SendOps: verbs.WRFlush.SendOp(), Cap: verbs.QPCap{MaxSendWR: 1, MaxSendSGE: 1}})
			}
			r := newRequest(snap)
			r.qp, r.op = "a", tt.op
			r.set("mr", "dst")
			for name, value := range tt.typed {
				r.set(name, value)
			}
			report, found := r.checks(), false
			for _, f := range report {
				found = found || f.Verdict == tt.verdict && strings.HasPrefix(f.Text, tt.want)
			}
			if !found || report[0].Verdict != tt.verdict {
				t.Errorf("%+v, want %q", report, tt.want)
			}
		})
	}
}

// TestFlushIsMarked: the bytes that a FLUSH covers are marked at the far end, as far as they exist.
func TestFlushIsMarked(t *testing.T) {
	_, _, s, _ := start(t, theme.New("none", true),
		benchWith("create_qp a pd=pd send_cq=cq recv_cq=cq send_ops_flags=FLUSH")...)
	s.req.op = "FLUSH"
	s.req.set("remote_addr", "dst.addr+4000")
	for length, want := range map[string]int{"8": 8, "0xffffffffffffffff": 96, "dst.length": 96} {
		s.req.set("length", length)
		s.refill()
		if at := s.far.marks; len(at) != 1 || at[0].Off != 4000 || at[0].Len != want {
			t.Errorf("length %s: %+v, want %d bytes", length, at, want)
		}
	}
}
