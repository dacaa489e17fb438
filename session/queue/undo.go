package queue

import (
	"errors"
	"fmt"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/command/syntax"
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// remakes say of each kind of object how the line that made it makes it again: with its attributes as they were last,
// and what the line does not bring back.
var remakes = map[command.ObjectKind]func(core.Snapshot, command.Command) (line command.Command, lost []string){
	command.KindDevice:  sameLine,
	command.KindPD:      sameLine,
	command.KindMR:      remakeMR,
	command.KindMW:      losing("its binding"),
	command.KindDM:      losing(core.LostBytes),
	command.KindChannel: sameLine,
	command.KindCQ:      remakeCQ,
	command.KindSRQ:     remakeSRQ,
	command.KindQP:      remakeQP,
	command.KindAH:      sameLine,
}

func sameLine(_ core.Snapshot, c command.Command) (command.Command, []string) { return c, nil }

func losing(what string) func(core.Snapshot, command.Command) (command.Command, []string) {
	return func(_ core.Snapshot, c command.Command) (command.Command, []string) { return c, []string{what} }
}

// remakeMR follows the changes that rereg_mr has made.
func remakeMR(v core.Snapshot, c command.Command) (command.Command, []string) {
	m := &v.MRs[0]
	c = c.With("pd", m.PD).With("access", m.Access.String())
	if c.Backing().Kind == verbs.Anonymous {
		c = c.With("length", fmt.Sprint(m.Length))
	}
	return c, nil
}

// remakeCQ follows the changes that resize_cq has made. How a live session takes completions begins anew.
func remakeCQ(v core.Snapshot, c command.Command) (_ command.Command, lost []string) {
	q := &v.CQs[0]
	if q.Mode != core.Resting {
		line := "cq_mode " + syntax.QuoteIfNeeded(q.Name, true) + " mode=" + q.Mode.String()
		if q.SolicitedOnly {
			line += " solicited_only=1"
		}
		lost = append(lost, "its mode ("+line+")")
	} else if q.Armed == core.ArmedForAny || q.Armed == core.ArmedForSolicited {
		lost = append(lost, "that it is armed (req_notify_cq "+syntax.QuoteIfNeeded(q.Name, true)+")")
	}
	return c.With("cqe", fmt.Sprint(q.CQE)), lost
}

func remakeSRQ(v core.Snapshot, c command.Command) (_ command.Command, lost []string) {
	q := &v.SRQs[0]
	if q.RecvPosted > 0 {
		lost = append(lost, format.Counted(q.RecvPosted, "posted RECV"))
	}
	if q.Limit > 0 {
		lost = append(lost, fmt.Sprintf("srq_limit %d", q.Limit))
	}
	return c.With("max_wr", fmt.Sprint(q.MaxWR)), lost
}

func remakeQP(v core.Snapshot, c command.Command) (_ command.Command, lost []string) {
	q := &v.QPs[0]
	switch {
	case q.State != verbs.QPReset && q.PeerName != "":
		lost = append(lost, "the connection to "+q.PeerName+" (connect it again)")
	case q.State != verbs.QPReset:
		lost = append(lost, "the state "+q.State.String())
	}
	if n := q.SendOutstanding; n > 0 {
		lost = append(lost, format.Counted(n, "posted request"))
	}
	if n := q.RecvPosted; n > 0 && q.SRQ == "" {
		lost = append(lost, format.Counted(n, "posted RECV"))
	}
	if len(v.Groups) > 0 {
		lost = append(lost, "its multicast groups")
	}
	return c, lost
}

// destroyed describes an object that is about to be destroyed: the line that makes it again.
func destroyed(s *core.Session, n *core.Node) *core.Destroyed {
	d := &core.Destroyed{Name: n.Name, Kind: n.Kind, Uses: core.NodeNames(n.Uses), View: s.ViewOf(n)}
	remake, by := remakes[n.Kind], n.Made.Spec
	switch {
	case by == nil || n.Made.Has("id"):
		d.Cannot = "rdma_cm made it"
	case remake == nil || by == command.CreateAHFromWC: // that needs the completion again
		d.Cannot = "what " + by.Name + " made cannot be made again alone"
	default:
		line, lost := remake(*d.View, n.Made)
		d.Line, d.Lost = line.Full(), lost
	}
	if r, ok := n.Body.(*region.MR); ok && d.Line != "" {
		d.Contents, d.Lost = contents(r)
	}
	return d
}

// contents returns the bytes of a region, or what is lost. A file keeps its bytes.
func contents(r *region.MR) (bytes []byte, lost []string) {
	spec := r.MR.Spec()
	switch {
	case spec.Backing.Kind != verbs.Anonymous || r.Made.Has("dm"): // it keeps them
		return nil, nil
	case spec.Length > core.MaxContents:
		return nil, []string{core.LostBytes + " (more than " + format.Size(core.MaxContents) + ")"}
	}
	bytes = make([]byte, spec.Length)
	if _, err := r.MR.ReadAt(bytes, 0); err != nil {
		return nil, []string{core.LostBytes}
	}
	return bytes, nil
}

// Undo makes the object again that a command has destroyed last.
func Undo(c *core.Call) error {
	d := c.S.LastDestroyed()
	if d == nil {
		return errors.New("nothing was destroyed that could be made again")
	}
	if d.Line == "" {
		c.S.ForgetDestroyed(d)
		return fmt.Errorf("%s %s is gone for good: %s", d.Kind, d.Name, d.Cannot)
	}
	done, err := c.Expand(c.Ctx, d.Line)
	if err != nil {
		return err
	}
	c.S.ForgetDestroyed(d)
	c.Done.Created = done.Created
	c.S.Mu.RLock()
	n := c.S.Graph.ByName[d.Name]
	c.S.Mu.RUnlock()
	if n == nil {
		return fmt.Errorf("%s is gone again", d.Name)
	}
	if r, ok := n.Body.(*region.MR); ok && d.Contents != nil {
		if _, err := r.MR.WriteAt(d.Contents, 0); err != nil {
			d.Lost = append(d.Lost, core.LostBytes+": "+format.OneLine(err))
		}
	}
	told := append([]string{d.Name + " again"}, renumbered(d.View, c.S.ViewOf(n))...)
	if len(d.Lost) > 0 {
		told = append(told, "lost: "+strings.Join(d.Lost, ", "))
	}
	c.Done.Result = strings.Join(told, "; ")
	return nil
}

// renumbered lists the numbers and keys of an object that are not what they were.
func renumbered(was, is *core.Snapshot) (told []string) {
	add := func(what, was, is string) {
		if was != is {
			told = append(told, "its "+what+" is new: "+is)
		}
	}
	if len(was.MRs) == 1 && len(is.MRs) == 1 {
		w, i := &was.MRs[0], &is.MRs[0]
		add("addr", ccall.Hex(w.Addr), ccall.Hex(i.Addr))
		add("lkey", ccall.Hex(w.LKey), ccall.Hex(i.LKey))
		add("rkey", ccall.Hex(w.RKey), ccall.Hex(i.RKey))
	}
	if len(was.MWs) == 1 && len(is.MWs) == 1 {
		add("rkey", ccall.Hex(was.MWs[0].RKey), ccall.Hex(is.MWs[0].RKey))
	}
	if len(was.QPs) == 1 && len(is.QPs) == 1 {
		add("qp_num", was.QPs[0].Num.String(), is.QPs[0].Num.String())
	}
	return told
}
