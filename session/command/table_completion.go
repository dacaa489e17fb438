package command

import "rdmatui/verbs"

var completionCommands = []*Spec{
	CreateCompChannel, CreateCQ, ResizeCQ, ModifyCQ, PollCQ, ReqNotifyCQ, GetCQEvent, AckCQEvents, CQMode, CQStats,
}

// Commands about completion queues and their channels.
var (
	CreateCompChannel = &Spec{
		Name: "create_comp_channel", Group: "completion", Verb: "ibv_create_comp_channel",
		Call:    Call{"device", ReturnsPointer},
		Summary: "create a channel that delivers completion events",
		Args:    []Arg{newName(KindChannel), openDevice, deviceOfID},
		Example: "create_comp_channel ch",
	}
	CreateCQ = &Spec{
		Name: "create_cq", Group: "completion", Verb: "ibv_create_cq",
		Summary: "create a completion queue",
		Args: []Arg{
			newName(KindCQ),
			openDevice,
			deviceOfID,
			uintArg("cqe", 31, "64", "", "minimum number of entries; the device may round up"),
			objectArg("channel", "the channel of its events; left out: polling only", KindChannel),
			uintArg("comp_vector", 31, "0", "", "the interrupt that signals its events"),
			flagsArg("wc_flags", verbs.CQWCFlagNames, "", "additional fields of its completions: COMPLETION_TIMESTAMP in ticks of hca_core_clock, COMPLETION_TIMESTAMP_WALLCLOCK in ns since 1970; not 0: ibv_create_cq_ex, polled by ibv_start_poll"),
		},
		Example: "create_cq cq cqe=64",
	}
	ResizeCQ = &Spec{
		Name: "resize_cq", Group: "completion", Verb: "ibv_resize_cq",
		Call:    Call{"cq, cqe", ReturnsErrno},
		Summary: "resize a completion queue; its completions are kept",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			uintArg("cqe", 31, "", "",
				"minimum number of entries, at least as many as are in the queue; the device may round up").required(),
		},
		Example: "resize_cq cq cqe=128",
	}
	ModifyCQ = &Spec{
		Name: "modify_cq", Group: "completion", Verb: "ibv_modify_cq",
		Call:    Call{"cq, &modify_cq_attr", ReturnsErrno},
		Summary: "moderate the events of a completion queue: one for several completions",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			uintArg("cq_count", 16, "", "", "completions until the event; 0 or 1: the first raises it").required(),
			uintArg("cq_period", 16, "", "µs",
				"time after the first completion until the event; 0: the first raises it").required(),
		},
		Example: "modify_cq cq cq_count=16 cq_period=100",
	}
	PollCQ = &Spec{
		Name: "poll_cq", Group: "completion", Verb: "ibv_poll_cq",
		Summary: "poll completions from a queue",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			uintArg("n", 31, "1", "", "maximum number of completions; with timeout, the number to wait for"),
			limitArg("timeout", "0s", "how long to wait; fewer than n by then is a failure; 0: do not wait"),
			objectArg("while",
				"wait only while this identifier is connected; a disconnect ends the wait without failure", KindID),
		},
		Example: "poll_cq cq n=2 timeout=1s",
	}
	ReqNotifyCQ = &Spec{
		Name: "req_notify_cq", Group: "completion", Verb: "ibv_req_notify_cq",
		Call:    Call{"cq, solicited_only", ReturnsErrno},
		Summary: "arm a queue: its next completion raises one event",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			boolArg("solicited_only", "0", "1: only a solicited or failed completion counts"),
		},
		Example: "req_notify_cq cq solicited_only=0",
	}
	GetCQEvent = &Spec{
		Name: "get_cq_event", Group: "completion", Verb: "ibv_get_cq_event",
		Call:    Call{"channel, &cq, &cq_context", ReturnsStatus},
		Summary: "wait for the next completion event of a channel",
		Args: []Arg{
			object("channel", "the channel", KindChannel),
			limitArg("timeout", "1s", "how long to wait; no event by then is a failure"),
		},
		Example: "get_cq_event ch timeout=2s",
	}
	AckCQEvents = &Spec{
		Name: "ack_cq_events", Group: "completion", Verb: "ibv_ack_cq_events",
		Call:    Call{"cq, n", ReturnsNothing},
		Summary: "acknowledge completion events; a queue with unacknowledged ones cannot be destroyed",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			uintArg("n", 31, "1", "", "how many"),
		},
		Example: "ack_cq_events cq n=1",
	}
	CQMode = &Spec{
		Name: "cq_mode", Group: "completion",
		Summary: "set how a live session polls a queue",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			Arg{Name: "mode", Type: Choice, Choices: []string{"poll", "busy", "blocking", "nonblocking"},
				Default: "poll",
				Doc:     "poll: with pauses while idle; busy: busy polling, uses one full core; blocking: sleep until a completion event; nonblocking: ask the channel repeatedly"},
			boolArg("solicited_only", "0", "1: with events, only a solicited or failed completion raises one"),
			uintArg("ack_every", 16, "1", "",
				"with events, the number that one ibv_ack_cq_events acknowledges; 1 or more"),
		},
		Example: "cq_mode cq mode=blocking solicited_only=1",
	}
	CQStats = &Spec{
		Name: "cq_stats", Group: "completion",
		Summary: "show polling statistics: empty polls, events, acknowledgements, CPU time of each mode",
		Args: []Arg{
			object("cq", "the queue", KindCQ),
			boolArg("reset", "0", "1: reset the counts"),
		},
		Example: "cq_stats cq",
	}
)
