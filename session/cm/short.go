package cm

import (
	"fmt"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/region"
)

// shortForm is the command that a call of <rdma/rdma_verbs.h> stands for. Arguments that both have keep their values.
type shortForm struct {
	of    *command.Spec
	fixed map[string]string // values of its other arguments
}

// shortForms are those that register memory in an identifier's protection domain, or post one request to its queue
// pair.
var shortForms = map[*command.Spec]shortForm{
	command.RDMARegMsgs:    {command.RegMR, access("LOCAL_WRITE")},
	command.RDMARegRead:    {command.RegMR, access("LOCAL_WRITE|REMOTE_READ")},
	command.RDMARegWrite:   {command.RegMR, access("LOCAL_WRITE|REMOTE_WRITE")},
	command.RDMAPostRecv:   {command.PostRecv, nil},
	command.RDMAPostRecvV:  {command.PostRecv, nil},
	command.RDMAPostSend:   {command.PostSend, opcode("SEND")},
	command.RDMAPostSendV:  {command.PostSend, opcode("SEND")},
	command.RDMAPostRead:   {command.PostSend, opcode("RDMA_READ")},
	command.RDMAPostReadV:  {command.PostSend, opcode("RDMA_READ")},
	command.RDMAPostWrite:  {command.PostSend, opcode("RDMA_WRITE")},
	command.RDMAPostWriteV: {command.PostSend, opcode("RDMA_WRITE")},
	command.RDMAPostUDSend: {command.PostSend, map[string]string{
		"opcode": "SEND", "remote_qkey": ccall.Hex(udpQKey)}},
}

// udpQKey is RDMA_UDP_QKEY of <rdma/rdma_cma.h>.
const udpQKey = 0x01234567

func access(flags string) map[string]string { return map[string]string{"access": flags} }

func opcode(name string) map[string]string { return map[string]string{"opcode": name} }

// RegisterShort carries out rdma_reg_msgs, rdma_reg_read and rdma_reg_write.
func RegisterShort(c *core.Call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	pd, err := domainOf(c, i)
	if err != nil {
		return err
	}
	return expandShort(c, "pd", pd)
}

// PostShort carries out the short forms that post a request. Those that take one SGE pass the region itself to
// librdmacm, which reads its lkey.
func PostShort(c *core.Call) error {
	i, err := idArg(c, withQP)
	if err != nil {
		return err
	}
	q := qpOf(c.S, i)
	if q == nil {
		return fmt.Errorf("%s has no queue pair", i.Name)
	}
	if ccall.TakesOneSGE(c.Cmd.Spec) {
		if err := oneSGE(c); err != nil {
			return err
		}
	}
	return expandShort(c, "qp", q.Name)
}

// oneSGE refuses what a form with one SGE cannot pass.
func oneSGE(c *core.Call) error {
	list := c.Cmd.SGEs("sge")
	if len(list) != 1 || list[0].Object == "" || list[0].HasLKey {
		return fmt.Errorf("%s takes one piece of a region: use %sv for a list, raw addresses or another lkey",
			c.Cmd.Spec.Name, c.Cmd.Spec.Name)
	}
	e := &list[0]
	r := core.ObjectOf[*region.MR](c.S, e.Object)
	if r == nil || c.Cmd.Spec != command.RDMAPostRecv {
		return nil // post_send names what is missing
	}
	if size := r.MR.Spec().Length; e.Offset > size || !e.ToEnd && uint64(e.Length) > size-e.Offset {
		return fmt.Errorf("the buffer is outside %s, which has %d bytes: rdma_post_recv would abort the program",
			e.Object, size)
	}
	return nil
}

// DeregShort carries out rdma_dereg_mr.
func DeregShort(c *core.Call) error {
	n, err := c.ObjectArg("object", nil)
	if err != nil {
		return err
	}
	c.Done.C = ccall.Line(c.Cmd, nil)
	done, err := c.Expand(c.Ctx, "dereg_mr "+n.Name)
	c.Done.Result = done.Result
	return err
}

// expandShort carries out the line that a short form stands for; on is its argument for the identifier's object. The
// values that this line chose are the command's.
func expandShort(c *core.Call, on, object string) error {
	form := shortForms[c.Cmd.Spec]
	line := command.Command{Spec: form.of}.With(on, object)
	for name, text := range form.fixed {
		line = line.With(name, text)
	}
	typed, err := command.Parse(c.Done.Line) // with the references, which an exported program needs
	if err != nil {
		return err
	}
	for _, v := range typed.Values {
		if v.Arg.Name != "id" {
			line = line.With(v.Arg.Name, v.Text)
		}
	}
	done, err := c.Expand(c.Ctx, line.Full())
	if full, bad := command.Parse(done.Resolved); bad == nil {
		for _, v := range full.Values {
			if !c.Cmd.Has(v.Arg.Name) {
				c.Choose(v.Arg.Name, v.Text)
			}
		}
	}
	c.Done.C, c.Done.Result = ccall.ShortForm(c.Cmd), done.Result
	return err
}
