package devices

import (
	"encoding/binary"
	"maps"
	"net/netip"
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
		attr(23, u32(0x700)), attr(24, u32(0x900)),
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
		{QPNum: 0x11, Dest: 0x12, Type: "RC", State: verbs.QPRTS, RQPSN: 0x700, SQPSN: 0x900, PID: 77},
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

// TestConnectionsAndRegions reads entries laid out as the kernel's res_cm_id and res_mr tables.
func TestConnectionsAndRegions(t *testing.T) {
	storage := func(family uint16, port uint16, rest ...byte) []byte {
		b := binary.NativeEndian.AppendUint16(nil, family)
		b = append(binary.BigEndian.AppendUint16(b, port), rest...)
		return append(b, make([]byte, 128-len(b))...)
	}
	four := storage(2, 7471, 10, 9, 0, 1)
	six := storage(10, 40000, append(make([]byte, 4), netip.MustParseAddr("fd00::2").AsSlice()...)...)
	var r Resources
	r.keep("cm_id", join(attr(21, u32(0x11)), attr(27, []byte{5}), attr(32, u32(0x106)), attr(33, four), attr(34, six),
		attr(28, u32(77))))
	r.keep("cm_id", join(attr(27, []byte{8}), attr(32, u32(0x111)), attr(33, storage(2, 0)), attr(34, four[:6])))
	r.keep("cm_id", join(attr(27, []byte{200}), attr(33, storage(27, 5, 1))))
	r.keep("mr", join(attr(62, u32(4)), attr(60, u32(2)), attr(43, u32(0x10)), attr(42, u32(0x20)),
		attr(45, binary.NativeEndian.AppendUint64(nil, 1<<33)), attr(28, u32(77))))
	wantIDs := []CMIDUse{
		{QPNum: 0x11, State: "CONNECT", PortSpace: "TCP", Src: netip.MustParseAddrPort("10.9.0.1:7471"),
			Dst: netip.MustParseAddrPort("[fd00::2]:40000"), PID: 77},
		{State: "LISTEN", PortSpace: "UDP"}, {},
	}
	wantMRs := []MRUse{{Number: 4, PD: 2, Length: 1 << 33, LKey: 0x10, RKey: 0x20, PID: 77}}
	if !slices.Equal(r.CMIDs, wantIDs) || !slices.Equal(r.MRs, wantMRs) {
		t.Errorf("%+v, want %+v\n%+v, want %+v", r.CMIDs, wantIDs, r.MRs, wantMRs)
	}
	if got := r.CMIDs[0].Ends() + ", " + r.CMIDs[1].Ends(); got != "10.9.0.1:7471 → [fd00::2]:40000, – → –" {
		t.Errorf("ends %q", got)
	}
	sys := plant(t, "bare")
	sys.write(t, "/proc/77/comm", "rping\n")
	r.nameProcesses(sys)
	if r.CMIDs[0].Comm != "rping" || r.MRs[0].Comm != "rping" {
		t.Errorf("%+v", r)
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
