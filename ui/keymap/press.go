package keymap

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

var codes = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace,
	"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "insert": tea.KeyInsert,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5,
}

var mods = []struct {
	prefix string
	mod    tea.KeyMod
}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}}

// Press makes the message of a key from its name in bindings.
func Press(name string) tea.KeyPressMsg {
	var k tea.Key
	for _, m := range mods {
		if len(name) > len(m.prefix) && strings.HasPrefix(name, m.prefix) {
			k.Mod |= m.mod
			name = name[len(m.prefix):]
		}
	}
	if c, ok := codes[name]; ok {
		k.Code = c
		if name == "space" && k.Mod == 0 {
			k.Text = " "
		}
		return tea.KeyPressMsg(k)
	}
	k.Code, _ = utf8.DecodeRuneInString(name)
	if k.Mod&^tea.ModShift == 0 {
		k.Text = name
		if name == " " {
			k.Code = tea.KeySpace
		}
	}
	return tea.KeyPressMsg(k)
}
