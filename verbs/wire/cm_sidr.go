package wire

import (
	"encoding/binary"
	"strconv"
)

const (
	// CMSidrReqPrivateLen is the size of a SIDR_REQ's private data in bytes.
	CMSidrReqPrivateLen = 216
	// CMSidrRepPrivateLen is the size of a SIDR_REP's private data in bytes.
	CMSidrRepPrivateLen = 136
	// CMSidrInfoLen is the size of a SIDR_REP's additional information in bytes.
	CMSidrInfoLen = 72
)

// CMSidrReq asks for the queue pair of a datagram service (IBA vol 1, 12.11.1).
//
//	offset
//	 0  request ID (32)
//	 4  partition key (16) │ reserved (16)
//	 8  service ID (64)
//	16  private data (1728)
type CMSidrReq struct {
	RequestID   uint32
	PKey        uint16
	ServiceID   uint64
	PrivateData [CMSidrReqPrivateLen]byte
}

// Attribute returns CMAttrSIDRREQ.
func (*CMSidrReq) Attribute() CMAttribute { return CMAttrSIDRREQ }

// Decode reads m from the start of p.
func (m *CMSidrReq) Decode(p []byte) error {
	if len(p) < CMBodyLen {
		return errShortCM
	}
	be := binary.BigEndian
	*m = CMSidrReq{be.Uint32(p), be.Uint16(p[4:]), be.Uint64(p[8:]), [CMSidrReqPrivateLen]byte(p[16:])}
	return nil
}

// Append appends the CMBodyLen bytes of m to dst.
func (m *CMSidrReq) Append(dst []byte) []byte {
	return fixed(dst, func(p []byte) {
		binary.BigEndian.PutUint32(p, m.RequestID)
		binary.BigEndian.PutUint16(p[4:], m.PKey)
		binary.BigEndian.PutUint64(p[8:], m.ServiceID)
		copy(p[16:], m.PrivateData[:])
	})
}

// AppendSummary appends the fields.
func (m *CMSidrReq) AppendSummary(dst []byte) []byte {
	dst = appendHexField(dst, " request ", uint64(m.RequestID), 8)
	return appendHexField(dst, " service ", m.ServiceID, 16)
}

// CMSidrStatus is the result of a service resolution (IBA vol 1, table 121).
type CMSidrStatus uint8

// Statuses.
const (
	CMSidrValid              CMSidrStatus = 0
	CMSidrUnsupported        CMSidrStatus = 1 // nobody listens
	CMSidrReject             CMSidrStatus = 2
	CMSidrNoQP               CMSidrStatus = 3
	CMSidrRedirect           CMSidrStatus = 4
	CMSidrUnsupportedVersion CMSidrStatus = 5
)

// CMSidrRep answers a [CMSidrReq] (IBA vol 1, 12.11.2).
//
//	offset
//	 0  request ID (32)
//	 4  status (8) │ length of the additional information (8) │ reserved (16)
//	 8  QPN (24) │ reserved (8)
//	12  service ID (64)
//	20  Q_Key (32)
//	24  additional information (576)
//	96  private data (1088)
type CMSidrRep struct {
	RequestID   uint32
	Status      CMSidrStatus
	InfoLen     uint8 // valid bytes of Info according to the sender; may exceed its size
	QPN         uint32
	ServiceID   uint64
	QKey        uint32
	Info        [CMSidrInfoLen]byte
	PrivateData [CMSidrRepPrivateLen]byte
}

// Attribute returns CMAttrSIDRREP.
func (*CMSidrRep) Attribute() CMAttribute { return CMAttrSIDRREP }

// Decode reads m from the start of p.
func (m *CMSidrRep) Decode(p []byte) error {
	if len(p) < CMBodyLen {
		return errShortCM
	}
	be := binary.BigEndian
	*m = CMSidrRep{
		RequestID: be.Uint32(p), Status: CMSidrStatus(p[4]), InfoLen: p[5],
		QPN: be.Uint32(p[8:]) >> 8, ServiceID: be.Uint64(p[12:]), QKey: be.Uint32(p[20:]),
		Info: [CMSidrInfoLen]byte(p[24:]), PrivateData: [CMSidrRepPrivateLen]byte(p[96:]),
	}
	return nil
}

// Append appends the CMBodyLen bytes of m to dst.
func (m *CMSidrRep) Append(dst []byte) []byte {
	return fixed(dst, func(p []byte) {
		be := binary.BigEndian
		be.PutUint32(p, m.RequestID)
		p[4], p[5] = uint8(m.Status), m.InfoLen
		be.PutUint32(p[8:], bits24(m.QPN, 0))
		be.PutUint64(p[12:], m.ServiceID)
		be.PutUint32(p[20:], m.QKey)
		copy(p[24:], m.Info[:])
		copy(p[96:], m.PrivateData[:])
	})
}

// AppendSummary appends the fields.
func (m *CMSidrRep) AppendSummary(dst []byte) []byte {
	dst = appendHexField(dst, " request ", uint64(m.RequestID), 8)
	dst = strconv.AppendUint(append(dst, " status "...), uint64(m.Status), 10)
	dst = appendHexField(dst, " qp ", uint64(m.QPN), 6)
	return appendHexField(dst, " qkey ", uint64(m.QKey), 8)
}
