package command

import "rdmatui/verbs"

var cmEventCommands = []*Spec{RDMAGetCMEvent, RDMAGetRequest}

// Commands that take the events of the connection manager.
var (
	RDMAGetCMEvent = &Spec{
		Name: "rdma_get_cm_event", Group: cmGroup, Verb: "rdma_get_cm_event",
		Summary: "wait for the next event of a channel, or of one identifier",
		Args: []Arg{
			enumArg("event", verbs.CMEventTypes, "", "the expected event: any other is a failure; left out: any").
				positional(),
			objectArg("channel", "the channel; left out: the identifier's, or the only one", KindEvents),
			objectArg("id", "only events of this identifier, or requests that it received; left out: any", KindID),
			Arg{Name: "name", Type: NewName, Objects: []ObjectKind{KindID},
				Doc: "name of the identifier of a CONNECT_REQUEST; left out: LISTENER-N"},
			limitArg("timeout", "1s", "how long to wait; no event by then is a failure"),
		},
		Example: "rdma_get_cm_event CONNECT_REQUEST name=req timeout=1h",
	}
	RDMAGetRequest = &Spec{
		Name: "rdma_get_request", Group: cmGroup, Verb: "rdma_get_request",
		Summary: "wait for a connection request on an identifier of mode=sync",
		Args: []Arg{
			object("id", "the listening identifier", KindID),
			Arg{Name: "name", Type: NewName, Objects: []ObjectKind{KindID},
				Doc: "name of the request; left out: LISTENER-N"},
			limitArg("timeout", "1s", "how long to wait; no event by then is a failure"),
		},
		Example: "rdma_get_request listen name=req timeout=1h",
	}
)

var cmChecks = []*Spec{ExpectCM, ExpectID}

// Forms of expect that are about the connection manager.
var (
	ExpectCM = &Spec{
		Name: "expect cm", Group: "check",
		Summary: "fail unless this connection manager event was taken or comes in time",
		Args: []Arg{
			enumArg("event", verbs.CMEventTypes, "", "the event").positional().required(),
			objectArg("id", "its identifier; left out: any", KindID),
			Arg{Name: "status", Type: Word, Doc: "0, a name such as CONSUMER_DEFINED or ETIMEDOUT, or a number"},
			Arg{Name: "private_data", Type: Bytes,
				Doc: "the beginning of the peer's private data, which the connection manager pads with zeros"},
			limitArg("timeout", "1s", "how long to wait for it"),
		},
		Example: `expect cm REJECTED status=CONSUMER_DEFINED private_data="busy"`,
	}
	ExpectID = &Spec{
		Name: "expect id", Group: "check",
		Summary: "fail unless an identifier is in this state",
		Args: []Arg{
			object("id", idDoc, KindID),
			Arg{Name: "state", Type: Choice, Choices: IDStates, Doc: "the state"}.positional().required(),
		},
		Example: "expect id id CONNECTED",
	}
)
