package native

import (
	"reflect"
	"strings"
	"testing"

	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// TestLibraryBindsAll: every function that the installed library has is bound, under its own name: a field and its
// function differ in underscores and case only.
func TestLibraryBindsAll(t *testing.T) {
	so, err := dl.Open("libibverbs.so.1")
	if err != nil {
		vmtest.Need(t)
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, s := range abi.Symbols() {
		names[strings.ReplaceAll(strings.TrimPrefix(s.Name, "ibv_"), "_", "")] = s.Name
	}
	l := &library{dl: so}
	if err := l.bindAll(); err != nil {
		t.Fatal(err)
	}
	fields := reflect.ValueOf(l).Elem()
	bound := 0
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		if !strings.HasSuffix(field.Type.Name(), "Func") {
			continue
		}
		name := names[strings.ToLower(field.Name)]
		if name == "" {
			t.Errorf("%s is no function of the library", field.Name)
			continue
		}
		has := so.Has(name) || so.Has("_"+name)
		if got := !fields.Field(i).IsZero(); got != has {
			t.Errorf("%s: bound %t, but the library has it: %t", name, got, has)
		}
		bound++
	}
	if bound < 40 {
		t.Errorf("%d functions", bound)
	}
}
