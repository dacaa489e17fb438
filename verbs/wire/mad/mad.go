// Package mad describes the management datagrams of queue pair 1: their class, method, attribute and status by name,
// and the private data of connection manager messages.
package mad

import (
	"fmt"

	"rdmatui/verbs/wire"
)

// Message is a management datagram.
type Message struct {
	wire.MADHeader
	// CM is a connection manager message with a codec; nil for any other datagram.
	CM wire.CMBody
	// Private is the private data of CM, with its padding; it aliases the datagram.
	Private []byte
	// IP is the addressing header of librdmacm at the start of Private, if HasIP.
	IP    wire.CMIP
	HasIP bool
	// Port is the destination port in the service ID, if HasIP.
	Port uint16
}

// Parse decodes the payload of a datagram to queue pair 1. It fails if the payload is shorter than a datagram.
func Parse(b []byte) (Message, error) {
	var m Message
	if len(b) < wire.MADLen {
		return m, errShort
	}
	if err := m.Decode(b); err != nil {
		return m, err
	}
	cm, err := wire.ParseCM(b)
	if err != nil {
		return m, nil // of another class, or a message without a codec: the header is all there is
	}
	m.CM, m.Private = cm.Body, b[wire.MADHeaderLen+privateAt[m.Attribute]:wire.MADLen]
	if id, ok := serviceID(cm.Body); ok && id>>32 == 0 && m.IP.Decode(m.Private) == nil {
		m.HasIP, m.Port = true, uint16(id)
	}
	return m, nil
}

// In returns the management datagram in a packet of which n bytes were captured, from the BTH on; nil if it holds none
// as a whole. The payload of a packet that was cut may go on with zeros that nobody sent.
func In(p *wire.Packet, n int) *Message {
	if p.BTH.DestQP != 1 || !p.Headers.Has(wire.HasDETH) || n < wire.BTHLen+wire.DETHLen+wire.MADLen {
		return nil
	}
	m, err := Parse(p.Payload)
	if err != nil {
		return nil
	}
	return &m
}

var errShort = fmt.Errorf("a management datagram has %d bytes", wire.MADLen)

// privateAt are the offsets of the private data, which runs to the end of a message (IBA vol 1, 12.6, 12.11).
var privateAt = map[wire.CMAttribute]int{
	wire.CMAttrREQ: 140, wire.CMAttrMRA: 10, wire.CMAttrREJ: 84, wire.CMAttrREP: 36, wire.CMAttrRTU: 8,
	wire.CMAttrDREQ: 12, wire.CMAttrDREP: 8, wire.CMAttrSIDRREQ: 16, wire.CMAttrSIDRREP: 96,
}

// serviceID returns the service ID of a message that can carry an addressing header. That of an IP port fits in 32
// bits: port space and port.
func serviceID(body wire.CMBody) (uint64, bool) {
	switch b := body.(type) {
	case *wire.CMReq:
		return b.ServiceID, true
	case *wire.CMSidrReq:
		return b.ServiceID, true
	}
	return 0, false
}

// User returns the private data without the addressing header and without the zeros at its end: a message does not tell
// how much of its private data is used.
func (m *Message) User() []byte {
	b := m.Private
	if m.HasIP {
		b = b[wire.CMIPLen:]
	}
	end := len(b)
	for end > 0 && b[end-1] == 0 {
		end--
	}
	return b[:end]
}

// Name returns the datagram's kind, for instance "CM REQ" or "PerfMgt Get(PortCounters)".
func (m *Message) Name() string {
	if m.MgmtClass == wire.MADClassCM {
		return "CM " + m.AttributeName()
	}
	return fmt.Sprintf("%s %s(%s)", m.ClassName(), m.MethodName(), m.AttributeName())
}

// String returns the datagram on one line of printable ASCII.
func (m *Message) String() string {
	if m.CM == nil {
		return fmt.Sprintf("MAD %s %s(%s) tid 0x%016x status %s", m.ClassName(), m.MethodName(), m.AttributeName(),
			m.TransactionID, m.StatusName())
	}
	cm := wire.CMMessage{Header: m.MADHeader, Body: m.CM}
	text := cm.String()
	if m.HasIP {
		text += fmt.Sprintf(" ip %s to %s port %d", m.IP.Src, m.IP.Dst, m.Port)
	}
	if user := m.User(); len(user) > 0 {
		text += fmt.Sprintf(" private_data 0x%x", user)
	}
	return text
}

// ClassName names the management class (IBA vol 1, 13.4.4).
func (m *Message) ClassName() string { return name(classes[:], m.MgmtClass, 2) }

// MethodName names the method; responses have a name of their own.
func (m *Message) MethodName() string { return name(methods[:], m.Method, 2) }

// AttributeName names the attribute, which depends on the class.
func (m *Message) AttributeName() string {
	class := m.MgmtClass
	if class == classSubnetDirected {
		class = classSubnet
	}
	of, known := attributes[class]
	if !known {
		of = otherAttributes
	}
	return name(of, uint16(m.Attribute), 4)
}

// StatusName names the status (IBA vol 1, 13.4.7): "ok", or what is set in it.
func (m *Message) StatusName() string {
	var text string
	add := func(s string) {
		if text != "" {
			text += ", "
		}
		text += s
	}
	s := m.Status
	if m.MgmtClass == classSubnetDirected {
		s &^= 1 << 15 // the direction of a directed route
	}
	if s&1 != 0 {
		add("busy")
	}
	if s&2 != 0 {
		add("redirect")
	}
	if code := s >> 2 & 7; code != 0 {
		add(name(statuses, uint8(code), 2))
	}
	switch specific := uint8(s >> 8); {
	case specific != 0 && m.MgmtClass == classSubnetAdmin:
		add(name(adminStatuses, specific, 2))
	case specific != 0:
		add(fmt.Sprintf("class status 0x%02x", specific))
	}
	if text == "" {
		return "ok"
	}
	return text
}
