package cm_test

import (
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/wire"
)

// TestCMMRA checks that the active side waits as long as an MRA asks.
func TestCMMRA(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		r := newRawCM(t, p)
		a := newCMSide(t, p, verbs.PortSpaceTCP)
		connectRaw(a)
		req := answer[*wire.CMReq](r)
		mra := &wire.CMMra{
			LocalCommID: 0x2001, RemoteCommID: req.LocalCommID, Message: wire.CMResponseREP, ServiceTimeout: 24,
		}
		r.put(mra) // not for a REQ: ignored
		time.Sleep(2 * time.Second)
		answer[*wire.CMReq](r)
		mra.Message = wire.CMResponseREQ
		r.put(mra)
		time.Sleep(60 * time.Second)
		r.put(mra) // a second one does not extend the time
		time.Sleep(8 * time.Second)
		if got := r.answers(); len(got) != 0 {
			t.Errorf("sent %+v", got)
		}
		time.Sleep(2 * time.Second)
		answer[*wire.CMReq](r)
		rep := &wire.CMRep{
			LocalCommID: 0x2001, RemoteCommID: req.LocalCommID, LocalQPN: rawQPN,
			LocalCAGUID: [8]byte{1}, StartingPSN: 5,
		}
		for _, qpn := range []uint32{0, 1, 0xffffff} {
			rep.LocalQPN = qpn
			r.put(rep)
			a.Quiet()
		}
		rep.LocalQPN = rawQPN
		r.put(rep, rep)
		a.Event(verbs.CMEstablished)
		if got := r.answers(); len(got) != 2 {
			t.Errorf("answered %+v, want two RTUs", got)
		}
	})
}

// TestCMMRAOfREP checks that the passive side waits as long as an MRA asks, once: a second MRA does not extend the
// time, and a repeated REQ gets no REP.
func TestCMMRAOfREP(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		r.put(r.req())
		b, _ := listener.Request()
		ok(t, b.ID.Accept(verbs.CMConnParam{QPNum: 9}))
		synctest.Wait()
		rep := answer[*wire.CMRep](r)
		mra := &wire.CMMra{
			LocalCommID: rep.RemoteCommID, RemoteCommID: rep.LocalCommID,
			Message: wire.CMResponseREQ, ServiceTimeout: 24,
		}
		r.put(mra) // not for a REP: ignored
		mra.Message = wire.CMResponseREP
		r.put(mra)
		time.Sleep(60 * time.Second)
		r.put(mra, r.req())
		time.Sleep(8 * time.Second)
		if got := r.answers(); len(got) != 0 {
			t.Errorf("sent %+v", got)
		}
		time.Sleep(2 * time.Second)
		answer[*wire.CMRep](r)
		if n := counterOf(t, p, "soft1", "dropped_mads"); n != 3 {
			t.Errorf("%d messages were dropped, want 3", n)
		}
		r.put(&wire.CMRtu{LocalCommID: rep.RemoteCommID, RemoteCommID: rep.LocalCommID})
		b.Event(verbs.CMEstablished)
	})
}
