package native

import (
	"testing"
	"time"

	"rdmatui/verbs"
)

// A slow driver is noted once, by the name of its device.
func TestSlowDriverIsTold(t *testing.T) {
	p := New()
	if notes := p.Notes(); len(notes) != 0 {
		t.Errorf("%q", notes)
	}
	p.lib = &library{}
	d := &device{lib: p.lib}
	d.info.Name = "fake0"
	for range 2 {
		d.tellSlow(1234567890 * time.Nanosecond)
	}
	want := "fake0: the driver took 1.23 s for a poll or a short post, which can block the whole program; slower, safe calls are used from now on"
	if notes := p.Notes(); len(notes) != 1 || notes[0].Text != want {
		t.Errorf("%q", notes)
	}
	for device, want := range map[string]int{"": 1, "fake0": 1, "fake1": 0} {
		if got := len(verbs.NotesOn(p, device)); got != want {
			t.Errorf("%d notes on %q, want %d", got, device, want)
		}
	}
}
