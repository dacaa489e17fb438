package export

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// request adds the identifier of a request.
func (t *translator) request(listener *object, name string) *object {
	o := t.make(command.KindID, name)
	if listener != nil {
		o.datagram, o.sync = listener.datagram, listener.sync
		if listener.own != nil {
			o.joinChannel(listener.own)
		}
	}
	return o
}

// unseenRequest adds an identifier NAME-1 of a request that no line took.
func (t *translator) unseenRequest(name string) *object {
	cut := strings.LastIndexByte(name, '-')
	if cut <= 0 {
		return nil
	}
	if _, err := strconv.Atoi(name[cut+1:]); err != nil {
		return nil
	}
	listener := t.byName[name[:cut]]
	if listener == nil || listener.kind != command.KindID || listener.gone {
		return nil
	}
	o := t.request(listener, name)
	t.comment("rdmatui read this request by itself, without a line in the session.")
	t.put("%s = want_cm_event(get_cm_event(%s->channel, %s, 60000), RDMA_CM_EVENT_CONNECT_REQUEST)->id;", o.expr,
		listener.expr, listener.expr)
	return o
}

// GetCMEvent translates rdma_get_cm_event.
func GetCMEvent(t *line) {
	var id *object
	channel := ""
	if t.hasArg("id") {
		id = t.object("id")
		channel = id.expr + "->channel"
	} else if ch := t.objectIfAny("channel"); ch != nil {
		channel = ch.expr
	} else if channel = t.onlyIDChannel(); channel == "" {
		t.object("channel") // says what is missing
	}
	of := "NULL"
	if id != nil {
		of = id.expr
	}
	event := t.full.String("event")
	get := fmt.Sprintf("get_cm_event(%s, %s, %s)", channel, of, t.millis("timeout"))
	if t.outcome != works {
		holds := "(event = " + get + ")"
		if event != "" {
			holds += " && event->type == RDMA_CM_EVENT_" + event
		}
		t.condition(holds, "an event "+event+" comes in time")
	} else if event == "CONNECT_REQUEST" {
		t.put("event = want_cm_event(%s, RDMA_CM_EVENT_%s);", get, event)
	} else if event != "" {
		t.put("want_cm_event(%s, RDMA_CM_EVENT_%s);", get, event)
	} else {
		t.put("event = %s;", get)
		t.condition("event", "an event comes in time")
	}
	t.took(id, event)
	if t.outcome == fails {
		return
	}
	t.tookRequest(id, event)
}

// tookRequest stores the identifier of a request from its event. If the line asks for
// any event, the recorded result says whether it was a request.
func (t *line) tookRequest(id *object, event string) {
	name := t.full.String("name")
	if of := t.step.Done.EventOf; of != "" {
		name, event = of, "CONNECT_REQUEST"
	}
	if event == "CONNECT_REQUEST" && name != "" {
		o := t.request(id, name)
		t.put("%s = event->id;", o.expr)
	}
}

// onlyIDChannel returns the channel of the newest identifier.
func (all *objects) onlyIDChannel() string {
	for i := len(all.made) - 1; i >= 0; i-- {
		if o := all.made[i]; o.kind == command.KindID && !o.gone {
			return o.expr + "->channel"
		}
	}
	return ""
}

// GetRequest translates rdma_get_request.
func GetRequest(t *line) {
	listener := t.object("id")
	if t.outcome != works {
		panic(leftOut("it would wait forever, as no request came"))
	}
	if t.step.failed() {
		panic(leftOut("the request came, but its queue pair could not be created"))
	}
	name := cmp.Or(t.full.String("name"), t.step.Done.EventOf, listener.name+"-1")
	o := t.request(listener, name)
	o.endpoint = listener.endpoint
	t.put("%s = get_request(%s);", o.expr, listener.expr)
	enterParts(t, o)
}

// ExpectCM translates expect cm.
func ExpectCM(t *line) {
	event := t.full.String("event")
	of, channel := "NULL", t.onlyIDChannel()
	var id *object
	if t.hasArg("id") {
		id = t.object("id")
		of, channel = id.expr, id.expr+"->channel"
	}
	if channel == "" {
		panic(leftOut("there is no identifier"))
	}
	holds := []string{fmt.Sprintf("(event = find_cm_event(%s, %s, RDMA_CM_EVENT_%s, %s))", channel, of,
		event, t.millis("timeout"))}
	if status := t.full.String("status"); status != "" {
		text, ok := statusText(event, status)
		if !ok {
			panic(leftOut("the status " + status + " has no name in C"))
		}
		holds = append(holds, "event->status == "+text)
	}
	if t.hasArg("private_data") {
		b := plainBytes(t.full.Bytes("private_data"))
		holds = append(holds, fmt.Sprintf("event->private_data_len >= %s", b.length),
			fmt.Sprintf("!memcmp(event->private_data, %s, %s)", literal(b.data), b.length))
	}
	t.condition(strings.Join(holds, " &&\n\t"), strings.TrimPrefix(t.cmd.Canonical(), "expect "))
	t.took(id, event)
}

// idStateEvents maps states of an identifier to the events that cause them.
var idStateEvents = map[string]string{
	"ADDR_RESOLVED": "ADDR_RESOLVED", "ROUTE_RESOLVED": "ROUTE_RESOLVED", "REQUEST": "CONNECT_REQUEST",
	"CONNECTED": "ESTABLISHED", "DISCONNECTED": "DISCONNECTED",
}

// ExpectID translates expect id.
func ExpectID(t *line) {
	id := t.object("id")
	event := idStateEvents[t.full.String("state")]
	if event == "" || id.sync {
		panic(leftOut("only rdmatui knows this state: no event announces it"))
	}
	t.await(id)
	t.put("read_cm_events(%s->channel, 0);", id.expr)
	t.condition(fmt.Sprintf("last_cm_event(%s)->type == RDMA_CM_EVENT_%s", id.expr, event),
		id.name+" is "+t.full.String("state"))
}

// statusText returns an event's status in C: a number, an errno, or the reject reason
// as a number, since librdmacm has no names for it.
func statusText(event, status string) (string, bool) {
	if n, err := strconv.ParseInt(status, 0, 32); err == nil {
		return strconv.FormatInt(n, 10), true
	}
	if reason, err := verbs.CMRejectReasons.Parse(status); err == nil && event == verbs.CMRejected.String() {
		return fmt.Sprintf("%d /* %s */", reason, reason), true
	}
	name := strings.ToUpper(status)
	return "-" + name, errnoName().MatchString(name)
}

var errnoName = pattern(`^E[A-Z0-9]{2,20}$`)
