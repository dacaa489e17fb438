package export

import (
	"slices"
	"strings"

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

// Call translates a command that makes one call: its form is in [command.Spec].
func Call(t *line) {
	form, spec := t.cmd.Spec.Call, t.cmd.Spec
	on := t.on(form.Words()[0])
	if awaits[spec] {
		t.await(on)
	}
	if makes := spec.Arg("name"); makes != nil {
		kind := makes.Objects[0]
		o := t.make(kind, t.newName(kind), on)
		if on.kind == command.KindDevice {
			o.device = on
		}
		t.creates(o, t.callText(nil), label(spec.Verb, on.expr))
		return
	}
	t.check(form.Returns, t.callText(nil), label(spec.Verb, on.expr))
	if event := begins[spec]; event != "" {
		t.begin(on, event)
	}
}

// Query returns the translation of a command that reads attributes into variables and prints them. In what it prints,
// OBJECT is the variable of the object, and PORT the number of the port. In what it declares, CALL is a call that
// cannot fail.
func Query(declares, prints string) Translation {
	return func(t *line) {
		form, port := t.cmd.Spec.Call, ""
		on := t.on(form.Words()[0])
		if t.cmd.Spec.Arg("port_num") != nil {
			port = t.portNumber("port_num")
		}
		call := t.callText(nil)
		t.open("{")
		t.put("%s", strings.Replace(declares, "CALL", call, 1)+"\n")
		if form.Returns != command.ReturnsNothing {
			t.check(form.Returns, call, label(t.cmd.Spec.Verb, on.expr))
		}
		t.put("%s", strings.NewReplacer("OBJECT", on.expr, "PORT", port).Replace(prints))
		t.close()
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
	return ccall.Of(t.cmd.Spec, t.source(own)).Long()
}

// source returns the values of the line in C, or those of own.
func (t *line) source(own map[string]string) ccall.Source {
	return func(word string) ccall.Node {
		if text, ok := own[word]; ok {
			return ccall.Text(text)
		}
		if word == "attr_mask" {
			return ccall.AttrMask(t.cmd.Spec, t.hasArg)
		}
		return t.value(word)
	}
}

// value returns an argument in C, nil if the line does not have it.
func (t *line) value(arg string) ccall.Node {
	spec := t.cmd.Spec.Arg(arg)
	switch {
	case spec == nil,
		spec.Type == command.Object && !t.hasArg(arg) && !slices.Contains(t.cmd.Spec.Call.Words(), arg):
		return nil
	case arg == "sgid_index":
		return ccall.Text(t.gidIndex(arg))
	case spec.Type == command.GIDValue:
		return ccall.Text(t.gidValue(arg))
	case spec.Type == command.Object:
		return ccall.Text(t.on(arg).expr)
	case spec.Type == command.Word:
		return ccall.Text(t.socketAddress(arg))
	case strings.HasSuffix(arg, "port_num"):
		return ccall.Text(t.portNumber(arg))
	case spec.Type == command.Duration:
		return ccall.Text(t.millis(arg))
	case spec.Type == command.Bool:
		return ccall.Text(t.flag(arg))
	case spec.Type == command.Choice:
		return ccall.Text(t.constant(arg))
	case spec.Type == command.FlagSet:
		return ccall.Text(flags(t, arg))
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
