package keymap

import (
	"fmt"

	"charm.land/bubbles/v2/key"
)

type binding = key.Binding

// List moves in tables, forms, hex dumps and pages.
var List = struct {
	Up, Down, PageUp, PageDown, Home, End, Left, Right, Filter, Open, Back binding
}{
	Up:       bind("↑/k", "up", "up", "k"),
	Down:     bind("↓/j", "down", "down", "j"),
	PageUp:   bind("pgup", "page up", "pgup", "ctrl+b"),
	PageDown: bind("pgdn", "page down", "pgdown", "ctrl+f"),
	Home:     bind("home/g", "first", "home", "g"),
	End:      bind("end/G", "last, follow", "end", "G"),
	Left:     bind("←/h", "left, previous choice", "left", "h"),
	Right:    bind("→/l", "right, next choice", "right", "l"),
	Filter:   as(Verb.Filter, "filter"),
	Open:     bind("enter", "open", "enter"),
	Back:     bind("esc", "back", "esc"),
}

// Move returns the number of rows by which a key of List moves down, negative for up. page is the number of visible
// rows, rows that of all. The caller keeps within the list. ok is false for a key that does not move up or down.
func Move(k fmt.Stringer, page, rows int) (by int, ok bool) {
	for _, m := range []struct {
		key key.Binding
		by  int
	}{
		{List.Up, -1}, {List.Down, 1}, {List.PageUp, -max(page, 1)}, {List.PageDown, max(page, 1)},
		{List.Home, -rows}, {List.End, rows},
	} {
		if Matches(k, m.key) {
			return m.by, true
		}
	}
	return 0, false
}

// Find works after a search.
var Find = struct{ Next, Prev binding }{
	Next: bind("n", "next match", "n"),
	Prev: bind("N", "previous match", "N"),
}

// Form works on a list of fields. Its movement keys are those of List.
var Form = struct{ Submit, Edit, Toggle, Clear binding }{
	Submit: as(Verb.Run, "run"),
	Edit:   as(Verb.Edit, "edit"),
	Toggle: as(Verb.Mark, "next choice"),
	Clear:  bind("del", "unset", "delete", "backspace"),
}

var (
	listGroup = group("Lists", List)
	formGroup = group("Form", Form)
	// moveGroup is the keys of List in a form.
	moveGroup = Group{Name: listGroup.Name, Keys: []binding{List.Up, List.Down, List.PageUp, List.PageDown,
		List.Home, List.End, List.Left, List.Right, List.Back}}
)
