package command

import (
	"slices"

	"rdmatui/verbs"
)

var checkCommands = []*Spec{ExpectWC, ExpectMem, ExpectState, ExpectAsync, ExpectError}

// Forms of expect.
var (
	ExpectWC = &Spec{
		Name: "expect wc", Group: "check",
		Summary: "fail unless a polled completion has all these values",
		Args: slices.Concat([]Arg{
			objectArg("cq", "its completion queue; left out: any", KindCQ),
			objectArg("qp", "its queue pair; left out: any", KindQP),
			objectArg("while",
				"do not fail for a missing or flushed completion once this identifier's connection has ended", KindID),
		}, wcFieldArgs()),
		Example: "expect wc wr_id=7 status=SUCCESS byte_len=5",
		check:   checkExpectWC,
	}
	ExpectMem = &Spec{
		Name: "expect mem", Group: "check",
		Summary: "fail unless a memory region holds these bytes",
		Args: []Arg{
			object("mr", "the region", KindMR),
			uintArg("offset", 63, "0", "bytes", "from the region's start").positional(),
			Arg{Name: "data", Type: Bytes,
				Doc: `"text", 0x… for hex, pattern:LEN[:FROM], file:PATH, or numbers: be32:100,le64:src.addr`}.positional(),
			objectArg("like", "another region whose bytes these must equal, instead of data", KindMR),
		},
		Example: `expect mem dst 0 "hello"`,
		check:   checkExpectMem,
	}
	ExpectState = &Spec{
		Name: "expect state", Group: "check",
		Summary: "fail unless a queue pair is in this state",
		Args: []Arg{
			object("qp", "the queue pair", KindQP),
			stateArg("qp_state", "the state").positional().required(),
		},
		Example: "expect state a RTS",
	}
	ExpectAsync = &Spec{
		Name: "expect async", Group: "check",
		Summary: "fail unless this asynchronous event has come or comes in time",
		Args: []Arg{
			enumArg("event_type", verbs.EventTypes, "", "the event").positional().required(),
			objectArg("qp", "its queue pair; left out: any", KindQP),
			objectArg("srq", "its shared receive queue; left out: any", KindSRQ),
			limitArg("timeout", "1s", "how long to wait for it"),
		},
		Example: "expect async QP_FATAL timeout=2s",
	}
	ExpectError = &Spec{
		Name: "expect error", Group: "check",
		Summary: "run a line that must fail",
		Args: []Arg{
			Arg{Name: "errno", Type: Errno, Doc: "the expected errno; left out: any failure"}.positional(),
			Arg{Name: "line", Type: Line, Doc: "the line"}.positional().required(),
		},
		Example: "expect error EINVAL modify_qp a RTS sq_psn=0",
		check:   checkNesting,
	}
)

// wcFieldArgs describes the fields of struct ibv_wc as arguments.
func wcFieldArgs() []Arg {
	args := make([]Arg, len(verbs.WCFields))
	for i := range verbs.WCFields {
		name := verbs.WCFields[i].Name
		switch name {
		case "status":
			args[i] = enumArg(name, verbs.WCStatuses, "", "how the request ended")
		case "opcode":
			args[i] = enumArg(name, verbs.WCOpcodes, "", "the operation; undefined if the request failed")
		case "wc_flags":
			args[i] = flagsArg(name, verbs.WCFlagNames, "", "which other fields are set")
		case "wr_id":
			args[i] = uintArg(name, 64, "", "", "the wr_id of the request")
		default:
			args[i] = uintArg(name, 32, "", "", "exactly this value")
		}
	}
	return args
}
