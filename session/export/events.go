package export

import "rdmatui/session/command"

// events holds the connection manager's events that calls caused and the session read
// in the background. The program waits for them before a call that depends on them.
type events struct {
	awaited []awaited // awaited by the statements of the current line
}

// awaited is an event caused by an identifier's last call.
type awaited struct {
	id    *object
	event string
}

// takeBack drops what the current line awaited: its statements are not in the program.
func (e *events) takeBack() {
	for _, a := range e.awaited {
		a.id.pending = a.event
	}
}

// await waits for the event caused by the last call on an identifier.
func (t *line) await(id *object) {
	event := id.pending
	if event == "" || t.outcome != works {
		return
	}
	id.pending = ""
	t.awaited = append(t.awaited, awaited{id, event})
	t.comment("rdmatui read this event by itself, without a line in the session.")
	t.put("want_cm_event(get_cm_event(%s->channel, %s, 10000), RDMA_CM_EVENT_%s);", id.expr, id.expr, event)
}

// awaitAll does so for every identifier, before a wait that depends on the
// connection.
func (t *line) awaitAll() {
	for _, o := range t.made {
		if o.kind == command.KindID && !o.gone {
			t.await(o)
		}
	}
}

// begin records the event that a call causes.
func (t *line) begin(id *object, event string) {
	if id.sync || t.outcome == fails {
		return
	}
	id.pending = event
}

// took records that a line took an event: of one identifier, or of any if id is nil.
func (o *objects) took(id *object, event string) {
	for _, o := range o.made {
		if o.kind == command.KindID && (id == nil || o == id) && (event == "" || o.pending == event || id != nil) {
			o.pending = ""
			if event != "" {
				return
			}
		}
	}
}
