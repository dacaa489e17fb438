package queue

import (
	"strings"
	"testing"

	"rdmatui/assets/explain"
	"rdmatui/verbs"
)

// TestHintOfRoom: if the size of the RECV is known, the hint says that the message
// was longer.
func TestHintOfRoom(t *testing.T) {
	const tooLong = "the message is longer than the RECV of 8 bytes that it met: post longer RECVs; check the sum of the lengths in post_recv"
	if hint := hintWith(verbs.WCLocQPOpErr, explain.Values{"room": "8"}); !strings.Contains(hint, tooLong) {
		t.Error(hint)
	}
	if hint := hintWith(verbs.WCLocQPOpErr, nil); strings.Contains(hint, "longer") {
		t.Error(hint)
	}
}
