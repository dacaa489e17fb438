package keymap

import (
	"reflect"
	"testing"
)

// In every state of the Connections screen, no key has two meanings and the help
// lists every key.
func TestConnectionsContexts(t *testing.T) {
	var now ConnectionsNow
	v := reflect.ValueOf(&now).Elem()
	for bits := range 1 << v.NumField() {
		for i := range v.NumField() {
			v.Field(i).SetBool(bits>>i&1 == 1)
		}
		c := ConnectionsIn(now)
		for _, s := range conflicts(c) {
			t.Errorf("%+v: %s", now, s)
		}
		told := map[string]bool{}
		for _, g := range c.Groups {
			if len(g.Keys) == 0 {
				t.Errorf("%+v: group %q is empty", now, g.Name)
			}
			for _, b := range g.Keys {
				told[b.Help().Key] = true
			}
		}
		for _, b := range append(group("", Connections).Keys, Form.Submit, Form.Edit) {
			if !told[b.Help().Key] {
				t.Errorf("%+v: %s is not told", now, b.Help().Key)
			}
		}
	}
}
