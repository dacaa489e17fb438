package wire

import "encoding/binary"

// MADLen is the length of a management datagram in bytes, header and body.
const MADLen = 256

// MADHeaderLen is the length of its header.
const MADHeaderLen = 24

// QKeyGSI is the Q_Key of queue pair 1, which receives the management datagrams of the general services (IBA vol 1,
// 3.5.3).
const QKeyGSI = 0x80010000

// Values in the header of a connection manager message.
const (
	MADBaseVersion    = 1
	MADClassCM        = 0x07
	MADClassVersionCM = 2
	MADMethodSend     = 0x03
)

// MADHeader is the common header of management datagrams (IBA vol 1, 13.4.2).
//
//	 0                   1                   2                   3
//	 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//	+---------------+---------------+---------------+---------------+
//	|  base version |  mgmt class   | class version |     method    |
//	+---------------+---------------+---------------+---------------+
//	|            status             |        class specific         |
//	+-------------------------------+-------------------------------+
//	|                     transaction ID (64 bits)                  |
//	|                                                               |
//	+-------------------------------+-------------------------------+
//	|         attribute ID          |           reserved            |
//	+-------------------------------+-------------------------------+
//	|                      attribute modifier                       |
//	+---------------------------------------------------------------+
type MADHeader struct {
	BaseVersion, MgmtClass, ClassVersion, Method uint8
	Status, ClassSpecific                        uint16
	// TransactionID is chosen by the requester and returned in responses.
	TransactionID uint64
	// Attribute is the kind of the body.
	Attribute CMAttribute
	Modifier  uint32
}

// Decode reads h from the start of p.
func (h *MADHeader) Decode(p []byte) error {
	if len(p) < MADHeaderLen {
		return errShortMADHeader
	}
	be := binary.BigEndian
	*h = MADHeader{
		BaseVersion: p[0], MgmtClass: p[1], ClassVersion: p[2], Method: p[3],
		Status: be.Uint16(p[4:]), ClassSpecific: be.Uint16(p[6:]), TransactionID: be.Uint64(p[8:]),
		Attribute: CMAttribute(be.Uint16(p[16:])), Modifier: be.Uint32(p[20:]),
	}
	return nil
}

// Append appends the MADHeaderLen bytes of h to dst.
func (h *MADHeader) Append(dst []byte) []byte {
	be := binary.BigEndian
	dst = append(dst, h.BaseVersion, h.MgmtClass, h.ClassVersion, h.Method)
	dst = be.AppendUint16(dst, h.Status)
	dst = be.AppendUint16(dst, h.ClassSpecific)
	dst = be.AppendUint64(dst, h.TransactionID)
	dst = be.AppendUint16(dst, uint16(h.Attribute))
	dst = append(dst, 0, 0)
	return be.AppendUint32(dst, h.Modifier)
}
