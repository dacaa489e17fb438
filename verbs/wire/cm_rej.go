package wire

import (
	"encoding/binary"
	"strconv"
)

const (
	// CMRejPrivateLen is the size of a REJ's private data in bytes.
	CMRejPrivateLen = 148
	// CMRejInfoLen is the size of a REJ's additional information in bytes.
	CMRejInfoLen = 72
)

// CMRej refuses a REQ or a REP, or gives up an attempt (IBA vol 1, 12.6.7).
//
//	offset
//	 0  local communication ID (32)
//	 4  remote communication ID (32)
//	 8  message rejected (2) │ reserved (6)
//	 9  length of the additional information (7) │ reserved (1)
//	10  reason (16)
//	12  additional information (576)
//	84  private data (1184)
type CMRej struct {
	LocalCommID, RemoteCommID uint32
	Message                   CMResponse
	InfoLen                   uint8 // valid bytes of Info according to the sender: 0..127, which may exceed its size
	Reason                    uint16
	Info                      [CMRejInfoLen]byte
	PrivateData               [CMRejPrivateLen]byte
}

// Attribute returns CMAttrREJ.
func (*CMRej) Attribute() CMAttribute { return CMAttrREJ }

// Decode reads m from the start of p.
func (m *CMRej) Decode(p []byte) error {
	if len(p) < CMBodyLen {
		return errShortCM
	}
	be := binary.BigEndian
	*m = CMRej{
		LocalCommID: be.Uint32(p), RemoteCommID: be.Uint32(p[4:]), Message: CMResponse(p[8] >> 6), InfoLen: p[9] >> 1,
		Reason: be.Uint16(p[10:]), Info: [CMRejInfoLen]byte(p[12:]), PrivateData: [CMRejPrivateLen]byte(p[84:]),
	}
	return nil
}

// Append appends the CMBodyLen bytes of m to dst.
func (m *CMRej) Append(dst []byte) []byte {
	return fixed(dst, func(p []byte) {
		be := binary.BigEndian
		be.PutUint32(p, m.LocalCommID)
		be.PutUint32(p[4:], m.RemoteCommID)
		p[8], p[9] = uint8(m.Message)<<6, m.InfoLen<<1
		be.PutUint16(p[10:], m.Reason)
		copy(p[12:], m.Info[:])
		copy(p[84:], m.PrivateData[:])
	})
}

// AppendSummary appends the fields.
func (m *CMRej) AppendSummary(dst []byte) []byte {
	dst = appendCommIDs(dst, m.LocalCommID, m.RemoteCommID)
	dst = append(append(dst, " of "...), m.Message.String()...)
	return strconv.AppendUint(append(dst, " reason "...), uint64(m.Reason), 10)
}
