package wire

import "encoding/binary"

// CMDreqPrivateLen is the size of a DREQ's private data in bytes.
const CMDreqPrivateLen = 220

// CMDreq ends a connection (IBA vol 1, 12.6.10).
//
//	offset
//	 0  local communication ID (32)
//	 4  remote communication ID (32)
//	 8  remote QPN or EECN (24) │ reserved (8)
//	12  private data (1760)
type CMDreq struct {
	LocalCommID, RemoteCommID uint32
	RemoteQPN                 uint32 // 24 bits: the recipient's
	PrivateData               [CMDreqPrivateLen]byte
}

// Attribute returns CMAttrDREQ.
func (*CMDreq) Attribute() CMAttribute { return CMAttrDREQ }

// Decode reads m from the start of p.
func (m *CMDreq) Decode(p []byte) error {
	if len(p) < CMBodyLen {
		return errShortCM
	}
	be := binary.BigEndian
	*m = CMDreq{be.Uint32(p), be.Uint32(p[4:]), be.Uint32(p[8:]) >> 8, [CMDreqPrivateLen]byte(p[12:])}
	return nil
}

// Append appends the CMBodyLen bytes of m to dst.
func (m *CMDreq) Append(dst []byte) []byte {
	be := binary.BigEndian
	dst = be.AppendUint32(dst, m.LocalCommID)
	dst = be.AppendUint32(dst, m.RemoteCommID)
	dst = be.AppendUint32(dst, bits24(m.RemoteQPN, 0))
	return append(dst, m.PrivateData[:]...)
}

// AppendSummary appends the fields.
func (m *CMDreq) AppendSummary(dst []byte) []byte {
	return appendHexField(appendCommIDs(dst, m.LocalCommID, m.RemoteCommID), " remote_qp ", uint64(m.RemoteQPN), 6)
}
