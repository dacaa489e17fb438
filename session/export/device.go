package export

import (
	"fmt"

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

// settleNew marks a new object as gone if the line is to fail.
func (t *line) settleNew(o *object) {
	if t.outcome == fails {
		o.gone = true
	}
}

// QueryDevice translates query_device.
func QueryDevice(t *line) {
	d := t.deviceOf()
	t.open("{")
	t.put("struct ibv_device_attr attr;\n")
	t.errorCall(fmt.Sprintf("ibv_query_device(%s, &attr)", d.expr), label("ibv_query_device", d.expr))
	t.put("%s",
		`printf("%s: max_qp %d, max_qp_wr %d, max_sge %d, max_cq %d, max_cqe %d, max_mr %d\n", attr.fw_ver,`+"\n\t"+
			"attr.max_qp, attr.max_qp_wr, attr.max_sge, attr.max_cq, attr.max_cqe, attr.max_mr);")
	t.close()
}

// QueryPort translates query_port.
func QueryPort(t *line) {
	d := t.deviceOf()
	port := t.portNumber("port_num")
	t.open("{")
	t.put("struct ibv_port_attr port = { .state = IBV_PORT_NOP };\n")
	t.errorCall(fmt.Sprintf("ibv_query_port(%s, %s, &port)", d.expr, port), label("ibv_query_port", d.expr))
	t.put(`printf("port %%d: %%s, max_mtu %%d, active_mtu %%d, lid %%d\n", %s, ibv_port_state_str(port.state),`+"\n\t"+
		"128 << port.max_mtu, 128 << port.active_mtu, port.lid);", port)
	t.close()
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

// QueryPKey translates query_pkey.
func QueryPKey(t *line) {
	d := t.deviceOf()
	t.open("{")
	t.put("__be16 pkey = 0;\n")
	t.statusCall(fmt.Sprintf("ibv_query_pkey(%s, %s, %s, &pkey)", d.expr, t.portNumber("port_num"), t.uint("index")),
		label("ibv_query_pkey", d.expr))
	t.put("%s", `printf("pkey 0x%04x\n", ntohs(pkey));`)
	t.close()
}

// QueryRTValuesEx translates query_rt_values_ex.
func QueryRTValuesEx(t *line) {
	d := t.deviceOf()
	t.open("{")
	t.put("struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };\n")
	t.errorCall(fmt.Sprintf("ibv_query_rt_values_ex(%s, &values)", d.expr), label("ibv_query_rt_values_ex", d.expr))
	t.put("%s", `printf("raw_clock: tv_sec %lld, tv_nsec %lld\n", (long long)values.raw_clock.tv_sec, (long long)values.raw_clock.tv_nsec);`)
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
	o := t.object("object")
	t.closing(o)
	if t.outcome != fails {
		o.gone = true
	}
}

// closing writes the call that destroys an object.
func (t *line) closing(o *object) {
	call := closeCalls[o.kind]
	if o.kind == command.KindID && !o.sync {
		call.verb, call.shown = "destroy_id", "rdma_destroy_id"
	}
	if o.overDM {
		call.verb = call.names() // there is no memory of the program's to give back
	}
	if o.kind == command.KindQP && o.id != nil {
		t.put("rdma_destroy_qp(%s);", o.id.expr)
		t.forget(o)
		return
	}
	switch call.returns {
	case nothing:
		t.put("%s(%s);", call.verb, o.expr)
	case anErrno:
		t.errorCall(label(call.verb, o.expr), label(call.names(), o.expr))
	case aStatus:
		t.statusCall(label(call.verb, o.expr), label(call.names(), o.expr))
	}
	if t.outcome != fails {
		t.forget(o)
		t.leaveChannel(o)
	}
}

// forget sets an object's variable to show that the object is gone, if it may be read
// later.
func (t *translator) forget(o *object) {
	if o.perhaps && o.kind != command.KindPeer {
		t.put("%s = NULL;", o.expr)
	}
}

// closeCalls are the functions that destroy objects, with what they return.
var closeCalls = map[command.ObjectKind]closeCall{
	command.KindDevice:  {"ibv_close_device", "", anErrno},
	command.KindPD:      {"ibv_dealloc_pd", "", anErrno},
	command.KindMR:      {"dereg_mr", "ibv_dereg_mr", anErrno},
	command.KindChannel: {"ibv_destroy_comp_channel", "", anErrno},
	command.KindCQ:      {"ibv_destroy_cq", "", anErrno},
	command.KindSRQ:     {"ibv_destroy_srq", "", anErrno},
	command.KindQP:      {"ibv_destroy_qp", "", anErrno},
	command.KindAH:      {"ibv_destroy_ah", "", anErrno},
	command.KindEvents:  {"rdma_destroy_event_channel", "", nothing},
	command.KindID:      {"rdma_destroy_id", "", aStatus},

	command.KindAddrInfo: {"rdma_freeaddrinfo", "", nothing},
	kindMW:               {"ibv_dealloc_mw", "", anErrno},
	command.KindDM:       {"ibv_free_dm", "", anErrno},
}

type closeCall struct {
	verb, shown string // shown in messages; "": verb
	returns     returns
}

// returns says how a C function reports a failure.
type returns uint8

const (
	nothing returns = iota
	anErrno         // the result is the errno
	aStatus         // the result is not 0, and errno has the reason
)

func (c closeCall) names() string {
	if c.shown != "" {
		return c.shown
	}
	return c.verb
}
