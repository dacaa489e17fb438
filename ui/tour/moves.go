package tour

import (
	"slices"

	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/verbs"
)

// Conditions of moves.

// field returns the condition that a field of the current form has a value.
func field(name, value string) func(*World) bool {
	return func(w *World) bool { return w.Field(name) == value }
}

// filled returns the condition that a field of the current form has any value.
func filled(name string) func(*World) bool { return func(w *World) bool { return w.Field(name) != "" } }

func not(f func(*World) bool) func(*World) bool { return func(w *World) bool { return !f(w) } }

func both(conditions ...func(*World) bool) func(*World) bool {
	return func(w *World) bool {
		return !slices.ContainsFunc(conditions, func(f func(*World) bool) bool { return !f(w) })
	}
}

// toField returns the moves that bring the cursor of a screen's form to a field. name gives the field, "" for none.
func toField(on screen.ID, name func(*World) string) []Move {
	toward := func(way string) func(*World) bool {
		return func(w *World) bool { return name(w) != "" && w.Field("toward "+name(w)) == way }
	}
	says := func(w *World) string { return "go to the field " + name(w) }
	return []Move{
		{When: toward("up"), On: on, Key: &keymap.List.Up, Says: says},
		{When: toward("down"), On: on, Key: &keymap.List.Down, Says: says},
	}
}

// setField returns the moves that type a value into a field of a screen's form. name gives the field, "" for none.
func setField(on screen.ID, name, value func(*World) string) []Move {
	wanted := func(w *World) bool { return name(w) != "" }
	moves := []Move{{When: func(w *World) bool { return wanted(w) && w.Field("editing") == name(w) }, Typing: true,
		On: on, Says: func(w *World) string { return "type " + value(w) + ", then enter" }}}
	return append(append(moves, toField(on, name)...), Move{When: wanted, On: on, Key: &keymap.Form.Edit,
		Says: func(w *World) string { return "edit " + name(w) }})
}

// atFirst gives the value that the field of a form has at first.
func atFirst(name func(*World) string) func(*World) string {
	return func(w *World) string { return w.Field("usual " + name(w)) }
}

func fieldName(name string) func(*World) string { return func(*World) string { return name } }

func fieldOf(name string) func(*World) string { return func(w *World) string { return w.Field(name) } }

// list joins moves.
func list(parts ...[]Move) []Move { return slices.Concat(parts...) }

// ready lists the moves that make the request of the form one that completes: for a queue pair that is connected, with
// what was spoilt set right, and with a RECV for what waits ahead. target says which field tells of what is to be
// mended.
func ready(target string) []Move {
	return list([]Move{
		toConnected,
		{When: filled(target), On: screen.Post, Key: &keymap.Post.Fix,
			Says: func(w *World) string { return "fix: " + w.Field(target) }},
		{When: both(filled("pieces"), filled("spoilt")), On: screen.Post, Key: &keymap.Post.DropSGE,
			Does: "remove an SGE: one is enough"},
	}, setField(screen.Post, fieldOf("spoilt"), atFirst(fieldOf("spoilt"))))
}

// notConnected reports whether the form is for a queue pair that is not connected, though there is one.
func notConnected(w *World) bool {
	q := w.Session.QP(w.Field("qp"))
	return (q == nil || q.State != verbs.QPRTS || !isEnd(q)) && inRTS(&w.Session) > 0
}
