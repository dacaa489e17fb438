package post

import (
	"math"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// mr is a region of any length.
type mr struct {
	verbs.MR
	length uint64
}

func (m mr) Spec() verbs.MRSpec { return verbs.MRSpec{Length: m.length} }
func (mr) Addr() uint64         { return 0x1000 }
func (mr) LKey() uint32         { return 0x11 }

// TestPiece: a piece of a region, whose end may be left out.
func TestPiece(t *testing.T) {
	s := &core.Session{}
	s.Graph.Add(&core.Node{Name: "m", Kind: command.KindMR, Body: &region.MR{MR: mr{length: 64}}})
	s.Graph.Add(&core.Node{Name: "long", Kind: command.KindMR, Body: &region.MR{MR: mr{length: math.MaxUint32 + 8}}})
	for _, tt := range []struct {
		text command.SGEText
		want verbs.SGE
		err  string
	}{
		{command.SGEText{Object: "m", Offset: 8, Length: 4}, verbs.SGE{Addr: 0x1008, Length: 4, LKey: 0x11}, ""},
		// the provider refuses it
		{command.SGEText{Object: "m", Offset: 100, Length: 4}, verbs.SGE{Addr: 0x1064, Length: 4, LKey: 0x11}, ""},
		{command.SGEText{Object: "m", Length: 4, LKey: 9, HasLKey: true},
			verbs.SGE{Addr: 0x1000, Length: 4, LKey: 9}, ""},
		{command.SGEText{Object: "m", Length: 4, LKey: 9}, verbs.SGE{Addr: 0x1000, Length: 4, LKey: 0x11}, ""},
		{command.SGEText{Object: "m", ToEnd: true}, verbs.SGE{Addr: 0x1000, Length: 64, LKey: 0x11}, ""},
		{command.SGEText{Object: "m", Offset: 63, ToEnd: true}, verbs.SGE{Addr: 0x103f, Length: 1, LKey: 0x11}, ""},
		{command.SGEText{Object: "m", Offset: 64, ToEnd: true}, verbs.SGE{Addr: 0x1040, LKey: 0x11}, ""},
		{command.SGEText{Object: "m", Offset: 65, ToEnd: true}, verbs.SGE{},
			"offset 65 is beyond the end of m, which has 64 bytes"},
		{command.SGEText{Object: "long", Offset: 8, ToEnd: true},
			verbs.SGE{Addr: 0x1008, Length: math.MaxUint32, LKey: 0x11}, ""},
		{command.SGEText{Object: "long", Offset: 7, ToEnd: true}, verbs.SGE{},
			"long is too long for one SGE: give a length"},
		{command.SGEText{Object: "none"}, verbs.SGE{}, `no mr "none"; there are m, long`},
	} {
		got, err := sge(s, tt.text)
		if tt.err != "" {
			if err == nil || err.Error() != tt.err {
				t.Errorf("%+v: %v, want %s", tt.text, err, tt.err)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%+v: %+v, %v; want %+v", tt.text, got, err, tt.want)
		}
	}
}

// TestSendAccount: what is kept of a request while it is outstanding.
func TestSendAccount(t *testing.T) {
	list := []verbs.SGE{{Addr: 1, Length: 2}}
	for _, tt := range []struct {
		flags            verbs.SendFlags
		all              bool
		signaled, inline bool
	}{{0, false, false, false}, {verbs.SendSignaled, false, true, false}, {0, true, true, false},
		{verbs.SendInline, false, false, true}, {verbs.SendFence, false, false, false}} {
		q := &queue.QP{Spec: verbs.QPSpec{SQSigAll: tt.all}}
		r := sendAccount(q, &verbs.SendWR{WRID: 3, Opcode: verbs.WRRDMARead, SendFlags: tt.flags, RKey: 4,
			RemoteAddr: 5, SGList: list}, 6)
		if r.WRID != 3 || r.Opcode != verbs.WRRDMARead || r.RKey != 4 || r.Remote != 5 || r.At != 6 ||
			len(r.List) != 1 || r.Signaled != tt.signaled || r.Inline != tt.inline {
			t.Errorf("%+v: %+v", tt, r)
		}
	}
}
