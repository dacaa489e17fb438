package capture

import (
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/layers"

	"rdmatui/session/timeline"
	"rdmatui/verbs/verbstest/capturetest"
	"rdmatui/verbs/wire"
	"rdmatui/verbs/wire/mad"
)

// everyPacket returns one packet of each opcode that a device sends, with each kind
// of syndrome, over IPv4 and IPv6; no two values are alike.
func everyPacket(t *testing.T) (all []*timeline.Packet) {
	paths := [][2]netip.AddrPort{
		{netip.MustParseAddrPort("10.9.0.1:49153"), netip.MustParseAddrPort("10.9.0.2:4791")},
		{netip.MustParseAddrPort("[fd00::1]:49153"), netip.MustParseAddrPort("[fd00::2]:4791")},
	}
	syndromes := []wire.Syndrome{wire.ACKUnlimited, wire.ACKWithCredits(6), wire.RNRNAK(12),
		wire.NAK(wire.NAKPSNSequence), wire.NAK(wire.NAKRemoteAccess)}
	for _, path := range paths {
		for o := range 256 {
			op := wire.Opcode(o)
			info, ok := op.Info()
			// never sent, or unknown to tshark: annex A19
			if !ok || op == wire.CNP || info.Operation == wire.OpFlush || info.Operation == wire.OpAtomicWrite {
				continue
			}
			n := uint32(len(all))
			p := wire.Packet{
				BTH: wire.BTH{Opcode: op, Solicited: n%2 == 0, MigReq: n%3 != 0, PKey: 0xffff, DestQP: 0x800000 + n,
					AckReq: n%5 == 0,
					PSN:    wire.PSN(0xfffff0+n) & wire.PSNMask},
				DETH: wire.DETH{QKey: 0x11111111 + n, SrcQP: 0x900000 + n},
				RETH: wire.RETH{VA: 0x7fff00000000 + uint64(n), RKey: 0xfe000000 + n, DMALen: 1 << 30},
				AtomicETH: wire.AtomicETH{VA: 0x7ffe00000000 + uint64(n), RKey: 0xfd000000 + n,
					SwapAdd: 1<<63 + uint64(n), Compare: 1<<62 + uint64(n)},
				AETH:         wire.AETH{Syndrome: syndromes[0], MSN: 0xabcd00 + n},
				AtomicAckETH: wire.AtomicAckETH{Orig: 1<<61 + uint64(n)}, ImmDt: wire.ImmDt{Data: 0xa0000000 + n},
				IETH: wire.IETH{RKey: 0xb0000000 + n},
			}
			if info.Payload {
				p.Payload = []byte("no other protocol")[:1+n%9]
			}
			all = append(all, seal(t, "soft0", true, path[0], path[1], uint16(n), p))
			if op == wire.RCAcknowledge {
				for _, s := range syndromes[1:] {
					p.AETH.Syndrome = s
					all = append(all, seal(t, "soft0", true, path[0], path[1], uint16(n), p))
				}
			}
		}
	}
	return all
}

// written writes packets to a file and returns its name.
func written(t *testing.T, packets []*timeline.Packet) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "all.pcapng")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(f)
	for _, p := range packets {
		w.Write(p)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTsharkAgrees writes one packet of each opcode to a file, reads it again and
// compares every field with tshark's.
// tshark must find no malformed packet and no bad checksum.
func TestTsharkAgrees(t *testing.T) {
	packets := everyPacket(t)
	path := written(t, packets)
	fields := []string{"_ws.malformed", "ip.checksum.status", "udp.checksum.status"}
	for _, d := range capturetest.HeaderFields {
		fields = append(fields, d.Name)
	}
	rows := capturetest.Dissect(t, path, fields...)
	if len(rows) != len(packets) {
		t.Fatalf("%d rows for %d packets", len(rows), len(packets))
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		var f Frame
		if err := r.Next(&f); err != nil || f.ICRC != Right || f.Way != Out {
			t.Fatalf("packet %d: %v, ICRC %d, way %d", f.Seq, err, f.ICRC, f.Way)
		}
		compare(t, &f.Wire, row)
	}
}

// good is tshark's value for a valid checksum.
const good = "1"

func compare(t *testing.T, p *wire.Packet, row []string) {
	t.Helper()
	if row[0] != "" || row[1] != "" && row[1] != good || row[2] != good {
		t.Errorf("%v: malformed %q, IP checksum %q, UDP checksum %q", p, row[0], row[1], row[2])
	}
	for i, d := range capturetest.HeaderFields {
		if got := row[3+i]; !d.Agree(p, got) {
			want, has := d.Of(p)
			t.Errorf("%v: %s is %q, want %#x, %v", p, d.Name, got, want, has)
		}
	}
}

// managed returns a datagram to queue pair 1 for each class, method and attribute that has a name.
func managed(t *testing.T) (all []*timeline.Packet) {
	add := func(class, method uint8, attribute uint16) {
		h := wire.MADHeader{BaseVersion: 1, MgmtClass: class, ClassVersion: 1, Method: method,
			Status: uint16(len(all)) << 2 & 0x1c, ClassSpecific: 0x0102,
			TransactionID: 1<<60 + uint64(len(all)), Attribute: wire.CMAttribute(attribute),
			Modifier: 0xa0000000 + uint32(len(all))}
		all = append(all, seal(t, "soft0", true, here, there, 0,
			wire.Packet{BTH: wire.BTH{Opcode: wire.UDSendOnly, PKey: 0xffff, DestQP: 1},
				DETH:    wire.DETH{QKey: wire.QKeyGSI, SrcQP: 1},
				Payload: append(h.Append(nil), make([]byte, wire.MADLen-wire.MADHeaderLen)...)}))
	}
	for _, class := range []uint8{1, 3, 4, 0x81} {
		for attribute := range uint16(0x100) {
			add(class, 1, attribute)
		}
	}
	for method := range 256 {
		add(3, uint8(method), 0x35)
	}
	return all
}

// unnamed are the names that tshark 4.0 does not have.
var unnamed = map[string]bool{
	"PortSamplesControl": true, "PortSamplesResult": true, "PortRcvErrorDetails": true, "PortXmitDiscardDetails": true,
	"PortOpRcvCounters": true, "PortFlowCtlCounters": true,
	"Send(PathRecord)": true, "Trap(PathRecord)": true, "TrapRepress(PathRecord)": true, // methods of other classes
}

// dissectedName is how tshark names a method and an attribute, or an attribute of performance management.
var dissectedName = regexp.MustCompile(`(?:SubnAdm|Subn|PERF )([A-Za-z]*\([A-Za-z_]+\))$`)

// TestTsharkAgreesOnMADs compares the fields of management datagrams and the names of methods and attributes, those
// without a name included.
func TestTsharkAgreesOnMADs(t *testing.T) {
	packets := managed(t)
	rows := capturetest.Dissect(t, written(t, packets), "_ws.col.Info", "infiniband.mad.baseversion",
		"infiniband.mad.mgmtclass", "infiniband.mad.classversion", "infiniband.mad.method",
		"infiniband.mad.status", "infiniband.mad.classspecific", "infiniband.mad.transactionid",
		"infiniband.mad.attributeid", "infiniband.mad.attributemodifier")
	if len(rows) != len(packets) {
		t.Fatalf("%d rows for %d packets", len(rows), len(packets))
	}
	for i, row := range rows {
		m, err := mad.Parse(packets[i].Wire.Payload)
		if err != nil {
			t.Fatal(err)
		}
		for at, want := range []uint64{uint64(m.BaseVersion), uint64(m.MgmtClass), uint64(m.ClassVersion),
			uint64(m.Method), uint64(m.Status), uint64(m.ClassSpecific),
			m.TransactionID, uint64(m.Attribute), uint64(m.Modifier)} {
			if v, err := strconv.ParseUint(row[at+1], 0, 64); err != nil || v != want {
				t.Errorf("%v: field %d is %q, want %#x", &m, at, row[at+1], want)
			}
		}
		method, attribute := m.MethodName(), m.AttributeName()
		ours := method + "(" + attribute + ")"
		if m.MgmtClass == 4 { // tshark does not name its method
			ours = "(" + attribute + ")"
		}
		if strings.HasPrefix(method, "0x") || strings.HasPrefix(attribute, "0x") ||
			unnamed[attribute] || unnamed[ours] {
			ours = ""
		}
		theirs := ""
		if found := dissectedName.FindStringSubmatch(row[0]); found != nil {
			theirs = found[1]
		}
		if ours != theirs {
			t.Errorf("%v: named %q, tshark has %q in %q", &m, ours, theirs, row[0])
		}
	}
}

// TestTsharkReadsCopies: tshark finds the same in a copied packet as in the original, whole or cut; the packets of a
// segmented datagram have right lengths and checksums.
func TestTsharkReadsCopies(t *testing.T) {
	fields := []string{"frame.time_epoch", "frame.len", "frame.cap_len", "eth.src", "eth.type", "vlan.id",
		"vlan.priority", "ip.src", "ip.ttl", "ip.id", "ip.dsfield", "ip.len", "ipv6.src",
		"ipv6.plen", "udp.length", "infiniband.grh.sgid", "infiniband.bth.psn",
		"infiniband.invariant.crc", "_ws.malformed"}
	name := filepath.Join(t.TempDir(), "capture")
	dissect := func(file []byte, fields ...string) [][]string {
		if err := os.WriteFile(name, file, 0o600); err != nil {
			t.Fatal(err)
		}
		return capturetest.Dissect(t, name, fields...)
	}
	for of, packets := range linkHeaders(t) {
		const fileHeader = 24
		original := record(t, of, nil, 0)[:fileHeader]
		for _, packet := range packets {
			original = join(original, record(t, of, packet, len(packet))[fileHeader:],
				record(t, of, packet, len(packet)-8)[fileHeader:])
		}
		_, again := copied(t, original)
		want := dissect(original, fields...)
		if got := dissect(again, fields...); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %q\nwant %q", of, got, want)
		}
	}
	packet := uncut(t, 0xfffe, 256, 256, 5)
	_, again := copied(t, record(t, layers.LinkTypeRaw, packet, len(packet)))
	got := dissect(again, "ip.id", "ip.len", "ip.checksum.status", "udp.length", "udp.checksum.status",
		"infiniband.bth.psn", "_ws.malformed")
	want := [][]string{{"0xfffe", "300", good, "280", good, "0", ""}, {"0xffff", "300", good, "280", good, "1", ""},
		{"0x0000", "52", good, "32", good, "2", ""}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("segments: %q\nwant %q", got, want)
	}
}
