package wire

import (
	"encoding/binary"
	"strconv"
)

// CMReqPrivateLen is the size of a REQ's private data in bytes.
const CMReqPrivateLen = 92

// Transport service types of a [CMReq].
const (
	CMTransportRC = 0
	CMTransportUC = 1
)

// CMReq asks for a connection (IBA vol 1, 12.6.5).
//
//	offset
//	  0  local communication ID (32)
//	  4  reserved (32)
//	  8  service ID (64)
//	 16  local CA GUID (64)
//	 24  reserved (32)
//	 28  local Q_Key (32)
//	 32  local QPN (24) │ responder resources (8)
//	 36  local EECN (24) │ initiator depth (8)
//	 40  remote EECN (24) │ remote CM response timeout (5) │ transport service type (2) │ end-to-end flow control (1)
//	 44  starting PSN (24) │ local CM response timeout (5) │ retry count (3)
//	 48  partition key (16) │ path MTU (4) │ RDC exists (1) │ RNR retry count (3) │ max CM retries (4) │ SRQ (1) │ extended transport (3)
//	 52  primary path: [CMPath]
//	 96  alternate path: [CMPath]; the bit behind its ACK timeout says that the sender knows service-ID sharing, and is not kept
//	140  private data (736)
type CMReq struct {
	LocalCommID        uint32
	ServiceID          uint64
	LocalCAGUID        [8]byte
	LocalQKey          uint32
	LocalQPN           uint32 // 24 bits
	ResponderResources uint8
	LocalEECN          uint32 // 24 bits
	InitiatorDepth     uint8
	RemoteEECN         uint32 // 24 bits
	// RemoteCMResponseTimeout is how long the recipient may take to answer, LocalCMResponseTimeout how long the sender
	// may; 4.096 µs·2ⁿ, 5 bits.
	RemoteCMResponseTimeout, LocalCMResponseTimeout uint8
	TransportType                                   uint8 // 2 bits
	FlowControl                                     bool
	// StartingPSN is the first PSN that the recipient sends.
	StartingPSN           PSN
	RetryCount            uint8 // 3 bits
	PKey                  uint16
	PathMTU               uint8 // 4 bits: 1 is 256 bytes, 5 is 4096
	RDCExists             bool
	RNRRetryCount         uint8 // 3 bits
	MaxCMRetries          uint8 // 4 bits
	SRQ                   bool
	ExtendedTransportType uint8 // 3 bits
	Primary, Alternate    CMPath
	PrivateData           [CMReqPrivateLen]byte
}

// Attribute returns CMAttrREQ.
func (*CMReq) Attribute() CMAttribute { return CMAttrREQ }

// Decode reads m from the start of p.
func (m *CMReq) Decode(p []byte) error {
	if len(p) < CMBodyLen {
		return errShortCM
	}
	be := binary.BigEndian
	qp, local, remote, psn := be.Uint32(p[32:]), be.Uint32(p[36:]), be.Uint32(p[40:]), be.Uint32(p[44:])
	*m = CMReq{
		LocalCommID: be.Uint32(p), ServiceID: be.Uint64(p[8:]), LocalCAGUID: [8]byte(p[16:]),
		LocalQKey: be.Uint32(p[28:]), LocalQPN: qp >> 8, ResponderResources: uint8(qp), LocalEECN: local >> 8,
		InitiatorDepth: uint8(local), RemoteEECN: remote >> 8, RemoteCMResponseTimeout: p[43] >> 3,
		TransportType: p[43] >> 1 & 3, FlowControl: p[43]&1 != 0, StartingPSN: PSN(psn >> 8),
		LocalCMResponseTimeout: p[47] >> 3, RetryCount: p[47] & 7, PKey: be.Uint16(p[48:]),
		PathMTU: p[50] >> 4, RDCExists: p[50]&8 != 0, RNRRetryCount: p[50] & 7, MaxCMRetries: p[51] >> 4,
		SRQ: p[51]&8 != 0, ExtendedTransportType: p[51] & 7,
		PrivateData: [CMReqPrivateLen]byte(p[140:]),
	}
	m.Primary.decode(p[52:])
	m.Alternate.decode(p[96:])
	return nil
}

// Append appends the CMBodyLen bytes of m to dst.
func (m *CMReq) Append(dst []byte) []byte { return fixed(dst, m.put) }

func (m *CMReq) put(p []byte) {
	be := binary.BigEndian
	be.PutUint32(p, m.LocalCommID)
	be.PutUint64(p[8:], m.ServiceID)
	copy(p[16:], m.LocalCAGUID[:])
	be.PutUint32(p[28:], m.LocalQKey)
	be.PutUint32(p[32:], bits24(m.LocalQPN, m.ResponderResources))
	be.PutUint32(p[36:], bits24(m.LocalEECN, m.InitiatorDepth))
	be.PutUint32(p[40:], bits24(m.RemoteEECN, m.RemoteCMResponseTimeout<<3|m.TransportType&3<<1|bit(m.FlowControl, 1)))
	be.PutUint32(p[44:], bits24(uint32(m.StartingPSN), m.LocalCMResponseTimeout<<3|m.RetryCount&7))
	be.PutUint16(p[48:], m.PKey)
	p[50] = m.PathMTU<<4 | bit(m.RDCExists, 8) | m.RNRRetryCount&7
	p[51] = m.MaxCMRetries<<4 | bit(m.SRQ, 8) | m.ExtendedTransportType&7
	m.Primary.put(p[52:])
	m.Alternate.put(p[96:])
	copy(p[140:], m.PrivateData[:])
}

// AppendSummary appends the fields that matter on RoCE.
func (m *CMReq) AppendSummary(dst []byte) []byte {
	dst = appendHexField(dst, " local_id ", uint64(m.LocalCommID), 8)
	dst = appendHexField(dst, " service ", m.ServiceID, 16)
	dst = appendHexField(dst, " qp ", uint64(m.LocalQPN), 6)
	dst = appendHexField(dst, " psn ", uint64(m.StartingPSN), 6)
	dst = appendDepths(dst, m.ResponderResources, m.InitiatorDepth)
	dst = strconv.AppendUint(append(dst, " retry "...), uint64(m.RetryCount), 10)
	dst = strconv.AppendUint(append(dst, " rnr_retry "...), uint64(m.RNRRetryCount), 10)
	return strconv.AppendInt(append(dst, " mtu "...), int64(128)<<m.PathMTU, 10)
}

// appendDepths appends how many READs and atomics may be outstanding, from and to the
// peer.
func appendDepths(dst []byte, responder, initiator uint8) []byte {
	dst = strconv.AppendUint(append(dst, " responder_resources "...), uint64(responder), 10)
	return strconv.AppendUint(append(dst, " initiator_depth "...), uint64(initiator), 10)
}
