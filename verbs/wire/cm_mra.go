package wire

import (
	"encoding/binary"
	"strconv"
)

// CMMraPrivateLen is the size of an MRA's private data in bytes.
const CMMraPrivateLen = 222

// CMMra says that a message has arrived and that its answer takes longer than was agreed (IBA vol 1, 12.6.6).
//
//	offset
//	 0  local communication ID (32)
//	 4  remote communication ID (32)
//	 8  message acknowledged (2) │ reserved (6)
//	 9  service timeout (5) │ reserved (3)
//	10  private data (1776)
type CMMra struct {
	LocalCommID, RemoteCommID uint32
	Message                   CMResponse
	ServiceTimeout            uint8 // 4.096 µs·2ⁿ, 5 bits
	PrivateData               [CMMraPrivateLen]byte
}

// Attribute returns CMAttrMRA.
func (*CMMra) Attribute() CMAttribute { return CMAttrMRA }

// Decode reads m from the start of p.
func (m *CMMra) Decode(p []byte) error {
	if len(p) < CMBodyLen {
		return errShortCM
	}
	*m = CMMra{
		LocalCommID: binary.BigEndian.Uint32(p), RemoteCommID: binary.BigEndian.Uint32(p[4:]),
		Message: CMResponse(p[8] >> 6), ServiceTimeout: p[9] >> 3, PrivateData: [CMMraPrivateLen]byte(p[10:]),
	}
	return nil
}

// Append appends the CMBodyLen bytes of m to dst.
func (m *CMMra) Append(dst []byte) []byte {
	return fixed(dst, func(p []byte) {
		binary.BigEndian.PutUint32(p, m.LocalCommID)
		binary.BigEndian.PutUint32(p[4:], m.RemoteCommID)
		p[8], p[9] = uint8(m.Message)<<6, m.ServiceTimeout<<3
		copy(p[10:], m.PrivateData[:])
	})
}

// AppendSummary appends the fields.
func (m *CMMra) AppendSummary(dst []byte) []byte {
	dst = appendCommIDs(dst, m.LocalCommID, m.RemoteCommID)
	dst = append(append(dst, " of "...), m.Message.String()...)
	return strconv.AppendUint(append(dst, " service_timeout "...), uint64(m.ServiceTimeout), 10)
}
