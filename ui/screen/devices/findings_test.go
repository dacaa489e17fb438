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

// TestVerdict: under the list the doctor takes one line, in red only if a device of the host's own is concerned; d
// opens its findings.
func TestVerdict(t *testing.T) {
	fail := inv.Finding{Status: inv.Fail, Meaning: "no driver"}
	for name, tt := range map[string]struct {
		host  func() *fakeHost
		list  []inv.Finding
		want  string
		wrong bool
	}{
		"no device": {laptop, []inv.Finding{fail, fail}, "doctor: 2 things to mend: no driver; no driver", false},
		"own":       {lab, []inv.Finding{fail}, "doctor: 1 thing to mend: no driver", true},
		"warned": {lab, []inv.Finding{{Status: inv.Warn}, {Status: inv.OK}}, "doctor: 1 warning, nothing to mend",
			false},
		"in order": {lab, []inv.Finding{{Status: inv.OK, Meaning: "loaded"}}, "doctor: nothing wrong", false},
	} {
		f := tt.host()
		f.findings = tt.list
		d, r := start(t, f, 120, 40)
		n := r.list.notes[len(r.list.notes)-1]
		if n.text != tt.want || n.wrong != tt.wrong || d.Contains("looked at") {
			t.Errorf("%s: %+v, want %q\n%s", name, n, tt.want, d.View())
		}
		if press(d, r, "d"); !d.Contains("looked at") {
			t.Errorf("%s: d does not open the findings:\n%s", name, d.View())
		}
	}
}
