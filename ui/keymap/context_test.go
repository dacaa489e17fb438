package keymap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// told lists the keys of a context by group.
func told(c Context) (out []string) {
	for _, g := range c.Groups {
		text := g.Name + ":"
		for _, b := range g.Keys {
			text += " " + b.Keys()[0]
		}
		out = append(out, text)
	}
	return out
}

// TestOnly: keys that do not work now are told apart, and a group of which none works is left out.
func TestOnly(t *testing.T) {
	c := Context{"Test", []Group{{"one", []binding{bind("a", "does a", "a"), bind("b", "does b", "b")}},
		{"two", []binding{bind("c", "does c", "c")}}, {"three", []binding{bind("d", "does d", "d")}}}}
	for off, want := range map[string]string{
		"":     "one: a b, two: c, three: d",
		"b":    "one: a, two: c, three: d, At other times: b",
		"c":    "one: a b, three: d, At other times: c",
		"abcd": "At other times: a b c d",
	} {
		now := c.Only(func(b key.Binding) bool { return !strings.Contains(off, b.Keys()[0]) })
		if got := strings.Join(told(now), ", "); got != want || now.Name != "Test" {
			t.Errorf("without %q: %s, want %s", off, got, want)
		}
		own, last := now.Short()
		for _, b := range append(own, last...) {
			if strings.Contains(off, b.Keys()[0]) {
				t.Errorf("without %q: the bottom line has %s", off, b.Keys()[0])
			}
		}
		if len(own) != 4-len(off) || len(last) != 0 {
			t.Errorf("without %q: %d keys on the bottom line", off, len(own))
		}
	}
}

// TestMove: the keys of a list move by a row, a page of at least one row, or to an end.
func TestMove(t *testing.T) {
	for name, want := range map[string]string{
		"up": "-1 -1", "k": "-1 -1", "down": "1 1", "j": "1 1", "pgup": "-7 -1", "ctrl+b": "-7 -1", "pgdown": "7 1",
		"ctrl+f": "7 1", "home": "-40 0", "g": "-40 0", "end": "40 0", "G": "40 0",
	} {
		seven, ok := Move(Press(name), 7, 40)
		none, _ := Move(Press(name), 0, 0)
		if got := fmt.Sprint(seven, " ", none); got != want || !ok {
			t.Errorf("%s: by %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"left", "right", "x", "enter", "/", "esc"} {
		if by, ok := Move(Press(name), 7, 40); by != 0 || ok {
			t.Errorf("%s moves by %d", name, by)
		}
	}
}

// TestPress: a key that is pressed by its name is the one that the keyboard sends: with its code, its modifiers, and
// its text unless a modifier takes that away.
func TestPress(t *testing.T) {
	for name, want := range map[string]tea.Key{
		"a": {Code: 'a', Text: "a"}, "A": {Code: 'A', Text: "A"}, "é": {Code: 'é', Text: "é"}, "+": {Code: '+',
			Text: "+"},
		" ": {Code: tea.KeySpace, Text: " "}, "space": {Code: tea.KeySpace, Text: " "}, "enter": {Code: tea.KeyEnter},
		"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "alt+b": {Code: 'b', Mod: tea.ModAlt},
		"ctrl+space": {Code: tea.KeySpace, Mod: tea.ModCtrl},
		"shift+tab":  {Code: tea.KeyTab, Mod: tea.ModShift}, "ctrl+left": {Code: tea.KeyLeft, Mod: tea.ModCtrl},
		"ctrl+alt+x": {Code: 'x', Mod: tea.ModCtrl | tea.ModAlt}, "shift+a": {Code: 'a', Mod: tea.ModShift, Text: "a"},
		"ctrl+": {Code: 'c', Text: "ctrl+"},
	} {
		if got := tea.Key(Press(name)); got != want {
			t.Errorf("%q: %+v, want %+v", name, got, want)
		}
	}
}

// TestKeysOfDevices: esc leads from the sections back to the list, and ends the search there.
func TestKeysOfDevices(t *testing.T) {
	for _, tt := range []struct {
		list, opened bool
		now          string
		enter, right string
		esc          string
	}{
		{true, false, "enter right", "open", "look inside", "end the search"},
		{true, true, "enter right", "go to Bring-up", "look inside", "end the search"},
		{false, false, "enter right esc", "open", "next section", devicesBack},
		{false, true, "enter right esc", "go to Bring-up", "next section", devicesBack},
	} {
		c := DevicesIn(tt.list, tt.opened)
		says := map[string]string{}
		for _, g := range c.Groups {
			for _, b := range g.Keys {
				for _, k := range b.Keys() {
					says[k] = b.Help().Desc
				}
			}
		}
		if got := told(c)[0]; got != "Now: "+tt.now || says["enter"] != tt.enter || says["right"] != tt.right ||
			says["esc"] != tt.esc || says["left"] != "previous section" {
			t.Errorf("%+v: %s, %v", tt, got, says)
		}
		own, _ := c.Short()
		names := []string{}
		for _, b := range own {
			names = append(names, b.Keys()[0])
		}
		if want := append(strings.Fields(tt.now), "/", "n", "N", "d", "r", "a", "P", "i", "#", "H", "U", "E", "y",
			"z"); !slices.Equal(names, want) {
			t.Errorf("%+v: the bottom line has %q, want %q", tt, names, want)
		}
	}
}

// TestKeysOfConnections: the bottom line has the keys for which there is something now, and the help the others.
func TestKeysOfConnections(t *testing.T) {
	const all = "a R f d enter e b c l W J m s t o D A ctrl+r P v"
	for _, tt := range []struct {
		now  ConnectionsNow
		want string
	}{
		{ConnectionsNow{}, ""}, {ConnectionsNow{Manager: true}, "c l"}, {ConnectionsNow{New: true}, ""},
		{ConnectionsNow{Manager: true, New: true}, "c l W J m s"}, {ConnectionsNow{Managers: true, New: true}, "t"},
		{ConnectionsNow{Managers: true}, ""}, {ConnectionsNow{ID: true}, "D v"}, {ConnectionsNow{Others: true}, "o"},
		{ConnectionsNow{Next: true}, "enter e b P"}, {ConnectionsNow{Asked: true}, "a R A ctrl+r"},
		{ConnectionsNow{Connected: true}, "d"}, {ConnectionsNow{Fixable: true}, "f"},
		{ConnectionsNow{true, true, true, true, true, true, true, true, true}, all},
	} {
		var now, later []string
		for _, g := range ConnectionsIn(tt.now).Groups {
			for _, b := range g.Keys {
				switch g.Name {
				case "Now":
					now = append(now, b.Keys()[0])
				case laterName:
					later = append(later, b.Keys()[0])
				}
			}
		}
		rest := slices.DeleteFunc(strings.Fields(all),
			func(k string) bool { return slices.Contains(strings.Fields(tt.want), k) })
		if got := strings.Join(now, " "); got != tt.want || !slices.Equal(later, rest) {
			t.Errorf("%+v: %s, later %q, want %s", tt.now, got, later, tt.want)
		}
	}
}

// TestOnlyLower: the lower case of a letter is told only if the upper case has no meaning, now or later.
func TestOnlyLower(t *testing.T) {
	c := Context{"Test", []Group{
		{"one", []binding{bind("q", "quits", "q"), bind("a", "adds", "a"), bind("A", "adds all", "A")}},
		{laterName, []binding{bind("D", "destroys", "D"), bind("w", "waits", "w")}},
		{"two", []binding{bind("d", "draws", "d"), bind("tab", "next", "tab")}},
	}}
	for key, want := range map[string]string{
		"Q": "q", "q": "", "A": "", "a": "", "D": "", "W": "", "X": "", "TAB": "", "1": "", "tab": "", "": "",
	} {
		if got := c.OnlyLower(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
