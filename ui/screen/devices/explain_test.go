package devices

import (
	"strings"
	"testing"

	"rdmatui/ui/screen"
)

// E explains the row under the cursor with the device's value; the list has nothing to explain.
func TestExplain(t *testing.T) {
	d, r := start(t, lab(), 120, 40)
	if msg, ok := r.Update2("E")().(screen.FlashMsg); !ok {
		t.Errorf("in the list: %v", msg)
	}
	press(d, r, "a", "/")
	d.Type("max_qp_rd")
	press(d, r, "enter")
	var got screen.ExplainMsg
	for _, msg := range runAll(r.Update2("E")) {
		if m, ok := msg.(screen.ExplainMsg); ok {
			got = m
		}
	}
	if len(got.Entries) != 1 || got.Entries[0].Name != "max_qp_rd_atom" ||
		!strings.Contains(got.Entries[0].Means, "here ") {
		t.Errorf("explained is %+v", got.Entries)
	}
}
