package screen_test

import "rdmatui/ui/screen"

import "testing"

func TestReader(t *testing.T) {
	var r screen.Reader
	if r.Start() != nil || r.Busy() {
		t.Error("there is nothing to do")
	}
	r.Ask(func() any { return "old" })
	r.Ask(func() any { return "new" })
	work := r.Start()
	r.Ask(func() any { return "next" })
	if r.Start() != nil {
		t.Error("two jobs are done at once")
	}
	if msg := work(); msg != (screen.ReadMsg{"new"}) || !r.Busy() {
		t.Errorf("message %v, busy %v", msg, r.Busy())
	}
	r.Done()
	if msg := r.Start()(); msg != (screen.ReadMsg{"next"}) {
		t.Errorf("message %v", msg)
	}
	if r.Done(); r.Busy() {
		t.Error("nothing was asked for, and it is busy")
	}
}
