package incident

import (
	"fmt"
	"syscall"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// WhyRefused says why the provider refused a call, as far as more than the errno is known; "" if nothing is.
func WhyRefused(c *core.Call, no syscall.Errno) string {
	x := &facts{call: c, errno: no}
	if found := x.cause(); found != nil {
		return found.line()
	}
	return ""
}

// Calls that rules are for.
var (
	posts    = []*command.Spec{command.PostSend, command.Chain}
	receives = []*command.Spec{command.PostRecv, command.PostSRQRecv}
	modifies = []*command.Spec{command.ModifyQP}
	creates  = []*command.Spec{command.CreateQP, command.RDMACreateQP, command.CreateCQ, command.CreateSRQ}
	checked  = append(append(append(append([]*command.Spec{}, posts...), receives...), modifies...), creates...)
)

// warned is for calls of which our own check found beforehand what fails with this errno.
func warned(x *facts) *finding {
	text := x.call.WarnedOf(x.errno)
	if text == "" {
		return nil
	}
	return &finding{text: text, sure: true}
}

// refusedModify is for attributes in which nothing wrong is found.
func refusedModify(x *facts) *finding {
	c := x.call
	attr, err := c.Cmd.QPAttr()
	if queue.About(c) == nil || x.errno != syscall.EINVAL || err != nil {
		return nil
	}
	if attr.Mask&verbs.AttrState != 0 && attr.QPState == verbs.QPRTR {
		return &finding{text: "rdmatui found no wrong attribute: check that sgid_index is a row in use of the right type, dgid the peer's GID, is_global=1 on RoCE, and path_mtu at most the port's active_mtu"}
	}
	return &finding{text: fmt.Sprintf(
		"rdmatui found no wrong attribute: read the state with query_qp %s and the device's limits with query_device",
		queue.About(c).Name)}
}

// refusedPost is for requests in which nothing wrong is found.
func refusedPost(x *facts) *finding {
	if queue.About(x.call) == nil || x.errno != syscall.EINVAL {
		return nil
	}
	return &finding{
		text: "check the opcode against the queue pair type, the number of SGEs, and INLINE against max_inline_data",
	}
}

// fullSend and fullRecv are for queues without room.
func fullSend(x *facts) *finding {
	q := queue.About(x.call)
	if q == nil {
		return nil
	}
	return x.full(q.Sends.Len(), q.Limits.MaxSendWR, "max_send_wr", q.Limits.MaxSendSGE, "max_send_sge")
}

func fullRecv(x *facts) *finding {
	q := queue.About(x.call)
	if q == nil || q.SRQ != nil {
		return nil
	}
	return x.full(q.Recvs.Len(), q.Limits.MaxRecvWR, "max_recv_wr", q.Limits.MaxRecvSGE, "max_recv_sge")
}

// full distinguishes the three causes of ENOMEM from a post.
func (x *facts) full(outstanding int, maxWR uint32, wrField string, maxSGE uint32, sgeField string) *finding {
	if x.errno != syscall.ENOMEM {
		return nil
	}
	c := x.call
	sges := c.Cmd.SGEs("sge")
	switch {
	case len(sges) > int(maxSGE):
		return &finding{text: fmt.Sprintf("%s, but %s is %d", format.Counted(len(sges), "SGE"), sgeField, maxSGE)}
	case c.Cmd.Spec == command.PostSend && c.Cmd.SendFlags("send_flags")&verbs.SendInline != 0:
		return &finding{text: fmt.Sprintf("INLINE carries at most max_inline_data, %s",
			format.Counted(queue.About(c).Limits.MaxInlineData, "byte"))}
	case outstanding >= int(maxWR):
		return &finding{text: fmt.Sprintf("the queue is full: %s outstanding, %s is %d; poll_cq frees completed ones, and unsignaled SENDs with the next signaled one", format.Counted(outstanding, "request"), wrField, maxWR)}
	}
	return &finding{text: fmt.Sprintf("the queue is full or the request is too large: %s %d, %s %d", wrField, maxWR,
		sgeField, maxSGE)}
}
