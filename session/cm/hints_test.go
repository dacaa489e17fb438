package cm

import (
	"testing"

	"rdmatui/verbs"
)

// TestStatusText: the status of an event is an errno, the reason of a reject, or another number.
func TestStatusText(t *testing.T) {
	for _, tt := range []struct {
		event      verbs.CMEventType
		status     int
		name, text string
	}{
		{verbs.CMEstablished, 0, "", ""},
		{verbs.CMRejected, 0, "", ""},
		{verbs.CMRejected, 28, "CONSUMER_DEFINED", "reason 28 CONSUMER_DEFINED"},
		{verbs.CMUnreachable, 1, "1", "status 1"},
		{verbs.CMUnreachable, -1, "EPERM", "EPERM: operation not permitted"},
		{verbs.CMRejected, -1, "EPERM", "EPERM: operation not permitted"},
	} {
		if name := statusName(tt.event, tt.status); name != tt.name {
			t.Errorf("%s, %d: named %q, want %q", tt.event, tt.status, name, tt.name)
		}
		if text := statusText(tt.event, tt.status); text != tt.text {
			t.Errorf("%s, %d: %q, want %q", tt.event, tt.status, text, tt.text)
		}
	}
}
