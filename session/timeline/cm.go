package timeline

import (
	"encoding/hex"
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

// Failed reports whether the event tells of a failure.
func (e *CMEvent) Failed() bool { return e.Status != 0 }

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
