package soft

import (
	"maps"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// cmFuzzKinds are the messages that a byte of the fuzzer's stands for.
var cmFuzzKinds = []wire.CMAttribute{
	wire.CMAttrREQ, wire.CMAttrMRA, wire.CMAttrREJ, wire.CMAttrREP, wire.CMAttrRTU, wire.CMAttrDREQ, wire.CMAttrDREP, wire.CMAttrSIDRREQ, wire.CMAttrSIDRREP,
}

// cmFuzzCalls are what the program does where the byte is firstCall or more; a call that is out of order fails.
var cmFuzzCalls = []func(id verbs.CMID) error{
	verbs.CMID.Disconnect, verbs.CMID.Establish, verbs.CMID.Close,
	func(id verbs.CMID) error { return id.Reject(nil) },
	func(id verbs.CMID) error { return id.Notify(verbs.EventCommEst) },
}

const firstCall = 0xc0

// FuzzCMConversation lets a peer say anything, message after message, to a side that listens, connects and accepts. Each step is 7 bytes: the
// message, an offset and three bytes that are put there over a message that is right, which of the connections there are it names, and how
// long nothing happens after it; or a call of the program's and the identifier that it is for. Nothing may fall over, and nothing may stay
// when all is closed. One processor is faster than two that wake each other, and what is found is found again.
func FuzzCMConversation(f *testing.F) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	packets := new(link.Pool).Get(nil, 4*rxBatch) // used again by each run

	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 1})                            // REQ, RTU, DREQ
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0})                            // a duplicate, and another of the same queue pair
	f.Add([]byte{1, 0, 0, 0, 0, 0, 9, 3, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 200})     // MRA, REP, DREP, REP
	f.Add([]byte{7, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 8, 4, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0})       // SIDR_REQ twice, SIDR_REP, REJ
	f.Add([]byte{3, 0, 0, 0, 0, 0, 0, 0xc1, 0, 0, 0, 0, 0, 1, 0xc0, 0, 0, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0, 9}) // REP, Establish, Disconnect, DREP
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0xc0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff}) // REQ, DREQ, Disconnect, REQ
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 7*64 {
			return
		}
		virtual(t, func(t *testing.T, p *Provider) {
			r := newRawCM(t, p)
			r.port.Pool().Put(packets)
			var sides []*cmSide
			for _, space := range []verbs.CMPortSpace{verbs.PortSpaceTCP, verbs.PortSpaceUDP} {
				s := newCMSide(t, p, space)
				s.listen(soft1)
				sides = append(sides, s)
			}
			active := newCMSide(t, p, verbs.PortSpaceTCP)
			ok(t, active.id.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)))
			ok(t, active.id.ResolveAddr(netip.AddrPort{}, netip.AddrPortFrom(rawAddr, 5), time.Second))
			ok(t, active.id.ResolveRoute(time.Second))
			ok(t, active.id.Connect(verbs.CMConnParam{QPNum: 98}))
			requests := []verbs.CMID{active.id}
			for ; len(script) >= 7; script = script[7:] {
				if n := script[0]; n >= firstCall {
					cmFuzzCalls[int(n-firstCall)%len(cmFuzzCalls)](requests[int(script[1])%len(requests)])
				} else {
					r.fuzzed(script)
				}
				for _, s := range sides {
					if ev, is := s.channel.(*cmChannel).events.poll(); is && ev.Type == verbs.CMConnectRequest {
						requests = append(requests, ev.ID)
						ev.ID.Accept(verbs.CMConnParam{QPNum: 99, ResponderResources: 1})
					}
				}
				time.Sleep(time.Duration(script[6]) * 100 * time.Millisecond)
			}
			for _, id := range append(requests, sides[0].id, sides[1].id) {
				ok(t, id.Close())
			}
			time.Sleep(time.Hour)
			nothingKept(t, p)
		})
	})
}

// fuzzed sends the message of one step.
func (r *rawCM) fuzzed(step []byte) {
	attr := cmFuzzKinds[int(step[0])%len(cmFuzzKinds)]
	body := cmBodies(r, attr, int(step[5]))
	copy(body[int(step[1])%wire.CMBodyLen:], step[2:5])
	m := wire.NewCM(uint64(step[5]), new(wire.CMRtu))
	m.Header.Attribute = attr
	r.putPacket(madPacket(append(m.Header.Append(nil), body...)))
	synctest.Wait()
	r.port.Receive(nil, 1000)
}

// cmBodies is a message that is right, about one of the connections there are.
func cmBodies(r *rawCM, attr wire.CMAttribute, which int) []byte {
	var local, qpn uint32
	if ids := slices.Sorted(maps.Keys(r.p.manager.byLocal)); len(ids) > 0 {
		local = ids[which%len(ids)]
		qpn = r.p.manager.byLocal[local].localQPN
	}
	switch attr {
	case wire.CMAttrREQ:
		return r.req().Append(nil)
	case wire.CMAttrDREQ:
		return (&wire.CMDreq{LocalCommID: 0x1001, RemoteCommID: local, RemoteQPN: qpn}).Append(nil)
	case wire.CMAttrREP:
		return (&wire.CMRep{LocalCommID: 0x1001, RemoteCommID: local, LocalQPN: rawQPN}).Append(nil)
	case wire.CMAttrSIDRREQ:
		req := &wire.CMSidrReq{RequestID: 5, PKey: fullPKey, ServiceID: serviceID(verbs.PortSpaceUDP, cmPort)}
		copy(req.PrivateData[:], r.req().PrivateData[:wire.CMIPLen])
		return req.Append(nil)
	case wire.CMAttrSIDRREP:
		return (&wire.CMSidrRep{RequestID: local, QPN: rawQPN}).Append(nil)
	}
	return (&wire.CMRtu{LocalCommID: 0x1001, RemoteCommID: local}).Append(nil)
}
