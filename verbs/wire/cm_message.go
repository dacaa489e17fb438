package wire

// CMBodyLen is the length of each message of the connection manager after its header, in bytes.
const CMBodyLen = MADLen - MADHeaderLen

// CMBody is one of the messages: [CMReq], [CMMra], [CMRej], [CMRep], [CMRtu], [CMDreq], [CMDrep], [CMSidrReq],
// [CMSidrRep].
type CMBody interface {
	// Attribute returns the kind of message.
	Attribute() CMAttribute
	// Decode reads the message from the start of p, the bytes after the header. It assigns every field.
	Decode(p []byte) error
	// Append appends the CMBodyLen bytes of the message to dst. Bits that do not fit their field are dropped.
	Append(dst []byte) []byte
	// AppendSummary appends the message's fields to dst on one line, in printable ASCII. Private data is not shown.
	AppendSummary(dst []byte) []byte
}

// cmBodies creates an empty message of each kind.
var cmBodies = map[CMAttribute]func() CMBody{
	CMAttrREQ:     func() CMBody { return new(CMReq) },
	CMAttrMRA:     func() CMBody { return new(CMMra) },
	CMAttrREJ:     func() CMBody { return new(CMRej) },
	CMAttrREP:     func() CMBody { return new(CMRep) },
	CMAttrRTU:     func() CMBody { return new(CMRtu) },
	CMAttrDREQ:    func() CMBody { return new(CMDreq) },
	CMAttrDREP:    func() CMBody { return new(CMDrep) },
	CMAttrSIDRREQ: func() CMBody { return new(CMSidrReq) },
	CMAttrSIDRREP: func() CMBody { return new(CMSidrRep) },
}

// CMMessage is a management datagram of the connection manager (IBA vol 1, chapter 12).
type CMMessage struct {
	Header MADHeader
	Body   CMBody
}

// ParseCM decodes b, the payload of a datagram to queue pair 1. It fails with [ErrTruncated]; with [ErrClass] if the
// header is not that of a connection manager message of version 2; and with [ErrAttribute] for a message without a
// codec. If the header can be decoded, it is returned with the error.
func ParseCM(b []byte) (CMMessage, error) {
	var m CMMessage
	if err := m.Header.Decode(b); err != nil {
		return m, err
	}
	h := &m.Header
	if h.BaseVersion != MADBaseVersion || h.MgmtClass != MADClassCM || h.ClassVersion != MADClassVersionCM ||
		h.Method != MADMethodSend {
		return m, ErrClass
	}
	empty := cmBodies[h.Attribute]
	if empty == nil {
		return m, ErrAttribute
	}
	body := empty()
	if err := body.Decode(b[MADHeaderLen:]); err != nil {
		return m, err
	}
	m.Body = body
	return m, nil
}

// NewCM returns a message with the header that its body needs.
func NewCM(transaction uint64, body CMBody) CMMessage {
	return CMMessage{
		Header: MADHeader{
			BaseVersion: MADBaseVersion, MgmtClass: MADClassCM, ClassVersion: MADClassVersionCM, Method: MADMethodSend,
			TransactionID: transaction, Attribute: body.Attribute(),
		},
		Body: body,
	}
}

// Append appends the MADLen bytes of the message to dst.
func (m *CMMessage) Append(dst []byte) []byte { return m.Body.Append(m.Header.Append(dst)) }

// String returns the message on one line of printable ASCII: its name and its fields.
func (m *CMMessage) String() string {
	dst := append([]byte("CM "), m.Header.Attribute.String()...)
	if m.Body != nil {
		dst = m.Body.AppendSummary(dst)
	}
	return string(appendHexField(dst, " tid ", m.Header.TransactionID, 16))
}

// fixed appends the bytes of a message built in a separate buffer, so that fields can be written at the specification's
// offsets.
func fixed(dst []byte, fill func(p []byte)) []byte {
	var room [CMBodyLen]byte
	fill(room[:])
	return append(dst, room[:]...)
}

// bits24 combines a 24-bit number with the byte that follows it.
func bits24(high uint32, low uint8) uint32 { return high<<8 | uint32(low) }

func bit(set bool, b uint8) uint8 {
	if set {
		return b
	}
	return 0
}
