package session

import (
	"cmp"
	"context"
	"errors"
	"net"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"rdmatui/assets/explain"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/incident"
	"rdmatui/session/oob"
	"rdmatui/verbs"
)

// hintFor returns what to check after a failed command, "" if nothing is known.
func hintFor(c *core.Call, err error) string {
	if h := hintByKind(err); h != "" {
		return h
	}
	var late *core.TimeUpError
	if errors.As(err, &late) {
		if why := cmp.Or(whyInVain(c.S, &late.Awaited), late.Step); why != "" || late.Err == nil {
			return why
		}
	}
	var no syscall.Errno
	if c.Cmd.Spec == nil || !errors.As(err, &no) {
		return ""
	}
	verb := cmp.Or(c.Verb, c.Cmd.Spec.Verb)
	if h := incident.WhyRefused(c, no); h != "" {
		return h
	}
	if r := rowOf(c.Cmd.Spec); r != nil && r.Hint != nil {
		if h := r.Hint(c, no); h != "" {
			return h
		}
	}
	return explain.Short("verb_errno", verb+" "+verbs.ErrnoName(no))
}

// whyInVain says why something did not come, as far as that is known. It reads the ports of the open devices, which may
// have changed without an event, as their MTU does.
func whyInVain(s *core.Session, a *core.Awaited) string {
	if a.Kind == core.AwaitedNothing {
		return ""
	}
	device.ReadAllPorts(s)
	return incident.WhyInVain(s, a)
}

func hintByKind(err error) string {
	var busy *verbs.BusyError
	var choice *core.ChoiceError
	var name *core.NameError
	var host *net.DNSError
	var known interface{ Remedy() string }
	switch {
	case errors.As(err, &known) && known.Remedy() != "":
		return known.Remedy()
	case errors.As(err, &busy):
		return "close " + strings.Join(busy.UsedBy, ", ") + " first"
	case errors.As(err, &choice) && len(choice.Names) == 0:
		return howToMake(choice.Kinds)
	case errors.As(err, &choice):
		return "name it"
	case errors.As(err, &name) && len(name.Known) == 0:
		return howToMake(name.Kinds)
	case errors.As(err, &host):
		return oob.NextStep(host)
	case errors.Is(err, verbs.ErrForeignObject):
		return "all objects of a call must belong to one device"
	case errors.Is(err, context.Canceled):
		return ""
	}
	return ""
}

// exampleAddress is the address of an example: a hint names none that may not be the reader's.
var exampleAddress = regexp.MustCompile(`\b\d+\.\d+\.\d+\.\d+\b`)

// howToMake names the command that makes an object of the first kind.
func howToMake(kinds []command.ObjectKind) string {
	for _, kind := range kinds {
		for _, spec := range command.Commands {
			if makes(spec, kind) {
				return "create one first: " + exampleAddress.ReplaceAllString(spec.Example, "ADDRESS")
			}
		}
	}
	return ""
}

func makes(spec *command.Spec, kind command.ObjectKind) bool {
	if kind == command.KindDevice {
		return spec == command.OpenDevice
	}
	name := spec.Arg("name")
	return name != nil && name.Type == command.NewName && slices.Contains(name.Objects, kind)
}
