package timeline

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"rdmatui/verbs"
)

// CMEvent is an event of the connection manager with the names of what it
// concerns.
type CMEvent struct {
	Type    verbs.CMEventType
	Channel string // "" for the own channel of an identifier
	ID      string // "" where the identifier is gone; for CONNECT_REQUEST the new one
	Listen  string // the identifier that a CONNECT_REQUEST came in on
	Device  string // the user's name of the open device, "" until one is known
	PS      verbs.CMPortSpace
	Local   netip.AddrPort
	Peer    netip.AddrPort
	// Status is 0, a negative errno or a reject reason; StatusText is its name, ""
	// with 0.
	Status     int
	StatusText string
	Conn       *verbs.CMConnParam // what the event told of a connection; nil if nothing
	UD         *verbs.CMUDParam   // likewise of datagrams
	State      string             // of the identifier, after the event
	Step       string             // the command that the event ends: "resolve_addr", "connect"; "" if none
	Took       time.Duration      // from that command to the event; with Step
	Hint       string             // what it means, and what to check where it failed
}

// PrivateData is what the peer sent along, nil if nothing.
func (e *CMEvent) PrivateData() []byte {
	switch {
	case e.Conn != nil:
		return e.Conn.PrivateData
	case e.UD != nil:
		return e.UD.PrivateData
	}
	return nil
}

// failures are the events that always tell of one.
var failures = map[verbs.CMEventType]bool{
	verbs.CMAddrError: true, verbs.CMRouteError: true, verbs.CMConnectError: true, verbs.CMUnreachable: true,
	verbs.CMRejected: true, verbs.CMDeviceRemoval: true, verbs.CMMulticastError: true, verbs.CMAddrInfoError: true,
	verbs.CMAddrChange: true, // the connection may stand, but can no longer be relied on
}

// Failed reports whether the event tells of a failure.
func (e *CMEvent) Failed() bool { return e.Status != 0 || failures[e.Type] }

// ConnText says the parameters of a connection, or of a datagram peer, in one
// line, by the names of the C fields; "" where the event tells of none.
func (e *CMEvent) ConnText() string {
	switch {
	case e.Conn != nil && e.Conn.QPNum != 0:
		p := e.Conn
		return fmt.Sprintf("responder_resources=%d initiator_depth=%d flow_control=%d retry_count=%d rnr_retry_count=%d srq=%d qp_num=%s",
			p.ResponderResources, p.InitiatorDepth, bit(p.FlowControl), p.RetryCount, p.RNRRetryCount,
			bit(p.SRQ), p.QPNum)
	case e.UD != nil && e.UD.QPNum != 0:
		return fmt.Sprintf("qp_num=%s qkey=0x%08x dgid=%s dlid=%d", e.UD.QPNum, e.UD.QKey,
			e.UD.AH.GRH.DGID, e.UD.AH.DLID)
	}
	return ""
}

// PrivateText shows the private data as hex and as text with what is no plain
// character escaped, without the zeros that the manager fills it up with; "" where
// there is none.
func (e *CMEvent) PrivateText() string {
	p := e.PrivateData()
	data := bytes.TrimRight(p, "\x00")
	switch zeros := len(p) - len(data); {
	case len(p) == 0:
		return ""
	case len(data) == 0:
		return fmt.Sprintf("%d zeros", zeros)
	case zeros > 0:
		return fmt.Sprintf("%x %s and %d zeros", data, strconv.QuoteToASCII(string(data)), zeros)
	}
	return fmt.Sprintf("%x %s", data, strconv.QuoteToASCII(string(data)))
}

func (e *CMEvent) appendJSON(b []byte) []byte {
	b = appendText(b, "cm_event", e.Type.String())
	b = appendTextIf(b, "channel", e.Channel)
	b = appendTextIf(b, "id", e.ID)
	b = appendTextIf(b, "listen_id", e.Listen)
	b = appendTextIf(b, "device", e.Device)
	if e.ID != "" {
		b = appendText(b, "ps", e.PS.String())
	}
	b = appendAddr(b, "local_addr", e.Local)
	b = appendAddr(b, "peer_addr", e.Peer)
	b = append(b, `,"status":`...)
	b = strconv.AppendInt(b, int64(e.Status), 10)
	b = appendTextIf(b, "status_text", e.StatusText)
	if e.Conn != nil {
		b = appendConnParam(b, e.Conn)
	}
	if e.UD != nil {
		b = appendUDParam(b, e.UD)
	}
	b = appendTextIf(b, "state", e.State)
	if e.Step != "" {
		b = appendText(b, "step", e.Step)
		b = appendDuration(b, "took_us", e.Took)
	}
	return appendTextIf(b, "hint", e.Hint)
}

func appendAddr(b []byte, name string, a netip.AddrPort) []byte {
	if !a.IsValid() {
		return b
	}
	return appendText(b, name, a.String())
}

func appendConnParam(b []byte, p *verbs.CMConnParam) []byte {
	b = appendPrivateData(b, p.PrivateData)
	b = appendNumber(b, "responder_resources", uint64(p.ResponderResources))
	b = appendNumber(b, "initiator_depth", uint64(p.InitiatorDepth))
	b = appendNumber(b, "flow_control", bit(p.FlowControl))
	b = appendNumber(b, "retry_count", uint64(p.RetryCount))
	b = appendNumber(b, "rnr_retry_count", uint64(p.RNRRetryCount))
	b = appendNumber(b, "srq", bit(p.SRQ))
	return appendNumber(b, "qp_num", uint64(p.QPNum))
}

func appendUDParam(b []byte, p *verbs.CMUDParam) []byte {
	b = appendPrivateData(b, p.PrivateData)
	if p.AH.IsGlobal {
		b = appendText(b, "dgid", p.AH.GRH.DGID.String())
	}
	b = appendNumber(b, "dlid", uint64(p.AH.DLID))
	b = appendNumber(b, "qp_num", uint64(p.QPNum))
	return appendNumber(b, "qkey", uint64(p.QKey))
}

// appendPrivateData appends the bytes as hex digits.
func appendPrivateData(b, data []byte) []byte {
	if len(data) == 0 {
		return b
	}
	return appendText(b, "private_data", hex.EncodeToString(data))
}

func bit(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}
