package capturetest

import (
	"math/bits"
	"strconv"

	"rdmatui/verbs/wire"
	"rdmatui/verbs/wire/mad"
)

// Field is a field of tshark with our value for it; ok is false if the packet has no such field.
type Field struct {
	Name string
	Of   func(*wire.Packet) (v uint64, ok bool)
}

func bth(get func(*wire.BTH) uint64) func(*wire.Packet) (uint64, bool) {
	return func(p *wire.Packet) (uint64, bool) { return get(&p.BTH), true }
}

func inHeader(h wire.Headers, get func(*wire.Packet) uint64) func(*wire.Packet) (uint64, bool) {
	return func(p *wire.Packet) (uint64, bool) { return get(p), p.Headers.Has(h) }
}

// bit is a flag as a number.
func bit(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// syndrome returns a part of an ACK's syndrome if it is of that kind.
func syndrome(kind wire.SyndromeKind) func(*wire.Packet) (uint64, bool) {
	return func(p *wire.Packet) (uint64, bool) {
		s := p.AETH.Syndrome
		return uint64(s & 0x1f), p.Headers.Has(wire.HasAETH) && s.Kind() == kind
	}
}

// Agree reports whether tshark's value is ours, or neither has one.
func (f *Field) Agree(p *wire.Packet, theirs string) bool {
	want, has := f.Of(p)
	base := 0 // flags are 0 and 1, hexadecimal numbers begin with 0x
	if bytes[f.Name] {
		base = 16
	}
	v, err := strconv.ParseUint(theirs, base, 64)
	return has && err == nil && v == want || !has && theirs == ""
}

// bytes are the fields that tshark prints as bytes.
var bytes = map[string]bool{"infiniband.immdt": true, "infiniband.ieth": true}

// HeaderFields are the fields of the BTH, the extended headers and the ICRC. tshark 4.0 does not know the FETH, nor the
// opcodes of annex A19. It has no fields for FECN and BECN either.
var HeaderFields = []Field{
	{"infiniband.bth.opcode", bth(func(b *wire.BTH) uint64 { return uint64(b.Opcode) })},
	{"infiniband.bth.se", bth(func(b *wire.BTH) uint64 { return bit(b.Solicited) })},
	{"infiniband.bth.m", bth(func(b *wire.BTH) uint64 { return bit(b.MigReq) })},
	{"infiniband.bth.padcnt", bth(func(b *wire.BTH) uint64 { return uint64(b.Pad) })},
	{"infiniband.bth.tver", bth(func(b *wire.BTH) uint64 { return uint64(b.TVer) })},
	{"infiniband.bth.p_key", bth(func(b *wire.BTH) uint64 { return uint64(b.PKey) })},
	{"infiniband.bth.destqp", bth(func(b *wire.BTH) uint64 { return uint64(b.DestQP) })},
	{"infiniband.bth.a", bth(func(b *wire.BTH) uint64 { return bit(b.AckReq) })},
	{"infiniband.bth.psn", bth(func(b *wire.BTH) uint64 { return uint64(b.PSN) })},
	{"infiniband.deth.q_key", inHeader(wire.HasDETH, func(p *wire.Packet) uint64 { return uint64(p.DETH.QKey) })},
	{"infiniband.deth.srcqp", inHeader(wire.HasDETH, func(p *wire.Packet) uint64 { return uint64(p.DETH.SrcQP) })},
	{"infiniband.reth.dmalen", inHeader(wire.HasRETH, func(p *wire.Packet) uint64 { return uint64(p.RETH.DMALen) })},
	{"infiniband.reth.va", remote(func(p *wire.Packet) (uint64, uint64) { return p.RETH.VA, p.AtomicETH.VA })},
	{"infiniband.reth.r_key", remote(func(p *wire.Packet) (uint64, uint64) {
		return uint64(p.RETH.RKey), uint64(p.AtomicETH.RKey)
	})},
	{"infiniband.atomiceth.swapdt", inHeader(wire.HasAtomicETH, func(p *wire.Packet) uint64 {
		return p.AtomicETH.SwapAdd
	})},
	{"infiniband.atomiceth.cmpdt", inHeader(wire.HasAtomicETH, func(p *wire.Packet) uint64 {
		return p.AtomicETH.Compare
	})},
	{"infiniband.aeth.syndrome.credit_count", syndrome(wire.SyndromeACK)},
	{"infiniband.aeth.syndrome.timer", syndrome(wire.SyndromeRNR)},
	{"infiniband.aeth.syndrome.error_code", syndrome(wire.SyndromeNAK)},
	{"infiniband.aeth.msn", inHeader(wire.HasAETH, func(p *wire.Packet) uint64 { return uint64(p.AETH.MSN) })},
	{"infiniband.atomicacketh.origremdt", inHeader(wire.HasAtomicAckETH, func(p *wire.Packet) uint64 {
		return p.AtomicAckETH.Orig
	})},
	{"infiniband.immdt", inHeader(wire.HasImmDt, func(p *wire.Packet) uint64 { return uint64(p.ImmDt.Data) })},
	{"infiniband.ieth", inHeader(wire.HasIETH, func(p *wire.Packet) uint64 { return uint64(p.IETH.RKey) })},
	// shown as the bytes stand
	{"infiniband.invariant.crc", func(p *wire.Packet) (uint64, bool) {
		return uint64(bits.ReverseBytes32(p.ICRC)), true
	}},
}

// remote returns a field with the same name in RETH and AtomicETH.
func remote(get func(*wire.Packet) (reth, atomic uint64)) func(*wire.Packet) (uint64, bool) {
	return func(p *wire.Packet) (uint64, bool) {
		reth, atomic := get(p)
		if p.Headers.Has(wire.HasRETH) {
			return reth, true
		}
		return atomic, p.Headers.Has(wire.HasAtomicETH)
	}
}

// management returns the management datagram of a packet.
func management(p *wire.Packet) (m mad.Message, ok bool) {
	if p.BTH.DestQP != 1 || !p.Headers.Has(wire.HasDETH) {
		return m, false
	}
	m, err := mad.Parse(p.Payload)
	return m, err == nil
}

func inMAD(get func(*mad.Message) uint64) func(*wire.Packet) (uint64, bool) {
	return func(p *wire.Packet) (uint64, bool) {
		m, ok := management(p)
		return get(&m), ok
	}
}

// inCM returns a field of one kind of connection manager message.
func inCM[T wire.CMBody](get func(T) uint64) func(*wire.Packet) (uint64, bool) {
	return func(p *wire.Packet) (uint64, bool) {
		m, ok := management(p)
		body, is := m.CM.(T)
		if !ok || !is {
			return 0, false
		}
		return get(body), true
	}
}

// inIP returns a field of librdmacm's addressing header in a REQ; tshark does not look for one in a SIDR_REQ.
func inIP(get func(*mad.Message) uint64) func(*wire.Packet) (uint64, bool) {
	return func(p *wire.Packet) (uint64, bool) {
		m, ok := management(p)
		_, is := m.CM.(*wire.CMReq)
		if !ok || !is || !m.HasIP {
			return 0, false
		}
		return get(&m), true
	}
}

// ManagementFields are the fields of management datagrams and of the connection manager's messages. tshark 4.0 does not
// decode MRA, SIDR_REQ and SIDR_REP.
var ManagementFields = []Field{
	{"infiniband.mad.baseversion", inMAD(func(m *mad.Message) uint64 { return uint64(m.BaseVersion) })},
	{"infiniband.mad.mgmtclass", inMAD(func(m *mad.Message) uint64 { return uint64(m.MgmtClass) })},
	{"infiniband.mad.classversion", inMAD(func(m *mad.Message) uint64 { return uint64(m.ClassVersion) })},
	{"infiniband.mad.method", inMAD(func(m *mad.Message) uint64 { return uint64(m.Method) })},
	{"infiniband.mad.status", inMAD(func(m *mad.Message) uint64 { return uint64(m.Status) })},
	{"infiniband.mad.classspecific", inMAD(func(m *mad.Message) uint64 { return uint64(m.ClassSpecific) })},
	{"infiniband.mad.transactionid", inMAD(func(m *mad.Message) uint64 { return m.TransactionID })},
	{"infiniband.mad.attributeid", inMAD(func(m *mad.Message) uint64 { return uint64(m.Attribute) })},
	{"infiniband.mad.attributemodifier", inMAD(func(m *mad.Message) uint64 { return uint64(m.Modifier) })},

	{"infiniband.cm.req", inCM(func(m *wire.CMReq) uint64 { return uint64(m.LocalCommID) })},
	{"infiniband.cm.req.localqpn", inCM(func(m *wire.CMReq) uint64 { return uint64(m.LocalQPN) })},
	{"infiniband.cm.req.localqkey", inCM(func(m *wire.CMReq) uint64 { return uint64(m.LocalQKey) })},
	{"infiniband.cm.req.responderres", inCM(func(m *wire.CMReq) uint64 { return uint64(m.ResponderResources) })},
	{"infiniband.cm.req.initdepth", inCM(func(m *wire.CMReq) uint64 { return uint64(m.InitiatorDepth) })},
	{"infiniband.cm.req.remoteresptout", inCM(func(m *wire.CMReq) uint64 { return uint64(m.RemoteCMResponseTimeout) })},
	{"infiniband.cm.req.localresptout", inCM(func(m *wire.CMReq) uint64 { return uint64(m.LocalCMResponseTimeout) })},
	{"infiniband.cm.req.transpsvctype", inCM(func(m *wire.CMReq) uint64 { return uint64(m.TransportType) })},
	{"infiniband.cm.req.e2eflowctrl", inCM(func(m *wire.CMReq) uint64 { return bit(m.FlowControl) })},
	{"infiniband.cm.req.startpsn", inCM(func(m *wire.CMReq) uint64 { return uint64(m.StartingPSN) })},
	{"infiniband.cm.req.retrcount", inCM(func(m *wire.CMReq) uint64 { return uint64(m.RetryCount) })},
	{"infiniband.cm.req.rnrretrcount", inCM(func(m *wire.CMReq) uint64 { return uint64(m.RNRRetryCount) })},
	{"infiniband.cm.req.maxcmretr", inCM(func(m *wire.CMReq) uint64 { return uint64(m.MaxCMRetries) })},
	{"infiniband.cm.req.pkey", inCM(func(m *wire.CMReq) uint64 { return uint64(m.PKey) })},
	{"infiniband.cm.req.pppmtu", inCM(func(m *wire.CMReq) uint64 { return uint64(m.PathMTU) })},
	{"infiniband.cm.req.srq", inCM(func(m *wire.CMReq) uint64 { return bit(m.SRQ) })},
	{"infiniband.cm.req.prim_locallid", inCM(func(m *wire.CMReq) uint64 { return uint64(m.Primary.LocalLID) })},
	{"infiniband.cm.req.prim_hoplim", inCM(func(m *wire.CMReq) uint64 { return uint64(m.Primary.HopLimit) })},
	{"infiniband.cm.req.prim_tfcclass", inCM(func(m *wire.CMReq) uint64 { return uint64(m.Primary.TrafficClass) })},
	{"infiniband.cm.req.prim_localacktout", inCM(func(m *wire.CMReq) uint64 {
		return uint64(m.Primary.LocalACKTimeout)
	})},
	{"infiniband.cm.req.ip_cm.sport", inIP(func(m *mad.Message) uint64 { return uint64(m.IP.Src.Port()) })},
	{"infiniband.cm.req.serviceid.dport", inIP(func(m *mad.Message) uint64 { return uint64(m.Port) })},

	{"infiniband.cm.rep", inCM(func(m *wire.CMRep) uint64 { return uint64(m.LocalCommID) })},
	{"infiniband.cm.rep.remotecommid", inCM(func(m *wire.CMRep) uint64 { return uint64(m.RemoteCommID) })},
	{"infiniband.cm.rep.localqpn", inCM(func(m *wire.CMRep) uint64 { return uint64(m.LocalQPN) })},
	{"infiniband.cm.rep.startpsn", inCM(func(m *wire.CMRep) uint64 { return uint64(m.StartingPSN) })},
	{"infiniband.cm.rep.respres", inCM(func(m *wire.CMRep) uint64 { return uint64(m.ResponderResources) })},
	{"infiniband.cm.rep.initdepth", inCM(func(m *wire.CMRep) uint64 { return uint64(m.InitiatorDepth) })},
	{"infiniband.cm.rep.tgtackdelay", inCM(func(m *wire.CMRep) uint64 { return uint64(m.TargetACKDelay) })},
	{"infiniband.cm.rep.failoveracc", inCM(func(m *wire.CMRep) uint64 { return uint64(m.FailoverAccepted) })},
	{"infiniband.cm.rep.e2eflowctrl", inCM(func(m *wire.CMRep) uint64 { return bit(m.FlowControl) })},
	{"infiniband.cm.rep.rnrretrcount", inCM(func(m *wire.CMRep) uint64 { return uint64(m.RNRRetryCount) })},
	{"infiniband.cm.rep.srq", inCM(func(m *wire.CMRep) uint64 { return bit(m.SRQ) })},

	{"infiniband.cm.rtu.localcommid", inCM(func(m *wire.CMRtu) uint64 { return uint64(m.LocalCommID) })},
	{"infiniband.cm.rtu.remotecommid", inCM(func(m *wire.CMRtu) uint64 { return uint64(m.RemoteCommID) })},
	{"infiniband.cm.rej.localcommid", inCM(func(m *wire.CMRej) uint64 { return uint64(m.LocalCommID) })},
	{"infiniband.cm.rej.remotecommid", inCM(func(m *wire.CMRej) uint64 { return uint64(m.RemoteCommID) })},
	{"infiniband.cm.rej.msgrej", inCM(func(m *wire.CMRej) uint64 { return uint64(m.Message) })},
	{"infiniband.cm.rej.rejinfolen", inCM(func(m *wire.CMRej) uint64 { return uint64(m.InfoLen) })},
	{"infiniband.cm.rej.reason", inCM(func(m *wire.CMRej) uint64 { return uint64(m.Reason) })},
	{"infiniband.cm.dreq.localcommid", inCM(func(m *wire.CMDreq) uint64 { return uint64(m.LocalCommID) })},
	{"infiniband.cm.dreq.remotecommid", inCM(func(m *wire.CMDreq) uint64 { return uint64(m.RemoteCommID) })},
	// of a DREQ, whatever its name says
	{"infiniband.cm.req.remoteqpneecn", inCM(func(m *wire.CMDreq) uint64 { return uint64(m.RemoteQPN) })},
	{"infiniband.cm.drsp.localcommid", inCM(func(m *wire.CMDrep) uint64 { return uint64(m.LocalCommID) })},
	{"infiniband.cm.drsp.remotecommid", inCM(func(m *wire.CMDrep) uint64 { return uint64(m.RemoteCommID) })},
}
