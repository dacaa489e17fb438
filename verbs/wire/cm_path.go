package wire

import "encoding/binary"

// CMPathLen is the length of a path in a REQ, in bytes.
const CMPathLen = 44

// LIDPermissive is the LID in a REQ for a port without LIDs, as on RoCE.
const LIDPermissive = 0xffff

// CMPath is the primary or the alternate path of a [CMReq] (IBA vol 1, 12.6.5), as its sender sees it.
//
//	offset
//	 0  local port LID (16)  │ remote port LID (16)
//	 4  local port GID (128)
//	20  remote port GID (128)
//	36  flow label (20) │ reserved (6) │ packet rate (6)
//	40  traffic class (8) │ hop limit (8) │ SL (4) │ subnet local (1) │ reserved (3) │ local ACK timeout (5) │ reserved (3)
type CMPath struct {
	LocalLID, RemoteLID uint16 // LIDPermissive on RoCE
	LocalGID, RemoteGID [16]byte
	FlowLabel           uint32 // 20 bits
	PacketRate          uint8  // 6 bits; code of IBA table 151
	TrafficClass        uint8
	HopLimit            uint8
	SL                  uint8 // 4 bits
	SubnetLocal         bool
	LocalACKTimeout     uint8 // 4.096 µs·2ⁿ, 5 bits
}

func (t *CMPath) decode(p []byte) {
	be := binary.BigEndian
	word := be.Uint32(p[36:])
	*t = CMPath{
		LocalLID: be.Uint16(p), RemoteLID: be.Uint16(p[2:]), LocalGID: [16]byte(p[4:]), RemoteGID: [16]byte(p[20:]),
		FlowLabel: word >> 12, PacketRate: uint8(word & 0x3f), TrafficClass: p[40], HopLimit: p[41],
		SL: p[42] >> 4, SubnetLocal: p[42]&8 != 0, LocalACKTimeout: p[43] >> 3,
	}
}

func (t *CMPath) put(p []byte) {
	be := binary.BigEndian
	be.PutUint16(p, t.LocalLID)
	be.PutUint16(p[2:], t.RemoteLID)
	copy(p[4:], t.LocalGID[:])
	copy(p[20:], t.RemoteGID[:])
	be.PutUint32(p[36:], t.FlowLabel<<12|uint32(t.PacketRate&0x3f))
	p[40], p[41] = t.TrafficClass, t.HopLimit
	p[42] = t.SL<<4 | bit(t.SubnetLocal, 8)
	p[43] = t.LocalACKTimeout << 3
}
