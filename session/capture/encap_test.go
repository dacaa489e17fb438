package capture

import (
	"bytes"
	"io"
	"testing"

	"github.com/gopacket/gopacket/layers"

	"rdmatui/verbs/verbstest/capturetest"
)

var roceMAC = MAC{Dst: [6]byte{2, 0, 0, 0, 0, 2}, Src: [6]byte{2, 0, 0, 0, 0, 1}}

// roceFrame is an Ethernet frame with a RoCE packet over IPv4.
func roceFrame(t testing.TB) []byte {
	return join(roceMAC.Dst[:], roceMAC.Src[:], []byte{8, 0}, four(t))
}

// TestEncapsulations reads one packet in each encapsulation: it is the same packet, with its outer headers.
func TestEncapsulations(t *testing.T) {
	for _, e := range capturetest.Encapsulations {
		t.Run(e.Name, func(t *testing.T) {
			b := e.Wrap(roceFrame(t))
			r, err := NewReader(bytes.NewReader(record(t, layers.LinkType(e.Link), b, len(b))))
			if err != nil {
				t.Fatal(err)
			}
			var f Frame
			if err := r.Next(&f); err != nil || f.Err != nil {
				t.Fatalf("%v, %v, %+v", err, f.Err, r.Totals)
			}
			if string(f.Wire.Payload) != "hello" || f.Wire.BTH.PSN != 9 || f.ICRC != Right ||
				f.Src.String() != "10.0.0.1:50000" || f.Dst.String() != "10.0.0.2:4791" || f.ID != 0x1234 || f.Cut() {
				t.Errorf("%+v", f)
			}
			if got := f.Outer.String(); got != e.Outer {
				t.Errorf("outer headers %q, want %q", got, e.Outer)
			}
			if want := roceMAC; e.Bare == (f.MAC == want) {
				t.Errorf("MAC %v", f.MAC)
			}
			want := Totals{Packets: 1, RoCE: 1}
			if e.Outer != "" {
				want.Tunneled = 1
			}
			if err := r.Next(&f); err != io.EOF || r.Totals != want {
				t.Errorf("%v, %+v", err, r.Totals)
			}
		})
	}
}
