package export

import "rdmatui/session/command"

// events are those of the connection manager that calls led to and that no line of the session took: its own thread
// did. The program waits for them before a call that needs what they stand for.
type events struct {
	awaited []awaited // what the statements so far wait for
}

// awaited is an event that an identifier's last call led to.
type awaited struct {
	id    *object
	event string
}

// takeBack forgets what was awaited after the first n: the statements are not in the program.
func (e *events) takeBack(n int) {
	for _, a := range e.awaited[n:] {
		a.id.pending = a.event
	}
	e.awaited = e.awaited[:n]
}

// await waits for the event that the last call on an identifier led to.
func (t *line) await(id *object) {
	event := id.pending
	if event == "" || t.outcome != works {
		return
	}
	id.pending = ""
	t.awaited = append(t.awaited, awaited{id, event})
	t.comment("No line of the session took this event; it read events by itself.")
	t.put("want_cm_event(get_cm_event(%s->channel, %s, 10000), RDMA_CM_EVENT_%s);", id.expr, id.expr, event)
}

// awaitAll does so for every identifier, before something is waited for that needs
// the connection.
func (t *line) awaitAll() {
	for _, o := range t.made {
		if o.kind == command.KindID && !o.gone && o.pending != "DISCONNECTED" {
			t.await(o)
		}
	}
}

// begin takes note of the event that a call leads to.
func (t *line) begin(id *object, event string) {
	if id.sync || t.outcome == fails {
		return
	}
	id.pending = event
}

// took takes note that a line took an event: of one identifier, or nil of any.
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
