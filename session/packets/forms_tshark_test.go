package packets_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rdmatui/session/capture"
	"rdmatui/verbs/verbstest/capturetest"
	"rdmatui/verbs/wire"
)

// innerFields are the addresses of a packet as tshark prints them: of IP, of the GRH, or LIDs.
var innerFields = []string{"_ws.malformed", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst", "infiniband.grh.sgid",
	"infiniband.grh.dgid", "infiniband.lrh.slid", "infiniband.lrh.dlid"}

// inner returns what tshark must print for innerFields.
func inner(f *capture.Frame) (all [9]string) {
	src, dst := f.Src.Addr(), f.Dst.Addr()
	switch {
	case f.IB && src == wire.LID(f.LRH.SLID):
		all[7], all[8] = fmt.Sprint(f.LRH.SLID), fmt.Sprint(f.LRH.DLID)
	case f.IB || f.V1:
		all[5], all[6] = src.String(), dst.String()
	case src.Is4():
		all[1], all[2] = src.String(), dst.String()
	default:
		all[3], all[4] = src.String(), dst.String()
	}
	return all
}

// TestTsharkAgreesOnForms compares each packet of the traffic of two kinds of devices with tshark: in each
// encapsulation and on each kind of link that tshark decodes, all headers from the BTH on and the addresses of the
// innermost IP header.
func TestTsharkAgreesOnForms(t *testing.T) {
	all := traffics(t)
	files := map[string][]capturetest.Encapsulation{} // by the link type and what tshark must be told
	for _, e := range slices.Concat(capturetest.Encapsulations, capturetest.Links) {
		if e.Tshark {
			key := fmt.Sprint(e.Link, e.As)
			files[key] = append(files[key], e)
		}
	}
	for _, forms := range files {
		var packets []capturetest.Packet
		var names []string // of each packet's form
		for _, e := range forms {
			for _, of := range all {
				packets = append(packets, inside(of.frames, &e, whole)...)
				names = append(names, slices.Repeat([]string{e.Name + ", " + of.name}, len(of.frames))...)
			}
		}
		formsAgree(t, capturetest.File(forms[0].Link, packets...), forms[0].As, names)
	}
}

// formsAgree compares the packets of a file with tshark. It reports the first one of each name that differs.
func formsAgree(t *testing.T, file []byte, options, names []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "capture.pcap")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	fields := slices.Clone(innerFields)
	for _, f := range capturetest.HeaderFields {
		fields = append(fields, f.Name)
	}
	rows, ours := capturetest.DissectInner(t, path, options, fields...), look(t, file).packets
	if len(rows) != len(names) || len(ours) != len(names) {
		t.Fatalf("%s: tshark has %d packets, the reader %d, of %d", names[0], len(rows), len(ours), len(names))
	}
	told := map[string]bool{}
	for i := range ours {
		if what := differs(&ours[i], rows[i]); what != "" && !told[names[i]] {
			told[names[i]] = true
			t.Errorf("%s: packet %d, %v: %s", names[i], i+1, &ours[i].Wire, what)
		}
	}
}

// differs says which field of a packet tshark has otherwise, "" for none.
func differs(f *capture.Frame, row []string) string {
	want := inner(f)
	for i, name := range innerFields {
		// an outer header of the other version is the last one of its kind
		if other := i > 0 && want[i] == ""; row[i] != want[i] && !other {
			return fmt.Sprintf("%s is %q, want %q", name, row[i], want[i])
		}
	}
	for i, field := range capturetest.HeaderFields {
		if got := row[len(innerFields)+i]; !field.Agree(&f.Wire, got) {
			want, has := field.Of(&f.Wire)
			return fmt.Sprintf("%s is %q, want %#x, %v", field.Name, got, want, has)
		}
	}
	return ""
}
