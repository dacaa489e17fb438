package export

import (
	"fmt"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// CreateEventChannel translates rdma_create_event_channel.
func CreateEventChannel(t *line) {
	o := t.make(command.KindEvents, t.newName(command.KindEvents))
	t.pointerCall(o.expr, t.callText(nil), t.cmd.Spec.Verb)
	if t.full.String("mode") == "poll" {
		t.nonblocking(o.expr)
	}
	t.settleNew(o)
}

// nonblocking makes rdma_get_cm_event on a channel non-blocking.
func (t *translator) nonblocking(channel string) {
	t.put("if (fcntl(%s->fd, F_SETFL, fcntl(%s->fd, F_GETFL) | O_NONBLOCK))\n\tdie(\"fcntl\", errno);", channel,
		channel)
}

// ownChannel is the channel of an identifier that was made without one. Identifiers
// of requests to it share the channel.
type ownChannel struct {
	expr    string
	members int // identifiers that belong to it
}

// joinChannel adds an identifier to an implicit channel.
func (o *object) joinChannel(ch *ownChannel) {
	o.own = ch
	ch.members++
}

// leaveChannel destroys an implicit channel with its last identifier.
func (t *translator) leaveChannel(o *object) {
	if o.own == nil {
		return
	}
	if o.own.members--; o.own.members == 0 {
		t.put("rdma_destroy_event_channel(%s);", o.own.expr)
	}
	o.own = nil
}

// CreateID translates rdma_create_id.
func CreateID(t *line) {
	channel := "NULL"
	mode := t.full.String("mode")
	var o *object
	switch {
	case mode == "":
		ch := t.object("channel")
		channel = ch.expr
		o = t.make(command.KindID, t.newName(command.KindID), ch)
	case mode == "sync":
		o = t.make(command.KindID, t.newName(command.KindID))
		o.sync = true
	default:
		o = t.make(command.KindID, t.newName(command.KindID))
		channel = t.vars.named(o.name+"_channel", "channel", "struct rdma_event_channel *", "NULL")
		o.joinChannel(&ownChannel{expr: channel})
		t.put("%s = rdma_create_event_channel();\nif (!%s)\n\tdie(\"rdma_create_event_channel\", errno);", channel,
			channel)
		if mode == "poll" {
			t.nonblocking(channel)
		}
	}
	ps := t.full.PortSpace("ps")
	o.datagram = ps.IsDatagram()
	t.statusCall(t.callText(map[string]string{"channel": channel, "&name": "&" + o.expr}), "rdma_create_id")
	t.settleNew(o)
}

// privateData returns private data and its length in C. Numbers need a variable,
// declared in a block that the caller has to close; blocks counts these.
func (t *line) privateData() (data, length string, blocks int) {
	if !t.hasArg("private_data") {
		return "", "", 0
	}
	b := t.bytes("private_data")
	if b.forms == nil && !b.pattern {
		return literal(b.data), b.length, 0
	}
	t.open("{")
	t.put("uint8_t data[%s];\n", b.length)
	if b.pattern {
		t.put("fill_pattern(data, %s, %s);", b.length, b.from)
	} else {
		t.store(b, "data", "0")
	}
	return "data", b.length, 1
}

// Connect translates rdma_connect and rdma_accept.
func Connect(t *line) {
	asks := t.cmd.Spec == command.RDMAConnect
	verb := t.cmd.Spec.Verb
	id := t.object("id")
	t.await(id)
	data, length, blocks := t.privateData()
	var own map[string]string
	if data != "" {
		own = map[string]string{"private_data": data, "private_data_len": length}
	}
	t.statusCall(t.callText(own), label(verb, id.expr))
	for range blocks {
		t.close()
	}
	switch {
	case t.outcome == fails, !asks && id.datagram:
		return
	case asks && t.hasArg("qp_num"):
		t.begin(id, "CONNECT_RESPONSE")
	default:
		t.begin(id, "ESTABLISHED")
	}
	id.live = !id.datagram
}

// Reject translates rdma_reject.
func Reject(t *line) {
	id := t.object("id")
	data, length, blocks := t.privateData()
	if data == "" {
		data, length = "NULL", "0"
	}
	call := t.callText(map[string]string{"private_data": data, "private_data_len": length})
	t.check(t.cmd.Spec.Call.Returns, call, label(t.cmd.Spec.Verb, id.expr))
	for range blocks {
		t.close()
	}
}

// Disconnect translates rdma_disconnect.
func Disconnect(t *line) {
	Call(t)
	if t.outcome != fails {
		t.object("id").live = false
	}
}

// SetOption translates rdma_set_option.
func SetOption(t *line) {
	id := t.object("id")
	option := t.full.CMOption("optname")
	ctype := "int"
	if option == verbs.CMOptTOS || option == verbs.CMOptACKTimeout {
		ctype = "uint8_t"
	}
	call := t.callText(map[string]string{"optname": t.full.CName("optname"),
		"&optval": fmt.Sprintf("&(%s){ %s }", ctype, t.uint("optval")), "sizeof(optval)": "sizeof(" + ctype + ")"})
	t.check(t.cmd.Spec.Call.Returns, call, label(t.cmd.Spec.Verb, id.expr, option.String()))
}

// CreateManagedQP translates rdma_create_qp.
func CreateManagedQP(t *line) {
	id := t.object("id")
	t.await(id)
	pd := t.object("pd")
	qpType := verbs.RC
	if id.datagram {
		qpType = verbs.UD
	}
	if t.hasArg("qp_type") {
		qpType = t.full.QPType("qp_type")
	}
	own, uses := t.newQP()
	own["qp_type"] = verbs.QPTypes.CName(qpType)
	o := t.make(command.KindQP, t.newName(command.KindQP), append(uses, pd, id)...)
	o.pd, o.id, o.qpType, o.maxRecv = pd, id, qpType, t.full.Int("max_recv_wr")
	t.statusCall(t.callText(own), label("rdma_create_qp", id.expr))
	if t.outcome != fails {
		t.put("%s = %s->qp;", o.expr, id.expr)
	}
	t.settleNew(o)
}

// InitQPAttr translates rdma_init_qp_attr.
func InitQPAttr(t *line) {
	id := t.object("id")
	t.await(id)
	t.open("{")
	t.put("struct ibv_qp_attr attr = { .qp_state = %s };\nint mask;\n", t.constant("qp_state"))
	t.check(t.cmd.Spec.Call.Returns, t.callText(nil), label(t.cmd.Spec.Verb, id.expr))
	if t.hasArg("qp") {
		qp := t.object("qp")
		t.errorCall(fmt.Sprintf("ibv_modify_qp(%s, &attr, mask)", qp.expr), label("ibv_modify_qp", qp.expr))
	}
	t.close()
}

// MigrateID translates rdma_migrate_id.
func MigrateID(t *line) {
	Call(t)
	if t.outcome == fails {
		return
	}
	id := t.object("id")
	t.leaveChannel(id)
	id.sync, id.channel = false, t.object("channel")
}
