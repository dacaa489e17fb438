package wire

import (
	"encoding/binary"
	"strconv"
)

// CMRepPrivateLen is the size of a REP's private data in bytes.
const CMRepPrivateLen = 196

// CMRep accepts a request (IBA vol 1, 12.6.8).
//
//	offset
//	 0  local communication ID (32)
//	 4  remote communication ID (32)
//	 8  local Q_Key (32)
//	12  local QPN (24) │ reserved (8)
//	16  local EECN (24) │ reserved (8)
//	20  starting PSN (24) │ reserved (8)
//	24  responder resources (8) │ initiator depth (8)
//	26  target ACK delay (5) │ failover accepted (2) │ end-to-end flow control (1)
//	27  RNR retry count (3) │ SRQ (1) │ reserved (4)
//	28  local CA GUID (64)
//	36  private data (1568)
type CMRep struct {
	LocalCommID, RemoteCommID          uint32
	LocalQKey                          uint32
	LocalQPN                           uint32 // 24 bits
	LocalEECN                          uint32 // 24 bits
	StartingPSN                        PSN    // first PSN that the recipient sends
	ResponderResources, InitiatorDepth uint8
	TargetACKDelay                     uint8 // 4.096 µs·2ⁿ, 5 bits
	FailoverAccepted                   uint8 // 2 bits
	FlowControl                        bool
	RNRRetryCount                      uint8 // 3 bits
	SRQ                                bool
	LocalCAGUID                        [8]byte
	PrivateData                        [CMRepPrivateLen]byte
}

// Attribute returns CMAttrREP.
func (*CMRep) Attribute() CMAttribute { return CMAttrREP }

// Decode reads m from the start of p.
func (m *CMRep) Decode(p []byte) error {
	if len(p) < CMBodyLen {
		return errShortCM
	}
	be := binary.BigEndian
	*m = CMRep{
		LocalCommID: be.Uint32(p), RemoteCommID: be.Uint32(p[4:]), LocalQKey: be.Uint32(p[8:]),
		LocalQPN: be.Uint32(p[12:]) >> 8, LocalEECN: be.Uint32(p[16:]) >> 8, StartingPSN: PSN(be.Uint32(p[20:]) >> 8),
		ResponderResources: p[24], InitiatorDepth: p[25],
		TargetACKDelay: p[26] >> 3, FailoverAccepted: p[26] >> 1 & 3, FlowControl: p[26]&1 != 0,
		RNRRetryCount: p[27] >> 5, SRQ: p[27]&0x10 != 0,
		LocalCAGUID: [8]byte(p[28:]), PrivateData: [CMRepPrivateLen]byte(p[36:]),
	}
	return nil
}

// Append appends the CMBodyLen bytes of m to dst.
func (m *CMRep) Append(dst []byte) []byte { return fixed(dst, m.put) }

func (m *CMRep) put(p []byte) {
	be := binary.BigEndian
	be.PutUint32(p, m.LocalCommID)
	be.PutUint32(p[4:], m.RemoteCommID)
	be.PutUint32(p[8:], m.LocalQKey)
	be.PutUint32(p[12:], bits24(m.LocalQPN, 0))
	be.PutUint32(p[16:], bits24(m.LocalEECN, 0))
	be.PutUint32(p[20:], bits24(uint32(m.StartingPSN), 0))
	p[24], p[25] = m.ResponderResources, m.InitiatorDepth
	p[26] = m.TargetACKDelay<<3 | m.FailoverAccepted&3<<1 | bit(m.FlowControl, 1)
	p[27] = m.RNRRetryCount<<5 | bit(m.SRQ, 0x10)
	copy(p[28:], m.LocalCAGUID[:])
	copy(p[36:], m.PrivateData[:])
}

// AppendSummary appends the fields that matter on RoCE.
func (m *CMRep) AppendSummary(dst []byte) []byte {
	dst = appendCommIDs(dst, m.LocalCommID, m.RemoteCommID)
	dst = appendHexField(dst, " qp ", uint64(m.LocalQPN), 6)
	dst = appendHexField(dst, " psn ", uint64(m.StartingPSN), 6)
	dst = appendDepths(dst, m.ResponderResources, m.InitiatorDepth)
	return strconv.AppendUint(append(dst, " rnr_retry "...), uint64(m.RNRRetryCount), 10)
}

// appendCommIDs appends the two communication IDs of a connection.
func appendCommIDs(dst []byte, local, remote uint32) []byte {
	dst = appendHexField(dst, " local_id ", uint64(local), 8)
	return appendHexField(dst, " remote_id ", uint64(remote), 8)
}
