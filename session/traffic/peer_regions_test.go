package traffic

import (
	"fmt"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/oob"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// registered is a region that has only attributes.
type registered struct {
	verbs.MR
	spec verbs.MRSpec
}

func (r registered) Spec() verbs.MRSpec { return r.spec }
func (r registered) Addr() uint64       { return 0x1000 }
func (r registered) RKey() uint32       { return 7 }

// TestOpenRegions: the peer is sent the regions that it can access; a note counts those that did not fit.
func TestOpenRegions(t *testing.T) {
	own, other := &region.PD{}, &region.PD{}
	for _, tt := range []struct {
		name   string
		n      int // regions with different names
		same   int // further regions that share one of these names
		pd     *region.PD
		access verbs.Access
		told   int
		warn   string
	}{
		{"none", 0, 0, own, verbs.RemoteRead, 0, ""},
		{"as many as fit", oob.MaxRegions, 0, own, verbs.RemoteRead, oob.MaxRegions, ""},
		{"one more", oob.MaxRegions + 1, 0, own, verbs.RemoteWrite, oob.MaxRegions,
			"1 region not sent: there is room for 32 of different names"},
		{"of the same name", 2, 1, own, verbs.RemoteAtomic, 2,
			"1 region not sent: there is room for 32 of different names"},
		{"of another domain", 2, 0, other, verbs.RemoteRead, 0, ""},
		{"without a remote right", 2, 0, own, verbs.LocalWrite | verbs.MWBind, 0, ""},
	} {
		s := &core.Session{}
		s.Graph.ByKind = map[command.ObjectKind][]*core.Node{}
		for i := range tt.n + tt.same {
			mr := &region.MR{MR: registered{spec: verbs.MRSpec{Length: 8, Access: tt.access}}, PD: tt.pd}
			name := fmt.Sprintf("r%d", min(i, tt.n-1))
			s.Graph.ByKind[command.KindMR] = append(s.Graph.ByKind[command.KindMR], &core.Node{
				Name: name, Kind: command.KindMR, Body: mr,
			})
		}
		c := &core.Call{S: s}
		list := openRegions(c, &queue.QP{PD: own})
		if len(list) != tt.told || c.Done.Check != tt.warn {
			t.Errorf("%s: %d regions sent, %q", tt.name, len(list), c.Done.Check)
		}
		if want := (oob.Region{Name: "r0", Addr: 0x1000, Length: 8, RKey: 7, Access: tt.access}); len(list) > 0 &&
			list[0] != want {
			t.Errorf("%s: %+v", tt.name, list[0])
		}
	}
}
