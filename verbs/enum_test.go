package verbs

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestEnumsNameAndParse(t *testing.T) {
	checkEnum(t, QPStates, 8)
	checkEnum(t, QPTypes, 7)
	checkEnum(t, WCStatuses, 24)
	checkEnum(t, WCOpcodes, 20)
	checkEnum(t, WROpcodes, 14)
	checkEnum(t, EventTypes, 21)
	checkEnum(t, GIDTypes, 3)
	checkEnum(t, MigStates, 3)
	checkEnum(t, AtomicCaps, 3)
	checkEnum(t, PortStates, 6)
	checkEnum(t, LinkLayers, 3)
}

func checkEnum[T Integer](t *testing.T, e Enum[T], n int) {
	t.Helper()
	if len(e.names) != n {
		t.Errorf("%s has %d names, want %d", e.Kind(), len(e.names), n)
	}
	for _, v := range e.Values() {
		for _, text := range []string{e.Name(v), strings.ToLower(e.Name(v)), e.CName(v)} {
			if got, err := e.Parse(text); err != nil || got != v {
				t.Errorf("%s: Parse(%q) = %v, %v", e.Kind(), text, got, err)
			}
		}
	}
	if got := e.Name(T(99)); got != "unknown(99)" {
		t.Errorf("%s: an unknown value prints as %q", e.Kind(), got)
	}
	if _, err := e.Parse("NONSENSE"); err == nil || !strings.Contains(err.Error(), e.Kind()) {
		t.Errorf("%s: %v", e.Kind(), err)
	}
}

func TestFlagsRoundTrip(t *testing.T) {
	for _, v := range []Access{0, LocalWrite, LocalWrite | RemoteWrite | RelaxedOrdering, 1 << 30, LocalWrite | 1<<15} {
		got, err := AccessFlags.Parse(v.String())
		if err != nil || got != v {
			t.Errorf("%s reads back as %v, %v", v, got, err)
		}
	}
	if got := AccessFlags.CName(LocalWrite | RemoteRead); got != "IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_READ" {
		t.Error(got)
	}
	if _, err := AccessFlags.Parse("0x100000000"); err == nil {
		t.Error("a number wider than the flag word was taken")
	}
}

func TestFailedCompletionShowsOnlyDefinedFields(t *testing.T) {
	wc := WC{WRID: 7, Status: WCRemAccessErr, Opcode: WCRecv, VendorErr: 0x88, ByteLen: 99, ImmData: 5, QPNum: 0x11, WCFlags: WCWithImm | WCGRH}
	if got := string(mustJSON(t, wc)); got != `{"wr_id":7,"status":"REM_ACCESS_ERR","vendor_err":136,"qp_num":17}` {
		t.Error(got)
	}
	wc = WC{WRID: 8, Opcode: WCRecv, ByteLen: 5, ImmData: 1, QPNum: 0x12, WCFlags: WCWithImm}
	if got := string(mustJSON(t, wc)); got != `{"wr_id":8,"status":"SUCCESS","opcode":"RECV","byte_len":5,"imm_data":1,"qp_num":18,"wc_flags":"WITH_IMM"}` {
		t.Error(got)
	}
	wc = WC{WRID: 9, Opcode: WCSend, ByteLen: 5, QPNum: 0x12}
	if got := string(mustJSON(t, wc)); strings.Contains(got, "byte_len") {
		t.Errorf("byte_len of a SEND is not defined: %s", got)
	}
}

// TestDeviceFieldsMatchTheStruct holds the table of 40 against the JSON names
// of the struct, in order.
func TestDeviceFieldsMatchTheStruct(t *testing.T) {
	typ := reflect.TypeFor[DeviceAttr]()
	if len(DeviceFields) != 40 || typ.NumField() != 40 {
		t.Fatalf("%d described, %d in the struct, want 40", len(DeviceFields), typ.NumField())
	}
	for i := range DeviceFields {
		f := &DeviceFields[i]
		if tag := typ.Field(i).Tag.Get("json"); tag != f.Name {
			t.Errorf("field %d: %s in the table, %s in the struct", i, f.Name, tag)
		}
		// Set just this field and see that just this row's text changes.
		var a, zero DeviceAttr
		setNonZero(reflect.ValueOf(&a).Elem().Field(i))
		for j := range DeviceFields {
			changed := DeviceFields[j].Format(&a) != DeviceFields[j].Format(&zero)
			if changed != (i == j) {
				t.Errorf("setting %s: row %s changed = %v", f.Name, DeviceFields[j].Name, changed)
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

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
