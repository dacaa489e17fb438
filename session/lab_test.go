package session

import (
	"context"
	"testing"
	"time"

	"rdmatui/session/lab"
)

// Every experiment ends as the specification says on the software device, and its queue
// pairs work again.
func TestLabOnSoft(t *testing.T) {
	s := newSoft(t, Options{})
	for _, name := range lab.Names() {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			res, err := s.RunLab(ctx, name, "soft0", nil)
			if err != nil {
				t.Fatal(err)
			}
			if res.Verdict != lab.AsSpecified || res.Back != labWorksAgain {
				t.Error(res.String())
			}
		})
	}
}
