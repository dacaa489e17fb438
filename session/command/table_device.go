package command

var openDevice = objectArg("device", "the open device; may be left out if only one is open", KindDevice)

var deviceOfID = objectArg("id", "on this identifier's device", KindID)

const (
	firstActive = "the first that is ACTIVE, or port 1"
	defaultPort = "the device's default port"
	byPeer      = "chosen by the peer"
)

// portArg is a port of a device.
func portArg(doc string) Arg { return uintArg("port_num", 8, "", "", doc) }

var deviceCommands = []*Spec{
	OpenDevice, QueryDevice, QueryRTValuesEx, QueryPort, QueryGID, QueryPKey, GetAsyncEvent,
}

// Commands that open a device and ask it.
var (
	OpenDevice = &Spec{
		Name: "open_device", Group: "device", Verb: "ibv_open_device",
		Call:    Call{"device", ReturnsPointer},
		Summary: "open a device, which then keeps its name",
		Args: []Arg{
			object("device", "the device to open", KindAvailable),
			portArg("the device's default port, for lines without port_num").otherwise(firstActive),
			uintArg("sgid_index", 8, "", "", "the default row of that port's GID table, for lines without sgid_index").
				otherwise(byPeer),
		},
		Example: "open_device soft0",
	}
	QueryDevice = &Spec{
		Name: "query_device", Group: "device", Verb: "ibv_query_device",
		Call:    Call{"device, &attr", ReturnsErrno},
		Summary: "read the device's attributes",
		Args:    []Arg{object("device", "the open device", KindDevice)},
		Example: "query_device soft0",
	}
	QueryRTValuesEx = &Spec{
		Name: "query_rt_values_ex", Group: "device", Verb: "ibv_query_rt_values_ex",
		Call:    Call{"device, &values", ReturnsErrno},
		Summary: "read the clock that completion_ts is read from; tv_nsec is in ticks of hca_core_clock",
		Args:    []Arg{object("device", "the open device", KindDevice)},
		Example: "query_rt_values_ex soft0",
	}
	QueryPort = &Spec{
		Name: "query_port", Group: "device", Verb: "ibv_query_port",
		Call:    Call{"device, port_num, &attr", ReturnsErrno},
		Summary: "read a port's attributes",
		Args: []Arg{
			object("device", "the open device", KindDevice),
			portArg("the port, from 1").otherwise(defaultPort),
		},
		Example: "query_port soft0 port_num=1",
	}
	QueryGID = &Spec{
		Name: "query_gid", Group: "device", Verb: "ibv_query_gid_ex",
		Summary: "read one row of a port's GID table, or all rows in use",
		Args: []Arg{
			object("device", "the open device", KindDevice),
			portArg("the port, from 1").otherwise(defaultPort),
			uintArg("index", 16, "", "", "the row, from 0; left out: all rows in use"),
		},
		Example: "query_gid soft0 index=1",
	}
	QueryPKey = &Spec{
		Name: "query_pkey", Group: "device", Verb: "ibv_query_pkey",
		Call:    Call{"device, port_num, index, &pkey", ReturnsStatus},
		Summary: "read one row of a port's P_Key table",
		Args: []Arg{
			object("device", "the open device", KindDevice),
			portArg("the port, from 1").otherwise(defaultPort),
			uintArg("index", 16, "0", "", "the row, from 0"),
		},
		Example: "query_pkey soft0 index=0",
	}
	GetAsyncEvent = &Spec{
		Name: "get_async_event", Group: "device", Verb: "ibv_get_async_event",
		Call:    Call{"device, &event", ReturnsStatus},
		Summary: "wait for the next asynchronous event of a device and acknowledge it",
		Args: []Arg{
			object("device", "the open device", KindDevice),
			limitArg("timeout", "1s", "how long to wait; no event by then is a failure"),
		},
		Example: "get_async_event soft0 timeout=2s",
	}
)
