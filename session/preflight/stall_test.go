package preflight

import (
	"strings"
	"testing"
	"time"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// stuck gives a two outstanding requests; the first is a SEND that has met a problem.
func stuck(s *scene, met verbs.Tries) {
	s.a.SendOutstanding = 2
	s.a.Sends = &core.SendsView{
		Oldest: []core.RequestView{{WRID: 3, Opcode: verbs.WRSend,
			List: []verbs.SGE{{Addr: 0x1000, Length: 8, LKey: 1}}},
			{WRID: 4, Opcode: verbs.WRRDMAWrite, List: []verbs.SGE{{Addr: 0x1100, Length: 8, LKey: 1}}, Remote: 0x8000,
				RKey: 0x201}},
		Flight: core.FlightView{WRID: 3, Age: 5 * time.Second, Told: true, Tries: met, By: core.ToldByQP,
			Progress: core.Progress{Sent: 1, Queued: 1, WRID: 3, Packets: 2, Out: 2, Acked: 1}},
	}
	s.b.RecvPosted, s.b.RecvRoom = 0, 0
}

// A request behind a waiting one shows the cause of the wait, with values.
func TestBehind(t *testing.T) {
	notReady := verbs.Tries{RNRNAKs: 18145}
	for _, tt := range []struct {
		name   string
		change func(*scene)
		want   string // what is missing; unsure: what is not known
		unsure string
		fix    Fix
	}{
		{"RNR", func(s *scene) { stuck(s, notReady) }, "waits behind wr 3: RNR, 18,145 NAKs; b posted no RECV", "",
			FixRecv},
		{"RNR, one", func(s *scene) { stuck(s, verbs.Tries{RNRNAKs: 1}) }, "RNR, 1 NAK; b posted no RECV", "", FixRecv},
		{"RNR, a RECV posted since", func(s *scene) { stuck(s, notReady); s.b.RecvPosted = 2; s.b.RecvRoom = 64 }, "",
			"waits behind wr 3: RNR, 18,145 NAKs; b has a RECV now", NoFix},
		{"RNR at a peer elsewhere", func(s *scene) { stuck(s, notReady); s.a.Attr.DestQPNum, s.AnyRemote = 99, true },
			"RNR, 18,145 NAKs; the peer posted no RECV", "", NoFix},
		{"counted by the device", func(s *scene) { stuck(s, notReady); s.a.Sends.Flight.By = core.ToldByDevice },
			"RNR, 18,145 NAKs at soft0; b posted no RECV", "", FixRecv},
		{"timeouts", func(s *scene) { stuck(s, verbs.Tries{Timeouts: 2}); s.Devices[0].Faults.Loss = 1 },
			"no acknowledgement, 2 timeouts; faults of soft0: loss 100%", "", NoFix},
		{"sequence NAKs", func(s *scene) { stuck(s, verbs.Tries{SequenceNAKs: 1}) },
			"no acknowledgement, 1 sequence NAK", "", NoFix},
		{"retries", func(s *scene) { stuck(s, verbs.Tries{Resends: 2}) }, "no acknowledgement, 2 retries", "", NoFix},
		{"silence", func(s *scene) { stuck(s, verbs.Tries{}) }, "",
			"waits behind wr 3: posted 5 s ago, 2 of 2 packets sent, 1 acknowledged", NoFix},
		{"not begun", func(s *scene) { stuck(s, verbs.Tries{}); s.a.Sends.Flight.Out = 0 }, "",
			"waits behind wr 3: posted 5 s ago, not sent yet", NoFix},
		{"a device that reports no progress", func(s *scene) { stuck(s, verbs.Tries{}); s.a.Sends.Flight.Told = false },
			"", "waits behind wr 3: posted 5 s ago; soft0 does not report its progress", NoFix},
		{"young", func(s *scene) { stuck(s, verbs.Tries{}); s.a.Sends.Flight.Age = longAfter - 1 }, "", "", NoFix},
		{"not read from the device", func(s *scene) { stuck(s, notReady); s.a.Sends.Flight = core.FlightView{} }, "",
			"", NoFix},
		{"all executed", func(s *scene) { stuck(s, notReady); s.a.Sends.Flight.Queued, s.a.Sends.Flight.Sent = 0, 0 },
			"", "", NoFix},
	} {
		s := newScene(write)
		tt.change(s)
		var got, unsure string
		fix := NoFix
		for _, f := range s.Send(s.a) {
			if f.Verdict == Missing {
				got, fix = got+f.Text, f.Fix
			}
			if f.Verdict == Unknown {
				unsure += f.Text
			}
		}
		if !strings.HasSuffix(got, tt.want) || tt.want == "" && got != "" || unsure != tt.unsure || fix != tt.fix {
			t.Errorf("%s: %q, %q, fix %d", tt.name, got, unsure, fix)
		}
	}
}

// A peer that drops packets is the cause of a missing acknowledgement.
func TestStalledPeer(t *testing.T) {
	for state, want := range map[verbs.QPState]string{
		verbs.QPInit: "no acknowledgement, 2 timeouts; b is INIT, which drops packets",
		verbs.QPErr:  "no acknowledgement, 2 timeouts; b is ERR, which drops packets",
		verbs.QPRTR:  "no acknowledgement, 2 timeouts", verbs.QPRTS: "no acknowledgement, 2 timeouts",
		verbs.QPSQD: "no acknowledgement, 2 timeouts",
	} {
		s := newScene(write)
		stuck(s, verbs.Tries{Timeouts: 2})
		s.b.State = state
		fix := NoFix
		if !receives(s.b) {
			fix = FixPeerState
		}
		if st, ok := Stalled(&s.Snapshot, s.a); !ok || st.Why != want || st.Fix != fix {
			t.Errorf("%s: %+v, want %q", state, st, want)
		}
	}
}

// The SENDs ahead consume RECVs first.
func TestRecvsAreTaken(t *testing.T) {
	for posted, want := range map[int]string{1: "b has 1 RECV posted, and 1 SEND ahead in the queue", 2: ""} {
		s := newScene(send)
		stuck(s, verbs.Tries{})
		s.a.Sends.Flight.Age = 1
		s.b.RecvPosted, s.b.RecvRoom = posted, 64
		if got := strings.Join(missing(s.Send(s.a)), "; "); got != want {
			t.Errorf("%d posted: %q", posted, got)
		}
	}
}

// If the device does not report progress, all posted requests may be done.
func TestRecvsMayBeTaken(t *testing.T) {
	for _, told := range []bool{true, false} {
		s := newScene(send)
		stuck(s, verbs.Tries{})
		s.a.Sends.Flight.Told = told
		want := 0
		if told {
			want = 1
		}
		if got := taken(s.a); got != want {
			t.Errorf("told %v: %d RECVs consumed, want %d", told, got, want)
		}
	}
}

// Bytes that an outstanding request reads here or writes at the peer are in use.
func TestInUse(t *testing.T) {
	s := newScene(write)
	stuck(s, verbs.Tries{})
	for _, tt := range []struct {
		m      *core.MRView
		off, n uint64
		want   string
	}{
		{s.src, 7, 1, "wr 3 of a (SEND) still uses these bytes of src"},
		{s.src, 8, 8, ""},
		{s.src, 0, 0, ""},
		{s.src, 0xf0, 17, "wr 4 of a (RDMA_WRITE) still uses these bytes of src"},
		{s.dst, 0, 1, "wr 4 of a (RDMA_WRITE) still uses these bytes of dst"},
		{s.dst, 8, 1, ""},
	} {
		if got, ok := InUse(&s.Snapshot, tt.m, tt.off, tt.n); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%d at %d of %s: %q", tt.n, tt.off, tt.m.Name, got)
		}
	}
	s.a.Sends.Oldest[0].Inline = true
	if got, ok := InUse(&s.Snapshot, s.src, 0, 1); ok {
		t.Error(got)
	}
}
