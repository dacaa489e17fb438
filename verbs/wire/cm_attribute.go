package wire

// CMAttribute is the attribute ID of a connection manager's datagram: which message it is (IBA vol 1, 16.7.3).
type CMAttribute uint16

// Messages. LAP and APR are for alternate paths, which RoCE does not have; they have names here, but no codec.
const (
	CMAttrREQ     CMAttribute = 0x0010 // connection request
	CMAttrMRA     CMAttribute = 0x0011 // message receipt acknowledgement: the answer takes longer
	CMAttrREJ     CMAttribute = 0x0012 // reject
	CMAttrREP     CMAttribute = 0x0013 // reply to a request
	CMAttrRTU     CMAttribute = 0x0014 // ready to use
	CMAttrDREQ    CMAttribute = 0x0015 // disconnection request
	CMAttrDREP    CMAttribute = 0x0016 // reply to it
	CMAttrSIDRREQ CMAttribute = 0x0017 // service ID resolution request, for datagrams
	CMAttrSIDRREP CMAttribute = 0x0018 // reply to it
	CMAttrLAP     CMAttribute = 0x0019 // load alternate path
	CMAttrAPR     CMAttribute = 0x001a // reply to it
)

var cmAttributes = map[CMAttribute]string{
	CMAttrREQ: "REQ", CMAttrMRA: "MRA", CMAttrREJ: "REJ", CMAttrREP: "REP", CMAttrRTU: "RTU", CMAttrDREQ: "DREQ",
	CMAttrDREP: "DREP", CMAttrSIDRREQ: "SIDR_REQ", CMAttrSIDRREP: "SIDR_REP", CMAttrLAP: "LAP", CMAttrAPR: "APR",
}

// String returns the message's name, or "unknown(0x1234)".
func (a CMAttribute) String() string {
	if name, ok := cmAttributes[a]; ok {
		return name
	}
	return string(append(appendHex([]byte("unknown("), uint64(a), 4), ')'))
}

// CMResponse is the message that an MRA or a REJ answers; 2 bits (IBA vol 1, 12.6.6, 12.6.7).
type CMResponse uint8

// Answered messages.
const (
	CMResponseREQ   CMResponse = 0
	CMResponseREP   CMResponse = 1
	CMResponseOther CMResponse = 2 // of an MRA: a LAP; of a REJ: no message
)

// String returns the message's name.
func (r CMResponse) String() string { return [4]string{"REQ", "REP", "other", "unknown(0x03)"}[r&3] }
