package cm_test

import (
	"net/netip"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// cmFuzzKinds are the messages that the first byte of a step selects.
var cmFuzzKinds = []wire.CMAttribute{
	wire.CMAttrREQ, wire.CMAttrMRA, wire.CMAttrREJ, wire.CMAttrREP, wire.CMAttrRTU, wire.CMAttrDREQ, wire.CMAttrDREP,
	wire.CMAttrSIDRREQ, wire.CMAttrSIDRREP,
}

// cmFuzzCalls are the program's calls for first bytes from firstCall on; a call in the wrong state fails.
var cmFuzzCalls = []func(id verbs.CMID) error{
	verbs.CMID.Disconnect, verbs.CMID.Establish, verbs.CMID.Close,
	func(id verbs.CMID) error { return id.Reject(nil) },
	func(id verbs.CMID) error { return id.Notify(verbs.EventCommEst) },
}

const firstCall = 0xc0

// cmFuzzEnds marks the calls after which a program expects no event, because they end the connection or request.
var cmFuzzEnds = []bool{false, true, true, true, true}

// outcomes has the identifiers for which an event must still report the result: requests that were sent, and requests
// that were received and kept or accepted.
type outcomes map[verbs.CMID]bool

func (o outcomes) begin(id verbs.CMID) { o[id] = true }

// take takes the pending events, accepts or keeps the requests among them, and returns the identifiers including those
// of the requests.
func (o outcomes) take(sides []*cmSide, requests []verbs.CMID, accepts bool) []verbs.CMID {
	for _, s := range sides {
		for ev, some := s.Poll(); some; ev, some = s.Poll() {
			delete(o, ev.ID)
			if ev.Type != verbs.CMConnectRequest {
				continue
			}
			requests = append(requests, ev.ID)
			datagrams := ev.ID.PortSpace() == verbs.PortSpaceUDP
			if accepts && ev.ID.Accept(verbs.CMConnParam{QPNum: 99, ResponderResources: 1}) == nil && datagrams {
				continue // a datagram service gets no reply
			}
			o.begin(ev.ID)
		}
	}
	return requests
}

// FuzzCMConversation lets a peer send any sequence of messages to a program that listens, connects and accepts. A step
// has 7 bytes: the message; an offset and three bytes that are written there into a correct message; the connection
// that it names; and the pause after it. Or it is a call of the program, with the identifier. Nothing may panic, no
// state may be left when all is closed, and everything begun must end in an event: see [outcomes]. One processor is
// faster than two that wake each other, and makes findings repeatable.
func FuzzCMConversation(f *testing.F) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	packets := new(link.Pool).Get(nil, 256) // reused by each run

	// REQ, RTU, DREQ
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 1})
	// a duplicate, and another request of the same queue pair
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0})
	// MRA, REP, DREP, REP
	f.Add([]byte{1, 0, 0, 0, 0, 0, 9, 3, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 200})
	// SIDR_REQ twice, SIDR_REP, REJ
	f.Add([]byte{7, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 8, 4, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0})
	// REP, Establish, Disconnect, DREP
	f.Add([]byte{3, 0, 0, 0, 0, 0, 0, 0xc1, 0, 0, 0, 0, 0, 1, 0xc0, 0, 0, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0, 9})
	// REQ, DREQ, Disconnect, REQ
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0xc0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff})
	// SIDR_REP with queue pair 0, of either connection
	f.Add([]byte{8, 8, 0, 0, 0, 0, 0, 8, 8, 0, 0, 0, 1, 0})
	// REQ and SIDR_REQ without an answer
	f.Add([]byte{0, 0, 0, 0, 0, 3, 0, 7, 0, 0, 0, 0, 3, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 7*64 {
			return
		}
		virtual(t, func(t *testing.T, p *soft.Provider) {
			r := newRawCM(t, p)
			r.port.Pool().Put(packets)
			var sides []*cmSide
			for _, space := range []verbs.CMPortSpace{verbs.PortSpaceTCP, verbs.PortSpaceUDP} {
				s := newCMSide(t, p, space)
				s.Listen(soft1)
				sides = append(sides, s)
			}
			told := outcomes{}
			var requests []verbs.CMID
			for _, space := range []verbs.CMPortSpace{verbs.PortSpaceTCP, verbs.PortSpaceUDP} {
				active := newCMSide(t, p, space)
				ok(t, active.ID.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)))
				active.Resolve(netip.AddrPortFrom(rawAddr, 5))
				ok(t, active.ID.Connect(verbs.CMConnParam{QPNum: 98}))
				told.begin(active.ID)
				requests, sides = append(requests, active.ID), append(sides, active)
			}
			for ; len(script) >= 7; script = script[7:] {
				if n := script[0]; n >= firstCall {
					call := int(n-firstCall) % len(cmFuzzCalls)
					id := requests[int(script[1])%len(requests)]
					if err := cmFuzzCalls[call](id); err == nil && cmFuzzEnds[call] {
						delete(told, id)
					}
				} else {
					r.fuzzed(script)
				}
				requests = told.take(sides, requests, script[5]%4 != 3)
				time.Sleep(time.Duration(script[6]) * 100 * time.Millisecond)
			}
			time.Sleep(time.Hour) // longer than any time that the peer can ask for
			told.take(sides, nil, false)
			for id := range told {
				t.Errorf("%s: no event reported the result", id)
			}
			// the other identifiers are among the requests
			for _, id := range append(requests, sides[0].ID, sides[1].ID) {
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

// cmBodies returns the body of a correct message about one of the existing connections.
func cmBodies(r *rawCM, attr wire.CMAttribute, which int) []byte {
	var local, qpn uint32
	if all := managerOf(r.p).Connections(); len(all) > 0 {
		c := all[which%len(all)]
		local, qpn = c.LocalID, c.LocalQPN
	}
	switch attr {
	case wire.CMAttrREQ:
		return r.req().Append(nil)
	case wire.CMAttrDREQ:
		return (&wire.CMDreq{LocalCommID: 0x1001, RemoteCommID: local, RemoteQPN: qpn}).Append(nil)
	case wire.CMAttrREP:
		return (&wire.CMRep{LocalCommID: 0x1001, RemoteCommID: local, LocalQPN: rawQPN}).Append(nil)
	case wire.CMAttrSIDRREQ:
		req := &wire.CMSidrReq{RequestID: 5, PKey: object.FullPKey, ServiceID: cm.ServiceID(verbs.PortSpaceUDP, cmPort)}
		copy(req.PrivateData[:], r.req().PrivateData[:wire.CMIPLen])
		return req.Append(nil)
	case wire.CMAttrSIDRREP:
		return (&wire.CMSidrRep{RequestID: local, QPN: rawQPN}).Append(nil)
	}
	return (&wire.CMRtu{LocalCommID: 0x1001, RemoteCommID: local}).Append(nil)
}
