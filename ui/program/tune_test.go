package program

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"rdmatui/session/tune"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestTune runs every experiment on the kernel's device. Only what the machine lacks may
// be missing from the report; the figures of a loaded machine prove nothing.
func TestTune(t *testing.T) {
	vmtest.Need(t)
	p := lasting(t, vmtest.Binary(t), "tune", "--all", "-d", device, "--json").shown()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(strings.NewReader(p.done()))
	var place tune.Place
	if err := lines.Decode(&place); err != nil || place.Device != device || place.Provider != "ibverbs" {
		t.Fatalf("%+v, %v", place, err)
	}
	for _, name := range tune.Names() {
		var r struct {
			Experiment, Verdict, Why, Advice string
		}
		if err := lines.Decode(&r); err != nil || r.Experiment != name {
			t.Fatalf("%+v, %v, want %s", r, err, name)
		}
		t.Logf("%s: %s %s%s", name, r.Verdict, r.Advice, r.Why)
		lacks := slices.Contains([]string{"cq-moderation", "hugepages", "numa"}, name)
		switch r.Verdict {
		case tune.Better.String(), tune.Worse.String(), tune.Same.String():
		case tune.Unavailable.String():
			if !lacks {
				t.Errorf("%s: %s", name, r.Why)
			}
		default:
			t.Errorf("%s: %s: %s", name, r.Verdict, r.Why)
		}
	}
	nothingLeft(t)
}
