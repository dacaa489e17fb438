package fields

import (
	"reflect"
	"testing"

	"rdmatui/verbs"
)

// TestDeviceMatchesTheStruct checks the table of 40 fields against the JSON
// names of the struct, in order.
func TestDeviceMatchesTheStruct(t *testing.T) {
	typ := reflect.TypeFor[verbs.DeviceAttr]()
	if len(Device) != 40 || typ.NumField() != 40 {
		t.Fatalf("%d described, %d in the struct, want 40", len(Device), typ.NumField())
	}
	for i := range Device {
		f := &Device[i]
		if tag := typ.Field(i).Tag.Get("json"); tag != f.Name {
			t.Errorf("field %d: %s in the table, %s in the struct", i, f.Name, tag)
		}
		// Set only this field and check that only this row's text changes.
		var a, zero verbs.DeviceAttr
		setNonZero(reflect.ValueOf(&a).Elem().Field(i))
		for j := range Device {
			changed := Device[j].Format(&a) != Device[j].Format(&zero)
			if changed != (i == j) {
				t.Errorf("setting %s: row %s changed = %v", f.Name, Device[j].Name, changed)
			}
		}
	}
}

func setNonZero(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Array:
		v.Index(0).SetUint(1)
	case reflect.Int32:
		v.SetInt(1)
	default:
		v.SetUint(1)
	}
}
