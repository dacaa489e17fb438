package wire

import "encoding/binary"

// CMRtuPrivateLen is the size of the private data of an RTU or a DREP in bytes.
const CMRtuPrivateLen = 224

// CMRtu says that the connection is ready to use (IBA vol 1, 12.6.9).
//
//	offset
//	 0  local communication ID (32)
//	 4  remote communication ID (32)
//	 8  private data (1792)
type CMRtu struct {
	LocalCommID, RemoteCommID uint32
	PrivateData               [CMRtuPrivateLen]byte
}

// Attribute returns CMAttrRTU.
func (*CMRtu) Attribute() CMAttribute { return CMAttrRTU }

// Decode reads m from the start of p.
func (m *CMRtu) Decode(p []byte) error {
	if len(p) < CMBodyLen {
		return errShortCM
	}
	*m = CMRtu{binary.BigEndian.Uint32(p), binary.BigEndian.Uint32(p[4:]), [CMRtuPrivateLen]byte(p[8:])}
	return nil
}

// Append appends the CMBodyLen bytes of m to dst.
func (m *CMRtu) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, m.LocalCommID)
	dst = binary.BigEndian.AppendUint32(dst, m.RemoteCommID)
	return append(dst, m.PrivateData[:]...)
}

// AppendSummary appends the two communication IDs.
func (m *CMRtu) AppendSummary(dst []byte) []byte {
	return appendCommIDs(dst, m.LocalCommID, m.RemoteCommID)
}

// CMDrep answers a DREQ; its layout is that of [CMRtu] (IBA vol 1, 12.6.11).
type CMDrep CMRtu

// Attribute returns CMAttrDREP.
func (*CMDrep) Attribute() CMAttribute { return CMAttrDREP }

// Decode reads m from the start of p.
func (m *CMDrep) Decode(p []byte) error { return (*CMRtu)(m).Decode(p) }

// Append appends the CMBodyLen bytes of m to dst.
func (m *CMDrep) Append(dst []byte) []byte { return (*CMRtu)(m).Append(dst) }

// AppendSummary appends the two communication IDs.
func (m *CMDrep) AppendSummary(dst []byte) []byte { return (*CMRtu)(m).AppendSummary(dst) }
