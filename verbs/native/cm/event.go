package cm

import (
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

// event converts an event; errno is the value that the library left. It follows
// only pointers to live identifiers. The caller holds c.mu.
func (c *Channel) event(raw *abi.CMEvent, errno syscall.Errno) verbs.CMEvent {
	event := verbs.CMEvent{Type: verbs.CMEventType(raw.Event), Status: eventStatus(raw, errno)}
	id := c.ids[raw.ID]
	if event.Type == verbs.CMConnectRequest && raw.ID != 0 && id == nil {
		id = c.adopt(raw.ID)
		if listener := c.ids[raw.ListenID]; listener != nil {
			event.ListenID = listener
		}
	}
	if id == nil {
		return event
	}
	event.ID = id
	id.refresh()
	if dev := id.bound(); event.Type == verbs.CMDeviceRemoval && dev != nil {
		c.cm.noteRemoved(dev)
	}
	switch {
	case event.Type == verbs.CMMulticastJoin || event.Type == verbs.CMMulticastError:
		event.UD = udParam(raw.UD()) // C stores the caller's context in the place of private data
	case id.datagrams():
		event.UD = udParam(raw.UD())
		event.UD.PrivateData = dl.Bytes(raw.UD().PrivateData, int(raw.UD().PrivateDataLen))
	default:
		event.Conn = connParam(raw.Conn())
		event.Conn.PrivateData = dl.Bytes(raw.Conn().PrivateData, int(raw.Conn().PrivateDataLen))
	}
	return event
}

// eventStatus replaces -1 by the errno: the library does part of the work when
// the event is taken, and reports the failure of its own call as -1.
func eventStatus(raw *abi.CMEvent, errno syscall.Errno) int {
	if raw.Status != -1 || errno == 0 {
		return int(raw.Status)
	}
	switch verbs.CMEventType(raw.Event) {
	case verbs.CMAddrError, verbs.CMRouteError, verbs.CMConnectError, verbs.CMMulticastError:
		return -int(errno)
	}
	return int(raw.Status)
}

func connParam(p *abi.ConnParam) verbs.CMConnParam {
	return verbs.CMConnParam{
		ResponderResources: p.ResponderResources,
		InitiatorDepth:     p.InitiatorDepth,
		FlowControl:        p.FlowControl != 0,
		RetryCount:         p.RetryCount,
		RNRRetryCount:      p.RNRRetryCount,
		SRQ:                p.SRQ != 0,
		QPNum:              verbs.QPN(p.QPNum),
	}
}

func rawConnParam(p *verbs.CMConnParam) abi.ConnParam {
	return abi.ConnParam{
		ResponderResources: p.ResponderResources,
		InitiatorDepth:     p.InitiatorDepth,
		FlowControl:        abi.Flag(p.FlowControl),
		RetryCount:         p.RetryCount,
		RNRRetryCount:      p.RNRRetryCount,
		SRQ:                abi.Flag(p.SRQ),
		QPNum:              uint32(p.QPNum),
	}
}

func udParam(p *abi.UDParam) verbs.CMUDParam {
	return verbs.CMUDParam{AH: p.AHAttr.Values(), QPNum: verbs.QPN(p.QPNum), QKey: p.QKey}
}
