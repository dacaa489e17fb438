// Package keymap holds every key binding. Help is made from it, and a test finds
// keys that mean two things at once. Its variables are read-only.
package keymap

import (
	"fmt"
	"reflect"

	"charm.land/bubbles/v2/key"
)

// Group is bindings that belong together, with a heading for the help.
type Group struct {
	Name string
	Keys []key.Binding
}

// Context is what can be pressed at one time: a screen, or a widget that has
// taken the keyboard. Groups come in the order help shows them.
type Context struct {
	Name   string
	Groups []Group
}

// Matches reports whether a key press is one of the bindings.
func Matches(k fmt.Stringer, b ...key.Binding) bool { return key.Matches(k, b...) }

// bind makes a binding: what help calls its keys, what it does, its keys.
func bind(label, does string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(label, does))
}

// group lists the bindings of a struct in the order of its fields.
func group(name string, bindings any) Group {
	g := Group{Name: name}
	v := reflect.ValueOf(bindings)
	for i := range v.NumField() {
		g.Keys = append(g.Keys, v.Field(i).Interface().(key.Binding))
	}
	return g
}

// screen makes the context of a screen: its own keys first, the global last.
func screen(name string, groups ...Group) Context {
	return Context{Name: name, Groups: append(groups, globalGroup)}
}

// laterName is the heading of keys that are of no use at the moment.
const laterName = "At other times"

// Short lists what the bottom line shows, the most useful first: the context's
// own keys, then help itself and the way out.
func (c Context) Short() []key.Help {
	var out, last []key.Help
	for _, g := range c.Groups {
		for _, b := range g.Keys {
			switch {
			case !b.Enabled():
			case g.Name == globalGroup.Name:
				if h := b.Help(); h == Global.Help.Help() || h == Global.Palette.Help() || h == Global.Quit.Help() {
					last = append(last, h)
				}
			case g.Name != listGroup.Name && g.Name != paneGroup.Name && g.Name != laterName:
				out = append(out, b.Help())
			}
		}
	}
	return append(out, last...)
}

// Contexts lists all contexts, for help and for the test of conflicts.
func Contexts() []Context {
	return []Context{DevicesScreen, BringupScreen, PostScreen, CompletionsScreen, ConnectionsScreen, WireScreen, JournalScreen,
		ScenariosScreen, ScenarioBusy, ScenarioStepping, ScenarioFailed, ScenarioOver,
		PaletteOpen, AnswerOpen, FieldOpen, FlagsOpen, FilterOpen, WaitShown, DialogOpen, HelpOpen}
}
