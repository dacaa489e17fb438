package cm_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// TestBlockedIdentifier: objects that a blocked object uses are left alone without a message, even if neither has a
// device.
func TestBlockedIdentifier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := sessiontest.NewFakeCM()
		s := session.New(core.Options{Providers: []verbs.Provider{f}})
		sessiontest.RunLines(t, s, "rdma_create_event_channel events\nrdma_create_id id channel=events")
		release := f.Block("id")
		err := s.Close()
		var blocked *core.BlockedError
		if !errors.As(err, &blocked) || strings.Count(err.Error(), "\n") != 0 ||
			strings.Contains(err.Error(), "events") {
			t.Errorf("%v", err)
		}
		release()
		synctest.Wait()
	})
}
