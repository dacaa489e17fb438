package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"rdmatui/assets/explain"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/incident"
	"rdmatui/session/queue"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// hintFor returns what to check after a failed command, "" if nothing is known.
func hintFor(c *core.Call, err error) string {
	if h := hintByKind(err); h != "" {
		return h
	}
	var late *core.TimeUpError
	if errors.As(err, &late) {
		return incident.WhyInVain(c.S, &late.Awaited)
	}
	var no syscall.Errno
	if c.Cmd.Spec == nil || !errors.As(err, &no) {
		return ""
	}
	verb := cmp.Or(c.Verb, c.Cmd.Spec.Verb)
	if r := rowOf(c.Cmd.Spec); r != nil && r.Hint != nil {
		if h := r.Hint(c, no); h != "" {
			return h
		}
	}
	return explain.Short("verb_errno", verb+" "+verbs.ErrnoName(no))
}

func hintByKind(err error) string {
	var busy *verbs.BusyError
	var choice *core.ChoiceError
	var name *core.NameError
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
	case errors.Is(err, verbs.ErrForeignObject):
		return "all objects of a call must belong to one device"
	case errors.Is(err, context.Canceled):
		return ""
	}
	return ""
}

// howToMake names the command that makes an object of the first kind.
func howToMake(kinds []command.ObjectKind) string {
	for _, kind := range kinds {
		for _, spec := range command.Commands {
			if makes(spec, kind) {
				return "create one first: " + spec.Example
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

func hintModify(c *core.Call, no syscall.Errno) string {
	if queue.About(c) == nil || no != syscall.EINVAL {
		return ""
	}
	if c.Done.Check != "" {
		return c.Done.Check
	}
	attr, err := c.Cmd.QPAttr()
	if err != nil {
		return ""
	}
	if attr.Mask&verbs.AttrState != 0 && attr.QPState == verbs.QPRTR {
		return "rdmatui found no wrong attribute: check that sgid_index is a row in use of the right type, dgid the peer's GID, is_global=1 on RoCE, and path_mtu at most the port's active_mtu"
	}
	return fmt.Sprintf(
		"rdmatui found no wrong attribute: read the state with query_qp %s and the device's limits with query_device",
		queue.About(c).Name)
}

func hintPostSend(c *core.Call, no syscall.Errno) string {
	if queue.About(c) == nil {
		return ""
	}
	q := queue.About(c)
	switch no {
	case syscall.EINVAL:
		if c.Done.Check != "" {
			return c.Done.Check
		}
		return "check the opcode against the queue pair type, the number of SGEs, and INLINE against max_inline_data"
	case syscall.ENOMEM:
		return hintNoRoom(c, q.Sends.Len(), q.Limits.MaxSendWR, "max_send_wr", q.Limits.MaxSendSGE, "max_send_sge")
	}
	return ""
}

func hintPostRecv(c *core.Call, no syscall.Errno) string {
	switch {
	case queue.About(c) != nil && queue.About(c).SRQ != nil:
		return c.Done.Check
	case queue.About(c) == nil:
		return ""
	case no != syscall.ENOMEM:
		return c.Done.Check
	}
	return hintNoRoom(c, queue.About(c).Recvs.Len(), queue.About(c).Limits.MaxRecvWR, "max_recv_wr",
		queue.About(c).Limits.MaxRecvSGE, "max_recv_sge")
}

// hintNoRoom distinguishes the three causes of ENOMEM from a post.
func hintNoRoom(c *core.Call, outstanding int, maxWR uint32, wrField string, maxSGE uint32, sgeField string) string {
	sges := c.Cmd.SGEs("sge")
	switch {
	case len(sges) > int(maxSGE):
		return fmt.Sprintf("%s, but %s is %d", format.Counted(len(sges), "SGE"), sgeField, maxSGE)
	case c.Cmd.Spec == command.PostSend && c.Cmd.SendFlags("send_flags")&verbs.SendInline != 0:
		return fmt.Sprintf("INLINE carries at most max_inline_data, %s",
			format.Counted(queue.About(c).Limits.MaxInlineData, "byte"))
	case outstanding >= int(maxWR):
		return fmt.Sprintf("the queue is full: %s outstanding, %s is %d; poll_cq frees completed ones, and unsignaled SENDs with the next signaled one", format.Counted(outstanding, "request"), wrField, maxWR)
	}
	return fmt.Sprintf("the queue is full or the request is too large: %s %d, %s %d", wrField, maxWR, sgeField, maxSGE)
}
