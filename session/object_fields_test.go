package session_test

import (
	"strings"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
)

// TestChannelDecidesTheDevice: a queue is made on its channel's device, and the resolved line
// names it.
func TestChannelDecidesTheDevice(t *testing.T) {
	s := sessiontest.NewSoft(t, core.Options{})
	sessiontest.RunScript(t, s, "open_device soft0\nopen_device soft1\ncreate_comp_channel ch device=soft1")
	if done := sessiontest.Execute(t, s, "create_cq cq channel=ch"); !strings.Contains(done.Resolved, "device=soft1") {
		t.Errorf("%q", done.Resolved)
	}
	if done, err := s.Exec(t.Context(), "create_cq other channel=ch device=soft0"); err == nil {
		t.Errorf("%+v: a channel of another device", done)
	}
}
