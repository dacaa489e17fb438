package devices

import (
	"slices"
	"strings"
	"testing"

	inv "rdmatui/devices"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// TestFindingLines: the diagnosis has a summary and each finding, the most severe first: what it means, what was looked
// at, and what to do.
func TestFindingLines(t *testing.T) {
	th := &theme.Theme{Glyphs: theme.New("none", true).Glyphs}
	g := th.Glyphs
	ok := inv.Finding{Check: "modules", Status: inv.OK, Looked: "/proc/modules", Meaning: "loaded"}
	warn := inv.Finding{Check: "mtu", Status: inv.Warn, Looked: "eth0", Meaning: "small",
		Next: "ip link set eth0 mtu 9000"}
	fail := inv.Finding{Check: "memlock", Status: inv.Fail, Looked: "the limit", Meaning: "too low",
		Next: "ulimit -l unlimited"}
	for name, tt := range map[string]struct {
		list []inv.Finding
		note string
		want []string
	}{
		"nothing": {nil, "", nil},
		"a note":  {nil, "looking", []string{" looking"}},
		"passed": {[]inv.Finding{ok, ok}, "", []string{" 2 OK", "",
			" " + g.Check + " modules: loaded", "   looked at /proc/modules",
			" " + g.Check + " modules: loaded", "   looked at /proc/modules"}},
		"all": {[]inv.Finding{ok, warn, fail, warn}, "of today", []string{" of today",
			" 1 blocking · 2 warnings · 1 OK", "",
			" " + g.Ban + " memlock: too low", "   looked at the limit", " " + g.Right + " ulimit -l unlimited", "",
			" ! mtu: small", "   looked at eth0", " " + g.Right + " ip link set eth0 mtu 9000", "",
			" ! mtu: small", "   looked at eth0", " " + g.Right + " ip link set eth0 mtu 9000", "",
			" " + g.Check + " modules: loaded", "   looked at /proc/modules"}},
	} {
		f := newFindings(th)
		f.SetSize(60, 40)
		f.set(tt.list, tt.note)
		var got []string
		for i := range f.lines {
			b := line.New(th)
			b.Begin(60)
			f.draw(b, i)
			got = append(got, strings.TrimRight(b.String(), " "))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}
