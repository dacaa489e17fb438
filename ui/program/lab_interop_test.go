package program

import (
	"context"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/lab"
	"rdmatui/verbs"
	"rdmatui/verbs/native"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestLabOnKernelDevice makes all failures of the error lab on the kernel's device: what
// differs from the specification differs for a reason that is known, and the queue pairs
// work again.
func TestLabOnKernelDevice(t *testing.T) {
	vmtest.Need(t)
	s := session.New(session.Options{Providers: []verbs.Provider{native.New()}})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, name := range lab.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time events are waited for that do not come
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			res, err := s.RunLab(ctx, name, lab.On(device))
			if err != nil {
				t.Fatal(err)
			}
			if t.Log(res.String()); res.Verdict > lab.Differs {
				t.Errorf("unexpected: %+v", res)
			}
		})
	}
}
