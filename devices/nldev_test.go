package devices

import (
	"encoding/binary"
	"maps"
	"reflect"
	"slices"
	"testing"

	"rdmatui/verbs"
)

// attr encodes one attribute.
func attr(typ uint16, value []byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(len(value)+4))
	b = binary.NativeEndian.AppendUint16(b, typ)
	b = append(b, value...)
	return append(b, make([]byte, -len(value)&3)...)
}

func u32(v uint32) []byte { return binary.NativeEndian.AppendUint32(nil, v) }

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

const nested = 0x8000

var (
	gsiEntry = join(attr(nldevPortIndex, u32(1)), attr(nldevLQPN, u32(1)), attr(nldevType, []byte{1}),
		attr(nldevState, []byte{3}), attr(nldevKernName, []byte("ib_core\x00")))
	userEntry = join(attr(nldevLQPN, u32(0x11)), attr(nldevRQPN, u32(0x12)), attr(nldevType, []byte{2}),
		attr(nldevState, []byte{3}), attr(nldevPID, u32(77)))
	// The second table is of another kind: its entries are no queue pairs.
	qpTable = join(attr(nldevDevIndex, u32(0)), attr(35|nested, attr(20|nested, userEntry)),
		attr(19|nested, join(attr(20|nested, gsiEntry), attr(20|nested, userEntry))))
)

func qpKind() resourceKind {
	return resourceKinds[slices.IndexFunc(resourceKinds, func(k resourceKind) bool { return k.name == "qp" })]
}

func TestQPTable(t *testing.T) {
	var got []QPUse
	owners := tally{}
	for entry := range qpKind().entries(qpTable) {
		got = append(got, qpUse(entry))
		owners.add(entryOwner(entry), "qp")
	}
	want := []QPUse{
		{PortNum: 1, QPNum: 1, Type: "GSI", State: verbs.QPRTS, Comm: "ib_core"},
		{QPNum: 0x11, Dest: 0x12, Type: "RC", State: verbs.QPRTS, PID: 77},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	r := Resources{Users: owners.users(), QPs: got}
	sys := plant(t, "bare")
	sys.write(t, "/proc/77/comm", "ib_server\n")
	r.nameProcesses(sys)
	users := []User{{0, "ib_core", map[string]int{"qp": 1}}, {77, "ib_server", map[string]int{"qp": 1}}}
	if !reflect.DeepEqual(r.Users, users) || r.QPs[1].Comm != "ib_server" {
		t.Errorf("%+v, want %+v", r, users)
	}
}

// TestDeviceList finds a device's number and driver among the kernel's answers.
func TestDeviceList(t *testing.T) {
	device := func(index uint32, name string) []byte {
		return join(attr(nldevDevIndex, u32(index)), attr(nldevDevName, []byte(name+"\x00")))
	}
	list := [][]byte{device(3, "rxe0"), device(7, "mlx5_0")}
	for name, want := range map[string]uint32{"rxe0": 3, "mlx5_0": 7} {
		if got, ok := indexOf(list, name); got != want || !ok {
			t.Errorf("%s: number %d, %v; want %d", name, got, ok, want)
		}
	}
	if got, ok := indexOf(list, "rxe"); ok {
		t.Errorf("a device that does not exist has number %d", got)
	}
	if got := driverOf([][]byte{device(3, "rxe0"), attr(nldevDriverID, u32(14))}); got != "rdma_rxe" {
		t.Errorf("driver %q", got)
	}
	if got := driverOf(list); got != "" {
		t.Errorf("driver %q, but none is named", got)
	}
}

// TestAttributes: values of each size, one of them empty.
func TestAttributes(t *testing.T) {
	got := map[uint16]uint64{}
	for typ, v := range attributes(join(attr(1, nil), attr(2, []byte{200}), attr(3, u32(1<<31)),
		attr(4, binary.NativeEndian.AppendUint64(nil, 1<<63)), attr(5, []byte{1, 2}), attr(6, nil))) {
		got[typ] = number(v)
	}
	if want := map[uint16]uint64{1: 0, 2: 200, 3: 1 << 31, 4: 1 << 63, 5: 0, 6: 0}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestAttributesStopAtWhatDoesNotFit(t *testing.T) {
	for name, b := range map[string][]byte{
		"short header": {8, 0, 1}, "length below the header": attrHeader(3, 1),
		"length 0": attrHeader(0, 1), "length beyond the end": attrHeader(9, 1),
	} {
		for typ := range attributes(b) {
			t.Errorf("%s: attribute %d", name, typ)
		}
	}
}

func attrHeader(length, typ uint16) []byte {
	b := binary.NativeEndian.AppendUint16(nil, length)
	b = binary.NativeEndian.AppendUint16(b, typ)
	return append(b, 0, 0, 0, 0)
}

func FuzzQPTable(f *testing.F) {
	f.Add(qpTable)                                                   // two entries
	f.Add(qpTable[:len(qpTable)-5])                                  // cut in the last attribute
	f.Add(attr(19, attr(20, attr(nldevKernName, []byte("no end"))))) // text without its end
	f.Add(attr(19, attr(20, attr(nldevPID, []byte{1, 2}))))          // a number of an unexpected size
	f.Fuzz(func(t *testing.T, b []byte) {
		for entry := range qpKind().entries(b) {
			if u := qpUse(entry); len(u.Comm) > maxText {
				t.Errorf("comm of %d bytes", len(u.Comm))
			}
		}
	})
}
