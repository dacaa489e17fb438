package wirecheck

// port is the UDP port of RoCE v2.
const port = 4791

// Bounds of queue pair numbers: those below first are reserved for management.
const (
	firstQPN   = 2
	groupQPN   = 0xffffff
	gsiQPN     = 1
	gsiKey     = 0x80010000
	madLen     = 256
	fullMember = 0xffff
)

// mtuSet is a set of path MTUs: bit i stands for 256<<i bytes.
type mtuSet byte

const (
	smallestMTU = 256
	largestMTU  = 4096
	allMTUs     = mtuSet(1<<5 - 1)
)

// only keeps the MTUs for which f is true, and reports whether any is left.
func (s *mtuSet) only(f func(mtu int) bool) bool {
	var kept mtuSet
	for i := range 5 {
		if *s>>i&1 != 0 && f(smallestMTU<<i) {
			kept |= 1 << i
		}
	}
	if kept != 0 {
		*s = kept
	}
	return kept != 0
}

// each calls f with the MTUs, the smallest first.
func (s mtuSet) each(f func(mtu int)) { s.only(func(mtu int) bool { f(mtu); return true }) }

// check applies the rules that concern a single packet.
func (k *packet) check(say say) {
	f := &k.form
	for _, rule := range []struct {
		bad  bool
		text string
	}{
		{!k.icrcOK, "wrong ICRC"},
		{k.dst.Port() != port, "not to port 4791"},
		{k.ip.HopLimit == 0, "hop limit 0"},
		{k.ip.FlowLabel > 0xfffff || k.ip.FlowLabel != 0 && k.src.Addr().Unmap().Is4(), "impossible flow label"},
		{k.tver != 0, "transport version"},
		{k.pkey != fullMember, "P_Key is not 0xffff"},
		{!k.migReq && k.transport != transportUD, "MigReq is not set"},
		{k.reserved, "reserved, FECN or BECN bits are set"},
		{len(k.padded)%4 != 0, "payload and pad are not a multiple of 4 bytes"},
		{k.pad != 0 && !zero(k.padded[k.length:]), "pad is not zero"},
		{k.solicited && (!f.ends || f.kind != send && !(f.kind == write && f.imm)),
			"SE in a packet that completes no RECV"},
		{k.ackReq && (f.answer || k.transport != transportRC), "AckReq in a packet that is not acknowledged"},
		{!k.ackReq && !f.answer && k.transport == transportRC && f.ends,
			"the end of a message does not request an acknowledgement"},
		{f.kind != send && f.kind != write && f.kind != readAnswer && f.kind != atomicWrite && len(k.padded) > 0,
			"payload in a packet that has none"},
		{(f.kind == atomic || f.kind == atomicWrite) && k.va%8 != 0, "unaligned atomic"},
		{f.kind == atomicWrite && (k.length != 8 || k.dma != 8), "an ATOMIC_WRITE of other than 8 bytes"},
		{k.what&^0x13 != 0, "reserved placement type or selectivity level"},
		{f.aeth && !legal(k.syndrome), "reserved syndrome"},
		{f.aeth && f.kind != acknowledge && k.syndrome>>5 != syndromeACK, "NAK in an answer with data"},
		{k.transport != transportUD && (k.dest < firstQPN || k.dest == groupQPN),
			"queue pair number that no connection can have"},
	} {
		if rule.bad {
			say("%s", rule.text)
		}
	}
}

func zero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// The kinds of syndrome; IBA 9.7.5.2.
const (
	syndromeACK = 0
	syndromeRNR = 1
	syndromeNAK = 3
)

// syndromeAccess is the NAK of a remote access error.
const syndromeAccess = syndromeNAK<<5 | 2

func legal(s byte) bool {
	const lastNAK = 3 // the next code belongs to reliable datagrams
	switch s >> 5 {
	case syndromeACK, syndromeRNR:
		return true
	case syndromeNAK:
		return s&0x1f <= lastNAK
	}
	return false
}

// distance returns how far PSN a is ahead of b: less than half of the number space.
func distance(a, b uint32) int64 { return int64(int32((a-b)<<8) >> 8) }
