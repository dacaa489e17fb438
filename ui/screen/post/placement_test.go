package post

import (
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// TestPlacementIsOffered: FLUSH and ATOMIC_WRITE are offered for queue pairs that allow them, with fitting defaults.
func TestPlacementIsOffered(t *testing.T) {
	snap := &session.Snapshot{
		QPs: []session.QPView{{Name: "a", Type: verbs.RC, PD: "pd", Device: "soft0"},
			{Name: "b", Type: verbs.RC, PD: "pd", Device: "soft0"}},
		MRs: []session.MRView{{Name: "src", PD: "pd", Device: "soft0", Length: 64, Access: verbs.LocalWrite},
			{Name: "dst", PD: "pd", Device: "soft0", Length: 64,
				Access: verbs.LocalWrite | verbs.RemoteWrite | verbs.FlushGlobal}},
	}
	r := newRequest(snap)
	r.qp = "a"
	offers := func(op string) bool {
		return slices.ContainsFunc(r.offered(), func(o widget.Option) bool { return o.Value == op })
	}
	if offers("FLUSH") || offers("ATOMIC_WRITE") || !offers("SEND") {
		t.Error("offered for a queue pair that was not made for them, or SEND is not")
	}
	if why := whyNot(snap, &snap.QPs[0], "FLUSH"); !strings.Contains(why, "send_ops_flags=FLUSH") {
		t.Error(why)
	}
	snap.QPs[0].SendOps = verbs.WRFlush.SendOp() | verbs.WRAtomicWrite.SendOp()
	if !offers("FLUSH") || !offers("ATOMIC_WRITE") {
		t.Error("not offered for a queue pair that was made for them")
	}
	r.op = "FLUSH"
	if lines := r.commands(); len(lines) != 1 || !strings.HasPrefix(lines[0].Text, "post_send a FLUSH ") ||
		strings.Contains(lines[0].Text, "sge=") || !strings.Contains(lines[0].Text, "type=GLOBAL level=RANGE") {
		t.Errorf("%+v", lines)
	}
	r.op = "ATOMIC_WRITE"
	if lines := r.commands(); len(lines) != 2 || !strings.Contains(lines[0].Text, `"8 bytes!"`) ||
		!strings.Contains(lines[1].Text, ":8 ") {
		t.Errorf("%+v", lines)
	}
}
