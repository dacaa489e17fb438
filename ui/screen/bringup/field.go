package bringup

import (
	"slices"
	"strings"

	"rdmatui/session/bringup"
	"rdmatui/ui/widget"
)

// tourFields are the fields that tours read; any other name is that of an attribute, with its value.
var tourFields = map[string]func(*Screen) string{
	"qp":      func(s *Screen) string { return s.move.qp },
	"running": func(s *Screen) string { return s.runner.Running() },
	"editing": func(s *Screen) string { return map[bool]string{true: s.form.Name()}[s.form.Editing()] },
	"cursor":  func(s *Screen) string { return s.form.Name() },
	"partner": func(s *Screen) string {
		if q := s.current(); q != nil {
			return s.partner(q)
		}
		return ""
	},
	// the state that enter moves to, "" while its attributes are being read
	"target": func(s *Screen) string {
		if !s.move.ready {
			return ""
		}
		return s.move.to.String()
	},
	// what esc goes back to
	"aside": func(s *Screen) string {
		if s.Focus != paneForm && len(s.snap.QPs) > 0 {
			return "the attributes"
		}
		return ""
	},
	// what the key Fix does about a connection that was refused
	"apart": func(s *Screen) string {
		if q := s.current(); q != nil {
			t := apart(s, q)
			return t.mend.Does
		}
		return ""
	},
	"missing": missing,
	"spoilt":  func(s *Screen) string { return strings.Join(spoiltNames(s), ",") },
	"refused": func(s *Screen) string { return strings.Join(refusedNames(s), ",") },
}

// tourField returns a field that tours read. "usual NAME" is the value that the plan has for an attribute, "toward
// NAME" the direction of its row from the cursor.
func tourField(s *Screen, name string) string {
	if f := tourFields[name]; f != nil {
		return f(s)
	}
	if to, ok := strings.CutPrefix(name, "toward "); ok {
		return s.form.Toward(to)
	}
	name, usual := strings.CutPrefix(name, "usual ")
	for i := range s.move.plan.Rows {
		r := &s.move.plan.Rows[i]
		switch {
		case !s.move.ready || r.Field.Name != name:
		case usual && r.Ref != "":
			return r.Ref
		case usual:
			return r.Value
		default:
			v, _ := s.move.value(r)
			return v
		}
	}
	return ""
}

// missing returns the first required attribute that has no value.
func missing(s *Screen) string {
	for _, fd := range s.form.Fields() {
		if s.move.ready && fd.Mark == widget.Required && fd.Value == "" {
			return fd.Name
		}
	}
	return ""
}

// spoiltNames lists the attributes that the user has set to another value than the plan's, if the call failed with
// them.
func spoiltNames(s *Screen) (names []string) {
	for i := range s.move.plan.Rows {
		r := &s.move.plan.Rows[i]
		if t, typed := s.move.typed[s.move.key(r.Field.Name)]; typed && hasFailed(s) && r.Need == bringup.Required &&
			t.text != r.Value && t.text != r.Ref {
			names = append(names, r.Field.Name)
		}
	}
	return names
}

// refusedNames lists the attributes that have a value and may have none in this transition, or whose value is wrong.
func refusedNames(s *Screen) (names []string) {
	for _, fd := range s.form.Fields() {
		wrong := fd.Err != "" || hasFailed(s) && fd.Value != "" && fd.Mark == widget.Optional ||
			fd.Value != "" && fd.Mark == widget.Forbidden && fd.Kind != widget.StaticField
		if wrong && s.move.ready && !slices.Contains(names, fd.Name) {
			names = append(names, fd.Name)
		}
	}
	return names
}
