package session

import "rdmatui/verbs"

// Steps are what a call begins and an event ends, by the names of the calls.
const (
	stepAddr       = "resolve_addr"
	stepRoute      = "resolve_route"
	stepConnect    = "connect"
	stepAccept     = "accept"
	stepDisconnect = "disconnect"
	stepJoin       = "join_multicast"
)

// cmReaction is what an event does to its identifier.
type cmReaction struct {
	to    IDState
	moves bool     // to counts; otherwise the state stays
	ends  []string // the steps that it ends
}

var cmReactions = map[verbs.CMEventType]cmReaction{
	verbs.CMAddrResolved:    {IDAddrResolved, true, []string{stepAddr}},
	verbs.CMAddrError:       {IDError, true, []string{stepAddr}},
	verbs.CMRouteResolved:   {IDRouteResolved, true, []string{stepRoute}},
	verbs.CMRouteError:      {IDError, true, []string{stepRoute}},
	verbs.CMConnectRequest:  {IDRequest, true, nil},
	verbs.CMConnectResponse: {IDConnecting, true, []string{stepConnect}},
	verbs.CMConnectError:    {IDError, true, []string{stepConnect, stepAccept}},
	verbs.CMUnreachable:     {IDError, true, []string{stepConnect, stepAccept}},
	verbs.CMRejected:        {IDError, true, []string{stepConnect, stepAccept}},
	verbs.CMEstablished:     {IDConnected, true, []string{stepConnect, stepAccept}},
	verbs.CMDisconnected:    {IDDisconnected, true, []string{stepDisconnect}},
	verbs.CMDeviceRemoval:   {IDError, true, []string{stepAddr, stepRoute, stepConnect, stepAccept, stepDisconnect, stepJoin}},
	verbs.CMMulticastJoin:   {0, false, []string{stepJoin}},
	verbs.CMMulticastError:  {0, false, []string{stepJoin}},
}
