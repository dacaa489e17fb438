package program

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// stranger is a host that makes connection manager messages by hand.
type stranger struct {
	carrier *link.UDP
	path    *link.Path
	from    netip.Addr
	to      netip.Addr
	port    uint64 // of the server, in the port space TCP
	comm    uint32
}

var strangerGUID = [8]byte{7: 0x77}

func newStranger(t *testing.T, from, to netip.Addr) (*stranger, error) {
	e, err := link.Bind(from, link.Options{})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { e.Close() })
	carrier, err := e.Attach(func() {})
	if err != nil {
		return nil, err
	}
	path, err := link.NewPath(netip.AddrPortFrom(from, wire.Port), netip.AddrPortFrom(to, wire.Port))
	return &stranger{carrier: carrier, path: path, from: from, to: to, port: soakPort}, err
}

func (s *stranger) put(body wire.CMBody) {
	m := wire.NewCM(uint64(s.comm), body)
	p := &wire.Packet{
		BTH: wire.BTH{Opcode: wire.UDSendOnly, PKey: 0xffff, DestQP: 1}, DETH: wire.DETH{QKey: wire.QKeyGSI, SrcQP: 1},
		Payload: m.Append(nil),
	}
	k := s.carrier.Pool().Get(nil, 1)[0]
	k.Path = s.path
	k.Data = p.Append(k.Data)
	s.carrier.Send([]*link.Packet{k})
}

func (s *stranger) request(random *rand.Rand) {
	s.comm++
	m := &wire.CMReq{
		LocalCommID: s.comm, ServiceID: uint64(verbs.PortSpaceTCP)<<16 | s.port, LocalCAGUID: strangerGUID,
		LocalQPN: s.comm & 0xffffff, LocalCMResponseTimeout: uint8(random.IntN(32)),
		RemoteCMResponseTimeout: uint8(random.IntN(32)), MaxCMRetries: uint8(random.IntN(16)), PKey: 0xffff,
		PathMTU: 3, StartingPSN: 100, ResponderResources: 255, InitiatorDepth: 255,
		Primary: wire.CMPath{LocalGID: s.from.As16(), RemoteGID: s.to.As16(), LocalACKTimeout: 17, HopLimit: 64},
	}
	ip := wire.CMIP{Src: netip.AddrPortFrom(s.from, 999), Dst: s.to}
	copy(m.PrivateData[:], ip.Append(nil))
	s.put(m)
}

// requestAndLeave asks for a connection and says at once that it waits no longer.
func (s *stranger) requestAndLeave(random *rand.Rand) {
	s.request(random)
	rej := &wire.CMRej{LocalCommID: s.comm, Message: wire.CMResponseOther, Reason: uint16(verbs.RejectTimeout)}
	rej.InfoLen = uint8(copy(rej.Info[:], strangerGUID[:])) // the receiver finds the request by it
	s.put(rej)
}

// spoil begins a connection and spoils it in a way that needs no answer, or sends an answer that nobody asked for.
func (s *stranger) spoil(random *rand.Rand) {
	switch random.IntN(6) {
	case 0:
		s.request(random)
	case 1:
		s.requestAndLeave(random)
	case 2:
		s.request(random)
		s.put(&wire.CMDreq{LocalCommID: s.comm})
	case 3:
		s.put(&wire.CMRep{LocalCommID: s.comm, RemoteCommID: random.Uint32(), LocalQPN: random.Uint32() & 0xffffff})
	case 4:
		s.put(&wire.CMDreq{LocalCommID: s.comm, RemoteCommID: random.Uint32(), RemoteQPN: random.Uint32() & 0xffffff})
	case 5:
		s.put(&wire.CMSidrReq{RequestID: random.Uint32(), ServiceID: uint64(verbs.PortSpaceUDP)<<16 | soakPort})
	}
}

// attack sends one victim random bytes, and connection manager messages that create state, about 500 per second.
func attack(t *testing.T, from, victim string, stop <-chan struct{}) {
	random := rand.New(rand.NewPCG(1, 2))
	raw, err := net.Dial("udp", net.JoinHostPort(victim, strconv.Itoa(wire.Port)))
	if err != nil {
		t.Error(err)
		return
	}
	defer raw.Close()
	s, err := newStranger(t, netip.MustParseAddr(from), netip.MustParseAddr(victim))
	if err != nil {
		t.Error(err)
		return
	}
	defer s.carrier.Close()
	noise := make([]byte, 1500)
	pace := time.NewTicker(2 * time.Millisecond)
	defer pace.Stop()
	for {
		select {
		case <-stop:
			return
		case <-pace.C:
		}
		n := random.IntN(len(noise))
		for i := range n {
			noise[i] = byte(random.Uint32())
		}
		_, _ = raw.Write(noise[:n]) // nobody may be listening any more
		s.spoil(random)
	}
}
