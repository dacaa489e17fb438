package core

import (
	"testing"

	"rdmatui/verbs"
)

// TestWaiting: executed requests do not wait; if the device does not report progress, all may be waiting.
func TestWaiting(t *testing.T) {
	oldest := []RequestView{{WRID: 1}, {WRID: 2}, {WRID: 3}}
	for _, tt := range []struct {
		sends *SendsView
		want  int
	}{
		{nil, 0},
		{&SendsView{Oldest: oldest}, 3},
		{&SendsView{Oldest: oldest, Flight: FlightView{Told: true}}, 0},
		{&SendsView{Oldest: oldest, Flight: FlightView{Told: true, Progress: Progress{Sent: 1, Queued: 1, WRID: 2}}},
			2},
		{&SendsView{Oldest: oldest, Flight: FlightView{Told: true, Progress: Progress{Queued: 1, WRID: 3}}}, 1},
		// not a listed request
		{&SendsView{Oldest: oldest, Flight: FlightView{Told: true, Progress: Progress{Sent: 1, WRID: 9}}}, 3},
	} {
		if got := (&QPView{Sends: tt.sends}).Waiting(); len(got) != tt.want || len(got) > 0 &&
			got[len(got)-1].WRID != 3 {
			t.Errorf("%+v: %+v", tt.sends, got)
		}
	}
}

// TestUses: ranges overlap if they share a byte.
func TestUses(t *testing.T) {
	r := RequestView{
		Opcode: verbs.WRRDMAWrite, Remote: 0x8000,
		RKey: 9, List: []verbs.SGE{{Addr: 0x1000, Length: 4, LKey: 1}, {Addr: 0x2000, Length: 4, LKey: 2}},
	}
	for _, tt := range []struct {
		lkey, rkey uint32
		addr, n    uint64
		want       bool
	}{
		{1, 0, 0x1000, 1, true}, {1, 0, 0x1003, 1, true}, {1, 0, 0x1004, 1, false}, {1, 0, 0xfff, 1, false},
		{1, 0, 0xfff, 2, true}, {1, 0, 0x1000, 0, false}, {1, 0, 0x1001, 0, false},
		{2, 0, 0x1000, 1, false}, {2, 0, 0x2003, 1, true},
		{0, 9, 0x8007, 1, true}, {0, 9, 0x8008, 1, false}, {0, 8, 0x8000, 1, false},
	} {
		if got := r.Uses(tt.lkey, tt.rkey, tt.addr, tt.n); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	if r.Inline = true; r.Uses(1, 0, 0x1000, 1) || !r.Uses(0, 9, 0x8000, 1) {
		t.Error("inline data is copied, the memory that it is written to is in use")
	}
}
