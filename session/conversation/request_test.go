package conversation

import (
	"testing"
	"time"

	"rdmatui/verbs/wire"
)

// TestFate says what became of a request.
func TestFate(t *testing.T) {
	answered := begin.Add(1500 * time.Nanosecond)
	for _, tt := range []struct {
		r    Request
		want string
	}{
		{Request{}, "no answer captured"},
		{Request{Outcome: Acknowledged, Answered: answered}, "acknowledged after 1.5 µs"},
		// a capture's times are a stranger's
		{Request{Outcome: Acknowledged, Answered: time.Date(1500, 1, 1, 0, 0, 0, 0, time.UTC)},
			"acknowledged after -9223372037 s"},
		{Request{Outcome: Refused, Answered: answered, Code: wire.NAKRemoteAccess},
			"refused after 1.5 µs: " + wire.NAKRemoteAccess.String()},
		{Request{Outcome: Unreliable}, "not acknowledged on this transport"},
		{Request{Again: [reasons]uint32{AfterNAK: 1}}, "no answer captured, 1 retransmitted after a NAK"},
		{Request{Again: [reasons]uint32{2000, 3, 0}, RNR: 1},
			"no answer captured, 2,000 retransmitted after a timeout, 3 retransmitted after an RNR NAK, 1 RNR NAK"},
		{Request{RNR: 2}, "no answer captured, 2 RNR NAKs"},
	} {
		if tt.r.Begin = begin; tt.r.Fate() != tt.want {
			t.Errorf("%q, want %q", tt.r.Fate(), tt.want)
		}
	}
	for _, tt := range []struct {
		r    Request
		want string
	}{
		{Request{Operation: wire.OpSend, Bytes: 1, Packets: 2}, "SEND of 1 byte in 2 packets"},
		{Request{Operation: wire.OpFlush, Length: 4096, Packets: 1}, "FLUSH of 4,096 bytes in 1 packet"},
		{Request{Operation: wire.OpFetchAdd, Packets: 1}, "ATOMIC FETCH_AND_ADD in 1 packet"},
	} {
		if got := tt.r.Asked(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
