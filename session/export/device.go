package export

import (
	"fmt"
	"slices"

	"rdmatui/session/command"
)

// OpenDevice translates open_device.
func OpenDevice(t *line) {
	name := t.full.String("device")
	if name == "" {
		panic(leftOut("no device was named"))
	}
	o := t.make(command.KindDevice, name)
	from := "device_name"
	if t.device == "" {
		t.device = name
	} else if name != t.device {
		from = defined(&t.devices, "DEVICE", name, 2)
	}
	call := fmt.Sprintf("open_device(%s)", from)
	if t.outcome == works {
		t.put("%s = %s;\nif (!%s)\n\texit(EXIT_FAILURE); /* open_device printed the reason */", o.expr, call, o.expr)
	} else {
		t.pointerCall(o.expr, call, "ibv_open_device")
	}
	t.settleNew(o)
}

// creates writes the call that returns a new object.
func (t *line) creates(o *object, call, label string) {
	t.pointerCall(o.expr, call, label)
	t.settleNew(o)
}

// settleNew marks a new object as gone if the line is to fail.
func (t *line) settleNew(o *object) {
	if t.outcome == fails {
		o.gone = true
	}
}

// QueryGID translates query_gid.
func QueryGID(t *line) {
	d := t.deviceOf()
	port := t.portNumber("port_num")
	if t.hasArg("index") {
		queryOneGID(t, d, port)
		return
	}
	if t.outcome != works {
		panic(leftOut("all rows of a table are read one by one"))
	}
	t.open("for (int row = 0; row < port_attr_of(%s, %s).gid_tbl_len; row++) {", d.expr, port)
	t.put("union ibv_gid gid;\n")
	t.put("if (!ibv_query_gid(%s, %s, row, &gid) && (gid.global.subnet_prefix || gid.global.interface_id))\n\tshow_gid(row, gid);", d.expr, port)
	t.close()
}

func queryOneGID(t *line, d *object, port string) {
	index := t.uint("index")
	t.open("{")
	t.put("union ibv_gid gid = { .raw = { 0 } };\n")
	t.statusCall(fmt.Sprintf("ibv_query_gid(%s, %s, %s, &gid)", d.expr, port, index), label("ibv_query_gid", d.expr))
	t.put("show_gid(%s, gid);", index)
	t.close()
}

// GetAsyncEvent translates get_async_event.
func GetAsyncEvent(t *line) {
	d := t.deviceOf()
	t.condition(fmt.Sprintf("get_async_event(%s, -1, NULL, %s)", d.expr, t.millis("timeout")),
		"an asynchronous event comes in time")
}

// CloseObject gives an object back by its verb.
func CloseObject(t *line) {
	if o := t.byName[t.full.String("object")]; o != nil && o.part && o.kind != command.KindQP {
		panic(leftOut("librdmacm destroys it with what it was created for"))
	}
	o := t.object("object")
	t.closing(o)
	if t.outcome != fails {
		o.gone = true
	}
}

// closing writes the call that destroys an object.
func (t *line) closing(o *object) {
	if o.kind == command.KindQP && o.id != nil {
		t.put("rdma_destroy_qp(%s);", o.id.expr)
		t.forget(o)
		for _, q := range t.made { // librdmacm destroys the queues that it created for it
			q.gone = q.gone || q.part && o.part && q.kind != command.KindPD && slices.Contains(q.uses, o.id)
		}
		return
	}
	verb := command.CloseVerb(o.kind)
	function := verb
	switch {
	case o.kind == command.KindMR && !o.overDM:
		function = "dereg_mr" // gives back the program's memory, too
	case o.kind == command.KindID && !o.sync:
		function = "destroy_id"
	}
	t.check(closeReturns(o.kind), label(function, o.expr), label(verb, o.expr))
	if t.outcome != fails {
		t.forget(o)
		t.leaveChannel(o)
	}
}

// closeReturns says how the function that destroys an object reports a failure.
func closeReturns(kind command.ObjectKind) command.Returns {
	switch kind {
	case command.KindEvents, command.KindAddrInfo:
		return command.ReturnsNothing
	case command.KindID:
		return command.ReturnsStatus
	}
	return command.ReturnsErrno
}

// forget sets an object's variable to show that the object is gone, if it may be read
// later.
func (t *translator) forget(o *object) {
	if o.perhaps && o.kind != command.KindPeer {
		t.put("%s = NULL;", o.expr)
	}
}
