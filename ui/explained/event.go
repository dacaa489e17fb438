package explained

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"

	"rdmatui/assets/explain"
	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Event explains an event of the time line, with its values; nil if it needs no
// explanation. request is the line that posted a completion's request, or "" if
// unknown.
func Event(e *timeline.Event, request string, s *session.Snapshot) (entries []explain.Entry) {
	switch {
	case e.Kind == timeline.KindWC:
		entries = append(entries, Status(&e.WC, request, s))
		if v, ok := VendorErr(&e.WC); ok {
			entries = append(entries, v)
		}
	case e.CM != nil:
		entries = CM(e.CM)
	case e.Async != nil:
		a := e.Async
		values := explain.Values{"qp": a.QP, "cq": a.CQ, "srq": a.SRQ}
		if a.PortNum != 0 {
			values["port"] = fmt.Sprint(a.PortNum)
		}
		entries = filled("async_event", a.Type.String(), values)
	case e.State != nil:
		entries = filled("qp_state", e.State.To.String(), nil)
	case e.Command != nil:
		entries = Command(e.Command)
	}
	return entries
}

// filled returns the named entry with its values, nil if there is none.
func filled(family, name string, values explain.Values) []explain.Entry {
	if e, ok := explain.Find(family, name); ok {
		return []explain.Entry{e.Fill(values)}
	}
	return nil
}

// CM explains an event of the connection manager: its status first, then the event.
func CM(c *timeline.CMEvent) (entries []explain.Entry) {
	values := explain.Values{"status": c.StatusText}
	if c.Peer.IsValid() {
		values["peer"] = c.Peer.String()
	}
	switch {
	case c.Status < 0:
		name := verbs.ErrnoName(syscall.Errno(-c.Status))
		if entries = filled("cm_status", c.Type.String()+" "+name, values); entries == nil {
			entries = filled("errno", name, values)
		}
	case c.Status > 0 && c.Type == verbs.CMRejected:
		entries = filled("reject_reason", verbs.CMRejectReason(c.Status).String(), values)
	}
	return append(entries, filled("cm_event", c.Type.String(), values)...)
}

// Command explains the outcome of a line: the errno it failed with, else the command
// itself.
func Command(done *timeline.CommandDone) []explain.Entry {
	if done.Errno != "" {
		return errnoOf(done)
	}
	cmd, err := command.Parse(strings.TrimSpace(done.Line))
	if err != nil || cmd.Spec == nil {
		return nil
	}
	e := explain.Entry{
		Name: cmd.Spec.Name, What: "command",
		Short: cmd.Spec.Summary, Try: []string{":help " + cmd.Spec.Name, cmd.Spec.Example},
	}
	if cmd.Spec.Verb != "" {
		e.Source = cmd.Spec.Verb + "(3)"
	}
	return []explain.Entry{e}
}

var verbName = regexp.MustCompile(`\b(ibv|rdma)_[a-z_]+`)

// errnoOf explains the errno that a command's verb returned, or the errno alone.
func errnoOf(done *timeline.CommandDone) []explain.Entry {
	if verb := verbName.FindString(done.Call()); verb != "" {
		if e, ok := explain.Find("verb_errno", verb+" "+done.Errno); ok {
			return []explain.Entry{Asked(e)}
		}
	}
	return filled("errno", done.Errno, nil)
}
