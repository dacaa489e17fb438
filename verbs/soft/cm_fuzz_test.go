package soft

import (
	"net/netip"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/cm"
	"rdmatui/verbs/soft/internal/object"
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

// cmFuzzEnds are those of the calls after which a program expects no event: it has ended the matter itself.
var cmFuzzEnds = []bool{false, true, true, true, true}

// outcomes are the identifiers of which an event is still to tell what became of what was begun: a request that was sent, and one that was
// received and not answered, or accepted.
type outcomes map[verbs.CMID]bool

func (o outcomes) begin(id verbs.CMID) { o[id] = true }

// take takes the events that have come, accepts or keeps the requests among them, and returns the identifiers with theirs.
func (o outcomes) take(sides []*cmSide, requests []verbs.CMID, accepts bool) []verbs.CMID {
	for _, s := range sides {
		for ev, some := s.poll(); some; ev, some = s.poll() {
			delete(o, ev.ID)
			if ev.Type != verbs.CMConnectRequest {
				continue
			}
			requests = append(requests, ev.ID)
			datagrams := ev.ID.PortSpace() == verbs.PortSpaceUDP
			if accepts && ev.ID.Accept(verbs.CMConnParam{QPNum: 99, ResponderResources: 1}) == nil && datagrams {
				continue // nobody answers
			}
			o.begin(ev.ID)
		}
	}
	return requests
}

// FuzzCMConversation lets a peer say anything, message after message, to a side that listens, connects and accepts. Each step is 7 bytes: the
// message, an offset and three bytes that are put there over a message that is right, which of the connections there are it names, and how
// long nothing happens after it; or a call of the program's and the identifier that it is for. Nothing may fall over, nothing may stay
// when all is closed, and whatever was begun ends in an event: see [outcomes]. One processor is faster than two that wake each other, and what is found is found again.
func FuzzCMConversation(f *testing.F) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	packets := new(link.Pool).Get(nil, 256) // used again by each run

	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 1})                            // REQ, RTU, DREQ
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0})                            // a duplicate, and another of the same queue pair
	f.Add([]byte{1, 0, 0, 0, 0, 0, 9, 3, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 200})     // MRA, REP, DREP, REP
	f.Add([]byte{7, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 8, 4, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0})       // SIDR_REQ twice, SIDR_REP, REJ
	f.Add([]byte{3, 0, 0, 0, 0, 0, 0, 0xc1, 0, 0, 0, 0, 0, 1, 0xc0, 0, 0, 0, 0, 0, 1, 6, 0, 0, 0, 0, 0, 9}) // REP, Establish, Disconnect, DREP
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0xc0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff}) // REQ, DREQ, Disconnect, REQ
	f.Add([]byte{8, 8, 0, 0, 0, 0, 0, 8, 8, 0, 0, 0, 1, 0})                                                 // SIDR_REP with queue pair 0, of either connection
	f.Add([]byte{0, 0, 0, 0, 0, 3, 0, 7, 0, 0, 0, 0, 3, 0})                                                 // REQ and SIDR_REQ that are not answered
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
			told := outcomes{}
			var requests []verbs.CMID
			for _, space := range []verbs.CMPortSpace{verbs.PortSpaceTCP, verbs.PortSpaceUDP} {
				active := newCMSide(t, p, space)
				ok(t, active.id.BindAddr(netip.AddrPortFrom(soft1.Addr(), 0)))
				active.resolve(netip.AddrPortFrom(rawAddr, 5))
				ok(t, active.id.Connect(verbs.CMConnParam{QPNum: 98}))
				told.begin(active.id)
				requests, sides = append(requests, active.id), append(sides, active)
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
			time.Sleep(time.Hour) // longer than anything takes that the peer may ask for
			told.take(sides, nil, false)
			for id := range told {
				t.Errorf("%s: no event tells what became of it", id)
			}
			for _, id := range append(requests, sides[0].id, sides[1].id) { // the others are among the requests
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
	if all := r.p.manager.Connections(); len(all) > 0 {
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
