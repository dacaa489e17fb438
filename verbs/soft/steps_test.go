package soft

import (
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// stepsOf returns the recorded steps of the newest request in the order of their times, as letters: f(etched), b(uilt),
// s(ent), x (executed by the peer), a(nswered), p(laced), c(ompleted). It fails if one is earlier than the one before
// it.
func stepsOf(t *testing.T, p *Provider, a *side, wrID uint64) (order string) {
	t.Helper()
	all := a.QP.(verbs.StepRecorder).Steps()
	if len(all) == 0 || all[len(all)-1].WRID != wrID {
		t.Fatalf("%+v does not end with wr_id %d", all, wrID)
	}
	r := all[len(all)-1]
	served, _ := p.Served(r.Peer, r.PeerQP)
	var executed time.Time
	if n := len(served); n > 0 && served[n-1].Last == r.Last &&
		(a.QP.Type() != verbs.UD || served[n-1].From == a.QP.Num()) {
		executed = served[n-1].At
	}
	steps := []struct {
		letter string
		at     time.Time
	}{{"f", r.Fetched}, {"b", r.Built}, {"s", r.Sent}, {"x", executed}, {"a", r.Answered},
		{"p", r.Placed}, {"c", r.Completed}}
	var last time.Time
	for _, s := range steps {
		if s.at.IsZero() {
			continue
		}
		if order += s.letter; s.at.Before(last) && a.QP.Type() == verbs.RC { // a datagram completes before it is sent
			t.Errorf("%s is %s too early", order, last.Sub(s.at))
		}
		last = s.at
	}
	return order
}

// TestSteps posts each operation and expects the times of the steps that it has, in their order.
func TestSteps(t *testing.T) {
	const long = 3000 // three packets
	for name, tt := range map[string]struct {
		typ    verbs.QPType
		wr     verbs.SendWR
		n      int
		key    uint32 // added to the remote key
		local  uint32 // added to the local key
		status verbs.WCStatus
		want   string
	}{
		"SEND":            {wr: verbs.SendWR{Opcode: verbs.WRSend}, n: 8, want: "fbsxac"},
		"long SEND":       {wr: verbs.SendWR{Opcode: verbs.WRSend}, n: long, want: "fbsxac"},
		"empty SEND":      {wr: verbs.SendWR{Opcode: verbs.WRSend}, want: "fbsxac"},
		"WRITE":           {wr: verbs.SendWR{Opcode: verbs.WRRDMAWrite}, n: long, want: "fbsxac"},
		"WRITE_IMM":       {wr: verbs.SendWR{Opcode: verbs.WRRDMAWriteWithImm}, n: 8, want: "fbsxac"},
		"READ":            {wr: verbs.SendWR{Opcode: verbs.WRRDMARead}, n: 8, want: "fbsxapc"},
		"long READ":       {wr: verbs.SendWR{Opcode: verbs.WRRDMARead}, n: long, want: "fbsxapc"},
		"swap":            {wr: verbs.SendWR{Opcode: verbs.WRAtomicCmpAndSwp}, n: 8, want: "fbsxapc"},
		"add":             {wr: verbs.SendWR{Opcode: verbs.WRAtomicFetchAndAdd}, n: 8, want: "fbsxapc"},
		"atomic write":    {wr: verbs.SendWR{Opcode: verbs.WRAtomicWrite}, n: 8, want: "fbsxac"},
		"unreliable SEND": {typ: verbs.UC, wr: verbs.SendWR{Opcode: verbs.WRSend}, n: 8, want: "fbsxc"},
		"datagram":        {typ: verbs.UD, wr: verbs.SendWR{Opcode: verbs.WRSend}, n: 8, want: "fbsxc"},
		"wrong key": {wr: verbs.SendWR{Opcode: verbs.WRRDMAWrite}, n: 8, key: 1 << 20,
			status: verbs.WCRemAccessErr, want: "fbsac"},
		"READ, wrong key": {wr: verbs.SendWR{Opcode: verbs.WRRDMARead}, n: 8, key: 1 << 20,
			status: verbs.WCRemAccessErr, want: "fbsac"},
		"no local region": {wr: verbs.SendWR{Opcode: verbs.WRRDMAWrite}, n: 8, local: 1 << 20,
			status: verbs.WCLocProtErr, want: "fc"},
		"invalidate no key": {wr: verbs.SendWR{Opcode: verbs.WRLocalInv, InvalidateKey: 1},
			status: verbs.WCMWBindErr, want: "fc"},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(Options{})
			a, b := connect(t, p, "soft0", "soft1", pairOptions{Typ: tt.typ, Timeout: patient, QKey: 7})
			near, far := a.NewMR(4096, everything), b.NewMR(4096, everything)
			for _, s := range []*side{a, b} {
				s.QP.(verbs.StepRecorder).RecordSteps(true)
			}
			wr := tt.wr
			if wr.WRID, wr.SendFlags = 5, verbs.SendSignaled; tt.n > 0 {
				wr.SGList = []verbs.SGE{{Addr: near.Addr(), Length: uint32(tt.n), LKey: near.LKey() + tt.local}}
			}
			wr.RemoteAddr, wr.RKey = far.Addr(), far.RKey()+tt.key
			if tt.typ == verbs.UD {
				ah := must(a.PD.CreateAH(verbs.AHAttr{IsGlobal: true, PortNum: 1,
					GRH: verbs.GlobalRoute{DGID: b.GID.GID, SGIDIndex: 1, HopLimit: 64}}))(t)
				closeAtEnd(t, ah)
				wr.AH, wr.RemoteQPN, wr.RemoteQKey = ah, b.QP.Num(), 7
			}
			b.Recv(verbs.RecvWR{WRID: 6, SGList: []verbs.SGE{{Addr: far.Addr(), Length: 4096, LKey: far.LKey()}}})
			a.Send(wr)
			a.Want(5, tt.status)
			if tt.wr.Opcode.Traits().NeedRecv {
				b.Want(6, verbs.WCSuccess)
			}
			if got := stepsOf(t, p, a, 5); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// TestStepsOnMidway starts to record while a request is in flight: it has no record, and later ones do.
func TestStepsOnMidway(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		steps := r.QP.(verbs.StepRecorder)
		for id, want := range []int{0, 1} {
			r.Send(verbs.SendWR{WRID: uint64(id), Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			synctest.Wait()
			steps.RecordSteps(true)
			r.put(r.acknowledge(wire.PSN(200+id), wire.ACKUnlimited))
			r.Want(uint64(id), verbs.WCSuccess)
			if all := steps.Steps(); len(all) != want || want > 0 &&
				(all[0].WRID != uint64(id) || all[0].Completed.IsZero()) {
				t.Errorf("request %d: %+v", id, all)
			}
		}
	})
}

// TestStepsOverwritten has more requests in flight than are recorded: the end of the oldest is not taken for that of
// the newest, whose record has replaced it.
func TestStepsOverwritten(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{})
		steps := r.QP.(verbs.StepRecorder)
		steps.RecordSteps(true)
		const n = 17 // one more than are kept
		for id := range uint64(n) {
			r.Send(verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		}
		synctest.Wait()
		for id := range uint64(2) {
			r.put(r.acknowledge(wire.PSN(200+id), wire.ACKUnlimited))
			r.Want(id, verbs.WCSuccess)
			for _, s := range steps.Steps() {
				if completed := s.WRID == id; s.Completed.IsZero() == completed || s.WRID == 0 {
					t.Errorf("after request %d: %+v", id, s)
				}
			}
		}
	})
}

// TestStepsOff records nothing, and forgets what was recorded.
func TestStepsOff(t *testing.T) {
	a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{Timeout: patient})
	r := a.QP.(verbs.StepRecorder)
	for _, on := range []bool{false, true, false} {
		r.RecordSteps(on)
		for id := range uint64(20) { // more than are kept
			b.Recv(verbs.RecvWR{WRID: id})
			a.Send(verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
			a.Want(id, verbs.WCSuccess)
			b.Want(id, verbs.WCSuccess)
		}
		switch all := r.Steps(); {
		case on && (len(all) != 16 || all[0].WRID != 4 || all[15].WRID != 19):
			t.Errorf("%+v", all)
		case !on && len(all) > 0:
			t.Errorf("not recorded: %+v", all)
		}
	}
}
