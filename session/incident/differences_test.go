package incident

import (
	"slices"
	"testing"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// TestDifferences: what two queue pairs must agree on is told if it differs, and only if it is known of both.
func TestDifferences(t *testing.T) {
	const mask = verbs.AttrDestQPN | verbs.AttrPathMTU | verbs.AttrQKey | verbs.AttrAccessFlags |
		verbs.AttrMaxQPRDAtomic | verbs.AttrMaxDestRDAtomic | verbs.AttrPKeyIndex
	const all = verbs.RemoteWrite | verbs.RemoteRead | verbs.RemoteAtomic
	type pair struct {
		a, b *core.QPView
		wr   *verbs.SendWR
	}
	agreeing := func() pair {
		attr := verbs.QPAttr{Mask: mask, PathMTU: verbs.MTU1024, QKey: 7, QPAccessFlags: all, MaxRDAtomic: 4,
			MaxDestRDAtomic: 4, PKeyIndex: 1}
		on := func(name string, num verbs.QPN, state verbs.QPState) *core.QPView {
			return &core.QPView{
				Name: name, Device: "soft0", Port: 1, Num: num, Type: verbs.RC, State: state, Attr: attr,
			}
		}
		p := pair{on("a", 0x11, verbs.QPRTS), on("b", 0x22, verbs.QPRTR),
			&verbs.SendWR{Opcode: verbs.WRRDMARead, RemoteQKey: 7}}
		p.a.Attr.DestQPNum, p.b.Attr.DestQPNum = 0x22, 0x11
		began := verbs.AttrSQPSN | verbs.AttrRQPSN
		p.a.Began, p.b.Began = core.PSNs{Mask: began, SQ: 1, RQ: 2}, core.PSNs{Mask: began, SQ: 2, RQ: 1}
		return p
	}
	told := func(p pair) (texts []string) {
		x := facts{own: p.a, peer: p.b, wr: p.wr, snap: &core.Snapshot{QPs: []core.QPView{*p.a, *p.b}}}
		for _, row := range x.differenceRows() {
			texts = append(texts, row[0]+", "+row[1])
		}
		return texts
	}
	if got := told(agreeing()); got != nil {
		t.Errorf("of queue pairs that agree: %q", got)
	}
	datagrams := func(p *pair) { p.a.Type, p.b.Type = verbs.UD, verbs.UD }
	unknown := func(own, peer verbs.AttrMask) func(*pair) {
		return func(p *pair) {
			p.a.Attr.Mask &^= own
			p.b.Attr.Mask &^= peer
			p.a.Began.Mask &^= own
			p.b.Began.Mask &^= peer
		}
	}
	for _, tt := range []struct {
		change func(*pair)
		want   string
		not    []func(*pair) // with each of these nothing is told
	}{
		{func(p *pair) { p.b.Type = verbs.UC }, "qp_type of a is RC, qp_type of b is UC", nil},
		{func(p *pair) { p.b.State = verbs.QPInit }, "state of a is RTS, state of b is INIT", nil},
		{func(p *pair) { p.a.Attr.DestQPNum = 0x33 }, "dest_qp_num of a is 0x000033, qp_num of b is 0x000022",
			[]func(*pair){datagrams, unknown(verbs.AttrDestQPN, 0)}},
		{func(p *pair) { p.b.Attr.DestQPNum = 0x33 }, "qp_num of a is 0x000011, dest_qp_num of b is 0x000033",
			[]func(*pair){datagrams, unknown(0, verbs.AttrDestQPN)}},
		{func(p *pair) { p.b.Attr.PathMTU = verbs.MTU512 }, "path_mtu of a is 1024, path_mtu of b is 512",
			[]func(*pair){unknown(verbs.AttrPathMTU, 0), unknown(0, verbs.AttrPathMTU)}},
		{func(p *pair) { p.b.Began.RQ = 5 }, "sq_psn of a is 0x000001, rq_psn of b is 0x000005",
			[]func(*pair){unknown(verbs.AttrSQPSN, 0), unknown(0, verbs.AttrRQPSN)}},
		{func(p *pair) { p.b.Began.SQ = 5 }, "rq_psn of a is 0x000002, sq_psn of b is 0x000005",
			[]func(*pair){unknown(verbs.AttrRQPSN, 0), unknown(0, verbs.AttrSQPSN)}},
		{func(p *pair) { datagrams(p); p.b.Attr.QKey = 8 }, "remote_qkey of a is 0x7, qkey of b is 0x8",
			[]func(*pair){unknown(0, verbs.AttrQKey), func(p *pair) { p.wr = nil },
				func(p *pair) { p.a.Type, p.b.Type = verbs.RC, verbs.RC }}},
		{func(p *pair) { p.b.Attr.QPAccessFlags = verbs.RemoteWrite },
			"opcode of a is RDMA_READ, qp_access_flags of b is REMOTE_WRITE",
			[]func(*pair){unknown(0, verbs.AttrAccessFlags), func(p *pair) { p.wr = nil },
				func(p *pair) { p.wr.Opcode = verbs.WRSend }, func(p *pair) { p.wr.Opcode = verbs.WRRDMAWrite }}},
		{func(p *pair) { p.a.Attr.MaxRDAtomic = 5 }, "max_rd_atomic of a is 5, max_dest_rd_atomic of b is 4",
			[]func(*pair){unknown(verbs.AttrMaxQPRDAtomic, 0), unknown(0, verbs.AttrMaxDestRDAtomic)}},
		{func(p *pair) { p.b.Attr.PKeyIndex = 0 }, "pkey_index of a is 1, pkey_index of b is 0",
			[]func(*pair){unknown(verbs.AttrPKeyIndex, 0), unknown(0, verbs.AttrPKeyIndex),
				func(p *pair) { p.b.Device = "soft1" }, func(p *pair) { p.b.Port = 2 }}},
	} {
		p := agreeing()
		tt.change(&p)
		if got := told(p); !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%q, want %s", got, tt.want)
		}
		for i, but := range tt.not {
			p := agreeing()
			tt.change(&p)
			if but(&p); told(p) != nil {
				t.Errorf("%s: with change %d: %q", tt.want, i, told(p))
			}
		}
	}
}
