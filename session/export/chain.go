package export

import (
	"fmt"

	"rdmatui/session/command"
)

// Chain posts the requests of several lines in one call: each request is the next
// of the one before it.
func chain(t *translator) error {
	defer t.restore(t.save())
	var requests []*initialiser
	var queue *object
	verb, ctype, bad := "", "", "bad_recv_wr"
	step := t.step
	lines := command.SplitChain(t.full.String("line"))
	if done, err := t.chainExtended(lines); done || err != nil {
		return err
	}
	for i, line := range lines {
		cmd, err := t.link(step, i, line)
		if err != nil {
			return err
		}
		var wr *initialiser
		switch cmd.Spec.Name {
		case "post_send":
			verb, ctype, bad = "ibv_post_send", "struct ibv_send_wr", "bad_wr"
			if queue, err = t.object("qp"); err == nil {
				wr, err = t.sendWR(queue)
			}
		case "post_recv", "post_srq_recv":
			verb, ctype = "ibv_"+cmd.Spec.Name, "struct ibv_recv_wr"
			if queue, err = t.object(map[bool]string{true: "srq", false: "qp"}[verb == "ibv_post_srq_recv"]); err == nil {
				wr, err = t.recvWR()
			}
		default:
			return t.errorf("%s is in no chain", cmd.Spec.Name)
		}
		if err != nil {
			return err
		}
		requests = append(requests, wr)
	}
	for i := len(requests) - 1; i > 0; i-- {
		requests[i-1].set("next", requests[i].pointer(ctype))
	}
	t.errorCall(fmt.Sprintf("%s(%s, %s, &%s)", verb, queue.expr, requests[0].pointer(ctype), bad), label(verb, queue.expr))
	return nil
}

// link makes one of the lines of a chain the translator's own.
func (t *translator) link(step *Step, i int, line string) (command.Command, error) {
	cmd, err := command.Parse(line)
	if err != nil || cmd.Spec == nil {
		return cmd, t.errorf("one of its lines cannot be read")
	}
	t.cmd, t.full = cmd, cmd
	if i < len(step.Inner) && step.Inner[i].Full.Spec != nil {
		t.full = step.Inner[i].Full
	}
	return cmd, nil
}

// chainExtended posts a chain whose requests are posted by ibv_wr_*; done is false
// for another.
func (t *translator) chainExtended(lines []string) (done bool, err error) {
	step := t.step
	cmd, err := t.link(step, 0, lines[0])
	if err != nil || cmd.Spec.Name != "post_send" {
		return false, err
	}
	qp, err := t.object("qp")
	if err != nil || !qp.sendOps.Has(t.full.Opcode("opcode")) {
		return false, err
	}
	return true, t.postExtended(qp, label("ibv_wr_complete", qp.expr), func() error {
		for i, line := range lines {
			if _, err := t.link(step, i, line); err != nil {
				return err
			}
			if err := t.buildRequest(qp, ""); err != nil {
				return err
			}
		}
		return nil
	})
}
