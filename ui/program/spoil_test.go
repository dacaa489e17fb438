package program

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// spoilPort is where the listeners listen; clients on answeredPort are accepted, all
// others are left waiting.
const (
	spoilPort    = 7471
	answeredPort = 7777
)

// maxTalking is the number of connections on which a spoiler answers.
const maxTalking = 10_000

// spoiler is a host that opens connections and spoils them, message by message, as no
// connection manager would.
type spoiler struct {
	tb      testing.TB
	port    *link.Port
	path    *link.Path
	to      netip.Addr
	guid    [8]byte
	next    uint32
	client  uint16              // the source port of the current connections
	talking map[uint32]spoiling // by communication ID, which is also its queue pair number
	random  *rand.Rand
}

// spoiling is one way to spoil a connection: what is sent first, and in answer to the
// listener.
type spoiling struct {
	name   string
	port   uint16 // of the client
	begin  func(s *spoiler, id uint32)
	answer func(s *spoiler, id uint32, body wire.CMBody)
}

// spoilings are all ways. A request is repeated to learn the listener's communication
// ID from its MRA.
var spoilings = []spoiling{
	{"REQ, REJ", 1, func(s *spoiler, id uint32) {
		rej := &wire.CMRej{
			LocalCommID: id, Message: wire.CMResponseOther, Reason: uint16(verbs.RejectTimeout), InfoLen: 8,
		}
		copy(rej.Info[:], s.guid[:])
		s.put(s.req(id), rej)
	}, nil},
	{"REQ", 2, func(s *spoiler, id uint32) { s.put(s.req(id)) }, nil},
	{"REQ, DREQ", 3, func(s *spoiler, id uint32) { s.put(s.req(id), s.req(id)) },
		func(s *spoiler, id uint32, body wire.CMBody) {
			if mra, is := body.(*wire.CMMra); is {
				s.put(&wire.CMDreq{LocalCommID: id, RemoteCommID: mra.LocalCommID, RemoteQPN: 2})
			}
		}},
	{"SIDR", 4, func(s *spoiler, id uint32) {
		req := &wire.CMSidrReq{RequestID: id, PKey: 0xffff, ServiceID: uint64(verbs.PortSpaceUDP)<<16 | spoilPort}
		s.address(req.PrivateData[:])
		s.put(req)
	}, nil},
	{"REQ, no RTU", answeredPort, func(s *spoiler, id uint32) { s.put(s.req(id)) }, nil},
	{"REQ, DREQ after REP", answeredPort, func(s *spoiler, id uint32) { s.put(s.req(id)) },
		func(s *spoiler, id uint32, body wire.CMBody) {
			if rep, is := body.(*wire.CMRep); is {
				s.put(&wire.CMDreq{LocalCommID: id, RemoteCommID: rep.LocalCommID, RemoteQPN: rep.LocalQPN})
			}
		}},
	{"REQ, RTU, REJ", answeredPort, func(s *spoiler, id uint32) { s.put(s.req(id)) },
		func(s *spoiler, id uint32, body wire.CMBody) {
			if rep, is := body.(*wire.CMRep); is {
				s.put(&wire.CMRtu{LocalCommID: id, RemoteCommID: rep.LocalCommID},
					&wire.CMRej{LocalCommID: id, RemoteCommID: rep.LocalCommID, Message: wire.CMResponseOther,
						Reason: 28})
			}
		}},
}

// newSpoiler attaches a host to a fabric.
func newSpoiler(tb testing.TB, fabric *link.Fabric, from, to netip.Addr) *spoiler {
	tb.Helper()
	s := &spoiler{
		tb: tb, to: to, talking: map[uint32]spoiling{},
		next: 2, random: rand.New(rand.NewPCG(1, uint64(from.As4()[3]))),
	}
	copy(s.guid[:], from.AsSlice())
	var err error
	if s.port, err = fabric.Attach(func() {}, from); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.port.Close() })
	if s.path, err = link.NewPath(netip.AddrPortFrom(from, 0xc001), netip.AddrPortFrom(to, wire.Port)); err != nil {
		tb.Fatal(err)
	}
	return s
}

// spoil opens one more connection.
func (s *spoiler) spoil(way spoiling) {
	id := s.next
	s.next++
	s.client = way.port
	if way.answer != nil {
		s.talking[id] = way
		delete(s.talking, id-maxTalking)
	}
	way.begin(s, id)
	s.react()
}

// react answers the messages received.
func (s *spoiler) react() {
	got := s.port.Receive(nil, 4096)
	for _, k := range got {
		p, err := wire.Parse(k.Data)
		if err != nil {
			s.tb.Error(err)
			continue
		}
		if m, err := wire.ParseCM(p.Payload); err == nil {
			if id := remoteID(m.Body); s.talking[id].answer != nil {
				s.talking[id].answer(s, id, m.Body)
			}
		}
	}
	s.port.Pool().Put(got)
}

// remoteID returns the communication ID of a message's receiver.
func remoteID(body wire.CMBody) uint32 {
	b := body.Append(nil)[4:]
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func (s *spoiler) put(bodies ...wire.CMBody) {
	for _, b := range bodies {
		m := wire.NewCM(s.random.Uint64(), b)
		h := wire.Packet{
			BTH:  wire.BTH{Opcode: wire.UDSendOnly, PKey: 0xffff, DestQP: 1},
			DETH: wire.DETH{QKey: wire.QKeyGSI, SrcQP: 1}, Payload: m.Append(nil),
		}
		k := s.port.Pool().Get(nil, 1)[0]
		k.Path = s.path
		k.Data = h.Append(k.Data)
		s.port.Send([]*link.Packet{k})
	}
}

// req makes a request that is right in every field, and gives up after two tries of
// half a second.
func (s *spoiler) req(id uint32) *wire.CMReq {
	req := &wire.CMReq{
		LocalCommID: id, ServiceID: uint64(verbs.PortSpaceTCP)<<16 | spoilPort, LocalCAGUID: s.guid, LocalQPN: id,
		LocalCMResponseTimeout: 16, RemoteCMResponseTimeout: 16, MaxCMRetries: 1, PKey: 0xffff, PathMTU: 3,
		Primary: wire.CMPath{LocalGID: s.path.Src.Addr().As16(), RemoteGID: s.to.As16(),
			LocalACKTimeout: 14, HopLimit: 64},
	}
	s.address(req.PrivateData[:])
	return req
}

// address writes the header with a request's source and destination.
func (s *spoiler) address(private []byte) {
	ip := wire.CMIP{Src: netip.AddrPortFrom(s.path.Src.Addr(), s.client), Dst: s.to}
	copy(private, ip.Append(nil))
}
