// Package keymap holds every key binding. The help is made from it, and a test finds
// keys with two meanings. Its variables are read-only.
package keymap

import (
	"fmt"
	"reflect"
	"slices"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
)

// Group is a set of related bindings, with a heading for the help.
type Group struct {
	Name string
	Keys []key.Binding
}

// Context is the keys that work at one time: those of a screen, or of a widget that
// has the keyboard. Groups are in the order of the help.
type Context struct {
	Name   string
	Groups []Group
}

// Matches reports whether a key press is one of the bindings.
func Matches(k fmt.Stringer, b ...key.Binding) bool { return key.Matches(k, b...) }

// bind makes a binding from its label in the help, its description and its keys.
func bind(label, does string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(label, does))
}

// group lists the bindings of a struct in the order of its fields.
func group(name string, bindings any) Group {
	v := reflect.ValueOf(bindings)
	g := Group{Name: name, Keys: make([]key.Binding, v.NumField())}
	for i := range g.Keys {
		g.Keys[i] = v.Field(i).Interface().(key.Binding)
	}
	return g
}

// screen makes the context of a screen: its own groups first, the global ones last.
func screen(name string, groups ...Group) Context {
	return Context{Name: name, Groups: append(groups, globalGroup)}
}

// laterName is the heading of keys that cannot be used at the moment.
const laterName = "At other times"

// Only moves the keys that do not work now to a separate group, which the bottom line
// leaves out.
func (c Context) Only(works func(key.Binding) bool) Context {
	out, later := Context{Name: c.Name}, Group{Name: laterName}
	for _, g := range c.Groups {
		kept := Group{Name: g.Name}
		for _, b := range g.Keys {
			if works(b) {
				kept.Keys = append(kept.Keys, b)
			} else {
				later.Keys = append(later.Keys, b)
			}
		}
		if len(kept.Keys) > 0 {
			out.Groups = append(out.Groups, kept)
		}
	}
	if len(later.Keys) > 0 {
		out.Groups = append(out.Groups, later)
	}
	return out
}

// Short lists the keys of the bottom line, most useful first: the context's own keys,
// then those of every pane except movements. last has the keys that are always shown:
// the command line, help and quit.
func (c Context) Short() (own, last []key.Binding) {
	var common []key.Binding
	for _, g := range c.Groups {
		for _, b := range g.Keys {
			switch {
			case !b.Enabled() || g.Name == laterName:
			case g.Name == globalGroup.Name:
				if is(b, Global.Help) || is(b, Global.Console) || is(b, Global.Quit) {
					last = append(last, b)
				}
			case g.Name != listGroup.Name && g.Name != paneGroup.Name:
				own = append(own, b)
			case is(b, Verb.Filter) || is(b, Verb.Copy) || is(b, Verb.Explain) || is(b, Verb.Zoom):
				common = append(common, b)
			}
		}
	}
	return append(own, common...), last
}

// is reports whether two bindings have the same key.
func is(a, b key.Binding) bool { return len(a.Keys()) > 0 && a.Keys()[0] == b.Keys()[0] }

// OnlyLower returns the lower case of a key that is an upper-case letter, if only that is a key of the context now, and
// otherwise "".
func (c Context) OnlyLower(key string) (lower string) {
	upper, size := utf8.DecodeRuneInString(key)
	if size != len(key) || !unicode.IsUpper(upper) {
		return ""
	}
	small := string(unicode.ToLower(upper))
	for _, g := range c.Groups {
		for _, b := range g.Keys {
			switch keys := b.Keys(); {
			case slices.Contains(keys, key):
				return ""
			case slices.Contains(keys, small) && g.Name != laterName:
				lower = small
			}
		}
	}
	return lower
}

// Stop returns the key that stops what a screen is carrying out; ok is false if it carries out nothing.
func (c Context) Stop() (press key.Binding, ok bool) {
	for _, g := range c.Groups {
		for _, b := range g.Keys {
			if h := b.Help(); b.Enabled() && (h == Measure.Stop.Help() || h == ScenarioRun.Stop.Help()) {
				return b, true
			}
		}
	}
	return key.Binding{}, false
}

// Contexts lists all contexts, for help and for the conflict test.
func Contexts() []Context {
	return append(screens(), ConsoleOpen, PaletteOpen, AnswerOpen, FieldOpen, PickOpen, FlagsOpen, FilterOpen,
		IncidentOpen, WaitShown, DialogOpen, HelpOpen, TextOpen, ResumeOpen, MapOpen)
}

// screens lists the contexts of the screens themselves, without widgets.
func screens() []Context {
	return []Context{HomeScreen, DevicesScreen, DevicesNone, BringupScreen, BringupSetup, PostScreen, PostSteps,
		CompletionsScreen, ConnectionsScreen, WireScreen, WireFaults, JournalScreen,
		ScenariosScreen, ScenarioBusy, ScenarioStepping, ScenarioFailed, ScenarioOver,
		MeasureScreen, MeasureBusy}
}
