package wirecheck

import (
	"net/netip"
	"strings"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

var (
	requester = netip.MustParseAddrPort("10.0.0.1:49153")
	responder = netip.MustParseAddrPort("10.0.0.2:49154")
	six       = netip.MustParseAddrPort("[fe80::1]:49155")
)

// sent is a packet of a conversation, and the change to make in it.
type sent struct {
	wire.Packet
	answer bool // by the responder
	six    bool
	ip     verbs.IPHeader
	bytes  func(b []byte) []byte // changes them before the ICRC is computed
	icrc   uint32                // bits flipped in the ICRC
}

// packet returns the packet as a tap reports it.
func (s *sent) packet(t *testing.T) verbs.Packet {
	t.Helper()
	p := verbs.Packet{Outgoing: true, Src: requester, Dst: netip.AddrPortFrom(responder.Addr(), port), IP: s.ip}
	if s.answer {
		p.Src, p.Dst = responder, netip.AddrPortFrom(requester.Addr(), port)
	}
	if s.six {
		p.Src, p.Dst = six, netip.AddrPortFrom(six.Addr(), port)
	}
	if p.IP.HopLimit == 0 {
		p.IP.HopLimit = 64
	}
	crc, err := wire.NewICRC(wire.Path{Src: p.Src, Dst: p.Dst, DF: true})
	if err != nil {
		t.Fatal(err)
	}
	b := s.Append(nil)
	if s.bytes != nil {
		b = s.bytes(b)
	}
	b = crc.Append(0, b)
	b[len(b)-1] ^= byte(s.icrc)
	p.Data = b
	return p
}

const mtu = 1024

func request(op wire.Opcode, psn wire.PSN, n int, change ...func(s *sent)) *sent {
	info, _ := op.Info()
	s := &sent{Packet: wire.Packet{
		BTH: wire.BTH{Opcode: op, PKey: 0xffff, MigReq: true, DestQP: 0x20, PSN: psn,
			AckReq: info.Transport == wire.RC && info.Position&wire.Ends != 0},
		RETH:    wire.RETH{VA: 1 << 20, RKey: 7, DMALen: uint32(n)},
		Payload: make([]byte, n),
	}}
	if op == wire.RCReadRequest {
		s.Payload = nil
	}
	for _, c := range change {
		c(s)
	}
	return s
}

func answer(op wire.Opcode, psn wire.PSN, syndrome wire.Syndrome, msn uint32, n int, change ...func(s *sent)) *sent {
	s := request(op, psn, n)
	s.answer, s.BTH.AckReq, s.BTH.DestQP = true, false, 0x10
	s.AETH = wire.AETH{Syndrome: syndrome, MSN: msn}
	for _, c := range change {
		c(s)
	}
	return s
}

func ack(psn wire.PSN, msn uint32) *sent {
	return answer(wire.RCAcknowledge, psn, wire.ACKUnlimited, msn, 0)
}

func datagram(psn wire.PSN, change ...func(s *sent)) *sent {
	s := request(wire.UDSendOnly, psn, 8)
	s.DETH = wire.DETH{QKey: 5, SrcQP: 0x10}
	for _, c := range change {
		c(s)
	}
	return s
}

func dma(n uint32) func(s *sent)            { return func(s *sent) { s.RETH.DMALen = n } }
func va(off uint64) func(s *sent)           { return func(s *sent) { s.RETH.VA += off } }
func bth(f func(h *wire.BTH)) func(s *sent) { return func(s *sent) { f(&s.BTH) } }

// writeOf3 returns a WRITE of three packets that starts at a PSN.
func writeOf3(psn wire.PSN) []*sent {
	return []*sent{
		request(wire.RCWriteFirst, psn, mtu, dma(2*mtu+5)), request(wire.RCWriteMiddle, psn.Add(1), mtu),
		request(wire.RCWriteLast, psn.Add(2), 5),
	}
}

// readOf3 returns a READ and its answer as message msn.
func readOf3(psn wire.PSN, msn uint32) []*sent {
	return []*sent{
		request(wire.RCReadRequest, psn, 0, dma(2*mtu+5)),
		answer(wire.RCReadResponseFirst, psn, wire.ACKUnlimited, msn, mtu),
		answer(wire.RCReadResponseMiddle, psn.Add(1), 0, 0, mtu),
		answer(wire.RCReadResponseLast, psn.Add(2), wire.ACKUnlimited, msn, 5),
	}
}

func join(parts ...[]*sent) (all []*sent) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func one(s ...*sent) []*sent { return s }

// TestRight checks that correct conversations cause no violation, including some with lost packets.
func TestRight(t *testing.T) {
	const wrap = 0xfffffe
	for name, talk := range map[string][]*sent{
		"a WRITE over the wrap, and an ACK": join(writeOf3(wrap), one(ack(0, 1))),
		"a READ first":                      join(readOf3(5, 1), one(request(wire.RCSendOnly, 8, 3), ack(8, 2))),
		"a READ, asked for again from its middle": join(readOf3(5, 1)[:2],
			one(request(wire.RCReadRequest, 6, 0, dma(mtu+5), va(mtu)),
				answer(wire.RCReadResponseFirst, 6, wire.ACKUnlimited, 1, mtu),
				answer(wire.RCReadResponseLast, 7, wire.ACKUnlimited, 1, 5))),
		"a READ, asked for in parts": join(readOf3(5, 1)[:1], one(request(wire.RCReadRequest, 5, 0, dma(mtu)),
			answer(wire.RCReadResponseOnly, 5, wire.ACKUnlimited, 1, mtu),
			request(wire.RCReadRequest, 6, 0, dma(mtu+5), va(mtu)),
			answer(wire.RCReadResponseFirst, 6, wire.ACKUnlimited, 2, mtu),
			answer(wire.RCReadResponseLast, 7, wire.ACKUnlimited, 2, 5))),
		"a READ, asked for again when its region has gone": join(readOf3(5, 1),
			one(request(wire.RCSendOnly, 8, 3), ack(8, 2),
				request(wire.RCReadRequest, 5, 0, dma(2*mtu+5)),
				answer(wire.RCAcknowledge, 5, wire.NAK(wire.NAKRemoteAccess), 2, 0))),
		"sent again": join(writeOf3(5), one(answer(wire.RCAcknowledge, 6, wire.NAK(wire.NAKPSNSequence), 0,
			0)), writeOf3(5)[1:], one(ack(7, 1), ack(7, 1))),
		"receiver not ready": one(request(wire.RCSendOnly, 5, 3),
			answer(wire.RCAcknowledge, 5, wire.RNRNAK(12), 0, 0), request(wire.RCSendOnly, 5, 3), ack(5, 1)),
		"a probe first": one(request(wire.RCSendOnly, 4, 0), ack(4, 0),
			request(wire.RCSendOnly, 5, 3), ack(5, 1)),
		"a probe": one(request(wire.RCSendOnly, 5, 3), request(wire.RCSendOnly, 5, 0), ack(5, 1),
			request(wire.RCSendOnly, 6, 3), ack(6, 2)),
		"two ACKs for many": one(request(wire.RCSendOnly, 5, 3), request(wire.RCSendOnly, 6, 0),
			request(wire.RCSendOnly, 7, 1), ack(6, 2), ack(7, 3)),
		"UC": one(request(wire.UCSendFirst, 5, mtu), request(wire.UCSendLast, 6, 1),
			request(wire.UCSendOnly, 7, 0)),
		"datagrams":              one(datagram(0xffffff), datagram(0), datagram(1)),
		"the first of a manager": one(datagram(5, gsi), datagram(6, gsi), datagram(1, gsi)),
		"a FLUSH": one(request(wire.RCWriteOnly, 5, 3), flushOf(6),
			answer(wire.RCReadResponseOnly, 6, wire.ACKUnlimited, 2, 0)),
		"an ATOMIC_WRITE, sent again": one(request(wire.RCAtomicWrite, 5, 8, dma(8)),
			request(wire.RCAtomicWrite, 5, 8, dma(8)),
			answer(wire.RCReadResponseOnly, 5, wire.ACKUnlimited, 1, 0),
			answer(wire.RCReadResponseOnly, 5, wire.ACKUnlimited, 1, 0)),
		"IPv6": one(datagram(5, func(s *sent) { s.six, s.ip.FlowLabel = true, 7 })),
	} {
		t.Run(name, func(t *testing.T) {
			c := New()
			for _, s := range talk {
				c.See(s.packet(t))
			}
			c.Report(t)
			if c.Packets() != uint64(len(talk)) {
				t.Errorf("%d packets", c.Packets())
			}
		})
	}
}

func flushOf(psn wire.PSN, change ...func(s *sent)) *sent {
	return request(wire.RCFlush, psn, 0,
		append([]func(s *sent){func(s *sent) { s.FETH.Type = wire.FlushGlobal }}, change...)...)
}

func gsi(s *sent) {
	s.BTH.DestQP, s.DETH.SrcQP, s.DETH.QKey, s.Payload = 1, 1, wire.QKeyGSI, make([]byte, wire.MADLen)
}

// TestWrong changes one packet of a conversation and expects the violation.
func TestWrong(t *testing.T) {
	only := func(change ...func(s *sent)) []*sent { return one(request(wire.RCSendOnly, 5, 3, change...)) }
	for _, tt := range []struct {
		want string
		talk []*sent
	}{
		{"wrong ICRC", only(func(s *sent) { s.icrc = 1 })},
		{"opcode 0x15", only(func(s *sent) { s.bytes = func(b []byte) []byte { b[0] = 0x15; return b } })},
		{"transport version", only(bth(func(h *wire.BTH) { h.TVer = 1 }))},
		{"P_Key", only(bth(func(h *wire.BTH) { h.PKey = 0x7fff }))},
		{"MigReq", only(bth(func(h *wire.BTH) { h.MigReq = false }))},
		{"FECN or BECN", only(bth(func(h *wire.BTH) { h.FECN = true }))},
		{"pad is not zero", only(func(s *sent) { s.bytes = func(b []byte) []byte { b[len(b)-1] = 1; return b } })},
		{"not a multiple of 4", only(func(s *sent) { s.bytes = func(b []byte) []byte { return b[:len(b)-1] } })},
		{"no connection can have", only(bth(func(h *wire.BTH) { h.DestQP = 1 }))},
		{"impossible flow label", only(func(s *sent) { s.ip.FlowLabel = 1 })},
		{"SE in a packet", one(request(wire.RCSendFirst, 5, mtu, bth(func(h *wire.BTH) { h.Solicited = true })))},
		{"SE in a packet", one(request(wire.RCWriteOnly, 5, 3, bth(func(h *wire.BTH) { h.Solicited = true })))},
		{"AckReq in a packet", one(request(wire.UCSendOnly, 5, 3, bth(func(h *wire.BTH) { h.AckReq = true })))},
		{"does not request", only(bth(func(h *wire.BTH) { h.AckReq = false }))},
		{"payload in a packet", one(request(wire.RCReadRequest, 5, 0, func(s *sent) { s.Payload = make([]byte, 4) }))},
		{"unaligned", one(request(wire.RCFetchAdd, 5, 0, func(s *sent) { s.AtomicETH.VA = 4 }))},
		{"unaligned", one(request(wire.RCAtomicWrite, 5, 8, dma(8), va(4)))},
		{"other than 8 bytes", one(request(wire.RCAtomicWrite, 5, 4, dma(4)))},
		{"other than 8 bytes", one(request(wire.RCAtomicWrite, 5, 4, dma(8)))},
		{"reserved placement type", one(flushOf(5, func(s *sent) { s.FETH.Type = 4 }))},
		{"reserved placement type", one(flushOf(5, func(s *sent) { s.FETH.Level = 2 }))},
		{"payload in a packet", one(flushOf(5, func(s *sent) { s.Payload = make([]byte, 4) }))},
		{"opcode 0x3d", one(request(wire.RCAtomicWrite, 5, 8, dma(8), func(s *sent) {
			s.bytes = func(b []byte) []byte { b[0] |= 0x20; return b }
		}))},
		{"sent again as", one(flushOf(5), flushOf(5, func(s *sent) { s.FETH.Level = wire.FlushRegion }))},
		{"empty answer", one(flushOf(5, dma(8)), answer(wire.RCReadResponseOnly, 5, wire.ACKUnlimited, 1, 8))},
		{"empty answer", one(flushOf(5), answer(wire.RCReadResponseFirst, 5, wire.ACKUnlimited, 1, 0))},
		{"which is not answered", one(flushOf(5), request(wire.RCSendOnly, 6, 3), ack(6, 2))},
		{"of a message without a first one", one(request(wire.RCSendMiddle, 5, mtu))},
		{"begins inside", one(request(wire.RCSendFirst, 5, mtu), request(wire.RCSendOnly, 6, 3))},
		{"with another operation", one(request(wire.RCSendFirst, 5, mtu), request(wire.RCWriteLast, 6, 3))},
		{"path MTU of 1024", one(request(wire.RCSendFirst, 5, mtu), request(wire.RCSendMiddle, 6, 2*mtu))},
		{"1000 bytes with", one(request(wire.RCSendFirst, 5, 1000))},
		{"0 bytes with", one(request(wire.RCSendFirst, 5, mtu), request(wire.RCSendLast, 6, 0))},
		{"of a WRITE of", one(request(wire.RCWriteOnly, 5, 3, dma(4)))},
		{"IP header", one(request(wire.RCSendOnly, 5, 3), request(wire.RCSendOnly, 6, 3, func(s *sent) {
			s.ip.TrafficClass = 4
		}))},
		{"expected PSN 0x000006", one(request(wire.RCSendOnly, 5, 3), request(wire.RCSendOnly, 7, 3))},
		{"expected PSN 0x000006", one(request(wire.UCSendOnly, 5, 3), request(wire.UCSendOnly, 5, 3))},
		{"expected PSN 0x000006", one(datagram(5), datagram(7))},
		{"before the first PSN", one(request(wire.RCSendOnly, 5, 3), request(wire.RCSendOnly, 4, 3))},
		{"sent again as", one(request(wire.RCSendOnly, 5, 3), request(wire.RCSendOnly, 5, 2))},
		{"asks for", join(readOf3(5, 1), one(request(wire.RCReadRequest, 6, 0, dma(mtu+5), va(mtu+1))))},
		{"asks for", join(readOf3(5, 1), one(request(wire.RCReadRequest, 6, 0, dma(mtu+6), va(mtu))))},
		{"no such request", one(request(wire.RCSendOnly, 5, 3), ack(6, 1))},
		{"MSN 0", one(request(wire.RCSendOnly, 5, 3), ack(5, 0))},
		{"MSN 2", one(request(wire.RCSendOnly, 5, 3), ack(5, 2))},
		{"MSN 1",
			one(request(wire.RCSendOnly, 5, 3), answer(wire.RCAcknowledge, 5, wire.NAK(wire.NAKPSNSequence), 1, 0))},
		{"MSN 0", one(request(wire.RCReadRequest, 5, 0, dma(4)),
			answer(wire.RCReadResponseOnly, 5, wire.ACKUnlimited, 0, 4))},
		{"reserved syndrome", one(request(wire.RCSendOnly, 5, 3), answer(wire.RCAcknowledge, 5, 0x64, 0, 0))},
		{"NAK in an answer",
			one(request(wire.RCReadRequest, 5, 0, dma(4)), answer(wire.RCReadResponseOnly, 5, 0x60, 1, 4))},
		{"after 0x000006", one(request(wire.RCSendOnly, 5, 3), request(wire.RCSendOnly, 6, 3), ack(6, 2), ack(5, 1))},
		{"after 0x000008", join(readOf3(5, 1), one(request(wire.RCSendOnly, 8, 3), ack(8, 2),
			answer(wire.RCAcknowledge, 5, wire.NAK(wire.NAKRemoteAccess), 2, 0)))},
		{"after 0x000008", join(readOf3(5, 1),
			one(request(wire.RCSendOnly, 8, 3), ack(8, 2), request(wire.RCReadRequest, 5, 0, dma(2*mtu+5)),
				answer(wire.RCAcknowledge, 5, wire.NAK(wire.NAKInvalidRequest), 2, 0)))},
		{"needs no RECV", one(request(wire.RCWriteOnly, 5, 3), answer(wire.RCAcknowledge, 5, wire.RNRNAK(1), 0, 0))},
		{"which is not answered",
			one(request(wire.RCReadRequest, 5, 0, dma(4)), request(wire.RCSendOnly, 6, 3), ack(6, 2))},
		{"no READ has",
			one(request(wire.RCSendOnly, 5, 3), answer(wire.RCReadResponseOnly, 5, wire.ACKUnlimited, 1, 4))},
		{"no atomic has",
			one(request(wire.RCSendOnly, 5, 3), answer(wire.RCAtomicAcknowledge, 5, wire.ACKUnlimited, 1, 0))},
		{"of an answer without a first one", join(readOf3(5, 1)[:1], readOf3(5, 1)[2:3])},
		{"expected PSN 0x000006", join(readOf3(5, 1)[:2], readOf3(5, 1)[3:])},
		{"no request starts there",
			join(readOf3(5, 1)[:2], one(answer(wire.RCReadResponseFirst, 6, wire.ACKUnlimited, 1, mtu)))},
		{"bytes in packet 2",
			join(readOf3(5, 1)[:3], one(answer(wire.RCReadResponseLast, 7, wire.ACKUnlimited, 1, 4)))},
		{"no request ends there",
			join(readOf3(5, 1)[:2], one(answer(wire.RCReadResponseLast, 6, wire.ACKUnlimited, 1, mtu)))},
		{"does not end with", join(readOf3(5, 1)[:3], one(answer(wire.RCReadResponseMiddle, 7, 0, 0, 5)))},
		{"go with the address", one(datagram(5, bth(func(h *wire.BTH) { h.DestQP = 0xffffff })))},
		{"bytes in a datagram", one(datagram(5, func(s *sent) { s.Payload = make([]byte, 4100) }))},
		{"management datagram", one(datagram(5, gsi, func(s *sent) { s.Payload = s.Payload[:252] }))},
		{"from queue pair 0x0", one(datagram(5, func(s *sent) { s.DETH.SrcQP = 0 }))},
		{"too short", one(request(wire.RCSendOnly, 5, 0, func(s *sent) {
			s.bytes = func(b []byte) []byte { b[0] = byte(wire.RCReadRequest); return b }
		}))},
	} {
		t.Run(tt.want, func(t *testing.T) {
			c := New()
			for i, s := range tt.talk {
				if got := c.Violations(); len(got) > 0 {
					t.Errorf("before packet %d: %q", i, got)
				}
				c.See(s.packet(t))
			}
			if got := strings.Join(c.Violations(), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("%q; want %q", got, tt.want)
			}
		})
	}
}

// TestManyConnections finds the requests of an answer among several connections between the same addresses.
func TestManyConnections(t *testing.T) {
	c := New()
	see := func(qpn uint32, s *sent) {
		s.BTH.DestQP = qpn
		c.See(s.packet(t))
	}
	for i := range uint32(20) {
		see(0x100+i, request(wire.RCSendOnly, wire.PSN(1000*i), 3))
	}
	for i := range uint32(20) {
		see(0x200+i, ack(wire.PSN(1000*i), 1))
	}
	c.Report(t)
	see(0x205, ack(6000, 1)) // of another connection
	if got := c.Violations(); len(got) != 1 || !strings.Contains(got[0], "no such request") {
		t.Errorf("%q", got)
	}
}

// TestForgetSender gives the number of a destroyed queue pair to another.
func TestForgetSender(t *testing.T) {
	c := New()
	c.See(datagram(5).packet(t))
	c.ForgetSender(0x10)
	c.See(datagram(0).packet(t))
	c.Report(t)
	c.ForgetSender(0x11)
	c.See(datagram(0).packet(t))
	if got := c.Violations(); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// TestForget checks packets after a queue pair was reset, and ignores received ones.
func TestForget(t *testing.T) {
	c := New()
	c.See(request(wire.RCSendOnly, 5, 3).packet(t))
	c.See(ack(5, 1).packet(t))
	c.Forget(requester.Addr())
	c.See(request(wire.RCSendOnly, 900, 3).packet(t))
	c.See(ack(900, 1).packet(t))
	arrived := request(wire.RCSendOnly, 5, 3).packet(t)
	arrived.Outgoing = false
	c.See(arrived)
	c.Report(t)
	for range 2 * maxViolations {
		c.See(request(wire.RCSendOnly, 5, 3).packet(t))
	}
	if got := c.Violations(); len(got) != maxViolations+1 {
		t.Errorf("%d violations", len(got))
	}
}
