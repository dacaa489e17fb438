package completions

import (
	"strings"
	"testing"

	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
)

// E explains the status under the cursor, and vendor_err; without a completion a message says that there is
// nothing to explain.
func TestExplain(t *testing.T) {
	x := newBench(t, theme.New("none", true), 64)
	x.refresh()
	if _, ok := x.keys("E").(screen.FlashMsg); !ok {
		t.Error("nothing says that there is nothing to explain")
	}
	x.journey()
	msg, ok := x.keys("up", "up", "up", "E").(screen.ExplainMsg)
	if !ok || len(msg.Entries) != 2 || msg.Entries[0].Name != "REM_ACCESS_ERR" || msg.Entries[1].Name != "mlx5 0x88" {
		t.Fatalf("explained is %+v", msg)
	}
	if means := msg.Entries[0].Means; !strings.Contains(means, "rkey 0x1234") {
		t.Errorf("the key is not in %q", means)
	}
}
