package imports

import (
	"strings"
	"testing"
)

// edge is one import in an otherwise empty graph.
type edge struct {
	from, to string
	inTest   bool
}

func (e edge) graph() []Package {
	p := Package{Module: "m", Path: e.from}
	if e.inTest {
		p.TestImports = []string{"fmt", e.to}
	} else {
		p.Imports = []string{"fmt", e.to}
	}
	return []Package{p}
}

// TestRulesCatch checks that every rule of the table rejects an edge that breaks it.
func TestRulesCatch(t *testing.T) {
	const netlink, tea, purego = "github.com/vishvananda/netlink", "charm.land/bubbletea/v2",
		"github.com/ebitengine/purego"
	caught := map[string]bool{}
	for _, e := range []edge{
		{from: "m/verbs", to: "m/verbs/wire"},
		{from: "m/verbs", to: "github.com/any/thing"},
		{from: "m/verbs", to: "unsafe"},
		{from: "m/verbs", to: "net"},
		{from: "m/verbs", to: "os"},
		{from: "m/verbs/route", to: "m/verbs/native"},
		{from: "m/verbs/route", to: "golang.org/x/sys/unix"},
		{from: "m/verbs/ring", to: "m/verbs"},
		{from: "m/verbs/wire", to: "m/verbs"},
		{from: "m/verbs/wire", to: "net"},
		{from: "m/verbs/soft/link", to: "m/verbs/soft"},
		{from: "m/verbs/soft", to: "net"},
		{from: "m/verbs/soft", to: "golang.org/x/sys/unix"},
		{from: "m/verbs/soft/link", to: "m/verbs/native"},
		{from: "m/verbs/soft/link", to: netlink},
		{from: "m/verbs/soft/link", to: "unsafe"},
		{from: "m/verbs/soft/internal/mmsg", to: "C"},
		{from: "m/verbs/soft/internal/mmsg", to: "m/verbs/wire"},
		{from: "m/verbs/soft/internal/mmsg", to: netlink},
		{from: "m/verbs/soft/internal/object", to: "m/verbs/soft"},
		{from: "m/verbs/soft/mem", to: "m/verbs/wire"},
		{from: "m/session/stages", to: "m/session/post"},
		{from: "m/session/pair", to: "m/session"},
		{from: "m/session/agent", to: "m/session/queue"},
		{from: "m/verbs/soft/transport", to: "m/verbs/soft/cm"},
		{from: "m/verbs/soft/cm", to: "m/verbs/soft"},
		{from: "m/verbs/native", to: "m/verbs/wire"},
		{from: "m/verbs/native/cm", to: "m/verbs/native"},
		{from: "m/verbs/native/internal/failure", to: "m/verbs/native/cm"},
		{from: "m/verbs/native/internal/dl", to: "m/verbs/soft/link"},
		{from: "m/verbs/native/internal/abi", to: "m/verbs/native/internal/dl"},
		{from: "m/verbs/native/internal/dl", to: "m/verbs/native/internal/abi"},
		{from: "m/verbs/soft", to: "m/session"},
		{from: "m/devices", to: "m/session"},
		{from: "m/devices/pci", to: "m/ui", inTest: true},
		{from: "m/session/core", to: "m/session"},
		{from: "m/session/ccall", to: "m/session/core"},
		{from: "m/session/device", to: "m/session/region"},
		{from: "m/session/region", to: "m/session"},
		{from: "m/session/queue", to: "m/session/post"},
		{from: "m/session/post", to: "m/session/cm"},
		{from: "m/session/bringup", to: "m/session/cm"},
		{from: "m/session/packets", to: "m/session/queue"},
		{from: "m/session/cm", to: "m/session/traffic"},
		{from: "m/session/conversation", to: "m/session/core"},
		{from: "m/session/capture", to: "github.com/gopacket/gopacket/layers"},
		{from: "m/session/packets", to: "github.com/gopacket/gopacket/pcapgo", inTest: true},
		{from: "m/session/traffic", to: "m/session/script"},
		{from: "m/session/bench", to: "m/session/script"},
		{from: "m/session/tune", to: "m/session/bench"},
		{from: "m/session/script", to: "m/session/scenario"},
		{from: "m/session/scenario", to: "m/session"},
		{from: "m/session/scenario", to: "m/session/lab"},
		{from: "m/session/lab", to: "m/session/traffic"},
		{from: "m/session/command/syntax", to: "m/session/command"},
		{from: "m/session/preflight", to: "m/session"},
		{from: "m/session/incident", to: "m/session/post"},
		{from: "m/session/incident", to: "m/session/script"},
		{from: "m/session", to: "m/ui/screen/post"},
		{from: "m/session", to: "m/verbs/soft"},
		{from: "m/ui", to: "m/verbs/native"},
		{from: "m/ui/screen/post", to: "m/verbs/soft/link"},
		{from: "m/ui/screen/post", to: "m/session/core"},
		{from: "m/session", to: tea},
		{from: "m/session", to: netlink, inTest: true},
		{from: "m/verbs/native", to: purego},
		{from: "m/ui/store", to: "m/session"},
		{from: "m/ui", to: "github.com/BurntSushi/toml"},
		{from: "m/session", to: "unsafe"},
		{from: "m/assets", to: "m/session"},
		{from: "m/assets/explain", to: "m/verbs"},
		{from: "m", to: "m/verbs/verbstest"},
		{from: "m", to: "m/ui/program"},
	} {
		violations := Check(e.graph(), Rules)
		if len(violations) == 0 {
			t.Errorf("%+v is not caught", e)
		}
		for _, v := range violations {
			caught[v.Why] = true
			if text := v.String(); !strings.Contains(text, e.from) || !strings.Contains(text, e.to) ||
				!strings.Contains(text, v.Why) {
				t.Errorf("message %q lacks the edge or the reason", text)
			}
		}
	}
	for _, r := range Rules {
		if r.Why == "" || !caught[r.Why] {
			t.Errorf("no edge above breaks the rule %q", r.Why)
		}
	}
}

func TestRulesAllow(t *testing.T) {
	for _, e := range []edge{
		{from: "m", to: "m/verbs/native"},
		{from: "m", to: "m/verbs/soft"},
		{from: "m", to: "m/ui"},
		{from: "m/verbs", to: "net/netip"},
		{from: "m/verbs", to: "m/verbs/verbstest", inTest: true},
		{from: "m/verbs/soft", to: "m/verbs/wire"},
		{from: "m/verbs/soft", to: "m/verbs/soft/link"},
		{from: "m/verbs/soft/link", to: "net"},
		{from: "m/verbs/soft/link", to: "m/verbs/wire"},
		{from: "m/verbs/soft/link", to: "golang.org/x/sys/unix"},
		{from: "m/verbs/soft/internal/mmsg", to: "unsafe"},
		{from: "m/verbs/soft/internal/mmsg", to: "golang.org/x/sys/unix"},
		{from: "m/verbs/native", to: "unsafe"},
		{from: "m/verbs/native/internal/dl", to: "github.com/ebitengine/purego"},
		{from: "m/devices", to: "github.com/vishvananda/netlink/nl"},
		{from: "m/devices", to: "m/verbs"},
		{from: "m/session", to: "m/devices"},
		{from: "m/session", to: "m/verbs/soft", inTest: true},
		{from: "m/session", to: "net"},
		{from: "m/ui/program", to: "m/verbs/soft/link", inTest: true},
		{from: "m/ui/program", to: "m/verbs/verbstest/vm", inTest: true},
		{from: "m/ui/screen/post", to: "m/session"},
		{from: "m/ui/screen/post", to: "charm.land/lipgloss/v2"},
		{from: "m/assets", to: "m/verbs"},
		{from: "m/verbs/software", to: "net"}, // only the start of the name is the same
	} {
		for _, v := range Check(e.graph(), Rules) {
			t.Errorf("allowed edge caught: %v", v)
		}
	}
}

func TestMatch(t *testing.T) {
	p := Package{Module: "m"}
	for _, c := range []struct {
		path, pattern string
		want          bool
	}{
		{"m", ".", true}, {"m/a", ".", false},
		{"m", "./...", true}, {"m/a/b", "./...", true}, {"mm/a", "./...", false},
		{"m/a", "./a", true}, {"m/a/b", "./a", false}, {"m/a/b", "./a/...", true}, {"m/ab", "./a/...", false},
		{"net", "net/...", true}, {"net/http", "net/...", true}, {"network", "net/...", false},
		{"net/http", "std", true}, {"m/a", "std", false}, {"example.org/x", "std", false},
		{"example.org/x", "foreign", true}, {"m/a", "foreign", false}, {"fmt", "foreign", false},
	} {
		if got := p.match(c.path, c.pattern); got != c.want {
			t.Errorf("match(%q, %q) = %v", c.path, c.pattern, got)
		}
	}
}

func TestDecode(t *testing.T) {
	const list = `{"ImportPath":"m/a","Dir":"/d/a","Name":"a","Module":{"Path":"m"},"Imports":["fmt"],"TestImports":["os"],"XTestImports":["m/b"]}
{"ImportPath":"m/b","Dir":"/d/b","Name":"b","Module":{"Path":"m"}}`
	graph, err := decode(strings.NewReader(list))
	if err != nil || len(graph) != 2 {
		t.Fatalf("decode: %v, %v", graph, err)
	}
	if a := graph[0]; a.Module != "m" || a.Path != "m/a" || len(a.Imports) != 1 ||
		strings.Join(a.TestImports, " ") != "os m/b" {
		t.Errorf("first package: %+v", a)
	}
	for _, bad := range []string{`{"ImportPath":`, `{"ImportPath":"fmt"}`} {
		if _, err := decode(strings.NewReader(bad)); err == nil {
			t.Errorf("decode(%s) gave no error", bad)
		}
	}
}
