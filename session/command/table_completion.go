package command

import "rdmatui/verbs"

var completionCommands = []Spec{
	{
		Name: "create_comp_channel", Group: "completion", Verb: "ibv_create_comp_channel",
		Summary: "make a channel that delivers completion events",
		Args:    []Arg{newName(KindChannel), openDevice, deviceOfID},
		Example: "create_comp_channel ch",
	},
	{
		Name: "create_cq", Group: "completion", Verb: "ibv_create_cq",
		Summary: "make a completion queue",
		Args: []Arg{
			newName(KindCQ),
			openDevice,
			deviceOfID,
			uintArg("cqe", 31, "64", "", "entries at least; the device may round up"),
			objectArg("channel", "the channel of its events; left out: it can only be polled", KindChannel),
			uintArg("comp_vector", 31, "0", "", "which interrupt signals its events"),
			flagsArg("wc_flags", verbs.CQWCFlagNames, "", "what its completions tell beyond ibv_poll_cq: COMPLETION_TIMESTAMP in ticks of hca_core_clock, COMPLETION_TIMESTAMP_WALLCLOCK in ns since 1970; not 0: ibv_create_cq_ex, polled by ibv_start_poll"),
		},
		Example: "create_cq cq cqe=64",
	},
	{
		Name: "resize_cq", Group: "completion", Verb: "ibv_resize_cq",
		Summary: "change the size of a completion queue; what is in it stays",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			uintArg("cqe", 31, "", "", "entries at least, and no fewer than wait to be polled; the device may round up").required(),
		},
		Example: "resize_cq cq cqe=128",
	},
	{
		Name: "poll_cq", Group: "completion", Verb: "ibv_poll_cq",
		Summary: "take completions from a queue",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			uintArg("n", 31, "1", "", "how many to take at most; with timeout, how many to wait for"),
			limitArg("timeout", "0s", "how long to wait; fewer than n by then is a failure. 0: do not wait"),
			objectArg("while", "wait only as long as this identifier is connected; its end ends the wait, and is no failure", KindID),
		},
		Example: "poll_cq cq n=2 timeout=1s",
	},
	{
		Name: "req_notify_cq", Group: "completion", Verb: "ibv_req_notify_cq",
		Summary: "ask for one event at the next completion",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			boolArg("solicited_only", "0", "1: only a solicited or failed completion counts"),
		},
		Example: "req_notify_cq cq solicited_only=0",
	},
	{
		Name: "get_cq_event", Group: "completion", Verb: "ibv_get_cq_event",
		Summary: "wait for the next completion event of a channel",
		Args: []Arg{
			object("channel", "the channel", KindChannel),
			limitArg("timeout", "1s", "how long to wait; nothing by then is a failure"),
		},
		Example: "get_cq_event ch timeout=2s",
	},
	{
		Name: "ack_cq_events", Group: "completion", Verb: "ibv_ack_cq_events",
		Summary: "acknowledge completion events; a queue with unacknowledged ones cannot be destroyed",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			uintArg("n", 31, "1", "", "how many"),
		},
		Example: "ack_cq_events cq n=1",
	},
	{
		Name: "cq_mode", Group: "completion",
		Summary: "choose how a live session takes a queue's completions",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			Arg{Name: "mode", Type: Choice, Choices: []string{"poll", "busy", "blocking", "nonblocking"}, Default: "poll",
				Doc: "poll: with rests while nothing comes; busy: without, which takes a core; blocking: sleep until there is a completion event; nonblocking: ask the channel again and again"},
			boolArg("solicited_only", "0", "1: with events, only a solicited or failed completion raises one"),
			uintArg("ack_every", 16, "1", "", "with events, how many one ibv_ack_cq_events acknowledges; 1 or more"),
		},
		Example: "cq_mode cq mode=blocking solicited_only=1",
	},
	{
		Name: "cq_stats", Group: "completion",
		Summary: "tell how completions were taken: polls that were empty, events, acknowledgements, CPU time of each way",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			boolArg("reset", "0", "1: begin to count anew"),
		},
		Example: "cq_stats cq",
	},
}
