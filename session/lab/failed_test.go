package lab

import (
	"errors"
	"testing"
)

// TestLabFailedWhere: a failure before or during the experiment prevents a verdict; a failure during the recovery is
// reported as such.
func TestLabFailedWhere(t *testing.T) {
	var o observer
	failure := errors.New("it failed")
	for _, tt := range []struct {
		part      Part
		failure   error
		err, back string
	}{
		{SettingUp, failure, "it failed", ""}, {Trying, failure, "it failed", ""},
		{SettingUpAgain, failure, "", "it failed"},
		{WayBack, failure, "", "it failed"}, {WayBack, nil, "", ""},
	} {
		o.enter(tt.part)
		if err := o.failed(tt.failure); err != tt.failure || o.err != tt.err || o.back != tt.back {
			t.Errorf("%s: %v; %q, %q", tt.part, err, o.err, o.back)
		}
	}
}
