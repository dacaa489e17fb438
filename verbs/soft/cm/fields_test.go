package cm_test

import (
	"net/netip"
	"testing"
	"testing/synctest"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/wire"
)

// TestCMFieldsOfREQ requests a connection with each parameter set, and compares all fields of the request.
func TestCMFieldsOfREQ(t *testing.T) {
	for _, tt := range []struct {
		name              string
		lifetime, timeout uint8 // the option, 0: not set, and what the request says
	}{{"as it is", 0, 17}, {"a long ACK timeout", 20, 20}, {"a short one", 9, 10}, {"the shortest", 1, 8}} {
		virtual(t, func(t *testing.T, p *soft.Provider) {
			r, a := newRawCM(t, p), newCMSide(t, p, verbs.PortSpaceTCP)
			ok(t, a.ID.SetOption(verbs.CMOptTOS, 0x68))
			if tt.lifetime != 0 {
				ok(t, a.ID.SetOption(verbs.CMOptACKTimeout, uint64(tt.lifetime)))
			}
			ok(t, a.ID.BindAddr(netip.AddrPortFrom(soft1.Addr(), 777)))
			a.Resolve(netip.AddrPortFrom(rawAddr, 5))
			ok(t, a.ID.Connect(verbs.CMConnParam{
				QPNum: 78, SRQ: true, FlowControl: true, ResponderResources: 3, InitiatorDepth: 2, RetryCount: 200,
				RNRRetryCount: 201, PrivateData: []byte("hello"),
			}))
			synctest.Wait()
			k := r.port.Receive(nil, 2)
			if len(k) != 1 || k[0].Path.TrafficClass != 0x68 {
				t.Fatalf("%d packets, the first of %+v", len(k), k[0].Path)
			}
			m, _ := madOf(t, k[0])
			got := *m.Body.(*wire.CMReq)
			want := wire.CMReq{
				LocalCommID: connectionOf(a).LocalID, ServiceID: cm.ServiceID(verbs.PortSpaceTCP, 5),
				LocalCAGUID: must(a.ID.Device().QueryDevice())(t).NodeGUID, LocalQPN: 78, ResponderResources: 3,
				InitiatorDepth: 2, RemoteCMResponseTimeout: 18, LocalCMResponseTimeout: 18,
				MaxCMRetries: 15, TransportType: wire.CMTransportRC, FlowControl: true,
				StartingPSN: got.StartingPSN, RetryCount: 7, RNRRetryCount: 7, PKey: 0xffff,
				PathMTU: uint8(verbs.MTU4096), SRQ: true,
				Primary: wire.CMPath{
					LocalLID: 0xffff, RemoteLID: 0xffff, LocalGID: soft1.Addr().As16(),
					RemoteGID: rawAddr.As16(), PacketRate: 2, TrafficClass: 0x68,
					HopLimit: 64, LocalACKTimeout: tt.timeout,
				},
			}
			ip := wire.CMIP{Src: netip.AddrPortFrom(soft1.Addr(), 777), Dst: rawAddr}
			copy(want.PrivateData[copy(want.PrivateData[:], ip.Append(nil)):], "hello")
			if got != want {
				t.Errorf("%s:\ngot  %+v\nwant %+v", tt.name, got, want)
			}
		})
	}
}

// TestCMFieldsOfREP answers a request with each parameter set.
func TestCMFieldsOfREP(t *testing.T) {
	virtual(t, func(t *testing.T, p *soft.Provider) {
		listener, r := newCMSide(t, p, verbs.PortSpaceTCP), newRawCM(t, p)
		listener.Listen(soft1)
		r.put(r.req())
		s, _ := listener.Request()
		ok(t, s.ID.Accept(verbs.CMConnParam{
			QPNum: 78, SRQ: true, FlowControl: true, ResponderResources: 3, InitiatorDepth: 2, RetryCount: 200,
			RNRRetryCount: 201, PrivateData: []byte("hello"),
		}))
		synctest.Wait()
		got := *answer[*wire.CMRep](r)
		want := wire.CMRep{
			LocalCommID: connectionOf(s).LocalID, RemoteCommID: 0x1001, LocalQPN: 78, StartingPSN: got.StartingPSN,
			ResponderResources: 3, InitiatorDepth: 2, TargetACKDelay: 8, FlowControl: true,
			RNRRetryCount: 7, SRQ: true, LocalCAGUID: must(s.ID.Device().QueryDevice())(t).NodeGUID,
		}
		copy(want.PrivateData[:], "hello")
		if got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
}
