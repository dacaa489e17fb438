package cm

import (
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// Steps that a call starts and an event ends, named after the calls.
const (
	stepAddr       = "resolve_addr"
	stepRoute      = "resolve_route"
	stepConnect    = "connect"
	stepAccept     = "accept"
	stepDisconnect = "disconnect"
	stepJoin       = "join_multicast"
)

// reaction is the effect of an event on its identifier.
type reaction struct {
	to    core.IDState
	moves bool     // use to; otherwise the state stays
	ends  []string // the steps that it ends
}

var reactions = map[verbs.CMEventType]reaction{
	verbs.CMAddrResolved:    {core.IDAddrResolved, true, []string{stepAddr}},
	verbs.CMAddrError:       {core.IDError, true, []string{stepAddr}},
	verbs.CMRouteResolved:   {core.IDRouteResolved, true, []string{stepRoute}},
	verbs.CMRouteError:      {core.IDError, true, []string{stepRoute}},
	verbs.CMConnectRequest:  {core.IDRequest, true, nil},
	verbs.CMConnectResponse: {core.IDConnecting, true, []string{stepConnect}},
	verbs.CMConnectError:    {core.IDError, true, []string{stepConnect, stepAccept}},
	verbs.CMUnreachable:     {core.IDError, true, []string{stepConnect, stepAccept}},
	verbs.CMRejected:        {core.IDError, true, []string{stepConnect, stepAccept}},
	verbs.CMEstablished:     {core.IDConnected, true, []string{stepConnect, stepAccept}},
	verbs.CMDisconnected:    {core.IDDisconnected, true, []string{stepDisconnect}},
	verbs.CMDeviceRemoval: {core.IDError, true,
		[]string{stepAddr, stepRoute, stepConnect, stepAccept, stepDisconnect, stepJoin}},
	verbs.CMMulticastJoin:  {0, false, []string{stepJoin}},
	verbs.CMMulticastError: {0, false, []string{stepJoin}},
}
