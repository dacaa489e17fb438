package native

import (
	"encoding/hex"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

// These tests match the fields of both sides by the C names in the tags, which the
// conversions do not use, and give every field a different value.

// filler gives every field of a C struct a value; the values differ between fields, and
// between the bytes of a field. Fields that stand for a bool get one bit each, lowest
// first.
type filler struct {
	n     uint64
	bools uint8
}

func (f *filler) fill(v reflect.Value, name string) {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.Name != "_" {
				f.fill(v.Field(i), field.Tag.Get("c"))
			}
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i), "")
		}
	case isBool(name):
		f.set(v, uint64(f.bools&1))
		f.bools >>= 1
	default:
		f.n++
		f.set(v, f.n|f.n<<16|f.n<<24|f.n<<40)
	}
}

func (f *filler) set(v reflect.Value, value uint64) {
	if v.CanUint() {
		v.SetUint(value & (1<<v.Type().Bits() - 1))
	} else {
		v.SetInt(int64(int32(value)))
	}
}

func isBool(name string) bool {
	return slices.Contains([]string{"is_global", "en_sqd_async_notify", "sq_draining", "sq_sig_all"}, name)
}

// flatten returns the leaves of a struct as text, by their C names.
func flatten(v reflect.Value, tag, prefix string, to map[string]string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get(tag), ",")
		if f.Name == "_" || f.Name == "Mask" || f.Name == "PortNum" && tag == "json" &&
			v.Type() == reflect.TypeFor[verbs.PortAttr]() {
			continue
		}
		// C nests the two; we do not.
		name = prefix + strings.TrimPrefix(name, "per_transport_caps.")
		switch field := v.Field(i); {
		case field.Type() == reflect.TypeFor[abi.GID]():
			to[name] = hex.EncodeToString(field.FieldByName("Raw").Bytes())
		case field.Kind() == reflect.Struct:
			flatten(field, tag, name+".", to)
		default:
			to[name] = leaf(field)
		}
	}
}

func leaf(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Array && v.Len() == 64: // fw_ver
		return abi.CString(v.Bytes())
	case v.Kind() == reflect.Array:
		return hex.EncodeToString(v.Bytes())
	case v.Kind() == reflect.Bool && v.Bool():
		return "1"
	case v.Kind() == reflect.Bool:
		return "0"
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	default:
		return v.String()
	}
}

// sameLeaves compares both sides; c may have additional leaves, given by name.
func sameLeaves(t *testing.T, ours, c any, extra ...string) {
	t.Helper()
	got, want := map[string]string{}, map[string]string{}
	flatten(addressable(ours), "json", "", got)
	flatten(addressable(c), "c", "", want)
	maps.DeleteFunc(want, func(name, _ string) bool {
		return slices.ContainsFunc(extra, func(e string) bool { return name == e || strings.HasPrefix(name, e+".") })
	})
	if len(got) == 0 {
		t.Fatal("nothing to compare")
	}
	for name := range maps.Keys(want) {
		if got[name] != want[name] {
			t.Errorf("%s is %q, in C %q", name, got[name], want[name])
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s has no field in C", name)
	}
}

// addressable copies the struct, so that its arrays can be read as bytes.
func addressable(v any) reflect.Value {
	from := reflect.Indirect(reflect.ValueOf(v))
	to := reflect.New(from.Type()).Elem()
	to.Set(from)
	return to
}

func filled[T any](bools uint8) *T {
	v := new(T)
	(&filler{bools: bools}).fill(reflect.ValueOf(v).Elem(), "")
	return v
}

func TestAttributesFromC(t *testing.T) {
	dev := filled[abi.DeviceAttr](0)
	dev.FWVer = [64]byte{'1', '.', '2', 0, 'x'}
	sameLeaves(t, deviceAttr(dev), dev)
	ex := filled[abi.DeviceAttrEx](0)
	sameLeaves(t, deviceAttrEx(ex), ex, "orig_attr", "comp_mask")
	port := filled[abi.PortAttrEx](0)
	port.ActiveSpeedEx = 0
	sameLeaves(t, portAttr(7, port), &port.PortAttr)
	port.ActiveSpeedEx = 256 // XDR, which does not fit into active_speed
	if got := portAttr(7, port).ActiveSpeed; got != 256 {
		t.Errorf("active_speed %d", got)
	}
	if got := portAttr(7, port).PortNum; got != 7 {
		t.Errorf("port_num %d", got)
	}
}

func TestQPAttrBothWays(t *testing.T) {
	for bools := range uint8(16) { // of four flags
		raw := filled[abi.QPAttr](bools)
		ours := raw.Values(verbs.AttrState | verbs.AttrAV)
		sameLeaves(t, ours, raw)
		if ours.Mask != verbs.AttrState|verbs.AttrAV {
			t.Errorf("mask %s", ours.Mask)
		}
		if back := abi.RawQPAttr(&ours); *back != *raw {
			t.Errorf("converted to Go and back: %+v, was %+v", *back, *raw)
		}
	}
	for bools := range uint8(2) {
		raw := filled[abi.QPInitAttr](bools)
		sameLeaves(t, raw.Values(), raw, "qp_context", "send_cq", "recv_cq", "srq")
	}
}

func TestGIDEntryFromC(t *testing.T) {
	raw := abi.GIDEntry{GID: abi.GID{Raw: [16]byte{1, 2, 15: 16}}, GIDIndex: 0x10203, PortNum: 3, GIDType: 2}
	want := verbs.GIDEntry{PortNum: 3, Index: 0x10203, GID: verbs.GID{1, 2, 15: 16}, Type: verbs.GIDTypeRoCEv2}
	if got := gidEntry(&raw, netdevNames{}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	raw.NdevIfindex, want.Netdev = 9, "eth7"
	if got := gidEntry(&raw, netdevNames{9: "eth7"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (netdevNames{}).of(1 << 30); got != "" {
		t.Errorf("a missing interface has the name %q", got)
	}
}

func TestDeviceInfoFromC(t *testing.T) {
	raw := &abi.Device{NodeType: 4, TransportType: 1}
	copy(raw.Name[:], "siw0")
	copy(raw.DevName[:], "uverbs3")
	copy(raw.DevPath[:], "/sys/a")
	copy(raw.IBDevPath[:], "/sys/b")
	want := verbs.DeviceInfo{
		Name: "siw0", Provider: "ibverbs", NodeGUID: verbs.GUID{1, 2, 3, 4, 5, 6, 7, 8}, NodeType: "RNIC",
		Transport: "iWARP", DevName: "uverbs3", DevPath: "/sys/a", IBDevPath: "/sys/b",
	}
	if got := deviceInfo(raw, 0x0807060504030201); got != want { // as a little-endian host loads it
		t.Errorf("%+v, want %+v", got, want)
	}
	raw.NodeType, raw.TransportType = -1, 99
	if got := deviceInfo(raw, 0); got.NodeType != "unknown(-1)" || got.Transport != "unknown(99)" {
		t.Errorf("node type %q, transport %q", got.NodeType, got.Transport)
	}
}

func TestWorkCompletionFromC(t *testing.T) {
	raw := abi.WC{
		WRID: 1 << 40, Status: 10, Opcode: 129, VendorErr: 0x88, ByteLen: 77, ImmData: [4]byte{0xa, 0xb, 0xc, 0xd},
		QPNum: 17, SrcQP: 18, PKeyIndex: 19, SLID: 20, SL: 5, DLIDPathBits: 6,
	}
	want := verbs.WC{
		WRID: 1 << 40, Status: verbs.WCRemAccessErr, Opcode: verbs.WCRecvRDMAWithImm, VendorErr: 0x88, ByteLen: 77,
		QPNum: 17, SrcQP: 18, PKeyIndex: 19, SLID: 20, SL: 5, DLIDPathBits: 6,
	}
	for _, tt := range []struct {
		flags    verbs.WCFlags
		imm, key uint32
	}{{verbs.WCGRH, 0, 0}, {verbs.WCWithImm, 0x0a0b0c0d, 0}, {verbs.WCWithInv, 0, 0x0d0c0b0a}} {
		raw.WCFlags, want.WCFlags, want.ImmData, want.InvalidatedRKey = uint32(tt.flags), tt.flags, tt.imm, tt.key
		got := verbs.WC{ImmData: 1, InvalidatedRKey: 1} // left by an earlier completion
		if readCompletion(&got, &raw); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
