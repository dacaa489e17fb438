package journal

import (
	"strings"
	"testing"

	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
)

// E explains the entry under the cursor.
func TestExplain(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.journey()
	x.keys("home")
	for _, want := range []string{"alloc_pd", "ibv_modify_qp EINVAL", "SUCCESS", "RETRY_EXC_ERR",
		"ERR", "PORT_ERR", ""} {
		got := ""
		if msg, ok := x.keys("E").(screen.ExplainMsg); ok {
			got = msg.Entries[0].Name
		}
		if got != want {
			t.Errorf("%q is explained, want %q", got, want)
		}
		x.keys("down")
	}
	x.keys("up")
	if view := x.view(200, 50); !strings.Contains(view, "means") || !strings.Contains(view, "a port went down") {
		t.Errorf("the entry does not say what it means:\n%s", view)
	}
}
