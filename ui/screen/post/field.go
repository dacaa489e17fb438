package post

import (
	"slices"
	"strings"

	"rdmatui/session/preflight"
	"rdmatui/verbs"
)

// tourFields are the fields that tours read; any other name is that of a field of the form, with its value.
var tourFields = map[string]func(*Screen) string{
	"cursor":  func(s *Screen) string { return s.form.Name() },
	"opcode":  func(s *Screen) string { return s.req.op },
	"qp":      func(s *Screen) string { return s.req.qp },
	"running": func(s *Screen) string { return s.runner.Running() },
	"editing": func(s *Screen) string { return map[bool]string{true: s.form.Name()}[s.form.Editing()] },
	"aside":   aside,
	"diagram": func(s *Screen) string { return map[bool]string{true: "open"}[s.diagram] },
	// the step that the diagram shows, in words; "" while no request has been traced
	"stage":  func(s *Screen) string { return s.steps.Shown() },
	"traced": traced,
	"mend":   func(s *Screen) string { return mendFor(s, false) },
	"unmend": func(s *Screen) string { return mendFor(s, true) },
	"spoilt": spoilt,
	// whether there are more SGEs than the form has at first
	"pieces": func(s *Screen) string { return map[bool]string{true: "more"}[len(s.req.sgeNames()) > 1] },
}

// tourField returns a field that tours read. "usual NAME" is the value that a field of the form has at first, "toward
// NAME" its direction from the cursor.
func tourField(s *Screen, name string) string {
	if f := tourFields[name]; f != nil {
		return f(s)
	}
	if to, ok := strings.CutPrefix(name, "toward "); ok {
		return s.form.Toward(to)
	}
	if of, ok := strings.CutPrefix(name, "usual "); ok {
		return s.req.preset(of)
	}
	return s.req.value(name)
}

// aside says what esc goes back to from the diagram, the memory and the panes beside the form.
func aside(s *Screen) string {
	if s.diagram || s.memory || s.Focus != paneForm {
		return "the request"
	}
	return ""
}

// traced names the queue pair of the form if it has posted a request whose steps can be shown.
func traced(s *Screen) string {
	if _, ok := s.env.Session.LastRequest(s.req.qp); ok {
		return s.req.qp
	}
	return ""
}

// mendFor returns the first problem that the key Fix resolves; a wrong address or key counts only if target is set.
func mendFor(s *Screen, target bool) string {
	at := mendable(s)
	if at < 0 || !target && s.checks[at].Fix == preflight.FixTarget {
		return ""
	}
	return s.checks[at].Text
}

// spoilt returns the first field that the user has set to what keeps the request from completing; "" if none has.
func spoilt(s *Screen) string {
	wrong := len(s.req.wrongs()) > 0 || mendable(s) < 0 &&
		slices.ContainsFunc(s.checks, func(f preflight.Finding) bool {
			return f.Verdict == preflight.Missing && f.Fix != preflight.FixRoom
		})
	for _, fd := range s.req.fields() {
		_, typed := s.req.typed[slot{s.req.qp, s.req.op, fd.Name}]
		unsignaled := fd.Name == "send_flags" && !strings.Contains(fd.Value, verbs.SendSignaled.String())
		if typed && fd.Value != s.req.preset(fd.Name) && (wrong || unsignaled || fd.Name == "count") {
			return fd.Name
		}
	}
	return ""
}
