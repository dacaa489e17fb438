package command

import (
	"slices"

	"rdmatui/verbs"
)

const (
	cmGroup  = "connection manager"
	idDoc    = "the identifier"
	hostDoc  = "host name or IP address"
	addrDoc  = hostDoc + ", or one of another object: res.dst_addr"
	cmWait   = "how long the connection manager tries"
	syncWait = "with mode=sync, how long to wait for the event"
)

// howEvents is how events are waited for.
var howEvents = []string{"event", "poll", "sync"}

var cmCommands = []*Spec{
	RDMACreateEventChannel, RDMACreateID, RDMAGetAddrInfo, RDMABindAddr, RDMAResolveAddr, RDMAResolveRoute,
	RDMAListen, RDMAConnect, RDMAAccept, RDMAReject, RejectAll, RDMADisconnect, RDMAEstablish, RDMANotify,
	RDMASetOption, RDMACreateQP, RDMAInitQPAttr, RDMAJoinMulticast, RDMALeaveMulticast, RDMAMigrateID,
}

// Commands that make identifiers and connect them.
var (
	RDMACreateEventChannel = &Spec{
		Name: "rdma_create_event_channel", Group: cmGroup, Verb: "rdma_create_event_channel",
		Call:    Call{"", ReturnsPointer},
		Summary: "create a channel that delivers the events of identifiers",
		Args: []Arg{
			newName(KindEvents),
			cmDevice,
			Arg{Name: "mode", Type: Choice, Choices: howEvents[:2], Default: "event",
				Doc: "event: a thread sleeps until an event comes; poll: the caller asks repeatedly and never sleeps in the call"},
		},
		Example: "rdma_create_event_channel events",
	}
	RDMACreateID = &Spec{
		Name: "rdma_create_id", Group: cmGroup, Verb: "rdma_create_id",
		Call:    Call{"channel, &name, NULL, ps", ReturnsStatus},
		Summary: "create an identifier, the counterpart of a TCP socket",
		Args: []Arg{
			newName(KindID),
			objectArg("channel", "the channel of its events"+leftOut, KindEvents),
			enumArg("ps", verbs.CMPortSpaces, "TCP",
				"TCP: reliable connections; UDP: datagrams; IB: any service; IPOIB: datagrams on IPoIB"),
			Arg{Name: "mode", Type: Choice, Choices: howEvents,
				Doc: "creates its own channel. sync: each call waits for its event; event, poll: as for rdma_create_event_channel"},
			cmDevice,
		},
		Example: "rdma_create_id id ps=TCP",
	}
	RDMAGetAddrInfo = &Spec{
		Name: "rdma_getaddrinfo", Group: cmGroup, Verb: "rdma_getaddrinfo",
		Summary: "translate a host name and a service into addresses: res.dst_addr, with flags=PASSIVE res.src_addr",
		Args: []Arg{
			Arg{Name: "node", Type: Word,
				Doc: hostDoc + "; left out: any, with flags=PASSIVE, or this host"}.positional(),
			Arg{Name: "service", Type: Word, Doc: "name or number of a port; left out: 0"}.positional(),
			Arg{Name: "name", Type: NewName, Objects: []ObjectKind{KindAddrInfo},
				Doc: "name of the result; left out: the first free of res, res2, …"},
			flagsArg("flags", verbs.AddrInfoFlagNames, "",
				"PASSIVE: an address to listen on; NUMERICHOST: no name lookup; NOROUTE: no path; FAMILY: needed by family=IB"),
			enumArg("family", verbs.AddrFamilies, "", "address family; left out: any"),
			enumArg("qp_type", verbs.QPTypes, "", "left out: the type that fits the port space, or RC"),
			enumArg("port_space", verbs.CMPortSpaces, "", "left out: the one that fits the queue pair type, or TCP"),
			Arg{Name: "src", Type: Word, Doc: "local address, which is then part of the result"},
			cmDevice,
			limitArg("timeout", "10s", "how long to wait for the resolver"),
		},
		Example: "rdma_getaddrinfo 10.9.0.2 7471",
	}
	RDMABindAddr = &Spec{
		Name: "rdma_bind_addr", Group: cmGroup, Verb: "rdma_bind_addr",
		Call:    Call{"id, addr", ReturnsStatus},
		Summary: "bind a local address",
		Args: []Arg{
			object("id", idDoc, KindID),
			Arg{Name: "addr", Type: Word, Doc: addrDoc + "; left out: any, on every device"}.positional(),
			uintArg("port", 16, "0", "", "0: a free port"),
		},
		Example: "rdma_bind_addr id 10.9.0.1 port=7471",
	}
	RDMAResolveAddr = &Spec{
		Name: "rdma_resolve_addr", Group: cmGroup, Verb: "rdma_resolve_addr",
		Call:    Call{"id, src, dst, timeout", ReturnsStatus},
		Summary: "resolve an address to a device and a neighbour; ADDR_RESOLVED follows, or ADDR_ERROR",
		Args: []Arg{
			object("id", idDoc, KindID),
			Arg{Name: "dst", Type: Word, Doc: addrDoc + "; of the peer, or of a multicast group"}.positional().
				required(),
			uintArg("port", 16, "0", "", "of the peer"),
			Arg{Name: "src", Type: Word, Doc: "local address, or res.src_addr; left out: the routing table decides"},
			limitArg("timeout", "2s", cmWait),
		},
		Example: "rdma_resolve_addr id 10.9.0.2 port=7471",
	}
	RDMAResolveRoute = &Spec{
		Name: "rdma_resolve_route", Group: cmGroup, Verb: "rdma_resolve_route",
		Call:    Call{"id, timeout", ReturnsStatus},
		Summary: "resolve the path; ROUTE_RESOLVED follows, or ROUTE_ERROR",
		Args:    []Arg{object("id", idDoc, KindID), limitArg("timeout", "2s", cmWait)},
		Example: "rdma_resolve_route id",
	}
	RDMAListen = &Spec{
		Name: "rdma_listen", Group: cmGroup, Verb: "rdma_listen",
		Call:    Call{"id, backlog", ReturnsStatus},
		Summary: "listen for connection requests; each is an event CONNECT_REQUEST with an identifier NAME-1, NAME-2 …",
		Args: []Arg{
			object("id", idDoc+", which must be bound", KindID),
			uintArg("backlog", 31, "8", "", "maximum of pending requests; 0: the system's limit"),
		},
		Example: "rdma_listen id",
	}
	RDMAConnect = &Spec{
		Name: "rdma_connect", Group: cmGroup, Verb: "rdma_connect",
		Call:    Call{"id, &conn_param", ReturnsStatus},
		Summary: "send the connection request; ESTABLISHED follows, REJECTED, UNREACHABLE or CONNECT_ERROR",
		Args: connArgs(
			uintArg("retry_count", 3, "7", "", "retries of what is not acknowledged"),
			limitArg("timeout", "30s", syncWait)),
		Example: `rdma_connect id private_data="hello"`,
	}
	RDMAAccept = &Spec{
		Name: "rdma_accept", Group: cmGroup, Verb: "rdma_accept",
		Call:    Call{"id, &conn_param", ReturnsStatus},
		Summary: "accept a request; ESTABLISHED follows",
		Args:    connArgs(limitArg("timeout", "30s", syncWait)),
		Example: "rdma_accept listen-1",
	}
	RDMAReject = &Spec{
		Name: "rdma_reject", Group: cmGroup, Verb: "rdma_reject",
		Call:    Call{"id, private_data, private_data_len", ReturnsStatus},
		Summary: "reject a request; the peer gets REJECTED with CONSUMER_DEFINED",
		Args:    []Arg{object("id", "the request", KindID), privateData("at most 148 bytes")},
		Example: `rdma_reject listen-1 private_data="busy"`,
	}
	RejectAll = &Spec{
		Name: "reject_all", Group: cmGroup,
		Summary: "reject all pending requests and destroy their identifiers; the peers get REJECTED with CONSUMER_DEFINED",
		Args: []Arg{
			objectArg("id", "the listening identifier; left out: all", KindID).positional(),
		},
		Example: "reject_all listen",
	}
	RDMADisconnect = &Spec{
		Name: "rdma_disconnect", Group: cmGroup, Verb: "rdma_disconnect",
		Call:    Call{"id", ReturnsStatus},
		Summary: "close a connection; the queue pair goes to ERR, and both ends get DISCONNECTED",
		Args:    []Arg{object("id", idDoc, KindID), limitArg("timeout", "10s", syncWait)},
		Example: "rdma_disconnect id",
	}
	RDMAEstablish = &Spec{
		Name: "rdma_establish", Group: cmGroup, Verb: "rdma_establish",
		Call:    Call{"id", ReturnsStatus},
		Summary: "confirm a connection whose queue pair was brought up by hand, after CONNECT_RESPONSE",
		Args:    []Arg{object("id", idDoc, KindID)},
		Example: "rdma_establish id",
	}
	RDMANotify = &Spec{
		Name: "rdma_notify", Group: cmGroup, Verb: "rdma_notify",
		Call:    Call{"id, event", ReturnsStatus},
		Summary: "pass an asynchronous event of a queue pair that the connection manager did not create",
		Args: []Arg{
			object("id", idDoc, KindID),
			enumArg("event", verbs.EventTypes, "COMM_EST", "the event").positional(),
		},
		Example: "rdma_notify id COMM_EST",
	}
	RDMASetOption = &Spec{
		Name: "rdma_set_option", Group: cmGroup, Verb: "rdma_set_option",
		Call:    Call{"id, RDMA_OPTION_ID, optname, &optval, sizeof(optval)", ReturnsStatus},
		Summary: "set one option of an identifier",
		Args: []Arg{
			object("id", idDoc, KindID),
			enumArg("optname", verbs.CMOptions, "",
				"TOS: type of service; REUSEADDR and AFONLY: 0 or 1; ACK_TIMEOUT: n of 4.096 µs × 2ⁿ").
				positional().required(),
			uintArg("optval", 64, "", "", "the value").positional().required(),
		},
		Example: "rdma_set_option id TOS 32",
	}
	RDMACreateQP = &Spec{
		Name: "rdma_create_qp", Group: cmGroup, Verb: "rdma_create_qp",
		Call:    Call{"id, pd, &qp_init_attr", ReturnsStatus},
		Summary: "create a queue pair that the connection manager brings up",
		Args: append([]Arg{object("id", "the identifier, which must be bound to a device", KindID)},
			managedQPArgs()...),
		Example: "rdma_create_qp id qp pd=pd send_cq=cq",
	}
	RDMAInitQPAttr = &Spec{
		Name: "rdma_init_qp_attr", Group: cmGroup, Verb: "rdma_init_qp_attr",
		Call:    Call{"id, &attr, &mask", ReturnsStatus},
		Summary: "show the attributes that the connection manager would set for a state; then id.RTR.rq_psn is one of them",
		Args: []Arg{
			object("id", idDoc, KindID),
			someOf("qp_state", verbs.QPStates, []verbs.QPState{verbs.QPInit, verbs.QPRTR, verbs.QPRTS}, "",
				"the state").positional().required(),
			objectArg("qp", "also move this queue pair with them; left out: only show", KindQP),
		},
		Example: "rdma_init_qp_attr id RTR",
	}
	RDMAJoinMulticast = &Spec{
		Name: "rdma_join_multicast", Group: cmGroup, Verb: "rdma_join_multicast",
		Call:    Call{"id, addr, NULL", ReturnsStatus},
		Summary: "join a multicast group; MULTICAST_JOIN follows with its address, qp_num and qkey, or MULTICAST_ERROR",
		Args: []Arg{
			object("id", "the identifier, which must be bound to a device", KindID),
			Arg{Name: "addr", Type: Word, Doc: "the group's IP address"}.positional().required(),
			limitArg("timeout", "10s", syncWait),
		},
		Example: "rdma_join_multicast id 239.1.2.3",
	}
	RDMALeaveMulticast = &Spec{
		Name: "rdma_leave_multicast", Group: cmGroup, Verb: "rdma_leave_multicast",
		Call:    Call{"id, addr", ReturnsStatus},
		Summary: "leave a multicast group",
		Args: []Arg{
			object("id", idDoc, KindID),
			Arg{Name: "addr", Type: Word, Doc: "the group's IP address"}.positional().required(),
		},
		Example: "rdma_leave_multicast id 239.1.2.3",
	}
	RDMAMigrateID = &Spec{
		Name: "rdma_migrate_id", Group: cmGroup, Verb: "rdma_migrate_id",
		Call:    Call{"id, channel", ReturnsStatus},
		Summary: "move an identifier to another channel, which then gets its events",
		Args: []Arg{
			object("id", idDoc, KindID),
			Arg{Name: "channel", Type: Object, Objects: []ObjectKind{KindEvents},
				Doc: "the other channel"}.positional().required(),
		},
		Example: "rdma_migrate_id id events2",
	}
)

var cmDevice = objectArg("device",
	"a device of the provider whose connection manager is used; the route decides which device carries the connection; "+
		"left out: the first provider with a connection manager", KindAvailable)

func privateData(limit string) Arg {
	return Arg{Name: "private_data", Type: Bytes,
		Doc: `bytes for the peer, ` + limit + `: "text", 0x… for hex, pattern:LEN, or numbers such as be32:100,be32:64`}
}

// connArgs are those of rdma_connect and rdma_accept, the fields of struct
// rdma_conn_param.
func connArgs(more ...Arg) []Arg {
	return slices.Concat([]Arg{
		object("id", idDoc, KindID),
		privateData("over TCP at most 56 in a request, 196 in an answer; over UDP 180 and 136"),
		uintArg("responder_resources", 8, "1", "", "READs and atomics that the peer may have outstanding"),
		uintArg("initiator_depth", 8, "1", "", "READs and atomics that this end may have outstanding"),
		boolArg("flow_control", "1", "1: the hardware may delay requests"),
		uintArg("rnr_retry_count", 3, "7", "", "retries if the peer has no RECV; 7: forever"),
		boolArg("srq", "0",
			"1: receive requests come from a shared queue; only for a queue pair not created by rdma_create_qp"),
		uintArg("qp_num", 24, "", "", "the queue pair, if it was not created by rdma_create_qp"),
	}, more)
}

// managedQPArgs are those of create_qp; what kind of queue pair it is follows
// from the port space.
func managedQPArgs() []Arg {
	args := slices.Clone(CreateQP.Args)
	for i := range args {
		if args[i].Name == "qp_type" {
			args[i].Default = ""
			args[i].Doc += "; left out: RC for TCP, UD for UDP"
		}
	}
	return args
}

var cmEventCommands = []*Spec{RDMAGetCMEvent, RDMAGetRequest}

// Commands that take the events of the connection manager.
var (
	RDMAGetCMEvent = &Spec{
		Name: "rdma_get_cm_event", Group: cmGroup, Verb: "rdma_get_cm_event",
		Call:    Call{"channel, &event", ReturnsStatus},
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
		Call:    Call{"id, &id", ReturnsStatus},
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

var multicastCommands = []*Spec{AttachMcast, DetachMcast}

// Commands that let UD queue pairs into groups. A datagram to one goes to an
// address handle with the group's dgid and to remote_qpn 0xffffff.
var (
	AttachMcast = &Spec{
		Name: "attach_mcast", Group: "multicast", Verb: "ibv_attach_mcast",
		Call:    Call{"qp, gid, lid", ReturnsErrno},
		Summary: "let a UD queue pair receive messages to a group: its dgid, remote_qpn 0xffffff",
		Args: mcastArgs("the group: on RoCE a multicast IP address, which the network stack must also have joined: with the kernel's Soft-RoCE " +
			"a program must join it on the netdev, as rdma_join_multicast does"),
		Example: "attach_mcast u gid=239.1.2.3",
	}
	DetachMcast = &Spec{
		Name: "detach_mcast", Group: "multicast", Verb: "ibv_detach_mcast",
		Call:    Call{"qp, gid, lid", ReturnsErrno},
		Summary: "remove a queue pair from a group; it cannot be destroyed before",
		Args:    mcastArgs("the group"),
		Example: "detach_mcast u gid=239.1.2.3",
	}
)

func mcastArgs(gidDoc string) []Arg {
	return []Arg{
		object("qp", "the UD queue pair", KindQP),
		Arg{Name: "gid", Type: GIDValue, Doc: gidDoc}.required(),
		uintArg("lid", 16, "0", "", "the group's LID; InfiniBand only"),
	}
}
