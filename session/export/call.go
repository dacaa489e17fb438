package export

import (
	"rdmatui/session/ccall"
	"rdmatui/session/command"
)

// begins are the events that calls of the connection manager cause, by command.
var begins = map[*command.Spec]string{
	command.RDMAResolveAddr: "ADDR_RESOLVED", command.RDMAResolveRoute: "ROUTE_RESOLVED",
	command.RDMAJoinMulticast: "MULTICAST_JOIN",
}

// awaits are the commands of an identifier whose calls fail before the event of the
// call before them has come.
var awaits = map[*command.Spec]bool{
	command.RDMAResolveRoute: true, command.RDMAEstablish: true, command.RDMAJoinMulticast: true,
}

// Call translates a command that makes one call: [ccall.Forms] has its form.
func Call(t *line) {
	form, spec := ccall.Forms[t.cmd.Spec], t.cmd.Spec
	on := t.on(form.Args()[0])
	if awaits[spec] {
		t.await(on)
	}
	if makes := spec.Arg("name"); makes != nil {
		kind := makes.Objects[0]
		o := t.make(kind, t.newName(kind), on)
		o.device = on
		t.pointerCall(o.expr, t.callText(nil), label(spec.Verb, on.expr))
		t.settleNew(o)
		return
	}
	call := t.callText(nil)
	switch form.Returns {
	case ccall.Nothing:
		t.put("%s", call+";")
	case ccall.Errno:
		t.errorCall(call, label(spec.Verb, on.expr))
	case ccall.Status:
		t.statusCall(call, label(spec.Verb, on.expr))
	}
	if event := begins[spec]; event != "" {
		t.begin(on, event)
	}
}

// on returns the object that a call works on: its first argument.
func (t *line) on(arg string) *object {
	if arg == "device" {
		return t.deviceOf()
	}
	return t.object(arg)
}

// callText returns the call of a command; own has the values that the line does not
// have as they are passed.
func (t *line) callText(own map[string]string) string {
	return ccall.Of(t.cmd.Spec, func(word string) ccall.Node {
		if text, ok := own[word]; ok {
			return ccall.Text(text)
		}
		if word == "attr_mask" {
			return ccall.AttrMask(t.cmd.Spec, t.hasArg)
		}
		return t.value(word)
	}).Long()
}

// value returns an argument in C, nil if the line does not have it.
func (t *line) value(arg string) ccall.Node {
	spec := t.cmd.Spec.Arg(arg)
	switch {
	case spec == nil:
		return nil
	case spec.Type == command.Object:
		return ccall.Text(t.on(arg).expr)
	case spec.Type == command.Word:
		return ccall.Text(t.socketAddress(arg))
	case arg == "port_num":
		return ccall.Text(t.portNumber(arg))
	case spec.Type == command.Duration:
		return ccall.Text(t.millis(arg))
	case spec.Type == command.Bool:
		return ccall.Text(t.flag(arg))
	case spec.Type == command.Choice:
		return ccall.Text(t.constant(arg))
	case !t.hasArg(arg):
		return nil
	}
	return ccall.Text(t.uint(arg))
}

// constant returns the constant of a choice.
func (t *line) constant(arg string) string {
	if expr, ok := t.reference(arg); ok {
		return expr
	}
	return t.full.CName(arg)
}

// socketAddress returns an address of the connection manager; the peer's and the bound
// one have the port of the line.
func (t *line) socketAddress(arg string) string {
	if arg == "src" && !t.hasArg(arg) {
		return "NULL"
	}
	port := "0"
	if arg != "src" && t.cmd.Spec.Arg("port") != nil {
		port = t.hostPort("port")
	}
	return t.addressOf(arg, port)
}
