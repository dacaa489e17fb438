package labrun

import (
	"errors"
	"testing"

	"rdmatui/session/lab"
)

// TestLabFailedWhere: a failure before or during the experiment prevents a verdict; a failure during the recovery is
// reported as such.
func TestLabFailedWhere(t *testing.T) {
	var o observer
	failure := errors.New("it failed")
	for _, tt := range []struct {
		part      lab.Part
		failure   error
		err, back string
	}{
		{lab.SettingUp, failure, "it failed", ""}, {lab.Trying, failure, "it failed", ""},
		{lab.SettingUpAgain, failure, "", "it failed"},
		{lab.WayBack, failure, "", "it failed"}, {lab.WayBack, nil, "", ""},
	} {
		o.enter(tt.part)
		if err := o.failed(tt.failure); err != tt.failure || o.err != tt.err || o.back != tt.back {
			t.Errorf("%s: %v; %q, %q", tt.part, err, o.err, o.back)
		}
	}
}
