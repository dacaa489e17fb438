package session

import (
	"fmt"
	"strings"
	"syscall"

	"rdmatui/verbs"
)

// cmStatusName is the name of an event's status: of the reject reason, or of the
// errno; "" for 0.
func cmStatusName(t verbs.CMEventType, status int) string {
	switch {
	case status == 0:
		return ""
	case status < 0:
		return verbs.ErrnoName(syscall.Errno(-status))
	case t == verbs.CMRejected:
		return verbs.CMRejectReason(status).String()
	}
	return fmt.Sprint(status)
}

// cmStatusText says an event's status in words, "" for 0.
func cmStatusText(t verbs.CMEventType, status int) string {
	name := cmStatusName(t, status)
	switch {
	case status == 0:
		return ""
	case status < 0:
		return strings.TrimSpace(name + ": " + syscall.Errno(-status).Error())
	case t == verbs.CMRejected:
		return fmt.Sprintf("reason %d %s", status, name)
	}
	return "status " + name
}

// cmHint says what an event means, and what to check where it tells of a
// failure.
func cmHint(t verbs.CMEventType, status int) string {
	if t == verbs.CMRejected {
		if h := rejectHints[verbs.CMRejectReason(status)]; h != "" {
			return h
		}
	}
	if status < 0 {
		if h := cmStatusHints[cmStatusKey{t, syscall.Errno(-status)}]; h != "" {
			return h
		}
	}
	return cmEventHints[t]
}

type cmStatusKey struct {
	event verbs.CMEventType
	errno syscall.Errno
}

// cmEventHints say what each event means.
var cmEventHints = map[verbs.CMEventType]string{
	verbs.CMAddrResolved:    "the device is known now: make its objects and the queue pair, then rdma_resolve_route",
	verbs.CMAddrError:       "the address could not be resolved: is there a route to it over an RDMA device, and does the neighbour answer?",
	verbs.CMRouteResolved:   "the path is known: rdma_connect",
	verbs.CMRouteError:      "no path: on InfiniBand the subnet manager did not answer, elsewhere the network changed meanwhile",
	verbs.CMConnectRequest:  "a peer asks for a connection: make a queue pair on the new identifier, post RECVs, then rdma_accept or rdma_reject",
	verbs.CMConnectResponse: "the peer accepted: bring the queue pair to RTS by hand, then rdma_establish",
	verbs.CMConnectError:    "the connection failed on this side or in the exchange: look at the queue pair's state and the parameters",
	verbs.CMUnreachable:     "the peer did not answer: is it up, and does its firewall let UDP 4791 through?",
	verbs.CMRejected:        "the peer refused",
	verbs.CMEstablished:     "the connection stands: both ends may send",
	verbs.CMDisconnected:    "the connection is over; rdma_disconnect on this side, too, brings the queue pair to ERR",
	verbs.CMDeviceRemoval:   "the device goes: destroy its queue pair and the identifier",
	verbs.CMMulticastJoin:   "a member of the group now: the event has its qp_num and qkey, and create_ah id= makes an address handle of it",
	verbs.CMMulticastError:  "the group could not be joined, or was lost: is the interface up, and multicast allowed on it?",
	verbs.CMAddrChange:      "the network interface has another hardware address, as a bond that failed over, and its GIDs were made anew: a queue pair of before may have none to send from, so connect anew",
	verbs.CMTimewaitExit:    "late packets of the old connection are gone: its queue pair may be used again",
}

// rejectHints say what is behind the reasons that are met.
var rejectHints = map[verbs.CMRejectReason]string{
	verbs.RejectInvalidServiceID:          "nobody listens there: is the server running, and is the port the same, and the port space?",
	verbs.RejectConsumerDefined:           "the program at the other end refused; its private data may say why",
	verbs.RejectTimeout:                   "the other end took too long to answer the exchange: on a slow host, or it never accepted",
	verbs.RejectStaleConn:                 "the other end remembers a connection of this queue pair number: wait for its time-wait to end, or take a new queue pair",
	verbs.RejectNoQP:                      "the other end has no queue pair left",
	verbs.RejectNoResources:               "the other end is out of resources, or its backlog is full",
	verbs.RejectUnsupported:               "the other end cannot do what was asked",
	verbs.RejectInvalidGID:                "the request's GID is not one of the other end's: RoCE v1 on one side and v2 on the other?",
	verbs.RejectInvalidMTU:                "the other end cannot do this path MTU",
	verbs.RejectInsufficientRespResources: "the other end cannot serve so many READs at a time: lower initiator_depth",
	verbs.RejectInvalidTransportType:      "the other end expects another kind of queue pair",
}

var cmStatusHints = map[cmStatusKey]string{
	{verbs.CMAddrError, syscall.ETIMEDOUT}:     "the neighbour does not answer ARP: is the address right, the host up, and on this network?",
	{verbs.CMAddrError, syscall.EHOSTUNREACH}:  "the neighbour does not answer ARP: is the address right, the host up, and on this network?",
	{verbs.CMAddrError, syscall.ENODEV}:        "the way to that address leads over an interface without an RDMA device",
	{verbs.CMUnreachable, syscall.ETIMEDOUT}:   "no answer to the request: the host is up, but its CM does not answer; is it an RDMA host, and UDP 4791 open?",
	{verbs.CMRejected, syscall.ECONNREFUSED}:   "the other end refused, or nobody listens there",
	{verbs.CMConnectError, syscall.ENOTCONN}:   "the queue pair could not be moved: does it belong to this identifier, and is it in INIT?",
	{verbs.CMMulticastError, syscall.ENETDOWN}: "the network interface is down",
}
