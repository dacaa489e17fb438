package wire

import "encoding/binary"

// BTHLen is the length of a BTH in bytes.
const BTHLen = 12

// BTH is the base transport header, the first of every packet (IBA vol 1, 9.2).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------+-+-+---+-------+-------------------------------+
//	|     opcode    |S|M|pad| TVer  |             P_Key             |
//	+-+-+-----------+-+-+---+-------+-------------------------------+
//	|F|B|  reserved |                  destination QP               |
//	+-+-+-----------+-----------------------------------------------+
//	|A|   reserved  |                      PSN                      |
//	+-+-------------+-----------------------------------------------+
//
// Reserved bits are sent as zero and ignored on receipt.
type BTH struct {
	// Opcode is the kind of packet; it determines the headers that follow.
	Opcode Opcode
	// Solicited (SE) asks the responder to raise a completion event even if only solicited ones are
	// requested.
	Solicited bool
	// MigReq (M) is the state of path migration; true means migrated, which is what an endpoint without migration
	// sends.
	MigReq bool
	// Pad is the number of bytes appended to the payload to fill its last word, 0 to 3.
	Pad uint8
	// TVer is the version of the transport header, 0 to 15; only 0 exists.
	TVer uint8
	// PKey is the partition key; 0xffff is the default partition with full membership.
	PKey uint16
	// FECN is set by a congested switch, BECN by the receiver in its answer (annex A10; RoCEv2 uses IP ECN and a CNP
	// instead).
	FECN, BECN bool
	// DestQP is the destination queue pair: 24 bits, 1 for the general services, 0xffffff for
	// multicast.
	DestQP uint32
	// AckReq (A) asks the responder to acknowledge this packet.
	AckReq bool
	// PSN is the packet sequence number; in a response, that of the request.
	PSN PSN
}

const (
	bthSolicited = 1 << 7
	bthMigReq    = 1 << 6
	bthPadShift  = 4
	bthPadMask   = 3
	bthTVerMask  = 0xf
	bthFECN      = 1 << 31
	bthBECN      = 1 << 30
	bthAckReq    = 1 << 31
	low24        = 1<<24 - 1
)

// Decode reads h from the start of p.
func (h *BTH) Decode(p []byte) error {
	if len(p) < BTHLen {
		return errShortBTH
	}
	_ = p[BTHLen-1]
	flags, qp, psn := p[1], binary.BigEndian.Uint32(p[4:]), binary.BigEndian.Uint32(p[8:])
	*h = BTH{
		Opcode:    Opcode(p[0]),
		Solicited: flags&bthSolicited != 0,
		MigReq:    flags&bthMigReq != 0,
		Pad:       flags >> bthPadShift & bthPadMask,
		TVer:      flags & bthTVerMask,
		PKey:      binary.BigEndian.Uint16(p[2:]),
		FECN:      qp&bthFECN != 0,
		BECN:      qp&bthBECN != 0,
		DestQP:    qp & low24,
		AckReq:    psn&bthAckReq != 0,
		PSN:       PSN(psn) & PSNMask,
	}
	return nil
}

// Append appends the BTHLen bytes of h to dst. Bits that do not fit their field are dropped.
func (h *BTH) Append(dst []byte) []byte {
	flags := flag(h.Solicited, bthSolicited) | flag(h.MigReq, bthMigReq) |
		uint32(h.Pad&bthPadMask)<<bthPadShift | uint32(h.TVer&bthTVerMask)
	qp := flag(h.FECN, bthFECN) | flag(h.BECN, bthBECN) | h.DestQP&low24
	psn := flag(h.AckReq, bthAckReq) | uint32(h.PSN&PSNMask)
	dst = append(dst, byte(h.Opcode), byte(flags))
	dst = binary.BigEndian.AppendUint16(dst, h.PKey)
	dst = binary.BigEndian.AppendUint32(dst, qp)
	return binary.BigEndian.AppendUint32(dst, psn)
}

// flag returns bit if set, else 0.
func flag(set bool, bit uint32) uint32 {
	if set {
		return bit
	}
	return 0
}
